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

// scoped runs a program outlined, in 6 blocks of 32 threads or, for clusters of 4,
// 10 (as 12), with a scope, on a device that checks it, and returns its result and what was counted.
func scoped(t *testing.T, text, spec string, lo lower.Options, seed uint64, capacity int) (*run.Result, device.Counters) {
	t.Helper()
	lo.Outline, lo.OutlineThreads, lo.OutlineBlocks = lower.Outline{Auto: true}, 32, 3+lo.Cluster/2
	if lo.Coop == lower.CoopBlock || lo.NP != 0 {
		lo.BlockThreads = 32
	}
	o := compile.Options{Check: true, Lower: lo}
	o.PTX.Target = "sm_90"
	u, err := compile.Compile(source.NewFile("small.irgl", []byte(text)), syntax.IrGL, "", o)
	if err != nil {
		t.Fatal(err)
	}
	so := simt.Checked()
	so.Seed, so.Schedule, so.Multiprocessors = seed, simt.Schedule(seed%3), 2
	dev := simt.Open(so)
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Run(context.Background(), run.Input{Graph: prepared(t, u, spec), Capacity: capacity})
	if err != nil {
		t.Fatalf("%v, seed %d: %v", lo, seed, err)
	}
	for _, r := range dev.Reports() {
		t.Errorf("%v, seed %d: %v", lo, seed, r)
	}
	c := dev.Counters()
	if err := errors.Join(e.Close(), dev.Close()); err != nil {
		t.Error(err)
	}
	return res, c
}

// TestScope runs loops whose lists become long and short again, that end in all
// ways there are, one after another and in each other, and that begin again with
// larger lists: one block alone comes to what all come to.
func TestScope(t *testing.T) {
	long(t)
	const text = `Graph graph { Output Node int level = INF; Output Node int by; Node int tries; }
Output int rounds = 0, ends = 0, left = 0;
int most = 0;
Kernel BFS(graph, int LEVEL) {
	ForAll (i In WL) {
		n = WL.pop(i);
		ForAll (e In n.edges) {
			if (atomicCAS(&e.dst.level, INF, LEVEL) == INF) { WL.push(e.dst); ReduceAndReturn(true); }
		}
	}
}
Kernel again(graph) {
	ForAll (i In WL) {
		n = WL.pop(i);
		atomicAdd(&most, 1);
		if (atomicAdd(&n.tries, 1) < 3 + n.id % 5) { Respawn n; } else { WL.push(n); }
	}
}
Kernel count(graph, int how) { ForAll (i In WL) { n = WL.pop(i); atomicAdd(&n.by, how); if (how < 4) { WL.push(n); } } }
Kernel all(graph) { ForAll (n In graph.nodes) { if (n.level != INF) { WL.push(n); } } }
Host main() {
	node src = graph.nodes(0);
	int LEVEL = 1;
	src.level = 0;
	Iterate While Any BFS(graph, LEVEL) Initial [src] { LEVEL++; rounds = LEVEL; if (LEVEL > 12) { break; } }
	Pipe Once {
		Invoke all(graph);
		int k = 0;
		Pipe { k++; Invoke count(graph, k); if (k == 3) { ends += k; } }
		Invoke all(graph);
		int r = 0;
		Pipe { r++; if (r % 2 == 0) { left += most; most = 0; } Invoke again(graph); Invoke count(graph, r); }
		left += k;
	}
	Iterate BFS(graph, LEVEL) Initial [src] Or (LEVEL < 16) { LEVEL++; if (LEVEL == 15) { ends++; return; } }
}
`
	for i, spec := range []string{"rmat:7:4", "grid:9:9", "star:90", "path:40", "empty:3"} {
		want, _ := scoped(t, text, spec, lower.Options{}, 0, 0)
		for k, items := range []int{1, 3, 12, 40, 1000} {
			if (i+k)%3 == 0 {
				continue
			}
			for _, lo := range []lower.Options{
				{Scope: items, Ahead: k%2 == 0},
				{Scope: k % 2 * items, Unroll: 2 + k%3, Ahead: true, Bounds: k%2 == 1},
				{Scope: items, Cluster: 2, Ahead: k%2 == 1, Unroll: 1 + k%2},
				{Scope: items, Cluster: []int{2, 4}[k%2], Coop: lower.CoopLevel((k + i) % 4), Bounds: k%3 == 1, NP: lower.Schedulers(2*k+2) % 32, Deal: k%2 == 0},
				{Scope: items, Coop: lower.CoopLevel(k % 4), Batch: 2, Bounds: true, NP: lower.Schedulers(2*k) % 32, Deal: true},
			} {
				seed := uint64(5*i + k)
				got, _ := scoped(t, text, spec, lo, seed, []int{0, 5}[(k+i)%2])
				same(t, lo, want, got)
				if a, b := fmt.Sprint(want.Globals), fmt.Sprint(got.Globals); a != b {
					t.Errorf("%s, %v: %s, want %s", spec, lo, b, a)
				}
			}
		}
	}
}

// TestScopeBarriers counts the atomics of a search along a path: one for each
// node, and those of the barriers, which the grid has in each round without a
// scope, and two or three times with one.
func TestScopeBarriers(t *testing.T) {
	const text = `Graph graph { Output Node int level = INF; }
Kernel BFS(graph, int LEVEL) {
	ForAll (i In WL) {
		n = WL.pop(i);
		ForAll (e In n.edges) { if (e.dst.level == INF) { e.dst.level = LEVEL; WL.push(e.dst); } }
	}
}
Host main() {
	node src = graph.nodes(0); src.level = 0; int LEVEL = 1; Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; } }
`
	const nodes, blocks = 150, 5 // one item a thread
	for items, meets := range map[int]uint64{0: nodes, 1: 2, 100: 2} {
		res, c := scoped(t, text, "path:150", lower.Options{Scope: items}, 3, 0)
		if want := nodes - 1 + meets*blocks; c.AtomicsGlobal != want || res.Launches != 2 || c.Launches != 2 {
			t.Errorf("scope %d: %d atomics in %d launches, want %d", items, c.AtomicsGlobal, c.Launches, want)
		}
	}
	// A star has one long list: to one block, back to all, and the round of these.
	if _, c := scoped(t, text, "star:150", lower.Options{Scope: 100}, 3, 0); c.AtomicsGlobal != 149+3*blocks {
		t.Errorf("%d atomics for a star", c.AtomicsGlobal)
	}
}

// TestShortRounds runs programs with everything that shortens rounds at once, where
// one block's list was once written while others looked at what is in it.
func TestShortRounds(t *testing.T) {
	long(t)
	for _, name := range []string{"bfs", "sssp_ds", "sssp_nf"} {
		for _, k := range []int{11, 14, 17, 22} {
			lo := lower.Options{
				Outline: lower.Outline{Auto: true}, OutlineThreads: 32 << (k % 2), OutlineBlocks: 1 + k%3,
				Scope: []int{1, 5, 30, 100}[k%4], Ahead: k%3 != 0, Bounds: k%5 != 0, Unroll: 1 + k%4, Coop: lower.CoopLevel(k / 2 % 4), Batch: 1 + k%5,
			}
			if lo.Coop == lower.CoopBlock {
				lo.BlockThreads = lo.OutlineThreads
			}
			u := compiled(t, name, compile.Options{Lower: lo})
			in := inputs(t, u, []string{"rmat:8:6", "grid:14:14", "star:300"})
			verifiedOn(t, name, u, u.PTXText(), machine{seed: uint64(k*7 + 1), multiprocessors: 3}, in, 0, 3)
		}
	}
}

// TestEnds runs a loop that looks at a counter in one round of three: the barrier
// that this requires is in the arm that reads it, and in no other round. The sum
// is what the rounds between counted, whatever the order of threads.
func TestEnds(t *testing.T) {
	const rounds, nodes, blocks = 12, 40, 2 // of 32 threads: more would have no node
	const text = `Graph graph { }
Output int sum = 0;
int left = 0;
Kernel K(graph) { ForAll (n In graph.nodes) { atomicAdd(&left, 1); } }
Host main() {
  for (int i = 0; i < 12; i++) {
    Invoke K(graph);
    if (i % 3 == 2) {
      sum = sum * 3 + left;
      left = 0;
    }
  }
}`
	for seed := range uint64(6) {
		res, c := scoped(t, text, fmt.Sprintf("path:%d", nodes), lower.Options{}, seed, 0)
		if got, want := res.Globals[0].Values[0].Int, int64(40*3*(27+9+3+1)); got != want {
			t.Errorf("seed %d: the sum is %d, want %d", seed, got, want)
		}
		// A barrier behind each round, one before the counter is written, one at the end of the arm.
		if got, want := c.AtomicsGlobal, uint64(rounds*nodes+blocks*(rounds+2*rounds/3)); got != want {
			t.Errorf("seed %d: %d atomics, want %d", seed, got, want)
		}
	}
}
