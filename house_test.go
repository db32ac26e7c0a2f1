package irgl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	throughput "irgl/internal/opt"
	"irgl/internal/ssa/opt"
)

// The tests in this file keep the house in order: which package may import
// which, what each must have, and how large files and functions may grow.

// house lists the packages, each of which may import only those above it.
var house = []string{
	"internal/source",
	"internal/suggest",
	"internal/builtin",
	"internal/cformat",
	"internal/atomicfile",
	"internal/codecache",
	"internal/memory",
	"internal/infile",
	"internal/filecheck",
	"internal/golden",
	"internal/plot",
	"internal/table",
	"internal/measured",
	"internal/journal",
	"graph",
	"mesh",
	"internal/pass",
	"internal/cpp",
	"syntax",
	"internal/asdl",
	"internal/plan",
	"internal/check",
	"internal/analysis",
	"internal/run",
	"internal/abi",
	"internal/devlib",
	"internal/tree",
	"internal/dynpar",
	"internal/klap",
	"internal/cxx/ast",
	"internal/cxx/parse",
	"internal/cxx/types",
	"internal/cxx/hir",
	"internal/cxx/eval",
	"internal/cxx/sema",
	"internal/cxx/lower",
	"internal/cxx/headers",
	"internal/cxx",
	"internal/cxx/hostcode",
	"internal/lower",
	"internal/opt",
	"internal/ssa",
	"internal/ssa/analysis",
	"internal/ssa/opt",
	"internal/ptx",
	"internal/ssagen",
	"internal/ptxgen",
	"internal/compile",
	"internal/device",
	"internal/device/devicetest",
	"internal/device/ptxtest",
	"internal/device/cuda",
	"internal/device/simt",
	"internal/findings",
	"internal/device/warm",
	"internal/prepare",
	"rt",
	"internal/gogen",
	"internal/gogen/generate",
	"internal/gogen/bundled",
	"internal/interp",
	"internal/host",
	"internal/difftest",
	"internal/cxx/cxxtest",
	"internal/irgltest",
	"internal/programs",
	"internal/tune",
	"internal/engine",
	"internal/serve",
	"internal/cudart",
	"internal/cudabuild",
	"internal/klap/suite",
	"internal/klap/klaptest",
	"internal/klap/emit",
	"internal/nvccdiff",
	"internal/ptxrun",
	"internal/hosteval",
	"internal/bench",
	".",
	"internal/paper",
	"internal/klapbench",
	"cmd/irgl",
}

// isolated packages import less than their place allows: each may import only
// the listed packages of the module, since an oracle that shares code with what it checks shares its
// mistakes, and an IR that knows its producer cannot be tested without it.
var isolated = map[string][]string{
	"internal/builtin":     {},
	"internal/ssa":         {"internal/source"},
	"internal/ptx":         {"internal/source"},
	"internal/device":      {"internal/memory"},
	"internal/device/cuda": {"internal/codecache", "internal/device"},
	"internal/device/warm": {"internal/device"},
	"internal/device/simt": {"internal/source", "internal/cformat", "internal/ptx", "internal/device"},
	"internal/interp":      {"internal/source", "internal/builtin", "graph", "syntax", "internal/check", "internal/run"},
	"rt":                   {},
	"internal/gogen":       {"internal/source", "internal/builtin", "graph", "syntax", "internal/check", "internal/run", "rt"},
}

// A pkg is one package directory of the module.
type pkg struct {
	dir   string
	files map[string]*ast.File // by path
	lines map[string]int
}

// loadHouse returns the module's packages, which tests must not change: they are parsed
// once for all.
func loadHouse(t *testing.T) (*token.FileSet, map[string]*pkg) {
	t.Helper()
	h, err := parsedHouse()
	if err != nil {
		t.Fatal(err)
	}
	return h.fset, h.pkgs
}

type parsed struct {
	fset *token.FileSet
	pkgs map[string]*pkg
}

var parsedHouse = sync.OnceValues(func() (parsed, error) {
	fset := token.NewFileSet()
	pkgs := map[string]*pkg{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "dist") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != "." {
				return filepath.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		p := pkgs[dir]
		if p == nil {
			p = &pkg{dir: dir, files: map[string]*ast.File{}, lines: map[string]int{}}
			pkgs[dir] = p
		}
		p.files[path] = f
		p.lines[path] = strings.Count(string(text), "\n")
		return nil
	})
	return parsed{fset, pkgs}, err
})

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestImportsGoOneWay(t *testing.T) {
	_, pkgs := loadHouse(t)
	place := map[string]int{}
	for i, dir := range house {
		place[dir] = i
	}
	for _, dir := range sorted(pkgs) {
		if strings.HasPrefix(dir, "benchmarks") {
			continue
		}
		at, ok := place[dir]
		if !ok {
			t.Errorf("package %s has no place in the house: add it to the list in house_test.go and to docs/architecture.md", dir)
			continue
		}
		for _, path := range sorted(pkgs[dir].files) {
			if isTest(path) {
				continue
			}
			for _, spec := range pkgs[dir].files[path].Imports {
				imp := strings.Trim(spec.Path.Value, `"`)
				if imp == "irgl" {
					imp = "irgl/."
				}
				to, own := strings.CutPrefix(imp, "irgl/")
				if !own {
					continue
				}
				if place[to] >= at {
					t.Errorf("%s imports %s, which is not above it", path, to)
				}
				if allowed, only := isolated[dir]; only && !slices.Contains(allowed, to) {
					t.Errorf("%s imports %s: package %s is isolated", path, to, dir)
				}
			}
		}
	}
}

func TestEveryPackageHasDoc(t *testing.T) {
	fset, pkgs := loadHouse(t)
	for _, dir := range sorted(pkgs) {
		p := pkgs[dir]
		if p.onlyTests() {
			continue
		}
		f := p.files[filepath.Join(dir, "doc.go")]
		if f == nil { // a command explains itself in main.go
			f = p.files[filepath.Join(dir, "main.go")]
		}
		if f == nil || f.Doc == nil {
			t.Errorf("package %s has no doc.go with a package comment", dir)
			continue
		}
		if n := fset.Position(f.Doc.End()).Line - fset.Position(f.Doc.Pos()).Line + 1; n < 10 {
			t.Errorf("package %s: the package comment has %d lines, want at least 10", dir, n)
		}
	}
}

func (p *pkg) onlyTests() bool {
	for path := range p.files {
		if !isTest(path) {
			return false
		}
	}
	return true
}

func TestSizes(t *testing.T) {
	const maxFile, maxFunc, maxP90 = 900, 100, 60
	fset, pkgs := loadHouse(t)
	for _, dir := range sorted(pkgs) {
		p := pkgs[dir]
		var lengths []int
		for _, path := range sorted(p.files) {
			f := p.files[path]
			if isTest(path) || ast.IsGenerated(f) {
				continue
			}
			if n := p.lines[path]; n > maxFile {
				t.Errorf("%s has %d lines, limit %d", path, n, maxFile)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
				lengths = append(lengths, n)
				if n > maxFunc && !isFlatSwitch(fn) {
					t.Errorf("%s: function %s has %d lines, limit %d", path, fn.Name.Name, n, maxFunc)
				}
			}
		}
		slices.Sort(lengths)
		if len(lengths) > 0 {
			if p90 := lengths[len(lengths)*9/10]; p90 > maxP90 {
				t.Errorf("package %s: one function in ten has %d lines or more, limit %d", dir, p90, maxP90)
			}
		}
	}
}

// isFlatSwitch reports whether fn is marked as one flat dispatch over kinds.
func isFlatSwitch(fn *ast.FuncDecl) bool {
	if fn.Doc == nil {
		return false
	}
	for _, c := range fn.Doc.List {
		if c.Text == "//irgl:flatswitch" {
			return true
		}
	}
	return false
}

func TestExportedNamesAreDocumented(t *testing.T) {
	_, pkgs := loadHouse(t)
	for _, dir := range sorted(pkgs) {
		for _, path := range sorted(pkgs[dir].files) {
			f := pkgs[dir].files[path]
			if isTest(path) || ast.IsGenerated(f) || f.Name.Name == "main" {
				continue
			}
			for _, d := range f.Decls {
				for _, name := range undocumented(d) {
					t.Errorf("%s: %s has no doc comment", path, name)
				}
			}
		}
	}
}

// undocumented returns the exported names that d declares without a comment.
// A group's comment, or a comment at the end of the line, counts for each of
// its names; methods that only satisfy a well-known interface need none.
func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil || !d.Name.IsExported() || wellKnown[d.Name.Name] && d.Recv != nil {
			return nil
		}
		if d.Recv != nil && !exportedReceiver(d.Recv.List[0].Type) {
			return nil
		}
		return []string{d.Name.Name}
	case *ast.GenDecl:
		var out []string
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					out = append(out, s.Name.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil && !d.Lparen.IsValid() {
					out = append(out, s.Names[0].Name)
				}
			}
		}
		return out
	}
	return nil
}

var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true, "Close": true}

func exportedReceiver(t ast.Expr) bool {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// fuzzed names the packages that read text or bytes from outside, each with a
// fuzz target its tests must have.
var fuzzed = map[string]string{
	"graph":                "FuzzRead",
	"internal/journal":     "FuzzRead",
	"internal/cpp":         "FuzzPreprocess",
	"syntax":               "FuzzParse",
	"internal/check":       "FuzzCheck",
	"internal/ssa":         "FuzzParse",
	"internal/ssa/opt":     "FuzzOpt",
	"internal/ptx":         "FuzzParse",
	"internal/findings":    "FuzzReports",
	"internal/ssagen":      "FuzzBuild",
	"internal/device/simt": "FuzzRun",
	"internal/asdl":        "FuzzDecode",
	"internal/serve":       "FuzzServe",
	"internal/difftest":    "FuzzPasses",
	"internal/interp":      "FuzzRun",
	"mesh":                 "FuzzParse",
	"internal/cxx/parse":   "FuzzParse",
	"internal/cxx/sema":    "FuzzCheck",
}

func TestParsersAreFuzzed(t *testing.T) {
	_, pkgs := loadHouse(t)
	for _, dir := range sorted(fuzzed) {
		found := false
		if p := pkgs[dir]; p != nil {
			for path, f := range p.files {
				for _, d := range f.Decls {
					fn, ok := d.(*ast.FuncDecl)
					found = found || ok && isTest(path) && strings.HasPrefix(fn.Name.Name, fuzzed[dir])
				}
			}
		}
		if !found {
			t.Errorf("package %s has no fuzz target %s", dir, fuzzed[dir])
		}
	}
}

// TestPassFiles checks that every optimisation pass has a file of its name that
// begins with an essay, and a test archive with cases that must not change.
func TestPassFiles(t *testing.T) {
	_, pkgs := loadHouse(t)
	for _, row := range opt.Passes().Passes() {
		if row.Repeats == "" {
			passFiles(t, pkgs["internal/ssa/opt"], row.Name)
		}
	}
	for _, row := range throughput.Passes().Passes() {
		if row.Repeats == "" && !row.Required {
			passFiles(t, pkgs["internal/opt"], row.Name)
		}
	}
}

// passFiles checks the file and the archives of one pass.
func passFiles(t *testing.T, p *pkg, row string) {
	t.Helper()
	name := strings.ReplaceAll(row, "-", "_")
	path := filepath.Join(p.dir, name+".go")
	f := p.files[path]
	if f == nil {
		t.Errorf("pass %s has no file %s", row, path)
		return
	}
	if len(f.Comments) == 0 || strings.Count(f.Comments[0].Text(), "\n") < 10 {
		t.Errorf("%s: a pass begins with an essay of at least 10 lines", path)
	}
	for _, pattern := range []string{name + "*.txtar", name + "*_no*.txtar"} {
		archives, err := filepath.Glob(filepath.Join(p.dir, "testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(archives) == 0 {
			t.Errorf("pass %s: no test archive testdata/%s", row, pattern)
		}
	}
}

// TestNoTemplates: a program that may execute a template calls methods by name, so
// that the linker keeps all exported methods of all types: 1.6 MB of the command.
func TestNoTemplates(t *testing.T) {
	_, pkgs := loadHouse(t)
	for _, dir := range sorted(pkgs) {
		for _, path := range sorted(pkgs[dir].files) {
			f := pkgs[dir].files[path]
			if isTest(path) {
				continue
			}
			for _, spec := range f.Imports {
				if imp := strings.Trim(spec.Path.Value, `"`); imp == "text/template" || imp == "html/template" {
					t.Errorf("%s imports %s", path, imp)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"SetUsageTemplate", "SetHelpTemplate", "SetVersionTemplate", "AddTemplateFunc"}, s.Sel.Name) {
					t.Errorf("%s uses cobra's %s; its functions do without a template", path, s.Sel.Name)
				}
				return true
			})
		}
	}
}
