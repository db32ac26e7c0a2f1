package gogen

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// checksOf returns the calls of rt that check an index in the code generated for a
// program.
func checksOf(t *testing.T, text string) []string {
	t.Helper()
	info, err := load(Text{"p", []byte(text)}, false)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Generate(info, Options{Package: "p", Program: "p", Source: "hash", RT: rtPath})
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`rt\.(Node|Edge|NthEdge|Nth|Index|End)\(|s\.r\.(Point|Element)\(`).FindAllString(string(out), -1)
	for i, c := range calls {
		calls[i] = strings.TrimSuffix(c[strings.LastIndexByte(c[:len(c)-1], '.')+1:], "(")
	}
	return calls
}

// TestProven pins what the analysis proves: each program has the checks that are
// named, in order; one with atomics has them twice.
func TestProven(t *testing.T) {
	const graph = "Graph graph { Node int x; Edge int y; Node node up = id; Node node far = 0; Node int label = id; Edge edge twin = id; }\n"
	each := func(body string) string {
		return "Kernel K(graph, int p) { ForAll (n In graph.nodes) { " + body + " } }\nHost m(int p) { Invoke K(graph, p); }"
	}
	pops := func(push, initial string) string {
		return "Kernel K(graph, int p) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; ForAll (e In n.edges) { " + push + " } } }\n" +
			"Host m(node s, int p) { Iterate K(graph, p) Initial [" + initial + "] { } }"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"loop variables and ends of edges", each("n.x = n.degree; ForAll (e In n.edges) { e.dst.x = e.y; }"), ""},
		{"numbers of nodes in ints", each("int i = n.id; int j = i; graph.nodes(j).x = 1;"), ""},
		{"arithmetic", each("int i = n.id + 1; graph.nodes(i).x = 1;"), "Node"},
		{"a variable that is changed", each("int i = n.id; i++; graph.nodes(i).x = 1;"), "Node"},
		{"a parameter of the user", each("graph.nodes(p).x = 1;"), "Node"},
		{"a constant", each("graph.nodes(0).x = 1;"), "Node"},
		{"a property that starts as id", each("n.up.x = 1; n.up = n.up.up; atomicMin(&n.up, n.id);"), ""},
		{"a property that starts as 0", each("n.far.x = 1; n.far = n;"), "Node"},
		{"a property that holds other numbers", each("graph.nodes(n.label).x = 1; n.label = p;"), "Node"},
		{"a property that atomics change", each("graph.nodes(n.label).x = 1; atomicAdd(&n.label, 1);"), "Node Node"},
		{"a property whose address is taken", each("graph.nodes(n.label).x = 1; int *q = &n.label; *q = 9;"), "Node"},
		{"edges from edges", each("ForAll (e In n.edges) { e.twin.y = 1; e.twin = e; }"), ""},
		{"an edge cut to an int", each("ForAll (e In n.edges) { int i = e.id; edge f = i; f.y = 1; }"), "Edge"},
		{"an edge of a node by its number", each("n.x = n.edges[p].dst;"), "NthEdge"},
		{"an index of an array", each("int a[4]; a[p] = 1; a[3] = 2; n.x = a[p];"), "Index Index"},
		{"the end of an array", each("int a[4]; int *q = &a[p]; n.x = 1;"), "End"},
		{"an atomic of an element", "int a[4];\n" + each("atomicAdd(&a[p], 1);"), "Index Index"},
		{"pushed nodes", pops("WL.push(e.dst);", "s"), "Node"},
		{"pushed numbers", pops("WL.push(e.dst.id + 1);", "s"), "Node Node"},
		{"numbers at first", pops("WL.push(e.dst);", "p"), "Node Node"},
		{"a function's parameter and result", "node pick(node a, node b) { return a.x < b.x ? a : b; }\n" + each("ForAll (e In n.edges) { pick(n, e.dst).x = 1; }"), ""},
		{"a function's argument", "void set(node a) { a.x = 1; }\n" + each("set(n); set(p);"), "Node"},
		{"an array that is passed", "int at(int *l, int i) { return l[i]; }\n" + each("int a[4]; n.x = at(a, p);"), "Index"},
		{"an array that is passed on", "int at(int *l, int i) { return l[i] + l[3]; }\nint on(int *l, int i) { return at(l, i); }\n" + each("int a[4]; n.x = on(a, p);"), "Index"},
		{"a constant beyond a passed array", "int at(int *l) { return l[4]; }\n" + each("int a[4]; n.x = at(a);"), "Index"},
		{"arrays of two lengths", "int at(int *l, int i) { return l[i]; }\n" + each("int a[4]; int b[5]; n.x = at(a, p) + at(b, p);"), ""},
		{"a pointer that moves", "int at(int *l, int i) { l++; return l[i]; }\n" + each("int a[4]; n.x = at(a, p);"), ""},
		{"a result in a scalar", "void set(int *r, int i) { r[i] = 1; *r = 2; }\n" + each("int a; set(&a, p); n.x = a;"), "Index"},
		{"a range over the nodes", "Kernel K(graph) { ForAll (i In range(graph.nnodes)) { graph.nodes(i).x = 1; } }\nHost m() { Invoke K(graph); }", ""},
		{"a range over more", "Kernel K(graph) { ForAll (i In range(graph.nnodes + 1)) { graph.nodes(i).x = 1; } }\nHost m() { Invoke K(graph); }", "Node"},
	} {
		if got := strings.Join(checksOf(t, graph+tt.text), " "); got != tt.want {
			t.Errorf("%s: checks %q, want %q\n%s", tt.name, got, tt.want, tt.text)
		}
	}
}

// TestInlined checks that the compiler inlines the checks: with calls in their place
// tri takes 1.5 times as long.
func TestInlined(t *testing.T) {
	needGo(t)
	said, err := exec.Command("go", "build", "-gcflags=-m", "./rt").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, name := range []string{"Node", "Edge", "NthEdge", "(*Run).Point", "(*Run).Element", "Deeper"} {
		if !bytes.Contains(said, []byte("can inline "+name+"\n")) {
			t.Errorf("rt.%s is not inlined", name)
		}
	}
	said, err = exec.Command("go", "build", "-gcflags=-m", "./bundled").CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("inlining call to rt.Index[")) {
		t.Errorf("rt.Index is not inlined: %v", err)
	}
}
