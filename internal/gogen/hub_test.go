package gogen

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/run"
)

// TestParts: which loops over edges run in parts. Others would do at once, or later, what the
// program does in the thread of the iteration.
func TestParts(t *testing.T) {
	const decls = `Graph graph { Node int x; Node int low; Edge int y; Node node to = 0; Racy low "it falls"; }
int total; int slots[4];
void put(node v) { v.x = 1; }
void lower(node v, int by) { int d = v.low; d -= by; v.low = d; }
void at(int *p) { *p = 1; }
void first(int l[]) { l[0] = 1; }
`
	for _, tt := range []struct {
		loop  string // in an iteration over the nodes n
		parts bool
	}{
		{"ForAll (e In n.edges) { atomicAdd(&n.x, 1); }", true},
		{"ForAll (e In n.edges) { e.y = n.low; }", true},
		{"ForAll (e In n.in_edges) { atomicAdd(&e.src.x, n.low); }", true},
		{"ForAll (e In n.edges) { int a[2] = {1, 2}; a[1]++; atomicMax(&e.dst.x, a[1]); }", true},
		{"ForAll (e In n.edges) { lower(e.dst, 2); e.dst.low = 3; }", true},
		{"int k = 0; k = 7; ForAll (e In n.edges) { atomicAdd(&e.dst.x, k); }", true},
		{"ForAll (e In n.edges) { n.x += 1; }", false},
		{"ForAll (e In n.edges) { n.x++; }", false},
		{"ForAll (e In n.edges) { ++e.dst.x; }", false},
		{"ForAll (e In n.edges) { total = e.dst; }", false},
		{"ForAll (e In n.edges) { slots[e.dst % 4] = 1; }", false},
		{"ForAll (e In n.edges) { n.edges[0].y = 1; }", false},
		{"ForAll (e In n.edges) { put(e.dst); }", false},
		{"ForAll (e In n.edges) { first(slots); }", false},
		{"int k = 0; at(&k); ForAll (e In n.edges) { at(&n.x); }", false},
		{"int k = 0; int *p = &k; ForAll (e In n.edges) { *p += 1; }", false},
		{"int k = 0; int *p = &k; ForAll (e In n.edges) { p[0] += 1; }", false},
		{"int k = 0; ForAll (e In n.edges) { k++; }", false},
		{"ForAll (e In n.edges) { atomicAdd(&e.dst.x, c); }", false}, // which changes behind the outer ForAll
	} {
		text := decls + "Kernel k(graph) {\nint c = 1;\nForAll (n In graph.nodes) { " + tt.loop + " }\nc = 5;\n}\nHost h() { Invoke k(graph); }\n"
		info, err := load(Text{"p", []byte(text)}, false)
		if err != nil {
			t.Fatalf("%s: %v", tt.loop, err)
		}
		out, err := Generate(info, Options{Package: "p", Program: "p", Source: "hash", RT: rtPath})
		if err != nil {
			t.Fatalf("%s: %v", tt.loop, err)
		}
		if got := bytes.Contains(out, []byte("w.Split(")); got != tt.parts {
			t.Errorf("%s: in parts is %v, want %v", tt.loop, got, tt.parts)
		}
	}
}

// TestHubAnswers: a node of many edges has the answer that one worker gives.
func TestHubAnswers(t *testing.T) {
	needGo(t)
	e := buildText(t, "hub", `Graph graph { Node int x; Node int s; Node int z; }
int a[8];
int ba[8];
Kernel k(graph) {
  int c = 1;
  ForAll (n In graph.nodes) {
    atomicAdd(&a[n % 8], 1);
    ForAll (e In n.edges) { atomicAdd(&ba[e.dst % 8], c); atomicAdd(&e.dst.x, c); }
  }
  c = 5;
}
Kernel sum(graph) {
  ForAll (n In graph.nodes) {
    ForAll (e In n.edges) { int f = e.dst; for (int i = 0; i < 50; i++) { f = f * 7 + 1; } n.s = n.s + 1 + (f & 0); }
  }
}
Kernel local(graph) {
  ForAll (n In graph.nodes) {
    int k = 0;
    int *p = &k;
    ForAll (e In n.edges) { *p += 1; if (*p == n.degree) { n.z = k; } }
  }
}
Kernel never(graph) {
  ForAll (n In graph.nodes) {
    if (WARP_SIZE > 1) { atomicAdd(&a[n % 8], 1); }
    ForAll (e In n.edges) { if (WARP_SIZE > 1) { atomicAdd(&ba[n % 8], 1); } }
  }
}
Host h() {
  Invoke k(graph);
  Invoke never(graph);
  Invoke sum(graph);
  Invoke local(graph);
  printf("%d %d %d %d %d", a[0], ba[1], graph.nodes(0).x, graph.nodes(0).s, graph.nodes(0).z);
}
`)
	const nodes = 80001
	want := fmt.Sprintf("%d %d %d %d %d", nodes/8+1, nodes/8, nodes-1, nodes-1, nodes-1)
	for _, workers := range []int{1, 3, 8} {
		var out bytes.Buffer
		in := run.Input{Graph: generated(t, "star:80001"), Stdout: &out, Workers: workers}
		if _, err := e.Run(context.Background(), in); err != nil || strings.TrimSpace(out.String()) != want {
			t.Errorf("%d workers: %v %s, want %s", workers, err, out.String(), want)
		}
	}
}
