package opt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// TestGivenRefused checks the attributes of kernels that are not legal: each is an error
// at its place, with the reason, whatever rows run.
func TestGivenRefused(t *testing.T) {
	const text = `Graph g { Requires weights; Node int a; Node int b; Node int lock; }
int count, low; double part; int some[2];
Kernel K(g, int k) {
	OUTER ForAll (n In g.nodes) {
		CODE
	}
}
Kernel R(g) { ForAll (i In WL) { n = WL.pop(i); INNER ForAll (e In n.edges) { WL.push(e.dst); } Atomic (n.lock) { n.a = 1; } Else { Retry n; } } }
Host main(node v) { Pipe Initial [v] { Invoke K(g, 3); Invoke R(g); } }
`
	for _, tt := range []struct{ at, code, want string }{
		{"CODE", "[[np(wp)]] ForAll (e In n.edges) { n.a += 1; }", "np cannot be: two of its iterations may write the same place"},
		{"CODE", "int m = 0; while (m < n.degree) { [[np(tb)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, 1); } m++; }",
			"np cannot be: it is in a serial loop that the threads of a block go through differently often"},
		{"CODE", "[[np(gr)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, 1); } n.b = n.a;", "np(gr) cannot be: what follows it in the outer iteration depends on it by a"},
		{"CODE", "[[batch(4)]] ForAll (i In range(3)) { n.a = i; }", "batch cannot be: the loop is not over edges"},
		{"CODE", "[[batch(4)]] ForAll (e In n.edges) { for (f In e.dst.edges) { atomicAdd(&f.dst.a, 1); } }", "batch cannot be: a loop over a range is in it"},
		{"CODE", "[[batch(2)]] for (e In n.edges) { atomicAdd(&n.b, 1); }", "batch cannot be: it loads nothing that can be issued early"},
		{"CODE", "[[batch(2, eager)]] for (e In n.edges) { if (k > 3) { atomicAdd(&n.b, e.dst.a); } }", ""},
		{"CODE", "[[reserve(warp)]] WL.push(n);", "reserve cannot be: the innermost loop around it is no inner loop over a range"},
		{"CODE", "ForAll (e In n.edges) { if (e.weight > 3) { [[reserve(warp)]] WL.push(n); } }", "reserve cannot be: it does not happen exactly once in an iteration"},
		{"CODE", "for (e In n.edges) { [[reserve(block)]] WL.push(n); }", "reserve cannot be: its block does not converge in front of the loop"},
		{"CODE", "[[np(none)]] ForAll (e In n.edges) { [[reserve(block)]] WL.push(n); }", "reserve cannot be: its block does not converge in front of the loop"},
		{"CODE", "ForAll (e In n.edges) { [[reserve(block)]] WL.push(n); }", ""},
		{"CODE", "if (n.a > 0) { for (int k = 0; k < 4; k++) { [[reserve(block)]] WL.push(n); } }", ""},
		{"CODE", "ForAll (e In n.edges) { for (int k = 0; k < 4; k++) { [[reserve(block)]] WL.push(n); } }", "reserve cannot be: its loop is in another loop"},
		{"CODE", "switch (n.a) { case 1: for (int k = 0; k < 4; k++) { [[reserve(block)]] WL.push(n); } }", "reserve cannot be: its loop is in a statement that not all threads of a block execute"},
		{"CODE", "for (int k = 0; k < 4; k++) { [[reserve(block)]] WL.push(n); } goto end; end: n.a = 1;", "reserve cannot be: goto end jumps about in the outer iteration, which has to be split"},
		{"CODE", "for (int k = 0; k < 4; k++) { [[reserve(thread)]] WL.push(n); } goto end; end: n.a = 1;", ""},
		{"CODE", "[[gather(warp)]] n.b = atomicAdd(&count, 1);", "gather cannot be: its old value is used"},
		{"CODE", "[[gather(warp)]] atomicAdd(&count, 1); [[gather(block)]] atomicAdd(&low, 1);", "gather cannot be: other counters of the kernel are gathered by the warp"},
		{"CODE", "[[gather(warp)]] atomicAdd(&n.a, 1);", "gather cannot be: atomicAdd(&n.a, 1) is no atomic on a counter that all threads share"},
		{"CODE", "[[lanes]] atomicAdd(&some[n.a], 1);", "lanes cannot be: each thread may have another n.a"},
		{"CODE", "[[lanes]] n.b = atomicMin(&low, 1);", "lanes cannot be: only sums give each thread a place"},
		{"CODE", "[[lanes]] n.b = atomicAdd(&count, 1) + atomicAdd(&some[0], k);", ""},
		{"OUTER", "[[queue]]", ""},
		{"OUTER", "[[deal]]", ""},
		{"INNER", "[[np(wp)]]", ""},
		{"INNER", "[[np(gr)]]", "np(gr) cannot be: the kernel retries items, in fewer threads"},
	} {
		var src string
		for _, at := range []string{"OUTER", "CODE", "INNER"} {
			if src == "" {
				src = text
			}
			with := ""
			if at == tt.at {
				with = tt.code
			}
			src = strings.Replace(src, at, with, 1)
		}
		for _, switches := range []string{"", "np=tb,wp coop=block batch=4"} {
			o, err := lower.ParseOptions(switches)
			if err != nil {
				t.Fatal(err)
			}
			diags := new(source.List)
			info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(src)), syntax.IrGL, diags), diags)
			if err := diags.Err(); err != nil {
				t.Fatal(tt.code, err)
			}
			diags = new(source.List)
			_, _, err = Run(info, diags, Options{Lower: o, Tree: tree.Options{Verify: true}})
			got := ""
			for _, d := range diags.Diags {
				got = d.Message
				if at := strings.Index(src, "[["); d.Hint == "" || d.Code != "A0004" || int(d.Pos.Offset) < at {
					t.Errorf("%s: %s at %s, hint %q", tt.code, d.Code, d.Pos, d.Hint)
				}
				break
			}
			if got != tt.want || (err != nil) != (tt.want != "") {
				t.Errorf("%s: %q, %v, want %q", tt.code, got, err, tt.want)
			}
		}
	}
}

// TestGivenHint checks that the hint of np names the policy that is not legal, if others
// remain.
func TestGivenHint(t *testing.T) {
	for np, want := range map[string]string{
		"np(gr 1000, wp 32, serial)": "leave gr out of the attribute",
		"np(gr)":                     "leave the attribute out",
	} {
		diags := new(source.List)
		text := "Graph g { Node int a; Node int b; } Kernel K(g) { ForAll (n In g.nodes) { [[" + np + "]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, 1); } n.b = n.a; } } Host m() { Invoke K(g); }"
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, diags), diags)
		_, _, _ = Run(info, diags, Options{})
		if len(diags.Diags) != 1 || diags.Diags[0].Hint != want || !strings.HasPrefix(diags.Diags[0].Message, "np(gr) cannot be: what follows") {
			t.Errorf("%s: %v", np, diags.Diags)
		}
	}
}

// TestGivenWins: what the program decides stays, with any switches and any rows switched
// off.
func TestGivenWins(t *testing.T) {
	const text = `Graph g {
	Node int a;
}

int count;

Kernel K(g) {
	ForAll (i In WL) {
		n = WL.pop(i);
		[[np(wp)]] [[batch(8)]] ForAll (e In n.edges) {
			if (n.a < atomicMin(&e.dst.a, n.a)) {
				WL.push(e.dst);
			}
		}
		[[np(none)]] [[batch(1)]] ForAll (e In n.edges) {
			[[each]] WL.push(e.dst);
		}
		[[lanes]] atomicAdd(&count, 1);
	}
}

Host main(node v) {
	Iterate K(g) Initial [v];
}
`
	planned := func(o lower.Options, off ...string) string {
		t.Helper()
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		ro := Options{Lower: o, Tree: tree.Options{Verify: true, Switch: map[string]bool{}}}
		for _, name := range off {
			ro.Tree.Switch[name] = false
		}
		w, _, err := run(info, &diags, ro)
		if err != nil {
			t.Fatal(err)
		}
		w.file = info.File
		f := *info.File
		f.Attributes = nil
		return syntax.String(w.plan.Write(&f))
	}
	all := lower.Options{NP: lower.ByBlock | lower.FineGrained, Coop: lower.CoopBlock, Batch: 4, Deal: true}
	for _, tt := range []struct {
		off  []string
		want string
	}{
		{nil, "[[deal]] [[queue]] ForAll (i In WL)|[[np(wp)]] [[batch(8)]] ForAll|\tForAll (e In n.edges) {\n\t\t\t[[each]] WL.push|[[lanes]] atomicAdd"},
		{[]string{"batch", "np-wp", "lanes", "queue", "deal"}, "\tForAll (i In WL)|[[np(wp)]] [[batch(8)]] ForAll|[[lanes]] atomicAdd"},
	} {
		got := planned(all, tt.off...)
		for want := range strings.SplitSeq(tt.want, "|") {
			if !strings.Contains(got, want) {
				t.Errorf("without %v: no %q in\n%s", tt.off, want, got)
			}
		}
	}
}

// TestPlannedText: a program that is printed with what is planned about it, and read
// again, becomes the same CUDA text without the rows that plan.
func TestPlannedText(t *testing.T) {
	files, err := filepath.Glob("../programs/*.irgl")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for i, path := range files {
		if testing.Short() && i%3 != 0 {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, switches := range []string{
			"np=gr,tb,wp,fg,serial coop=warp batch=4 eager", "np=tb,fg coop=block batch=2 deal", "coop=block", "np=serial batch=8", "outline=auto np=wp coop=warp",
		} {
			o, err := lower.ParseOptions(switches)
			if err != nil {
				t.Fatal(err)
			}
			lowered := func(text string, off bool) string {
				t.Helper()
				var diags source.List
				info := check.Check(syntax.Parse(source.NewFile(path, []byte(text)), syntax.IrGL, &diags), &diags)
				run := Options{Lower: o, Tree: tree.Options{Switch: map[string]bool{}}}
				if off {
					run.Passes = slices.DeleteFunc(Passes().Names(), func(name string) bool {
						return slices.Contains(planning(), name) && name != "given"
					})
					for _, name := range []string{"bounds", "ahead", "pipe-unroll", "ticket", "ldg"} {
						run.Tree.Switch[name] = false
					}
				}
				f, _, err := Run(info, &diags, run)
				if err != nil {
					t.Fatalf("%s, %s: %v\n%s", path, switches, err, text)
				}
				return own(f)
			}
			var diags source.List
			info := check.Check(syntax.Parse(source.NewFile(path, text), syntax.IrGL, &diags), &diags)
			f, err := marked(info, &diags, Options{Lower: o, Passes: planning()})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := lowered(syntax.String(f), true), lowered(string(text), false); got != want {
				t.Errorf("%s, %s: the marked text becomes another program", path, switches)
			}
		}
	}
}

// TestIllegalKernels: with verification on, a row that plans something that is not legal
// is found, at the row and before lowering.
func TestIllegalKernels(t *testing.T) {
	const text = `Graph g { Node int a; }
int count;
Kernel K(g) {
	ForAll (n In g.nodes) {
		ForAll (e In n.edges) { n.a += 1; }
		ForAll (e In n.edges) { if (e.dst.a > 0) { WL.push(e.dst); } }
		n.a = atomicAdd(&count, 1);
	}
}
Host main(node v) { Pipe Initial [v] { Invoke K(g); } }
`
	inner := func(w *Work, k int) *syntax.ForAllStmt { return w.facts.Func(w.facts.Info.Funcs[0]).Nests()[k].Loop }
	for _, tt := range []struct {
		want   string
		change func(w *Work)
	}{
		{"", func(w *Work) { w.plan.Loops[inner(w, 1)] = plan.Loop{NP: [plan.Policies]int{plan.ByWarp: 1}} }},
		{"5:3: [[np]] is planned and not legal: two of its iterations may write the same place", func(w *Work) {
			w.plan.Loops[inner(w, 0)] = plan.Loop{NP: [plan.Policies]int{plan.ByWarp: 1}}
		}},
		{"6:46: [[reserve]] is planned and not legal: it does not happen exactly once in an iteration", func(w *Work) {
			x := w.facts.Func(w.facts.Info.Funcs[0]).Sites()[0]
			w.plan.Shares[x.Syntax()] = plan.Share{How: plan.Reserve, Level: plan.Warp}
		}},
		{"7:3: [[gather]] is planned and not legal: its old value is used", func(w *Work) {
			c := w.facts.Func(w.facts.Info.Funcs[0]).Counters()[0]
			w.plan.Shares[c.Call] = plan.Share{How: plan.Gather, Level: plan.Warp}
		}},
	} {
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		w := newPlan(info, &diags, lower.Options{})
		if err := w.load(); err != nil {
			t.Fatal(err)
		}
		tt.change(w)
		_, err := w.run(Options{Passes: []string{"lower"}, Tree: tree.Options{Verify: true}})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}
