package opt

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// explained returns what Explain says of a program, and the lowered text.
func explained(t *testing.T, text string, o lower.Options) (nodes []OutlineNode, lowered string, diags *source.List) {
	t.Helper()
	diags = new(source.List)
	info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, diags), diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	options := Options{Lower: o, Tree: tree.Options{Verify: true}}
	f, _, err := Run(info, diags, options)
	if err == nil {
		lowered = own(f)
	}
	nodes, err = Explain(info, options)
	if err != nil {
		t.Fatal(err)
	}
	return nodes, lowered, diags
}

// TestOutlineRefused checks what keeps a loop on the host, and that the program
// is lowered all the same.
func TestOutlineRefused(t *testing.T) {
	const kernels = `Graph graph { Node int a; Node int b[2]; }
int flag = 0, limit = 3;
int table[2];
int shared() { return limit; }
Kernel K(graph) { ForAll (n In graph.nodes) { n.a = flag; n.b[0] = 1; ReduceAndReturn(n.a > 1); } }
Kernel W(graph) { ForAll (i In WL) { WL.push(WL.pop(i)); ReduceAndReturn(true); } }
Kernel R(graph) { int x = 0; ForAll (i In WL) { Retry WL.pop(i); } }
Kernel E(graph) { ForAll (i In WL) { n = WL.pop(i); int own[1] = {n}; Exclusive (graph, 1, own) { n.a = 1; } Else { Retry n; } } }
Kernel __launch_bounds__(96) L(graph) { ForAll (n In graph.nodes) { n.a = 1; } }
`
	for _, tt := range []struct {
		code, want string
		o          lower.Options
	}{
		{code: "while (flag < 3) { flag++; }\nInvoke L(graph);", want: ""}, // nothing to refuse, nothing to gain
		{code: "while (flag < 3) { printf(\"x\"); Invoke L(graph); }", want: "printf is for the host"},
		{code: "for (int i = 0; i < 2; flag++) { i++; Invoke L(graph); }", want: "flag is written other than by a statement of its own"},
		{code: "for (flag = 0; limit < 9; limit++) { Invoke L(graph); }", want: "flag is written other than by a statement of its own"},
		{code: "while (limit < 3) { table[0]++; Invoke L(graph); }", want: "table is in the host's memory"},
		{code: "while (limit < 3) { limit += shared(); Invoke L(graph); }", want: "shared uses the graph or a variable"},
		{code: "while (limit < 3) { limit += (int)cos(1.0); Invoke L(graph); }", want: "the last digit may differ"},
		{code: "Iterate R(graph) Initial [v];", want: "the kernel R retries items and does more than iterate over WL"},
		{code: "Iterate E(graph) Initial [v];", want: "the kernel E retries items and has barriers"},
		{code: "Pipe Initial [v] { while (Any(Invoke W(graph))) { limit++; } }", want: "W, which may run out of room, is invoked in a condition or beside another kernel"},
		{code: "Pipe Initial [v] { bool x = Any(Invoke W(graph)) && All(Invoke W(graph)); }", want: "is invoked in a condition or beside another kernel"},
		{code: "while (limit < 3) { Invoke L(graph); }", want: "its kernels take blocks of 1..96 threads, not of 128", o: lower.Options{OutlineThreads: 128}},
	} {
		tt.o.Outline.Auto = true
		nodes, lowered, diags := explained(t, kernels+"Host h(node v) {\n"+tt.code+"\n}\n", tt.o)
		if diags.Errors() > 0 {
			t.Errorf("%s: %v", tt.code, diags.Err())
			continue
		}
		var all strings.Builder
		for _, n := range nodes {
			all.WriteString(n.String())
			if n.Outlined {
				t.Errorf("%s: outlined:\n%s", tt.code, lowered)
			}
		}
		if !strings.Contains(all.String(), tt.want) || strings.Contains(lowered, "irgl_control") {
			t.Errorf("%s: want %q:\n%s", tt.code, tt.want, all.String())
		}
	}
}

// TestOutlineOptions checks the choice of nodes and of the sizes of blocks.
func TestOutlineOptions(t *testing.T) {
	const text = `Graph graph { Node int a; }
Kernel __launch_bounds__(96) K(graph) { ForAll (n In graph.nodes) { n.a = 1; } }
Host other(int k) { for (int i = 0; i < k; i++) { Invoke K(graph); } }
Host h(int k) {
  for (int i = 0; i < k; i++) {
    Invoke K(graph);
    while (k > 3) { k--; Invoke K(graph); }
  }
  other(k);
}
`
	for _, tt := range []struct{ outline, kernels, sizes string }{
		{"auto", "0 3", "96"},
		{"none", "", ""},
		{"1,3", "1 3", "96"},
		{"0,4", "0 4", "96"},
		{"4", "4", "64"},
		{"dp", "0 3", "1"},
		{"dp,1,3", "1 3", "1"},
	} {
		o, err := lower.ParseOutline(tt.outline)
		if err != nil || o.String() != tt.outline {
			t.Fatalf("%s: %v, %v", tt.outline, o, err)
		}
		options := lower.Options{Outline: o, OutlineBlocks: 3}
		if tt.sizes == "64" {
			options.OutlineThreads = 64
		}
		nodes, lowered, diags := explained(t, text, options)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		var chosen []string
		for _, n := range nodes {
			if n.Outlined {
				id := strings.Fields(n.String())[0]
				chosen = append(chosen, strings.TrimSuffix(id, ":"))
				if want := "__launch_bounds__(" + tt.sizes + ") void irgl_control_" + chosen[len(chosen)-1] + "("; !strings.Contains(lowered, want) {
					t.Errorf("%s: no %s in\n%s", tt.outline, want, lowered)
				}
			}
		}
		if got := strings.Join(chosen, " "); got != tt.kernels || strings.Count(lowered, "void irgl_control_") != len(chosen) {
			t.Errorf("%s: %s are outlined, want %s", tt.outline, got, tt.kernels)
		}
		if n := strings.Count(lowered, ", 3, irgl_blocks("); n != len(chosen) && !o.Launches {
			t.Errorf("%s: %d launches of 3 blocks a multiprocessor", tt.outline, n)
		}
	}
	for _, bad := range []string{"x", "1,", "-1", "none,1", "dp,", "1,dp"} {
		if o, err := lower.ParseOutline(bad); err == nil {
			t.Errorf("%s: %v", bad, o)
		}
	}
	for n, want := range map[int]string{2: "node 2, Host h, cannot be outlined: other invokes kernels", 5: "there is no node 5"} {
		_, _, diags := explained(t, text, lower.Options{Outline: lower.Outline{Nodes: []int{n}}})
		if diags.Errors() != 1 || diags.Diags[0].Code != CodeOutline || !strings.Contains(diags.Diags[0].Message, want) {
			t.Errorf("node %d: %v", n, diags.Err())
		}
	}
}

// TestScopeRefused checks what keeps the rounds of a loop with all blocks, and
// what does not.
func TestScopeRefused(t *testing.T) {
	const kernels = `Graph graph { Node int a; }
int total = 0;
Kernel K(graph) { ForAll (i In WL) { n = WL.pop(i); n.a = total; WL.push(n); } }
Kernel N(graph) { ForAll (n In graph.nodes) { WL.push(n); } }
Kernel R(graph) { ForAll (i In WL) { Retry WL.pop(i); } }
Kernel S(graph) { ForAll (i In WL) { Respawn WL.pop(i); } }
Kernel B(graph) { ForAll (i In WL) { n = WL.pop(i); SyncRunningThreads(); n.a = 1; } }
Kernel G(graph) { int own[1]; ForAll (i In WL) { n = WL.pop(i); own[0] = n; LocalBarrier(); n.a = own[0]; } }
Kernel one(graph) { total++; }
`
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, tt := range []struct{ code, want, switches string }{
		{"Iterate K(graph) Initial [v];", "1: Iterate at 11:1: outlined, blocks of 512 threads; rounds by one block for up to 64 items\n", ""},
		{"Pipe Initial [v] { Invoke K(graph); Invoke one(graph); if (v.a > 3) { break; } }", "rounds by one block for up to 64 items\n", ""},
		{"Pipe Initial [v] { Invoke S(graph); Invoke K(graph); }", "; runs of S by one block for up to 64 items\n", ""},
		{"Pipe Initial [v] { Invoke N(graph); }", "; rounds by the grid\n   at 11:20: the kernel N iterates over more than WL\n", ""},
		{"Iterate R(graph) Initial [v];", "the kernel R retries items that conflict", ""},
		{"Pipe Initial [v] { Invoke B(graph); }", "the kernel B has iterations that wait for each other", ""},
		{"Pipe Initial [v] { Invoke G(graph); }", "the kernel G has iterations that wait for each other", ""},
		{"Pipe Initial [v] { Iterate K(graph); }", "1: Pipe at 11:1: outlined, blocks of 512 threads; rounds by the grid\n   at 11:20: Iterate in it has rounds of its own\n  2: Iterate at 11:20: part of it; rounds by one block", ""},
		{"Pipe Initial [v] { for (int k = 0; k < 2; k++) { Invoke K(graph); } }", "1: Pipe at 11:1: outlined, blocks of 512 threads; rounds by the grid\n   at 11:20: for in it has rounds", ""},
		{"Iterate K(graph) Initial [v];", "the kernel K may share long lists with the grid (np=gr)", "scope=block:64 np=gr"},
		{"Iterate K(graph) Initial [v];", "rounds by one cluster of 8 blocks for up to 5 items\n", "scope=cluster:5"},
		{"Iterate R(graph) Initial [v];", "the kernel R retries items that conflict", "scope=cluster:5:2"},
	} {
		o, err := lower.ParseOptions("outline=auto " + cmp.Or(tt.switches, "scope=block:64"))
		if err != nil {
			t.Fatal(err)
		}
		nodes, lowered, diags := explained(t, kernels+"Host h(node v) {\n"+tt.code+"\n}\n", o)
		if diags.Errors() > 0 {
			t.Errorf("%s: %v", tt.code, diags.Err())
			continue
		}
		var all strings.Builder
		for _, n := range nodes {
			all.WriteString(n.String())
		}
		if !strings.Contains(plain(all.String()), plain(tt.want)) || (strings.Contains(all.String(), "one block") || strings.Contains(all.String(), "one cluster")) != strings.Contains(lowered, "irgl_sit_out") {
			t.Errorf("%s: want %q:\n%s", tt.code, tt.want, all.String())
		}
	}
}

// TestAttributesRefused checks the errors about attributes that are not legal: the
// reason, and where.
func TestAttributesRefused(t *testing.T) {
	const kernels = `Graph graph { Node int a; }
Kernel K(graph) { ForAll (i In WL) { n = WL.pop(i); WL.push(n); } }
Kernel N(graph) { ForAll (n In graph.nodes) { WL.push(n); } }
Kernel S(graph) { ForAll (i In WL) { Respawn WL.pop(i); } }
Kernel __launch_bounds__(96) L(graph) { ForAll (n In graph.nodes) { n.a = 1; } }
Kernel E(graph) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { WL.push(e.dst); } } }
Kernel __launch_bounds__(96) B(graph) { ForAll (i In WL) { WL.push(WL.pop(i)); } }
`
	for _, tt := range []struct{ code, want, switches string }{
		{`[[outline]] while (v.a < 3) { printf("x"); Invoke L(graph); }`, "9:3 while cannot be outlined: printf is for the host", ""},
		{"[[outline(threads 128)]] while (v.a < 3) { Invoke L(graph); }", "9:3 while cannot be outlined: its kernels take blocks of 1..96 threads, not of 128", ""},
		{"[[outline(dp)]] [[scope(block, 8)]] Iterate K(graph) Initial [v];", "9:19 the grid has to execute the rounds of Iterate: the control kernel launches the kernels, and one thread executes it", ""},
		{"[[outline]] for (int i = 0; i < 3; i++) { v.a = i; }", "9:3 it invokes no kernel", ""},
		{"[[scope(block, 8)]] for (int i = 0; i < 3; i++) { v.a = i; }", "9:3 it invokes no kernel", ""},
		{"[[outline]] Pipe Initial [v] { [[outline]] Iterate K(graph); }", "9:3 Pipe cannot be outlined: Iterate in it has the attribute outline", ""},
		{"[[scope(block, 8)]] Iterate K(graph) Initial [v];", "9:3 the grid has to execute the rounds of Iterate: it is not outlined", ""},
		{"[[scope(block, 8)]] while (v.a < 3) { Invoke L(graph); }", "9:3 the grid has to execute the rounds of while: it is neither an Iterate nor a Pipe that loops", "outline=auto"},
		{"[[scope(block, 8)]] Pipe Initial [v] { Invoke N(graph); }", "9:3 the grid has to execute the rounds of Pipe: the kernel N iterates over more than WL", "outline=auto"},
		{"[[scope(block, 8)]] Iterate K(graph) Initial [v];\n[[scope(cluster 4, 8)]] Iterate K(graph) Initial [v];",
			"10:3 the grid has to execute the rounds of Iterate: the rounds of another loop are executed by one block", "outline=auto"},
		{"[[scope(block, 8)]] Pipe Initial [v] { Invoke S(graph); }\n[[scope(block, 9)]] Pipe Initial [v] { Invoke S(graph); }",
			"10:3 the grid has to execute the rounds of Pipe: another loop has the runs of S by one block for up to 8 items", "outline=auto"},
		{"Pipe Initial [v] { [[outline]] Iterate K(graph); }", "9:1 node 1, Pipe, cannot be outlined: Iterate in it has the attribute outline", "outline=1"},
		{"[[outline]] [[scope(block, 8)]] Iterate K(graph) Initial [v];", "", ""},
		{"[[scope(block, 8)]] Iterate K(graph) Initial [v];", "", "outline=auto scope=cluster:4"},
		// The options give way.
		{"[[outline(threads 512)]] [[scope(block, 8)]] Iterate E(graph) Initial [v];", "", "np=gr,tb,fg coop=block"},
		{"[[outline]] [[scope(block, 8)]] Iterate E(graph) Initial [v];", "", "np=gr,fg outline-threads=64"},
		{"[[outline]] [[scope(block, 8)]] Pipe Initial [v] { Invoke B(graph); }", "", "outline-threads=256"},
	} {
		o, err := lower.ParseOptions(tt.switches)
		if err != nil {
			t.Fatal(err)
		}
		_, lowered, diags := explained(t, kernels+"Host h(node v) {\n"+tt.code+"\n}\n", o)
		got := ""
		for _, d := range diags.Diags {
			if d.Severity != source.Error {
				continue
			}
			got += fmt.Sprintf("%d:%d %s\n", d.Pos.Line(), d.Pos.Column(), d.Message)
			if d.Hint == "" {
				t.Errorf("%s: no hint", tt.code)
			}
		}
		if strings.TrimSpace(got) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.code, got, tt.want)
		}
		if tt.want == "" && !strings.Contains(lowered, "irgl_sit_out") {
			t.Errorf("%s: one block does not go on alone:\n%s", tt.code, lowered)
		}
	}
}

// TestDisabled checks that a row that is switched off leaves what the program decides, and
// decides nothing itself.
func TestDisabled(t *testing.T) {
	const text = `Graph graph { Node int a; }
Kernel K(graph) { ForAll (i In WL) { WL.push(WL.pop(i)); } }
Host h(node v) { [[outline]] [[scope(block, 8)]] Iterate K(graph) Initial [v]; Iterate K(graph) Initial [v]; }
`
	for _, tt := range []struct {
		off              []string
		outlined, scoped int
		rounds           string
	}{
		{nil, 2, 2, "rounds by one block for up to 4 items"},
		{[]string{"scope"}, 2, 1, ""},
		{[]string{"outline"}, 1, 1, ""},
		{[]string{"outline", "scope"}, 1, 1, ""},
	} {
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		o := Options{Lower: lower.Options{Outline: lower.Outline{Auto: true}, Scope: 4}, Tree: tree.Options{Verify: true, Switch: map[string]bool{}}}
		for _, name := range tt.off {
			o.Tree.Switch[name] = false
		}
		f, _, err := Run(info, &diags, o)
		if err != nil {
			t.Fatal(err)
		}
		lowered := own(f)
		if outlined, scoped := strings.Count(lowered, "void irgl_control_"), strings.Count(lowered, "irgl_sit_out();"); outlined != tt.outlined || scoped != tt.scoped {
			t.Errorf("without %s: %d control kernels, %d loops that go on in one block", tt.off, outlined, scoped)
		}
		nodes, err := Explain(info, o)
		if err != nil || !nodes[1].Outlined || nodes[2].Outlined != (tt.outlined > 1) || nodes[2].Rounds != tt.rounds {
			t.Errorf("without %s: %v, %v", tt.off, nodes, err)
		}
	}
}

// TestOutlineLarger checks that a kernel has shared memory for the larger blocks of a loop
// with the attribute outline, where a block has room for that of all its kernels.
func TestOutlineLarger(t *testing.T) {
	const kernel = "Kernel %s(graph) { [[queue]] ForAll (i In WL) { n = WL.pop(i); [[np(fg)]] ForAll (e In n.edges) { if (atomicAdd(&e.dst.a, 1) == 0) { WL.push(e.dst); } } } }\n"
	text := "Graph graph { Node int a; }\n" + fmt.Sprintf(kernel, "K") + fmt.Sprintf(kernel, "L") + fmt.Sprintf(kernel, "M")
	const all = "Pipe Initial [v] { Invoke K(graph); Invoke L(graph); Invoke M(graph); }"
	for _, tt := range []struct {
		code          string
		block, shared int
		want          string
	}{
		{"", 0, 257, ""},
		{"[[outline(threads 128)]] Iterate K(graph) Initial [v];", 0, 257, ""},
		{"[[outline(threads 512)]] Iterate K(graph) Initial [v];", 0, 513, ""},
		{"[[outline(threads 512)]] Iterate L(graph) Initial [v];", 0, 257, ""},
		{"[[outline(threads 256)]] Iterate K(graph) Initial [v];", 128, 257, ""},
		{"[[outline]] Iterate K(graph) Initial [v];", 128, 129, ""},
		{"[[outline(threads 256)]] " + all, 0, 257, ""},
		{"[[outline(threads 1024)]] " + all, 0, 0, "Pipe cannot be outlined: its kernels need more shared memory together than a block has"},
		{"[[outline(threads 1024)]] Iterate K(graph) Initial [v]; [[outline]] " + all, 0, 0, "Pipe cannot be outlined: its kernels need more"},
	} {
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text+"Host h(node v) { Pipe Initial [v] { Invoke K(graph); }\n"+tt.code+" }")), syntax.IrGL, &diags), &diags)
		f, _, err := Run(info, &diags, Options{Lower: lower.Options{BlockThreads: tt.block}, Tree: tree.Options{Verify: true}})
		switch {
		case tt.want != "":
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.code, err, tt.want)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.code, err)
		case tt.shared > 0:
			body := own(f)
			body = body[strings.Index(body, "K("):strings.Index(body, "L(")]
			if want := fmt.Sprintf("_all_before[%d]", tt.shared); !strings.Contains(body, want) {
				t.Errorf("%s: no %s in\n%s", tt.code, want, body)
			}
		}
	}
}

// TestIllegalPlan checks that a plan that is not legal is not lowered when verification
// is on.
func TestIllegalPlan(t *testing.T) {
	const kernels = `Graph graph { Node int a; }
Kernel K(graph) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { WL.push(e.dst); } } }
Kernel N(graph) { ForAll (n In graph.nodes) { WL.push(n); } }
Kernel R(graph) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { e.dst.a = 1; } Retry n; } }
Kernel __launch_bounds__(96) L(graph) { ForAll (n In graph.nodes) { n.a = 1; } }
`
	const outlined = "[[outline(threads 96)]] "
	for _, tt := range []struct{ code, want string }{
		{outlined + `while (v.a < 3) { printf("x"); Invoke L(graph); }`, "while cannot be outlined: 7:43 printf is for the host"},
		{"[[outline(threads 128)]] while (v.a < 3) { Invoke L(graph); }", "while is outlined in blocks of 128 threads, and its kernels take 1..96"},
		{outlined + "Pipe Initial [v] { " + outlined + "Iterate K(graph); }", "Pipe cannot be outlined: 7:68 Iterate in it has the attribute outline"},
		{"[[scope(block, 8)]] Iterate K(graph) Initial [v];", "the grid has to execute the rounds of Iterate: 7:21 it is not outlined"},
		{outlined + "[[scope(block, 8)]] Pipe Initial [v] { Invoke N(graph); }", "the kernel N iterates over more than WL"},
		{outlined + "Iterate R(graph) Initial [v];", ""},
		{outlined + "[[scope(block, 8)]] Iterate K(graph) Initial [v];", ""},
	} {
		var diags source.List
		text := kernels + "Host h(node v) {\n" + tt.code + "\n}\n"
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		_, _, err := Run(info, &diags, Options{Passes: []string{"lower"}, Tree: tree.Options{Verify: true}})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.code, err, tt.want)
		}
	}
	for _, loops := range []struct{ attribute, loop, host, want string }{
		{"[[queue]]", "ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { e.dst.a", "[[outline(threads 96)]] Iterate R(graph) Initial [v];", "queue cannot be: the program outlines Iterate, and the kernel retries in fewer threads"},
		{"[[np(gr 4096, serial)]]", "ForAll (e In n.edges) { WL", "[[outline(threads 96)]] [[scope(block, 8)]] Iterate K(graph) Initial [v];", "may share long lists with the grid"},
	} {
		var diags source.List
		text := strings.Replace(kernels, loops.loop, loops.attribute+" "+loops.loop, 1) +
			"Host h(node v) { " + loops.host + " }\n"
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		_, _, _ = Run(info, &diags, Options{})
		if err := diags.Err(); err == nil || !strings.Contains(err.Error(), loops.want) {
			t.Errorf("%s: %v, want %q", loops.attribute, err, loops.want)
		}
	}
}
