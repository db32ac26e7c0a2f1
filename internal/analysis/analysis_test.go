package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// parse checks a text, which must have no errors.
func parse(t testing.TB, name string, text []byte) *check.Info {
	t.Helper()
	info, diags := checkText(name, text)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return info
}

func checkText(name string, text []byte) (*check.Info, *source.List) {
	d := syntax.IrGL
	if strings.HasSuffix(name, ".cu") {
		d = syntax.CUDA
	}
	diags := new(source.List)
	return check.Check(syntax.Parse(source.NewFile(name, text), d, diags), diags), diags
}

// scheduled returns the inner ForAlls of f, outermost of each nest only.
func scheduled(f *Func) []*syntax.ForAllStmt {
	var out []*syntax.ForAllStmt
	for _, n := range f.Nests() {
		if n.Within == nil {
			out = append(out, n.Loop)
		}
	}
	return out
}

// printers are the sections of the archives, by extension: what is printed of
// each function of the program before it that has something of the kind.
var printers = map[string]func(*Func) string{
	".cfg":       func(f *Func) string { return f.Print() },
	".dom":       func(f *Func) string { return f.Dom.String() },
	".postdom":   func(f *Func) string { return f.PostDom.String() },
	".cdg":       func(f *Func) string { return f.PrintDeps(f.Uniform()) },
	".focal":     func(f *Func) string { return f.FocalPoints(f.Uniform()).Print() },
	".scheduled": func(f *Func) string { return f.FocalPoints(f.Uniform(scheduled(f)...)).Print() },
	".uniform": func(f *Func) string {
		s, u := "", f.Uniform()
		for _, n := range f.Graph.Nodes {
			if len(n.Succs) > 1 {
				s += fmt.Sprintf("%s: %v\n", n, u.Has(n))
			}
		}
		return s
	},
	".effects": func(f *Func) string {
		s := ""
		for i, n := range f.Graph.Nodes {
			if e := f.Effects[i].String(); e != "" {
				s += n.Name() + ": " + n.String() + ": " + e + "\n"
			}
		}
		return s
	},
	".places": func(f *Func) string {
		s := ""
		for _, e := range f.Graph.Edges {
			s += e.From.Name() + "->" + e.To.Name()
			if p, ok := f.PlaceOf(e); ok {
				s += " " + p.String()
			}
			s += "\n"
		}
		return s
	},
	".sites":    func(f *Func) string { return join(f.Sites()) },
	".counters": func(f *Func) string { return join(f.Counters()) },
	".nests":    func(f *Func) string { return join(f.Nests()) },
	".batch":    func(f *Func) string { return join(f.Batches()) },
	".tree": func(f *Func) string {
		if f.Fn.Decl.Kind != syntax.HostFunc {
			return ""
		}
		return f.Outline().Tree()
	},
	".outline": func(f *Func) string {
		if f.Fn.Decl.Kind != syntax.HostFunc {
			return ""
		}
		return f.Outline().Print()
	},
}

func join[T fmt.Stringer](list []T) string {
	s := ""
	for _, x := range list {
		s += x.String()
	}
	return s
}

// TestArchives prints what the sections of each archive ask for: NAME.irgl is a
// program, and NAME.KIND what the printer of that kind writes for its functions.
func TestArchives(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) {
		infos := map[string]*check.Info{}
		for i, sec := range ar.Files {
			ext := filepath.Ext(sec.Name)
			if ext == ".irgl" {
				infos[strings.TrimSuffix(sec.Name, ext)] = parse(t, sec.Name, sec.Data)
				continue
			}
			info := infos[strings.TrimSuffix(sec.Name, ext)]
			if info == nil || printers[ext] == nil {
				t.Fatalf("%s is of no program before it, or nothing to print", sec.Name)
			}
			got := printAll(info, printers[ext])
			if strings.HasPrefix(filepath.Base(t.Name()), "figure") { // the paper's, which no -update changes
				golden.Equal(t, sec.Name, string(sec.Data), got)
			} else {
				golden.Data(t, &ar.Files[i], got)
			}
		}
	})
}

// printAll prints the functions one after the other; a program with one does
// without its name.
func printAll(info *check.Info, print func(*Func) string) string {
	var b strings.Builder
	var parts []string
	var names []string
	for _, fn := range info.Funcs {
		if s := print(New(info, fn)); s != "" {
			parts, names = append(parts, s), append(names, fn.Object.Name)
		}
	}
	for i, s := range parts {
		if len(parts) > 1 {
			b.WriteString("# " + names[i] + "\n")
		}
		b.WriteString(s)
	}
	return b.String()
}

// TestPrograms prints the summary of every bundled program and of the papers'
// listings.
func TestPrograms(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../programs/*.irgl", "../../examples/listings/*.irgl"} {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("no programs in %s: %v", pattern, err)
		}
		files = append(files, list...)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".irgl")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := Summary(parse(t, name+".irgl", text))
			if again := Summary(parse(t, name+".irgl", text)); again != got {
				t.Error("the summary is another the second time")
			}
			golden.File(t, filepath.Join("testdata", "programs", name+".txt"), got)
		})
	}
}

// Summary prints what the package finds in all kernels and Host functions of a
// program.
func Summary(info *check.Info) string {
	var b strings.Builder
	for _, fn := range info.Funcs {
		if fn.Decl.Body == nil {
			continue
		}
		f := New(info, fn)
		switch fn.Decl.Kind {
		case syntax.KernelFunc:
			fmt.Fprintf(&b, "kernel %s: threads %s\n", fn.Object.Name, SizesOf(fn))
		case syntax.HostFunc:
			b.WriteString(indent(f.Outline().Print(), 0))
			continue
		default:
			if len(f.Sites())+len(f.Batches()) == 0 {
				continue
			}
			fmt.Fprintf(&b, "func %s\n", fn.Object.Name)
		}
		for _, s := range f.Sites() {
			b.WriteString(indent(s.String(), 2))
		}
		for _, n := range f.Nests() {
			b.WriteString(indent(n.String(), 2))
		}
		for _, l := range f.Batches() {
			b.WriteString(indent(l.String(), 2))
		}
	}
	return b.String()
}
