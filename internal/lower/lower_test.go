package lower

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// lowerText lowers a program that parses and checks, and adds the device library.
func lowerText(t *testing.T, name string, text []byte, o Options) (*syntax.File, *source.List) {
	t.Helper()
	diags := new(source.List)
	tree := syntax.Parse(source.NewFile(name, text), syntax.IrGL, diags)
	info := check.Check(tree, diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%s does not check: %v", name, err)
	}
	before := syntax.String(tree)
	diags = new(source.List)
	out, err := Lower(analysis.NewProgram(info), info.Plan.Clone(), diags, o)
	if err != nil && diags.Errors() == 0 {
		t.Fatal(err)
	}
	if out != nil {
		lib, err := devlib.Load(devlib.Options{Index64: o.Index64})
		if err != nil {
			t.Fatal(err)
		}
		out.Decls = lib.Link(out.Decls)
	}
	if syntax.String(tree) != before {
		t.Error("lowering changed the program's tree")
	}
	return out, diags
}

// verify checks what must hold of every lowered tree: it has no node of IrGL,
// checks without a diagnostic, and its text parses to an equal tree.
func verify(t *testing.T, f *syntax.File) {
	t.Helper()
	for n := range syntax.Preorder(f) {
		switch n.(type) {
		case syntax.IrGLStmt, *syntax.InvokeExpr, *syntax.SliceExpr, *syntax.MeshDecl, *syntax.GraphDecl, *syntax.PropDecl:
			t.Errorf("%s: %T is left", n.Pos(), n)
		}
	}
	var diags source.List
	check.Check(f, &diags)
	if len(diags.Diags) > 0 {
		var b strings.Builder
		diags.Render(&b)
		t.Errorf("the lowered program does not check:\n%s\n%s", b.String(), programText(f))
	}
	if slices.ContainsFunc(f.Decls, func(d syntax.Decl) bool { _, ok := d.(*syntax.CBlock); return ok }) {
		return // what its text parses to only CUDA's compiler knows
	}
	text := syntax.String(f)
	diags = source.List{}
	again := syntax.Parse(source.NewFile("again.cu", []byte(text)), syntax.CUDA, &diags)
	if err := diags.Err(); err != nil {
		t.Errorf("the lowered text does not parse: %v", err)
	} else if !syntax.Equal(f, again) {
		t.Error("the lowered text parses to another tree")
	} else if got := syntax.String(again); got != text {
		t.Error("the lowered text is no fixed point of printing")
	}
}

// programText prints the program's own declarations, without the library's.
func programText(f *syntax.File) string {
	own := &syntax.File{Span: f.Span, Name: f.Name, Dialect: f.Dialect}
	for _, d := range f.Decls {
		if file := d.Pos().File; file == nil || !strings.HasPrefix(file.Name, "devlib/") {
			own.Decls = append(own.Decls, d)
		}
	}
	return syntax.String(own)
}

// optionsOf returns the options that a program of an archive asks for: 64-bit
// row offsets by its name, and throughput passes by its first line, as in
//
//	// options: np=tb,wp coop=block batch=4 block=64
func optionsOf(t *testing.T, name string, text []byte) Options {
	t.Helper()
	first, _, _ := strings.Cut(string(text), "\n")
	list, _ := strings.CutPrefix(first, "// options: ")
	if first == list {
		list = ""
	}
	o, err := ParseOptions(list)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	o.Index64 = strings.HasSuffix(name, "64")
	return o
}

// TestThroughput lowers all archives and bundled programs with combinations of
// the throughput passes: what comes out checks without a diagnostic, and reads
// back as it is printed.
func TestThroughput(t *testing.T) {
	texts := map[string][]byte{}
	for _, pattern := range []string{"testdata/*.txtar", "../programs/*.irgl", "../../examples/listings/*.irgl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal("no programs: ", err)
		}
		for _, path := range files {
			if filepath.Ext(path) == ".irgl" {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				texts[path] = text
				continue
			}
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				if filepath.Ext(f.Name) == ".irgl" && !errorMark.Match(f.Data) {
					texts[path+"/"+f.Name] = f.Data
				}
			}
		}
	}
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		for _, o := range []Options{
			{NP: ByBlock | ByWarp | FineGrained | Serially, Coop: CoopBlock, Batch: 4},
			{NP: ByWarp | FineGrained, Coop: CoopWarp, BlockThreads: 64},
			{Batch: 2, Coop: CoopBlock},
			{NP: Serially, Batch: 8},
			{NP: Schedulers(i % 32), Coop: CoopLevel(i % 4), Batch: i % 3},
			{NP: Schedulers(i % 16), Coop: CoopLevel(i / 3 % 4), Batch: 1 << (i % 4), BlockThreads: 48},
		} {
			o.Index64 = i%2 == 0
			tree, diags := lowerText(t, name, texts[name], o)
			if err := diags.Err(); err != nil {
				t.Fatal(err)
			}
			verify(t, tree)
		}
	}
}

var errorMark = regexp.MustCompile(`// ERROR (L\d+) "([^"]*)"`)

// TestArchives lowers every .irgl file of the archives in testdata. The
// section NAME.cu holds the wanted declarations of NAME.irgl; a program with
// // ERROR CODE "regexp" marks must be refused on those lines instead.
func TestArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives: ", err)
	}
	codes := map[source.Code]bool{}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar := golden.Archive(t, path)
			if len(ar.Comment) == 0 {
				t.Error("the archive does not say which rule it tests")
			}
			var out []txtar.File
			for _, f := range ar.Files {
				name, ok := strings.CutSuffix(f.Name, ".irgl")
				if !ok {
					continue
				}
				out = append(out, f)
				o := optionsOf(t, name, f.Data)
				tree, diags := lowerText(t, f.Name, f.Data, o)
				if errorMark.Match(f.Data) {
					wantErrors(t, f, diags, codes)
					continue
				}
				if err := diags.Err(); err != nil {
					t.Fatal(err)
				}
				verify(t, tree)
				out = append(out, txtar.File{Name: name + ".cu", Data: []byte(programText(tree))})
			}
			golden.Sections(t, ar, out)
		})
	}
	for _, c := range []source.Code{CodeHostWhole, CodeHostTwice, CodeSharedFunc, CodeReserved} {
		if !codes[c] {
			t.Errorf("no archive produces %s", c)
		}
	}
}

// wantErrors compares diagnostics with the marks in the text.
func wantErrors(t *testing.T, f txtar.File, diags *source.List, codes map[source.Code]bool) {
	t.Helper()
	got := slices.Clone(diags.Diags)
	for i, line := range strings.Split(string(f.Data), "\n") {
		for _, m := range errorMark.FindAllStringSubmatch(line, -1) {
			at := slices.IndexFunc(got, func(d *source.Diagnostic) bool {
				return d.Pos.Line() == i+1 && string(d.Code) == m[1] && regexp.MustCompile(m[2]).MatchString(d.Message)
			})
			if at < 0 {
				t.Errorf("%s:%d: no error %s %q", f.Name, i+1, m[1], m[2])
				continue
			}
			codes[got[at].Code] = true
			if got[at].Hint == "" {
				t.Errorf("%s:%d: %s has no hint", f.Name, i+1, m[1])
			}
			got = slices.Delete(got, at, at+1)
		}
	}
	for _, d := range got {
		t.Errorf("unexpected: %v", d)
	}
}

// TestBundled lowers the bundled programs, with both index types.
func TestBundled(t *testing.T) {
	files, err := filepath.Glob("../programs/*.irgl")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, wide := range []bool{false, true} {
			tree, diags := lowerText(t, path, text, Options{Index64: wide})
			if err := diags.Err(); err != nil {
				t.Fatal(err)
			}
			verify(t, tree)
		}
	}
}

// TestNames checks that renaming keeps different names different.
func TestNames(t *testing.T) {
	for _, tt := range []struct{ name, global, field, local string }{
		{"level", "level", "level", "level"},
		{"level_", "level_", "level_", "level_"},
		{"class", "class_", "class_", "class_"},
		{"class_", "class__", "class__", "class__"},
		{"exit", "exit_", "exit", "exit"},
		{"exit_", "exit__", "exit_", "exit__"},
		{"row", "row", "row_", "row"},
		{"row_", "row_", "row__", "row_"},
		{"weight", "weight", "weight_", "weight"},
		{"main", "main_", "main", "main"},
		{"INT_MAX", "INT_MAX_", "INT_MAX_", "INT_MAX_"},
		{"atomicAdd", "atomicAdd_", "atomicAdd", "atomicAdd"},
		{"_", "_", "_", "_"},
	} {
		if g, f, l := GlobalName(tt.name), FieldName(tt.name), localName(tt.name); g != tt.global || f != tt.field || l != tt.local {
			t.Errorf("%s: %s %s %s, want %s %s %s", tt.name, g, f, l, tt.global, tt.field, tt.local)
		}
	}
}

// TestBlockThreads checks that the option reaches the launches.
func TestBlockThreads(t *testing.T) {
	text := []byte("Graph g { Node int a = 1; }\nKernel K(g) { ForAll (n In g.nodes) { n.a = 2; } }\nHost f() { Invoke K(g); }\n")
	tree, _ := lowerText(t, "a.irgl", text, Options{BlockThreads: 64})
	if n := strings.Count(syntax.String(tree), ", 64>>>"); n != 2 {
		t.Errorf("%d launches with 64 threads, want 2:\n%s", n, programText(tree))
	}
}
