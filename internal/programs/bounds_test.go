package programs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// counters runs a program once with worklists of the given capacity, 0 for the
// program's choice, on a device that checks it, and returns what was counted of
// each kernel, and the result.
func counters(t *testing.T, text, spec string, o compile.Options, seed uint64, capacity int) (map[string]device.Counters, *run.Result) {
	t.Helper()
	o.Check = true
	u, err := compile.Compile(source.NewFile("small.irgl", []byte(text)), syntax.IrGL, "", o)
	if err != nil {
		t.Fatal(err)
	}
	so := simt.Checked()
	so.Seed = seed
	dev := simt.Open(so)
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: o.Lower.BlockThreads})
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Run(context.Background(), run.Input{Graph: prepared(t, u, spec), Capacity: capacity})
	if err != nil {
		t.Fatalf("%v: %v", o.Lower, err)
	}
	for _, r := range dev.Reports() {
		t.Errorf("%v: %v", o.Lower, r)
	}
	c := dev.KernelCounters()
	if err := errors.Join(e.Close(), dev.Close()); err != nil {
		t.Error(err)
	}
	return c, res
}

// TestBoundsLoads checks that a kernel that pops nodes with their bounds reads
// nothing but the items: half a sector each, and no row.
func TestBoundsLoads(t *testing.T) {
	const text = `Graph graph { Output Node int size; }
Kernel fill(graph) { ForAll (n In graph.nodes) { WL.push((int)(n.id * 1999L % graph.nnodes)); } }
Kernel look(graph) { ForAll (i In WL) { n = WL.pop(i); n.size = n.degree; } }
Host main() { Pipe Once { Invoke fill(graph); Invoke look(graph); } }
`
	const nodes = 4096
	for _, coop := range []lower.CoopLevel{lower.CoopNone, lower.CoopWarp, lower.CoopBlock} {
		lo := lower.Options{Coop: coop, BlockThreads: 64}
		without, want := counters(t, text, fmt.Sprintf("path:%d", nodes), compile.Options{Lower: lo}, 1, 0)
		lo.Bounds = true
		with, got := counters(t, text, fmt.Sprintf("path:%d", nodes), compile.Options{Lower: lo}, 1, 0)
		same(t, lo, want, got)
		if n := with["look"].Transactions; n != nodes+nodes/2 {
			t.Errorf("%v: %d sectors for the items and the stores, want %d", lo, n, nodes+nodes/2)
		}
		if n := without["look"].Transactions; n < 2*nodes {
			t.Errorf("%v: %d sectors without bounds", lo, n)
		}
	}
}

// TestBounds runs a program whose lists hold what is no node as well, which
// retries items, begins with items of the host's, and needs larger lists than
// there are at first: with bounds its results are those without.
func TestBounds(t *testing.T) {
	long(t)
	const text = `Graph graph { Output Node int seen; Output Node int ways; Node int tries; }
Output int others = 0;
Kernel step(graph) {
	ForAll (i In WL) {
		int v = WL.pop(i);
		if (v < 0 || v >= graph.nnodes) {
			atomicAdd(&others, v == -1 ? 1 : 1000);
		} else if (atomicAdd(&graph.nodes(v).tries, 1) < 2) {
			Retry v;
		} else {
			atomicAdd(&graph.nodes(v).ways, graph.nodes(v).degree);
			if (atomicAdd(&graph.nodes(v).seen, 1) == 0) {
				ForAll (e In graph.nodes(v).edges) {
					WL.push(e.dst);
					if (e.dst.id == v + 1) { WL.push(-1); }
					if (e.dst.id == v + 2) { WL.push(graph.nnodes + v); }
				}
			}
		}
	}
}
Host main() {
	int first[3];
	first[0] = 0; first[1] = 3; first[2] = -1;
	Iterate step(graph) Initial [graph.nodes(1), first[0:3]] Size (8);
}
`
	want := map[string]*run.Result{}
	for k := range 24 {
		spec := []string{"rmat:6:4", "star:70", "grid:6:7"}[k%3]
		lo := lower.Options{
			Bounds: true, Coop: lower.CoopLevel(k / 3 % 4), Batch: 1 << (k % 4), BlockThreads: []int{32, 64, 96}[k%3], Deal: k%2 == 0,
		}
		if k%2 == 0 {
			lo.NP = lower.Schedulers(k) % 32
		}
		if k%4 == 1 && lo.Coop != lower.CoopBlock {
			lo.Outline, lo.OutlineThreads = lower.Outline{Auto: true}, 64
		}
		if want[spec] == nil {
			_, want[spec] = counters(t, text, spec, compile.Options{Lower: lower.Options{BlockThreads: 64}}, 0, 0)
		}
		o := compile.Options{Lower: lo}
		o.Lower.Index64 = k%5 == 0
		_, got := counters(t, text, spec, o, uint64(k), []int{0, 4, 1000}[k/3%3])
		same(t, lo, want[spec], got)
		if a, b := want[spec].Globals[0], got.Globals[0]; fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%v: %v, want %v", lo, b, a)
		}
	}
}
