package gogen

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/interp"
	"irgl/internal/run"
)

// An unproven is a program that accesses what does not exist, which is to be seen in one
// construct only. In its text, @ is the number of the program; decl has what is in front of a
// kernel, body what that does for each node or element n, where p is 100000000 and A@ has 4
// elements. A host function in place of the body begins with {.
type unproven struct{ name, prop, decl, body string }

var unprovenGraph = []unproven{
	{"an assignment from an access", "", "int b@[4];", "b@[1] = p; int i = 1; i = b@[i]; A@[i] = 7;"},
	{"a sum with an access", "", "int b@[4];", "b@[1] = p; int i = 1; i += b@[i]; A@[i] = 7;"},
	{"a node from its property", "Node node to@ = id;", "", "n.to@ = p; node q = n; q = q.to@; q.x = 5;"},
	{"a node from its property in a for", "Node node to@ = id;", "", "n.to@ = p; int k = 0; for (node q = n; k < 3; q = q.to@) { q.x = 5; k++; }"},
	{"a node from its property in a test", "Node node to@ = id;", "", "n.to@ = p; node q = n; while (q = q.to@) { q.x = 5; break; }"},
	{"behind a label", "Node node to@ = id;", "void f@(node n, int x) { if (x > 0) goto big; n.to@ = n; return; big: n.to@ = x; }", "f@(n, p); n.to@.x = 7;"},
	{"a global behind a label", "", "int g@; void f@(int x) { if (x > 0) goto big; g@ = 1; return; big: g@ = x; }", "f@(p); A@[g@] = 7;"},
	{"out of nested loops", "", "int f@(int x) { int r = 0; while (true) { while (true) { if (x > 3) { r = x; goto out; } break; } return 0; } out: return r; }", "A@[f@(p)] = 1;"},
	{"a loop of gotos", "", "int f@(int x) { int r = 0; again: r++; if (r < x) goto again; return r; }", "A@[f@(9)] = 1;"},
	{"no return", "", "int f@(int x) { if (x < 0) return 3; }", "A@[f@(p) - 3] = 1;"},
	{"no return from a switch", "", "int f@(int x) { switch (x) { case 1: return 3; default: break; } }", "A@[f@(p) - 3] = 1;"},
	{"no return from a loop", "", "int f@(int x) { while (x < 0) { return 3; } }", "A@[f@(p) - 3] = 1;"},
	{"no return behind a label", "", "int f@(int x) { if (x > 0) goto end; return 3; end: x = 1; }", "A@[f@(p) - 3] = 1;"},

	{"-=", "", "", "int i = p & 3; i -= 4; A@[i] = 1;"},
	{"*=", "", "", "int i = p & 3; i = i + 2; i *= 2; A@[i] = 1;"},
	{"/=", "", "", "int i = p; i /= 25000000; A@[i] = 1;"},
	{"%=", "", "", "int i = -p - 1; i %= 4; A@[i] = 1;"},
	{"<<=", "", "", "int i = 1; i <<= (p & 1) + 2; A@[i] = 1;"},
	{">>=", "", "", "int i = p; i >>= 20; A@[i] = 1;"},
	{"^=", "", "", "int i = p & 3; i ^= 4; A@[i] = 1;"},
	{"|=", "", "", "int i = p & 3; i |= 4; A@[i] = 1;"},
	{"/= of a float", "", "", "int i = 1; i /= 0.125f; A@[i] = 1;"},
	{"++", "", "", "int i = 3; i++; A@[i] = 1;"},
	{"-- in front", "", "", "int i = 0; A@[--i] = 1;"},
	{"++ in a test", "", "", "int i = 0; while (i++ < 4) { A@[i] = 1; }"},
	{"++ of a char", "", "", "unsigned char c = 0; c--; A@[c] = 1;"},
	{"a comma", "", "", "int i = 0; A@[(i = p, i)] = 1;"},
	{"in front of a comma", "", "", "int i = 0; i = 4, n.x = 3; A@[i] = 1;"},
	{"?:", "", "", "int i = p > 3 ? 4 : 3; A@[i] = 1;"},
	{"an assignment in ?:", "", "", "int i = 0; n.x = p > 3 ? (i = p) : 0; A@[i] = 1;"},
	{"?: of floats", "", "", "int k = p > 0 ? 16777217.0f : 2; A@[k - 16777217] = 1;"},
	{"&&", "", "", "int i = 0; n.x = p > 3 && (i = p); A@[i] = 1;"},
	{"||", "", "", "int i = 0; n.x = p < 3 || (i = p); A@[i] = 1;"},
	{"a test with ||", "", "", "if (p >= 0 && p < 4 || n.x == 0) { A@[p] = 1; }"},
	{"an access behind &&", "", "", "int i = p; n.x = p < 4 && A@[i]; A@[i] = 1;"},
	{"an access in ?:", "", "", "int i = p; n.x = p < 4 ? A@[i] : 0; A@[i] = 1;"},
	{"!", "", "", "if (!(p >= 0 && p < 4)) { A@[p] = 1; }"},
	{"the other branch of an unsigned test", "", "", "int i = -1; unsigned u = 4; if (i < u) { n.x = 1; } else { A@[i] = 1; }"},
	{"assigned twice", "", "", "int i = 0; i = (i = p) + 0; A@[i] = 1;"},
	{"assigned beside", "", "", "int i = 0; int j = i++ + (i = 4); A@[i] = j;"},
	{"an index that the value changes", "", "", "int i = 0; A@[i] = (i = 4);"},
	{"assigned in an index", "", "", "int i = 0; A@[i = p] = 1;"},
	{"the end of an array", "", "", "int i = p > 3 ? 4 : 0; int *q = &A@[i]; A@[i] = 1;"},

	{"a short", "", "", "if (p >= 0) { short s = p; A@[s] = 1; }"},
	{"a char without a sign", "", "", "int i = -1; unsigned char c = i; A@[c] = 1;"},
	{"a char", "", "", "int i = 200; char c = i; A@[c] = 1;"},
	{"a long made an int", "", "", "long l = 2147483648; l += p & 1; int i = l; A@[min(i, 3)] = 1;"},
	{"an unsigned made a long", "", "", "unsigned u = 0; u = u - 1; long l = u; A@[l] = 1;"},
	{"an int made unsigned long", "", "", "int i = -1; unsigned long l = i; A@[l & 7] = 1;"},
	{"a remainder", "", "", "unsigned u = -1; A@[u % 8] = 1;"},
	{"a remainder of a negative number", "", "", "A@[(p + 3) % -7] = 1;"},
	{"a quotient of INT_MIN", "", "", "int i = -2147483647 - 1; int j = i / -1; A@[min(j, 3)] = 1;"},
	{"a quotient", "", "", "A@[-p / 60000000] = 1;"},
	{"a shift beyond the sign", "", "", "int s = 31; int i = 1 << s; A@[min(i, 3)] = 1;"},
	{"a shift of a negative number", "", "", "A@[-p >> 31] = 1;"},
	{"minus INT_MIN", "", "", "int i = -2147483647 - 1; int j = -i; A@[min(j, 3)] = 1;"},
	{"minus an unsigned", "", "", "unsigned u = 1; A@[-u % 8] = 1;"},
	{"a complement of an unsigned", "", "", "unsigned u = 1; A@[~u % 8] = 1;"},
	{"a sum that wraps", "", "", "int i = 2147483647; i = i + (p & 1) + 1; A@[min(i, 3)] = 1;"},
	{"an unsigned that wraps", "", "", "for (unsigned u = 3; u >= 0; u--) { A@[u] = 1; if (u > 100) { break; } }"},
	{"a product that wraps", "", "", "int i = 65536; i = i * 32768; A@[min(i, 3)] = 1;"},
	{"a float", "", "", "float f = p; int i = f; A@[i] = 1;"},
	{"a float that is rounded", "", "", "int k = (float)16777217; A@[k - 16777217] = 1;"},
	{"a float that is rounded and assigned", "", "", "int k = 0; k = (float)16777217; A@[k - 16777217] = 1;"},
	{"a float that is rounded and passed", "", "int f@(float v) { return v; }", "A@[f@(16777217) - 16777217] = 1;"},
	{"a float that is rounded and stored", "Node float v@ = 0;", "", "n.v@ = 16777217; int k = n.v@; A@[k - 16777217] = 1;"},
	{"an unsigned in min", "", "", "unsigned u = -1; A@[min(u, 5u)] = 1;"},
	{"a char result", "", "unsigned char f@(int x) { return x; }", "A@[f@(p + 260)] = 1;"},
	{"a char parameter", "", "void f@(unsigned char c) { A@[c] = 1; }", "f@(255); f@(0);"},
	{"a property without a sign", "Node unsigned v@ = 0;", "", "n.v@ = -1; A@[n.v@ & 7] = 1;"},
	{"a property of chars", "Node unsigned char v@ = 0;", "", "n.v@ = 260; A@[n.v@] = 1;"},
	{"a long property", "Node long v@ = -1;", "", "n.v@ = -4294967290; graph.nodes(n.v@).x = 1;"},

	{"atomicAdd", "", "int g@ = 0;", "int old = atomicAdd(&g@, 1); A@[old] = 1;"},
	{"atomicSub", "", "int g@ = 0;", "atomicSub(&g@, 1); A@[g@] = 1;"},
	{"atomicExch", "", "int g@ = 0;", "atomicExch(&g@, p); A@[atomicExch(&g@, 0)] = 1;"},
	{"atomicCAS", "", "int g@ = 0;", "atomicCAS(&g@, 0, p); A@[g@] = 1;"},
	{"atomicMax", "", "int g@ = 0;", "atomicMax(&g@, p); A@[g@] = 1;"},
	{"atomicMin", "", "int g@ = 0;", "atomicMin(&g@, -p); A@[g@] = 1;"},
	{"atomicOr", "", "int g@ = 0;", "atomicOr(&g@, 4); A@[g@] = 1;"},
	{"atomicXor", "", "int g@ = 3;", "atomicXor(&g@, 7); A@[g@] = 1;"},
	{"an atomic of a local variable", "", "", "int l = 0; atomicAdd(&l, 9); A@[l] = 1;"},
	{"an atomic of an element", "", "int b@[4];", "atomicExch(&b@[1], p); A@[b@[1]] = 1;"},
	{"an atomic of a property", "Node int v@ = 0;", "", "atomicMax(&n.v@, p); A@[n.v@] = 1;"},
	{"Atomic", "", "int g@ = 0; int l@ = 0;", "Atomic (l@) { g@ = p; } A@[g@] = 1;"},
	{"a variable that Atomic changes", "", "int l@ = 0;", "int i = 0; Atomic (l@) { i = p; } A@[i] = 1;"},
	{"a global of other iterations", "", "int g@ = 0;", "g@ = n.id; A@[g@] = 1;"},
	{"a pointer to a variable", "", "", "int i = 0; int *q = &i; *q = p; A@[i] = 1;"},
	{"a pointer to a property", "Node int v@ = 0;", "", "int *q = &n.v@; *q = p; A@[n.v@] = 1;"},
	{"a function with a pointer", "", "void f@(int *l, int v) { *l = v; }", "int i = 0; f@(&i, p); A@[i] = 1;"},
	{"a function with an array", "", "void f@(int *l, int v) { l[1] = v; }", "int b[4]; b[1] = 0; f@(b, p); A@[b[1]] = 1;"},
	{"a function with a pointer from an array", "", "void f@(int *l, int v) { int *m = l; m[1] = v; }", "int b[4]; b[1] = 0; f@(b, p); A@[b[1]] = 1;"},
	{"arrays of two lengths", "", "void f@(int *l, int i) { int v = l[i]; A@[i] = v; }", "int b[8]; int c[9]; b[5] = 1; c[5] = 1; f@(b, 5); f@(c, 5);"},
	{"an array with values", "", "", "int b[4] = {9, 9, 9, 9}; if (p < 0) { b[0] = 1; } A@[b[p & 3]] = 1;"},
	{"an array in an array", "", "int b@[2][3];", "b@[1][(p | 3) & 3] = 1;"},
	{"a struct", "", "struct s@ { int i; };", "struct s@ s; s.i = p; A@[s.i] = 1;"},
	{"a global that a call changes", "", "int g@ = 0; int f@() { g@ = 9; return 0; }", "g@ = 0; f@(); A@[g@] = 1;"},

	{"an inner ForAll", "", "", "int i = 0; ForAll (e In n.edges) { i = p; } A@[i] = 1;"},
	{"a sum of an inner ForAll", "", "", "int i = 2; ForAll (e In n.edges) { i = i + 1; } A@[i] = 1;"},
	{"a range", "", "", "ForAll (i In range((p & 7) + 5)) { A@[i] = 1; }"},
	{"a range from a negative number", "", "", "ForAll (i In range(-2, 2)) { A@[i] = 1; }"},
	{"one node too many", "", "", "for (int i = 0; i <= graph.nnodes; i++) { graph.nodes(i).x = 1; }"},
	{"the least of the nodes and another", "", "", "graph.nodes(min(p, graph.nnodes)).x = 1;"},
	{"the next node", "", "", "node q = n.id + 1; q.x = 1;"},
	{"arguments of calls", "", "void f@(int i) { A@[i] = 1; }", "f@(0); f@(p);"},
	{"arguments of kernels", "", "Kernel L@(graph, int i) { ForAll (n In graph.nodes) { A@[i] = 1; } }", "{ Invoke L@(graph, 0); Invoke L@(graph, p); }"},
	{"recursion", "", "int f@(int i) { if (i > 4) { return f@(i / 2); } return i; }", "{ A@[f@(p - p + 9)] = 1; }"},
	{"the user's argument", "", "int g@ = 0; Kernel L@(graph) { ForAll (n In graph.nodes) { A@[g@] = 1; } }", "{ g@ = p; Invoke L@(graph); }"},
	{"a loop of the host", "", "Kernel L@(graph) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; } }", "{ int i = 0; while (i < 4) { i = i + 1; Iterate L@(graph) Initial [0] { } } A@[i] = 1; }"},
	{"items", "", "Kernel L@(graph, int p) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; WL.push(p); } }", "{ Iterate L@(graph, p) Initial [0] { } }"},
	{"items at first", "", "Kernel L@(graph, int p) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; WL.push(n); } }", "{ Iterate L@(graph, p) Initial [p] { } }"},
	{"a negative item at first", "", "Kernel L@(graph, int p) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; WL.push(n); } }", "{ Iterate L@(graph, p) Initial [-1] { } }"},

	{"a variable that Exclusive changes", "", "", "int l[1]; l[0] = n; int i = 0; Exclusive (graph, 1, l) { i = p; } A@[i] = 1;"},
	{"a variable in front of a barrier", "", "", "int i = 0; if (n.x == 0) { i = p; } SyncRunningThreads(); A@[i] = 1;"},
	{"a retried item", "", "Kernel L@(graph, int p) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; if (n.e == 0) { n.e = 1; Retry p; } else { ForAll (e In n.edges) { WL.push(e.dst); } } } }", "{ Iterate L@(graph, p) Initial [0] { } }"},
	{"a respawned item", "", "Kernel L@(graph, int p) { ForAll (i In WL) { n = WL.pop(i); n.x = 1; if (n.e == 0) { n.e = 1; Respawn p; } else { ForAll (e In n.edges) { WL.push(e.dst); } } } }", "{ Iterate L@(graph, p) Initial [0] { } }"},
	{"a variable that another thread's iteration shares", "", "Kernel L@(graph, int p) { int i = 0; ForAll (n In graph.nodes) { A@[i] = 1; i = p; } ForAll (n In graph.nodes) { A@[i] = 1; } }", "{ Invoke L@(graph, p); }"},

	{"a case that goes on", "", "", "int i = 0; switch (p) { case 100000000: i = 4; default: n.x = 1; } A@[i] = 1;"},
	{"a case that another goes on with", "", "", "int i = 0; switch (p) { case 100000000: i = 4; case 2: A@[i] = 1; break; case 3: i = 2; }"},
	{"no case", "", "", "int i = p; switch (p) { case 1: i = 1; break; case 2: i = 2; } A@[i] = 1;"},
	{"a break from a switch in a loop", "", "", "int i = 0; while (true) { switch (p) { default: i = p; break; } break; } A@[i] = 1;"},
	{"a continue from a switch in a loop", "", "", "int i = 0; int k = 0; for (; k < 3; k++) { switch (p) { default: i = p; continue; } i = 0; } A@[i] = 1;"},
	{"a continue in do", "", "", "int i = 0; do { if (p > 3) { i = 4; continue; } i = 0; } while (i < 4 && n.x++ < 3); A@[i] = 1;"},
	{"a continue in for", "", "", "int i = 0; for (int k = 0; k < 3; k++) { i = 0; if (k == 2) { i = 4; continue; } i = 1; } A@[i] = 1;"},
	{"breaks from nested loops", "", "", "int i = 0; while (true) { while (true) { i = 4; break; } break; } A@[i] = 1;"},
	{"a return from a loop", "", "int f@(int x) { for (int k = 0; k < 3; k++) { if (k == x) { return 4; } } return 0; }", "A@[f@(1)] = 1;"},
	{"behind a loop", "", "", "int i; for (i = 0; i < 4; i++) { n.x = i; } A@[i] = 1;"},
	{"a variable of the loop before", "", "", "int i = 0; for (int k = 0; k < 9; k++) { A@[i] = 1; i = k; }"},
	{"a chain of variables", "", "", "int a0 = 0; int a1 = 0; int a2 = 0; int a3 = 0; int a4 = 0; int a5 = 0; int a6 = 0; int a7 = 0; int a8 = 0; int a9 = 0; int a10 = 0; int a11 = 0; int a12 = 0; int a13 = 0; int a14 = 0; int a15 = 0; int a16 = 0; int a17 = 0; " +
		"for (int k = 0; k < 30; k++) { A@[a17] = 1; a17 = a16; a16 = a15; a15 = a14; a14 = a13; a13 = a12; a12 = a11; a11 = a10; a10 = a9; a9 = a8; a8 = a7; a7 = a6; a6 = a5; a5 = a4; a4 = a3; a3 = a2; a2 = a1; a1 = a0; a0 = 4; }"},
	{"three loops", "", "", "int v = 0; for (int i = 0; i < 2; i++) { for (int j = 0; j < 2; j++) { for (int k = 0; k < 4; k++) { A@[v] = 1; v = v + j; } } }"},

	{"an edge changed in an inner loop", "", "", "for (int i = 0; i < n.degree; i++) { while (n.x < 2) { n.e = n.edges[i].dst.id; i = 1000; n.x++; } }"},
	{"an edge behind a change", "", "", "for (int i = 0; i < n.degree; i++) { i = 1000; n.x = n.edges[i].dst.id; }"},
	{"an edge behind a label", "", "void f@(node n) { int i = 0; while (i < n.degree) { again: n.x = n.edges[i].dst.id; i = 1000; n.e++; if (n.e < 3) goto again; } }", "f@(n);"},
	{"an edge changed beside its use", "", "", "for (int i = 0; i < n.degree; ) { n.edges[i].y = i++; }"},
	{"edges of no node", "", "", "node q = p; for (int i = 0; i < 3; i++) { n.x = q.edges[i].dst.id; }"},
	{"edges of a node that the loop's start accesses", "", "", "node q = p; for (int i = q.x; i < 3; i++) { n.x = q.edges[i].dst.id; }"},
	{"edges of a node that the range accesses", "", "", "node q = p; ForAll (i In range(q.x + 1)) { n.x = q.edges[i].dst.id; }"},
	{"edges of a node that another takes the place of", "Node node to@ = 0;", "", "if (n.id == 1) { node q = n; for (int i = 0; i < 2; i++) { n.x = q.edges[1].dst.id; q = n.to@; } }"},
	{"edges of a node that changes", "", "", "node q = n; for (int i = 0; i < 3; i++) { n.x = q.edges[0].dst.id; q = p; }"},
}

var unprovenMesh = []unproven{
	{"an access by a call", "Element int to@ = 0;", "int f@(element u) { return u.to@; }", "n.to@ = p; element q = n; q = f@(q); q.s = 1;"},
	{"a longer argument", "", "int f@(element u) { return u.s; }", "long l = 4294967296; if (p < 0) { l = 0; } n.s = f@(l); A@[l >> 30] = 1;"},
	{"a parameter that changes", "", "void f@(element u, int p) { u = p; u.s = 1; }", "f@(n, p);"},
	{"a parameter that changes behind its access", "", "void f@(element u, int p) { u.s = 1; u = p; u.s = 1; }", "f@(n, p);"},
	{"a neighbor", "", "", "n.neighbors[0] = p; n.neighbors[0].s = 1;"},
	{"a pointer to neighbors", "", "", "element *q = n.neighbors; q[0] = p; n.neighbors[0].s = 1;"},
	{"a neighbor of an added element", "", "", "if (n.id == 0) { element u = mesh.add_element(0, 0, 0); u.neighbors[0].s = 1; }"},
	{"an element behind an added element", "", "", "if (n.id == 0) { element u = mesh.add_element(0, 0, 0); element v = u.id + 1; v.s = 1; }"},
	{"a point of an element that the program adds", "", "", "if (n.id == 0) { element u = mesh.add_element(p, 0, 0); u.points[0].e = 1; }"},
}

// unprovenText returns one program of all in a list: its host function calls those of number k.
func unprovenText(world, props, all string, list []unproven) string {
	var b, calls strings.Builder
	b.WriteString(world + " { " + props)
	for i, u := range list {
		b.WriteString(strings.ReplaceAll(u.prop, "@", fmt.Sprint(i)) + " ")
	}
	b.WriteString("}\n")
	for i, u := range list {
		text, call := "int A@[4];\n"+u.decl+"\n", u.body
		if !strings.HasPrefix(u.body, "{") {
			text += "Kernel K@(" + all + ", int p) { ForAll (n In " + map[string]string{"graph": "graph.nodes", "mesh": "mesh.elements"}[all] + ") { " + u.body + " } }\n"
			call = "{ Invoke K@(" + all + ", p); }"
		}
		b.WriteString(strings.ReplaceAll(text, "@", fmt.Sprint(i)))
		calls.WriteString(strings.ReplaceAll("if (k == @) "+call+"\n", "@", fmt.Sprint(i)))
	}
	b.WriteString("Host m(int k, int p) {\n" + calls.String() + "}\n")
	return b.String()
}

// TestUnproven checks that no access is taken for proven which the interpreter refuses: the
// generated code checks it, and, where there is a Go toolchain, ends with the same error.
func TestUnproven(t *testing.T) {
	_, triangles := random(t, 30)
	for _, tt := range []struct {
		name, text string
		list       []unproven
		in         run.Input
	}{
		{"graph", unprovenText("Graph graph", "Node int x = 0; Node int e = 0; Edge int y = 0; ", "graph", unprovenGraph), unprovenGraph, run.Input{Graph: generated(t, "path:5")}},
		{"mesh", unprovenText("Mesh mesh", "Element int s = 0; Point int e = 0; ", "mesh", unprovenMesh), unprovenMesh, run.Input{Mesh: triangles}},
	} {
		info, err := load(Text{"p", []byte(tt.text)}, false)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Generate(info, Options{Package: "p", Program: "p", Source: "hash", RT: rtPath})
		if err != nil {
			t.Fatal(err)
		}
		want := refusals(t, info, tt.list, tt.in)
		for i, u := range tt.list {
			if place := strings.SplitN(want[i], ":", 4); len(place) < 4 || !bytes.Contains(text, []byte(" // "+place[1]+":"+place[2]+"\n")) {
				t.Errorf("%s: no check of %q", u.name, want[i])
			}
		}
		t.Run(tt.name, func(t *testing.T) {
			needGo(t)
			e := buildText(t, "p", tt.text)
			for i, u := range tt.list {
				if got := refusal(t, e, tt.in, i); got != want[i] {
					t.Errorf("%s: %q, want %q", u.name, got, want[i])
				}
			}
		})
	}
}

// refusals returns the errors with which the interpreter ends the programs of a list.
func refusals(t *testing.T, info *check.Info, list []unproven, in run.Input) []string {
	t.Helper()
	e, err := interp.New(info, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range list {
		out = append(out, refusal(t, e, in, i))
	}
	return out
}

// refusal runs program i of a list, and returns its error without the error's code.
func refusal(t *testing.T, e run.Engine, in run.Input, i int) string {
	t.Helper()
	var out bytes.Buffer
	in.Stdout, in.Workers, in.Args = &out, 1, []run.Value{run.IntValue(int64(i)), run.IntValue(100000000)}
	_, err := e.Run(context.Background(), in)
	if err == nil {
		return "no error"
	}
	said, _, _ := strings.Cut(err.Error(), " [")
	return said
}
