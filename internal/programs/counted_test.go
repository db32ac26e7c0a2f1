package programs_test

import (
	"context"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// traversal is the IrGL paper's Listing 5 without the kernel by which the
// example counts what it pushed.
const traversal = `Graph graph { }
Kernel traverse(graph) {
	ForAll (n In graph.nodes) {
		ForAll (e In n.edges) {
			WL.push(e.dst);
		}
	}
}
Host main() {
	Pipe Once {
		Invoke traverse(graph);
	}
}
`

// count runs a program in blocks of 64 threads, two at most, and returns what
// the emulator counted, and the launches. A bundled program's answer is verified.
func count(t *testing.T, name, text, spec string, lo lower.Options) (device.Counters, int64) {
	t.Helper()
	return countWith(t, name, text, spec, args[name], lo)
}

// countWith is count with these arguments.
func countWith(t *testing.T, name, text, spec string, values []run.Value, lo lower.Options) (device.Counters, int64) {
	t.Helper()
	lo.BlockThreads = 64
	u, err := compile.Compile(source.NewFile(name+".irgl", []byte(text)), syntax.IrGL, "", compile.Options{Lower: lo, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	dev := simt.Open(simt.Checked())
	defer dev.Close()
	launches := runOn(t, dev, u, name, spec, values)
	return dev.Counters(), launches
}

// runOn runs a compiled program and returns the launches.
func runOn(t *testing.T, dev *simt.Device, u *compile.Unit, name, spec string, values []run.Value) int64 {
	t.Helper()
	ctx := context.Background()
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: 64, MaxBlocks: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := run.Input{Graph: prepared(t, u, spec), Args: values, Capacity: 100000}
	res, err := e.Run(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, bundled := args[name]; bundled {
		if err := programs.Verify(ctx, name, in, res); err != nil {
			t.Error(err)
		}
	}
	return res.Launches
}

// TestTraversalAtomics counts the atomics of Listing 5: aggregation by warps
// divides them by the size of a warp at least, that by blocks by their size.
func TestTraversalAtomics(t *testing.T) {
	long(t)
	for _, spec := range []string{"star:2000", "rmat:10:16"} {
		none, _ := count(t, "traversal", traversal, spec, lower.Options{})
		if none.AtomicsGlobal < 3000 {
			t.Fatalf("%s: %d atomics without aggregation", spec, none.AtomicsGlobal)
		}
		for _, np := range []lower.Schedulers{0, lower.Serially, lower.ByWarp, lower.FineGrained, lower.ByBlock | lower.ByWarp | lower.FineGrained} {
			for _, batch := range []int{1, 4} {
				warp, _ := count(t, "traversal", traversal, spec, lower.Options{NP: np, Coop: lower.CoopWarp, Batch: batch})
				if warp.AtomicsGlobal*32 > none.AtomicsGlobal {
					t.Errorf("%s, np=%v, batch=%d: %d atomics by warp, %d without", spec, np, batch, warp.AtomicsGlobal, none.AtomicsGlobal)
				}
				block, _ := count(t, "traversal", traversal, spec, lower.Options{NP: np, Coop: lower.CoopBlock, Batch: batch})
				if block.AtomicsGlobal*64 > none.AtomicsGlobal {
					t.Errorf("%s, np=%v, batch=%d: %d atomics by block, %d without", spec, np, batch, block.AtomicsGlobal, none.AtomicsGlobal)
				}
			}
		}
	}
}

// TestFrontierAtomics counts those of bfs_st, whose pushes depend on the data:
// with queues at most one a block and round, where what a round pushes fits.
func TestFrontierAtomics(t *testing.T) {
	long(t)
	text, _ := programs.Text("bfs_st")
	const nodes, threads = 256, 128
	for k := range lower.Schedulers(16) {
		np := k << 1 // gr has atomics of its own, for its barrier
		for _, batch := range []int{1, 4} {
			c, launches := count(t, "bfs_st", string(text), "rmat:8:8", lower.Options{NP: np, Coop: lower.CoopBlock, Batch: batch})
			// Frontiers are disjoint but for nodes pushed twice.
			rounds := uint64(launches) + 2*nodes/threads
			if c.AtomicsGlobal > 2*rounds {
				t.Errorf("np=%v, batch=%d: %d atomics in %d launches", np, batch, c.AtomicsGlobal, launches)
			}
		}
	}
	// A scheduling loop empties the queue before it is full: 3000 nodes at once
	// do not fit into it, but go to the list in two atomics.
	for _, np := range []lower.Schedulers{lower.ByBlock, lower.FineGrained, lower.ByBlock | lower.FineGrained} {
		c, _ := count(t, "bfs_st", string(text), "star:3000", lower.Options{NP: np, Coop: lower.CoopBlock})
		if c.AtomicsGlobal > 2 {
			t.Errorf("np=%v: %d atomics for a star", np, c.AtomicsGlobal)
		}
	}
	// In code that diverges the rest goes to the list by warps.
	for _, np := range []lower.Schedulers{0, lower.Serially, lower.ByWarp} {
		for _, batch := range []int{1, 8} {
			c, _ := count(t, "bfs_st", string(text), "star:3000", lower.Options{NP: np, Coop: lower.CoopBlock, Batch: batch})
			if c.AtomicsGlobal < 2 || c.AtomicsGlobal > 3000-2048+1 {
				t.Errorf("np=%v, batch=%d: %d atomics for a star", np, batch, c.AtomicsGlobal)
			}
		}
	}
}

// TestBatchAtomics checks that edges begun together share a reservation.
func TestBatchAtomics(t *testing.T) {
	text, _ := programs.Text("bfs_st")
	one, _ := count(t, "bfs_st", string(text), "star:1001", lower.Options{})
	eight, _ := count(t, "bfs_st", string(text), "star:1001", lower.Options{Batch: 8})
	if one.AtomicsGlobal != 1000 || eight.AtomicsGlobal != 125 {
		t.Errorf("%d atomics one by one, %d by eights", one.AtomicsGlobal, eight.AtomicsGlobal)
	}
}

// TestReductionAtomics counts those of a reduction: gathered, one a block at
// most contributes.
func TestReductionAtomics(t *testing.T) {
	const text = `Graph graph { Node int a = id; }
Kernel any(graph) { ForAll (n In graph.nodes) { ForAll (e In n.edges) { ReduceAndReturn(e.dst.a > 3); } } }
Kernel all(graph) { ForAll (n In graph.nodes) { ReduceAndReturn(n.a < 3); } }
Output int result;
Host main() {
	if (Any(Invoke any(graph))) { result = 1; }
	if (All(Invoke all(graph))) { result += 2; }
}
`
	for k := range lower.Schedulers(16) {
		np := k << 1 // gr has atomics of its own, for its barrier
		c, _ := count(t, "reduction", text, "clique:130", lower.Options{NP: np, Coop: lower.CoopBlock})
		if c.AtomicsGlobal > 4 {
			t.Errorf("np=%v: %d atomics", np, c.AtomicsGlobal)
		}
	}
}

// TestRounding runs pr_pull as on graphs of many nodes, whose edges carry single
// floats: its ranks are those of the reference, after as many rounds.
func TestRounding(t *testing.T) {
	text, _ := programs.Text("pr_pull")
	large := strings.Replace(string(text), "bool exact = ", "bool exact = false && ", 1)
	if large == string(text) {
		t.Fatal("pr_pull has no exact sums")
	}
	values := []run.Value{run.FloatValue(0.85), run.FloatValue(1e-9), run.IntValue(1000)}
	for _, spec := range []string{"rmat:9:8", "uniform:1000:4", "grid:20:20", "star:300"} {
		countWith(t, "pr_pull", large, spec, values, lower.Options{Coop: lower.CoopBlock})
	}
}

// TestListTraffic checks that warps read and write worklists in a row: by blocks
// always, and else but where lanes come to a push in several groups, or a thread
// pushes several items at once.
func TestListTraffic(t *testing.T) {
	long(t)
	t.Parallel()
	for _, name := range []string{"bfs_st", "bfs", "bfs_do", "sssp", "sssp_nf", "sssp_ds", "mis", "pr_dd", "mst"} {
		text, _ := programs.Text(name)
		for _, lo := range []lower.Options{
			{},
			{Batch: 4},
			{Coop: lower.CoopWarp},
			{Coop: lower.CoopWarp, NP: lower.ByWarp | lower.Serially, Batch: 4},
			{Coop: lower.CoopBlock, Batch: 4},
			{Coop: lower.CoopBlock, NP: lower.ByBlock | lower.ByWarp | lower.FineGrained},
			{Coop: lower.CoopBlock, NP: lower.ByGrid | lower.FineGrained, Batch: 4, Deal: true},
		} {
			lo.BlockThreads = 64
			u, err := compile.Compile(source.NewFile(name+".irgl", text), syntax.IrGL, "", compile.Options{Lower: lo, Check: true})
			if err != nil {
				t.Fatal(err)
			}
			dev := simt.Open(simt.Options{})
			runOn(t, dev, u, name, "rmat:8:8", args[name])
			var lists simt.Traffic
			for buffer, c := range dev.Traffic() {
				if strings.HasPrefix(buffer, "cudaMalloc") { // else it is the graph or a property
					lists.Accesses += c.Accesses
					lists.Scattered += c.Scattered
				}
			}
			most := uint64(2)
			switch {
			case lo.Coop == lower.CoopBlock:
				most = 0
			case lo.Batch > 1:
				most = 4 + lists.Accesses/20
			}
			if lists.Accesses < 4 || lists.Scattered > most {
				t.Errorf("%s with %v: %d of %d accesses to worklists are scattered, want %d", name, lo, lists.Scattered, lists.Accesses, most)
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestWork compares programs that solve the same problem by what they move and
// change in memory: those made for the hardware do less of it, on the graphs
// that they are made for.
func TestWork(t *testing.T) {
	long(t)
	t.Parallel()
	for _, tt := range []struct {
		better, worse, spec string
		transactions        float64 // of the better one, at most, by those of the worse one
	}{
		{"cc_af", "cc", "rmat:10:8:sym", 0.3},
		{"cc_af", "cc", "uniform:2000:4:sym", 0.7},
		{"mst", "mst_lock", "rmat:9:8", 0.7},
		{"mst", "mst_lock", "uniform:800:4", 0.7},
		{"tri_or", "tri", "rmat:9:8", 0.5},
		{"tri", "tri_or", "grid:40:40", 0.6},
		{"tri", "tri_or", "uniform:2000:4", 0.6},
		{"sssp_ds", "sssp", "rmat:10:8:wmax=100", 0.85},
		{"sssp_ds", "sssp", "uniform:2000:4:wmax=100", 0.85},
		{"bfs", "bfs_st", "grid:40:40", 1},
	} {
		text := func(name string) string {
			text, ok := programs.Text(name)
			if !ok {
				t.Fatalf("no program %s", name)
			}
			return string(text)
		}
		better, _ := count(t, tt.better, text(tt.better), tt.spec, lower.Options{})
		worse, _ := count(t, tt.worse, text(tt.worse), tt.spec, lower.Options{})
		if ratio := float64(better.Transactions) / float64(worse.Transactions); ratio > tt.transactions {
			t.Errorf("%s on %s: %.2f of the transactions of %s, want %.2f", tt.better, tt.spec, ratio, tt.worse, tt.transactions)
		} else {
			t.Logf("%s on %s: %.2f of the transactions of %s", tt.better, tt.spec, ratio, tt.worse)
		}
	}
}
