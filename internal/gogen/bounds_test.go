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
	out = regexp.MustCompile(`(?s)\n\thub := func.*?\n\t}\n`).ReplaceAll(out, []byte("\n"))
	calls := regexp.MustCompile(`rt\.(Node|Edge|SomeNode|SomeEdge|SomePoint|SomeElement|NthEdge|Nth|Index|End)\(|s\.r\.(Point|Element)\(`).FindAllString(string(out), -1)
	for i, c := range calls {
		calls[i] = strings.TrimSuffix(c[strings.LastIndexByte(c[:len(c)-1], '.')+1:], "(")
	}
	return calls
}

// TestProven pins what the analysis proves: each program has the checks that are
// named, in order; one with atomics has them twice. The form of a body for hubs, which has
// them again, is left aside.
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
		{"a constant", each("graph.nodes(1).x = 1;"), "Node"},
		{"a constant of the host", "Host m() { graph.nodes(0).x = 1; }", "Node"},
		{"the first node, where there is one", each("graph.nodes(0).x = 1; int i = 0; if (p > 1) { i = n; } graph.nodes(i).x = 1;"), ""},
		{"the first node in a loop over edges", "Kernel K(graph) { ForAll (e In graph.edges) { graph.nodes(0).x = 1; } }\nHost m() { Invoke K(graph); }", ""},
		{"the first node in a loop over numbers", "Kernel K(graph) { ForAll (i In range(9)) { graph.nodes(0).x = 1; } }\nHost m() { Invoke K(graph); }", "Node"},
		{"the first edge of a node", each("edge e = 0; e.y = 1; ForAll (f In n.edges) { edge g = 0; g.y = 1; }"), "Edge"},
		{"a property that starts as id", each("n.up.x = 1; n.up = n.up.up; atomicMin(&n.up, n.id);"), ""},
		{"a property that starts as 0", each("n.far.x = 1; n.far = n;"), ""},
		{"a property that starts as 1", "Graph graph { Node int x; Node node to = 1; }\n" + each("n.to.x = 1; n.to = n;"), "Node"},
		{"a property that holds other numbers", each("graph.nodes(n.label).x = 1; n.label = p;"), "Node"},
		{"a property that atomics change", each("graph.nodes(n.label).x = 1; atomicAdd(&n.label, 1);"), "Node Node"},
		{"a property whose address is taken", each("graph.nodes(n.label).x = 1; int *q = &n.label; *q = 9;"), "Node"},
		{"edges from edges", each("ForAll (e In n.edges) { e.twin.y = 1; e.twin = e; }"), ""},
		{"an edge cut to an int", each("ForAll (e In n.edges) { int i = e.id; edge f = i; f.y = 1; }"), "Edge"},
		{"an edge of a node by its number", each("n.x = n.edges[p].dst;"), "NthEdge"},
		{"an index of an array", each("int a[4]; a[p] = 1; a[3] = 2; n.x = a[p];"), "Index"},
		{"the end of an array", each("int a[4]; int *q = &a[p]; n.x = 1;"), "End"},
		{"an atomic of an element", "int a[4];\n" + each("atomicAdd(&a[p], 1);"), "Index Index"},
		{"pushed nodes", pops("WL.push(e.dst);", "s"), "Node"},
		{"pushed numbers", pops("WL.push(e.dst.id + 1);", "s"), "Node"},
		{"retried numbers", pops("q = WL.pop(i); q.x = 2; WL.push(e.dst); Retry p;", "s"), "Node Node"},
		{"numbers at first", pops("WL.push(e.dst);", "p"), "Node"},
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

		{"a node or none", "Graph graph { Node int x; Node node to = -1; }\n" + each("n.to.x = 1; n.to = n; n.to = -2;"), "SomeNode"},
		{"a node or none, unsigned", "Graph graph { Node int x; Node unsigned to = -1; }\n" + each("graph.nodes(n.to).x = 1; n.to = n;"), "Node"},
		{"a node or too little", "Graph graph { Node int x; Node long to = -1; }\n" + each("graph.nodes(n.to).x = 1; n.to = -4294967290;"), "Node"},
		{"an index up to the degree", each("int d = n.degree; int i = 0; while (i < d) { n.x = n.edges[i].dst; i++; }"), ""},
		{"an index up to another degree", each("node m = n.far; n.far = n; int d = m.degree; for (int i = 0; i < d; i++) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index up to a degree of in-edges", each("for (int i = 0; i < n.in_degree; i++) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index beyond the degree", each("for (int i = 0; i <= n.degree; i++) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index that may be negative", each("for (int i = p; i < n.degree; i++) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index that begins at 1", each("int i = 0; i++; for (; i < n.degree; i++) { n.x = n.edges[i].dst; }"), ""},
		{"an index that may overflow", each("for (int i = 0; i < n.degree; i += 2) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index changed by the test", each("int i = 0; while (i < n.degree && i++ < p) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index changed before", each("for (int i = 0; i < n.degree; i++) { i++; n.x = n.edges[i].dst; }"), "NthEdge"},
		{"an index changed inside", each("for (int i = 0; i < n.degree; ) { while (n.x > p) { n.x = n.edges[i].dst; i++; } }"), "NthEdge"},
		{"another node's edges", each("node m = n; for (int i = 0; i < m.degree; i++) { m = m.up; n.x = m.edges[i].dst; }"), "NthEdge"},
		{"a degree that is another's", each("int d = n.degree; d = p; for (int i = 0; i < d; i++) { n.x = n.edges[i].dst; }"), "NthEdge"},
		{"a remainder", "int a[4];\n" + each("a[n % 4] = 1;"), ""},
		{"a remainder that may be negative", "int a[4];\n" + each("a[p % 4] = 1;"), "Index"},
		{"a remainder of more", "int a[4];\n" + each("a[n % 5] = 1;"), "Index"},
		{"a remainder of -1, which is -1", "int a[3];\n" + each("a[(p - 1) % 3] = 1; a[-1 % 3 + 1] = 1;"), "Index"},
		{"a remainder that is made positive", "int a[4];\n" + each("a[(p % 4 + 4) % 4] = 1;"), ""},
		{"a remainder without a sign", "int a[4];\n" + each("unsigned u = p; a[u % 4] = 1;"), ""},
		{"a remainder of a variable", "int a[4];\n" + each("a[n % p] = 1; if (p > 0 && p < 5) { a[n % p] = 2; }"), "Index"},
		{"a mask", "int a[4];\n" + each("a[p & 3] = 1; a[3 & -p] = 1;"), ""},
		{"a mask of more", "int a[4];\n" + each("a[p & 7] = 1;"), "Index"},
		{"a mask that is negative", "int a[4];\n" + each("a[p & -4] = 1;"), "Index"},
		{"a quotient and a shift", "int a[4];\n" + each("a[(p & 7) / 2] = 1; a[(unsigned)p >> 30] = 1; a[p >> 30] = 1;"), "Index"},
		{"a sum that overflows", "int a[4];\n" + each("if (p >= 0) { a[(p + 4) % 4] = 1; }"), "Index"},
		{"a complement", "int a[4];\n" + each("a[~(-1 - p % 4)] = 1; a[~(-1 - n % 4)] = 1;"), "Index"},
		{"a char", "int a[256];\n" + each("unsigned char c = p; a[c] = 1; char d = p; a[d] = 1;"), "Index"},
		{"an index that is clamped", "int a[4];\n" + each("a[min(max(p, 0), 3)] = 1; a[max(p, 0)] = 1;"), "Index"},
		{"an index of a loop", "int a[4];\n" + each("for (int i = 0; i < 4; i++) { a[i] = 1; }"), ""},
		{"an index of a loop down", "int a[4];\n" + each("for (int i = 3; i >= 0; i--) { a[i] = 1; }"), ""},
		{"an index of a loop to the end", "int a[4];\n" + each("for (int i = 0; i <= 4; i++) { a[i] = 1; }"), "Index"},
		{"an index of a loop up to another", "int a[4];\n" + each("for (int i = 0; i < p; i++) { a[i] = 1; }"), "Index"},
		{"an index of a loop with steps", "int a[4];\n" + each("for (int i = 0; i != 4; i++) { if (n.x > p) { i = 2; } a[i] = 1; }"), ""},
		{"an index of a loop that is left", "int a[4];\n" + each("int i = 0; while (true) { if (i > 3) { break; } a[i] = 1; i++; }"), ""},
		{"an index of a loop that goes on", "int a[4];\n" + each("int i = -1; do { i++; if (i < n.x) { continue; } if (i < 4) { a[i] = 1; } } while (i < 9);"), ""},
		{"an index behind a loop", "int a[4];\n" + each("int i = 0; while (i < 3 && n.x > i) { i++; } a[i] = 1;"), ""},
		{"an index in a condition", "int a[4];\n" + each("if (p >= 0 && p < 4 && a[p] > 0) { a[p] = 1; } else { a[p] = 2; }"), "Index"},
		{"an index in another branch", "int a[4];\n" + each("if (p < 0 || p > 3) { n.x = 1; } else { a[p] = 2; } n.x = p < 0 || p > 3 ? 0 : a[p];"), ""},
		{"an index below only", "int a[4];\n" + each("if (p < 4) { a[p] = 1; }"), "Index"},
		{"an index that is changed behind the test", "int a[4];\n" + each("int i = p; if (i >= 0 && i < 4) { i++; a[i] = 1; }"), "Index"},
		{"an index that is changed beside its use", "int a[4];\n" + each("int i = 0; a[i++] = i; n.x = i < 4 ? a[i] : 0;"), "Index Index"},
		{"a comparison without signs", "int a[4];\n" + each("unsigned u = 4; if (p < u) { a[p] = 1; }"), "Index"},
		{"a variable that iterations share", "int a[4];\nKernel K(graph) { int k = 0; ForAll (n In graph.nodes) { if (k < 4) { a[k] = 1; } k++; } }\nHost m() { Invoke K(graph); }", "Index"},
		{"a case", "int a[4];\n" + each("int i = 9; switch (p) { case 1: i = 1; break; case 2: i = 2; default: a[i & 15] = 1; i = 3; } a[i] = 1;"), "Index Index"},
		{"all cases", "int a[4];\n" + each("int i = 3; switch (p) { case 1: i = 1; break; case 2: i = 2; default: a[i] = 1; } a[i] = 1;"), ""},
		{"a variable of a case", "int a[4];\n" + each("switch (p) { case 1: int i; i = 1; case 2: a[i] = 1; }"), "Index"},
		{"a result", "int a[4];\nint pick(int i) { if (i < 0) { return 0; } return i > 3 ? 3 : i; }\n" + each("a[pick(p)] = 1;"), ""},
		{"a result of recursion", "int a[4];\nint pick(int i) { if (i > 3) { return pick(i / 2); } return i; }\nHost m(int p) { a[pick(p)] = 1; a[pick(p) & 3] = 1; }", "Index"},
		{"indices in an array", "int a[4]; int b[4];\n" + each("b[n % 4] = n % 3; a[b[p & 3]] = 1;"), ""},
		{"indices that grow", "int a[4]; int b = 0;\n" + each("a[b] = 1; b = b + 1;"), "Index"},
		{"a property with a range", each("int a[4]; if (n.x < 4) { n.x = n.x + 1; } a[n.x] = 1;"), "Index"},
		{"labels", each("int i = 0; again: while (i < n.degree) { n.x = n.edges[i].dst; i++; if (n.x > p) { goto again; } }"), "NthEdge"},
	} {
		if got := strings.Join(checksOf(t, graphOf(tt.text, graph)+tt.text), " "); got != tt.want {
			t.Errorf("%s: checks %q, want %q\n%s", tt.name, got, tt.want, tt.text)
		}
	}
}

// graphOf returns the declaration of a graph for a text that has none.
func graphOf(text, graph string) string {
	if strings.HasPrefix(text, "Graph") {
		return ""
	}
	return graph
}

// TestProvenMesh does the same for points and elements, where -1 is for none.
func TestProvenMesh(t *testing.T) {
	const mesh = "Mesh mesh { Point int on = -1; Element int w; Element point tip; Element element next; Element int other = -1; }\n"
	each := func(body string) string {
		return "Kernel K(mesh, int p) { ForAll (t In mesh.elements) { " + body + " } }\nHost m(int p) { Invoke K(mesh, p); }"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"corners and neighbors", each("t.points[2].on = 1; t.neighbors[0].w = 1;"), "SomePoint SomeElement"},
		{"a neighbor that is stored", each("t.neighbors[1].w = 1; t.neighbors[0] = t; t.neighbors[2] = t.neighbors[1]; t.neighbors[1] = -1;"), "SomeElement"},
		{"a neighbor of another domain", each("t.neighbors[1].w = 1; t.neighbors[0] = t.points[0].on; t.points[0].on = p;"), "Element SomePoint SomePoint"},
		{"a neighbor from a number", each("t.neighbors[1].w = 1; t.neighbors[0] = p;"), "Element"},
		{"a neighbor whose address is taken", each("t.neighbors[1].w = 1; element *q = &t.neighbors[0]; *q = p;"), "Element"},
		{"neighbors that a pointer is to", each("t.neighbors[1].w = 1; element *q = t.neighbors; q[0] = p;"), "Element"},
		{"neighbors that are passed", "void set(element *l, int v) { l[0] = v; }\n" + each("t.neighbors[1].w = 1; set(t.neighbors, p);"), "Element"},
		{"properties that start as 0", each("t.tip.on = 1; t.next.w = 1; t.tip = t.points[0];"), "SomePoint"},
		{"new elements", each("element u = mesh.add_element(p, -1, -1); u.w = 1; t.points[0].on = 1;"), "Point"},
		{"an array", each("element l[4]; l[p] = t; l[0] = t.neighbors[0]; l[1].w = 1;"), "Index SomeElement"},
		{"an array of numbers", each("int l[4]; l[0] = t; l[1] = p; element u = l[0]; u.w = 1;"), "Element"},
		{"an array that a pointer is to", each("int l[4]; l[0] = t; int *q = l; q[1] = p; element u = l[0]; u.w = 1;"), "Element"},
		{"an array that a function changes", "void set(int *l, int v) { l[0] = v; }\n" + each("int l[4]; l[0] = t; set(l, p); element u = l[1]; u.w = 1;"), "Element"},
		{"an array that a function keeps proven", "void set(int *l, element v) { l[0] = v; }\n" + each("int l[4]; l[0] = t; set(l, t); element u = l[1]; u.w = 1;"), ""},
		{"accessed before", each("element u = p; u.w = 1; u.w = 2; t.next.w = 3; t.next = u;"), "Element"},
		{"accessed on one path", each("element u = p; if (p > 3) { u.w = 1; } u.w = 2;"), "Element Element"},
		{"accessed by the condition", each("element u = p; if (p > 3 && u.w > 1) { u.w = 2; } else { u.w = 3; }"), "Element Element"},
		{"accessed, then another", each("element u = p; u.w = 1; u = p + 1; u.w = 2;"), "Element Element"},
		{"accessed by the function", "bool is(element u) { return u.w > 0; }\n" + each("element u = p; if (is(u)) { u.w = 2; } is(t);"), "Element"},
		{"not always accessed by the function", "bool is(element u, int p) { return p > 0 && u.w > 0; }\n" + each("element u = p; is(u, p); u.w = 1;"), "Element Element"},
	} {
		if got := strings.Join(checksOf(t, mesh+tt.text), " "); got != tt.want {
			t.Errorf("%s: checks %q, want %q\n%s", tt.name, got, tt.want, tt.text)
		}
	}
}

// TestInlined checks that the compiler inlines the checks: with calls in their place
// tri takes 1.5 times as long.
func TestInlined(t *testing.T) {
	needGo(t)
	said, err := exec.Command("go", "build", "-gcflags=-m", "irgl/rt").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, name := range []string{"Node", "Edge", "NthEdge", "SomeNode", "SomeEdge", "SomePoint", "SomeElement", "(*Run).Point", "(*Run).Element", "Deeper"} {
		if !bytes.Contains(said, []byte("can inline "+name+"\n")) {
			t.Errorf("rt.%s is not inlined", name)
		}
	}
	said, err = exec.Command("go", "build", "-gcflags=-m", "./bundled").CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("inlining call to rt.Index[")) {
		t.Errorf("rt.Index is not inlined: %v", err)
	}
}
