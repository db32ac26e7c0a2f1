package host

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/device"
)

// A counted device counts the copies between host and device.
type counted struct {
	*tracked
	in, out int
}

func (d *counted) CopyIn(dst device.Ptr, src []byte) error {
	d.in++
	return d.tracked.CopyIn(dst, src)
}

func (d *counted) CopyOut(dst []byte, src device.Ptr) error {
	d.out++
	return d.tracked.CopyOut(dst, src)
}

// TestMirror checks that many accesses to an array cost a copy of all of it,
// not one each, and that kernels and host see each other's writes.
func TestMirror(t *testing.T) {
	const text = `Graph graph { Output Node int a = 0; }
Kernel twice(graph) { ForAll (n In graph.nodes) { n.a *= 2; } }
Kernel other(graph) { ForAll (n In graph.nodes) { int x = n.degree; } }
Host f() {
  for (int i = 0; i < 1000; i++) { graph.nodes(i).a = i; }
  Invoke other(graph);
  graph.nodes(1).a++;
  Invoke twice(graph);
  int sum = 0;
  for (int i = 0; i < 1000; i++) { sum += graph.nodes(i).a; }
  graph.nodes(0).a = sum;
}
`
	dev := &counted{tracked: track()}
	defer dev.Close()
	e, in, _ := irglRun{text: text, graph: "empty:1000"}.start(t, dev)
	defer e.Close()
	if err := e.Place(t.Context(), in.Graph, in.Views); err != nil {
		t.Fatal(err)
	}
	dev.in, dev.out = 0, 0
	res, err := e.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	col := res.Column("a")
	if col.Int(0) != 999002 || col.Int(1) != 4 || col.Int(999) != 1998 {
		t.Errorf("a is %d, %d, ..., %d", col.Int(0), col.Int(1), col.Int(999))
	}
	// 16 single writes, the flush before twice, and the one at the end; 16
	// single reads, two mirrors, and the result.
	if dev.in != 18 || dev.out != 19 {
		t.Errorf("%d copies in and %d out, want 18 and 19", dev.in, dev.out)
	}
}

// TestManyMirrors accesses more arrays than are mirrored.
func TestManyMirrors(t *testing.T) {
	var props, stmts, want strings.Builder
	for i := range 70 {
		fmt.Fprintf(&props, "Node int p%d = %d; ", i, i)
		fmt.Fprintf(&stmts, "for (int i = 0; i < 20; i++) { graph.nodes(0).p%d++; }\n", i)
	}
	for _, i := range []int{0, 63, 64, 69} {
		fmt.Fprintf(&stmts, "printf(\"%%d \", graph.nodes(0).p%d);\n", i)
		fmt.Fprintf(&want, "%d ", i+20)
	}
	dev := track()
	defer dev.Close()
	e, in, out := irglRun{text: "Graph graph { " + props.String() + "}\nHost f() {\n" + stmts.String() + "}\n", graph: "path:2"}.start(t, dev)
	defer e.Close()
	if _, err := e.Run(context.Background(), in); err != nil || out.String() != want.String() {
		t.Errorf("got %q, %v; want %q", out, err, want.String())
	}
}
