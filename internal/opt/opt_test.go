package opt

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// directives returns what the comments at the top of a text say: the rows to run,
// and the throughput switches.
//
//	// passes: ldg
//	// options: np=tb,wp block=64
func directives(t *testing.T, name, text string) (passes []string, o lower.Options) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if list, ok := strings.CutPrefix(line, "// passes: "); ok {
			passes = strings.Split(list, ",")
		}
		if list, ok := strings.CutPrefix(line, "// options: "); ok {
			var err error
			if o, err = lower.ParseOptions(list); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return passes, o
}

// own returns a program's own declarations as text, without the library's.
func own(f *syntax.File) string {
	c := *f
	c.Decls = slices.DeleteFunc(slices.Clone(f.Decls), func(d syntax.Decl) bool {
		return d.Pos().File != nil && strings.HasPrefix(d.Pos().File.Name, "devlib/")
	})
	return syntax.String(&c)
}

// rewritten runs the rows that a CUDA text asks for.
func rewritten(t *testing.T, name, text string) string {
	t.Helper()
	passes, o := directives(t, name, text)
	var diags source.List
	const prefix = "typedef unsigned int irgl_index;\n" // the library's, which the parser must know
	f := syntax.Parse(source.NewFile(name, []byte(prefix+text)), syntax.CUDA, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	f.Decls = f.Decls[1:]
	f, _, err := rewrite(f, Options{Lower: o, Tree: tree.Options{Verify: true, Switch: on(passes)}, Passes: passes})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return own(f)
}

// marked runs rows in front of lowering and returns the program with what they plan.
func marked(info *check.Info, diags *source.List, o Options) (*syntax.File, error) {
	w, _, err := run(info, diags, o)
	if err != nil {
		return nil, err
	}
	return w.File(), nil
}

// planned runs the rows in front of lowering that an IrGL text asks for.
func planned(t *testing.T, name, text string, passes []string) string {
	t.Helper()
	_, o := directives(t, name, text)
	var diags source.List
	info := check.Check(syntax.Parse(source.NewFile(name, []byte(text)), syntax.IrGL, &diags), &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	f, err := marked(info, &diags, Options{Lower: o, Tree: tree.Options{Verify: true, Switch: on(passes)}, Passes: append([]string{"given"}, passes...)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return syntax.String(f)
}

func on(passes []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range passes {
		out[name] = true
	}
	return out
}

// pipeline runs the whole list over an IrGL text with the options that it asks for.
func pipeline(t *testing.T, name, text string) string {
	t.Helper()
	_, o := directives(t, name, text)
	var diags source.List
	info := check.Check(syntax.Parse(source.NewFile(name, []byte(text)), syntax.IrGL, &diags), &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	f, _, err := Run(info, &diags, Options{Lower: o, Tree: tree.Options{Verify: true}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return own(f)
}

// TestArchives runs the rows over the texts of the archives in testdata. NAME.cu is
// a CUDA text that names rows, NAME.want.cu what they make of it; in an archive
// whose name has _no, that is the text itself. NAME.irgl is a program that names rows in
// front of lowering, and NAME.want.irgl what they plan; or it is one for the whole list, and
// NAME.cu what it becomes.
func TestArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives: ", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar := golden.Archive(t, path)
			if len(ar.Comment) == 0 {
				t.Error("the archive does not say which rule it tests")
			}
			var out []txtar.File
			add := func(in txtar.File, name, text string) {
				out = append(out, in, txtar.File{Name: name, Data: []byte(text)})
			}
			made := map[string]bool{}
			for _, f := range ar.Files {
				name, program := strings.CutSuffix(f.Name, ".irgl")
				if strings.HasSuffix(name, ".want") {
					continue
				}
				if passes, _ := directives(t, f.Name, string(f.Data)); program && passes != nil {
					got := planned(t, f.Name, string(f.Data), passes)
					if !strings.Contains(filepath.Base(path), "_no") {
						add(f, name+".want.irgl", got)
					} else if out = append(out, f); got != string(f.Data) {
						t.Errorf("%s has become:\n%s", f.Name, got)
					}
					continue
				}
				if program {
					made[name+".cu"] = true
					add(f, name+".cu", pipeline(t, f.Name, string(f.Data)))
					continue
				}
				name = strings.TrimSuffix(f.Name, ".cu")
				switch {
				case made[f.Name] || strings.HasSuffix(name, ".want"):
				case strings.Contains(filepath.Base(path), "_no"):
					got := rewritten(t, f.Name, string(f.Data))
					if out = append(out, f); got != string(f.Data) {
						t.Errorf("%s has become:\n%s", f.Name, got)
					}
				default:
					add(f, name+".want.cu", rewritten(t, f.Name, string(f.Data)))
				}
			}
			golden.Sections(t, ar, out)
		})
	}
}

// TestUnrollRemarks checks which rounds of outlined loops are repeated, and what the
// pass says of them.
func TestUnrollRemarks(t *testing.T) {
	const kernels = `Graph graph { Node int a; }
Kernel K(graph) { ForAll (i In WL) { n = WL.pop(i); n.a = 1; WL.push(n); } }
`
	for _, tt := range []struct {
		code, want string
		calls      int
	}{
		{"Iterate K(graph) Initial [v];", "4:1 3 rounds a pass\n", 3},
		{"Pipe Initial [v] { Invoke K(graph); Invoke K(graph); }", "4:1 3 rounds a pass\n", 6},
		{"Pipe Initial [v] { Iterate K(graph); }", "4:20 3 rounds a pass\n4:1 missed it is not unrolled: a loop in it has rounds of its own\n", 3},
		{"Pipe Once Initial [v] { Invoke K(graph); for (int k = 0; k < 3; k++) { Invoke K(graph); } }", "", 2},
	} {
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(kernels+"Host h(node v) {\n"+tt.code+"\n}\n")), syntax.IrGL, &diags), &diags)
		remarks := ""
		o := Options{Lower: lower.Options{Outline: lower.Outline{Auto: true}, Unroll: 3}}
		o.Tree.Remark = func(r pass.Remark) {
			if r.Pass != "pipe-unroll" {
				return
			}
			if r.Missed {
				r.Text = "missed " + r.Text
			}
			remarks += fmt.Sprintf("%d:%d %s\n", r.Pos.Line(), r.Pos.Column(), r.Text)
		}
		f, report, err := Run(info, &diags, o)
		if err != nil {
			t.Fatal(err)
		}
		calls := strings.Count(own(f), "irgl_call_K(graph, &")
		if remarks != tt.want || calls != tt.calls {
			t.Errorf("%s: %d calls, want %d; remarks:\n%s", tt.code, calls, tt.calls, remarks)
		}
		if got := strings.Contains(report.Stats.String(), "pipe-unroll rounds copied 2"); got != (tt.want != "") {
			t.Errorf("%s: counters %s", tt.code, report.Stats.String())
		}
	}
}

// TestPrograms runs the list over the programs that test lowering and over the bundled
// ones, with everything that is planned in front of lowering. A short run has a fifth of
// them, and those about outlining.
func TestPrograms(t *testing.T) {
	texts := map[string][]byte{}
	for _, pattern := range []string{"../lower/testdata/*.txtar", "../programs/*.irgl", "../../examples/listings/*.irgl"} {
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
			for _, f := range golden.Archive(t, path).Files {
				if filepath.Ext(f.Name) == ".irgl" && !bytes.Contains(f.Data, []byte("// ERROR")) {
					texts[path+"/"+f.Name] = f.Data
				}
			}
		}
	}
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if testing.Short() && i%5 != 0 && !strings.Contains(name, "outline") {
			continue
		}
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile(name, texts[name]), syntax.IrGL, &diags), &diags)
		for _, o := range []lower.Options{
			{Outline: lower.Outline{Auto: true}},
			{
				NP: lower.Schedulers(i % 32), Coop: lower.CoopLevel(i % 4), Batch: i % 3, Bounds: true,
				Outline: lower.Outline{Auto: true}, Scope: i % 2 * 64, Cluster: i % 4 / 2 * 8, Unroll: i % 3, Ahead: i%4 < 2,
			},
		} {
			o.Index64 = i%2 == 0
			if _, _, err := Run(info, &diags, Options{Lower: o, Tree: tree.Options{Verify: true}}); err != nil {
				t.Errorf("%s: %s: %v", name, o, err)
			}
		}
	}
}

// TestEveryRowMatters runs the list over the bundled programs with every row on, and
// with each one off: some program must differ, and every program must verify. What is
// known to matter is not switched off again, of the rows behind lowering only in a short
// run, which has a few programs and verifies none.
func TestEveryRowMatters(t *testing.T) {
	files, err := filepath.Glob("../programs/*.irgl")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	all := lower.Options{
		Outline: lower.Outline{Auto: true}, Scope: 64, Unroll: 2, Ahead: true, Bounds: true, Coop: lower.CoopBlock, Ticket: true, ReadOnly: true,
		Batch: 2, NP: lower.ByGrid | lower.ByBlock | lower.ByWarp | lower.FineGrained | lower.Serially, Deal: true,
	}
	if testing.Short() {
		files = slices.DeleteFunc(files, func(path string) bool {
			return !slices.Contains([]string{"bfs.irgl", "cc.irgl", "dmr.irgl", "mst_lock.irgl"}, filepath.Base(path))
		})
	}
	matters := map[string]bool{}
	for _, path := range append(files, "") {
		text, err := os.ReadFile(path)
		if path == "" { // no bundled program pushes once in each iteration
			text, err = []byte("Graph g {} Kernel K(g) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { WL.push(e.dst); } } } Host m(node v) { Iterate K(g) Initial [v]; }"), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile(path, text), syntax.IrGL, &diags), &diags)
		run := func(off string) string {
			t.Helper()
			o := Options{Lower: all, Tree: tree.Options{Verify: !testing.Short(), Switch: map[string]bool{}}}
			if path == "../programs/bfs.irgl" { // with gr no block goes on alone
				o.Tree.Switch["np-gr"] = false
				o.Lower.NP &^= lower.ByGrid
			}
			if off != "" {
				o.Tree.Switch[off] = false
			}
			f, _, err := Run(info, &diags, o)
			if err != nil {
				t.Fatalf("%s without %q: %v", path, off, err)
			}
			return syntax.String(f)
		}
		with := run("")
		for _, row := range Passes().Passes() {
			if row.Required || matters[row.Name] && (testing.Short() || slices.Contains(planning(), row.Name)) {
				continue
			}
			if run(row.Name) != with {
				matters[row.Name] = true
			}
		}
	}
	for _, row := range Passes().Passes() {
		if !row.Required && !matters[row.Name] {
			t.Errorf("%s changes no program", row.Name)
		}
	}
}
