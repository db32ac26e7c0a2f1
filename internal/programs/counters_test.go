package programs_test

import (
	"os"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/source"
	"irgl/syntax"
)

// countersText has shared counters of every type and operation, in an inner loop and
// around it, some at the end of a kernel that has just shared long lists. Places
// that a counter gives are taken once each; numbers are such that the order of
// additions does not matter.
const countersText = `Graph graph { Output Node int held; Output Edge int up; Output Edge int down; Node int a = id * 7 + 3; Node int net; }
int count; unsigned room; long left;
int change; double sums[3]; Output double last;
Output int low; Output unsigned high; Output long bits; Output long some; Output unsigned wrap; Output int under; Output float part; Output int unlike;

Kernel take(graph) {
	ForAll (n In graph.nodes) {
		if (n.a % 3 != 1) {
			atomicAdd(&graph.nodes(atomicAdd(&count, 1)).held, 1);
		}
		if (n.a % 5 != 2) {
			int first = atomicAdd(&room, n.degree);
			int behind = atomicSub(&left, n.degree);
			ForAll (k In range(n.degree)) {
				edge up = first + k; atomicAdd(&up.up, 1);
				edge down = behind - 1 - k; atomicAdd(&down.down, 1);
			}
		}
		n.net = atomicAdd(&change, n.a % 5 - 2) + (int)atomicAdd(&left, 0) + atomicSub(&count, 0);
	}
}

Kernel tally(graph, int round) {
	int from = round % 3;
	int to = (round + 1) % 3;
	int later = (round + 2) % 3;
	double before = sums[from];
	ForAll (n In graph.nodes) {
		if (n == 0) { sums[later] = 0; }
		atomicAdd(&sums[to], 0.5 * n.a + before / 4096);
		atomicMin(&low, n.a - 100);
		ForAll (e In n.edges) {
			atomicMax(&high, (unsigned)e.dst.a + 3000000000u);
			atomicXor(&bits, (long)e.dst.a << 20);
			if (e.dst.a % 4 == 1) { atomicAdd(&some, e.dst.a - 9); }
			atomicAdd(&part, 0.25f);
			atomicSub(&under, 1000003 * e.dst.a);
		}
		atomicAdd(&wrap, 2147483647);
		if (n.degree > 2) { atomicSub(&some, n.a); }
	}
}

Host main() {
	left = graph.nedges;
	Invoke take(graph);
	int round = 0;
	int wrong = 0;
	double seen = 0;
	while (round < 4) {
		Invoke tally(graph, round);
		round++;
		seen = seen / 2 + sums[round % 3];
		if (low != -97) { wrong++; }
		if (part != round * (graph.nedges / 4.0)) { wrong++; }
	}
	unlike = wrong;
	last = seen;
}
`

// TestCounters runs them at every level, by every set of schedulers, on the host
// and outlined, under several schedules: with the results of plain atomics, and
// without a race.
func TestCounters(t *testing.T) {
	long(t)
	t.Parallel()
	for i, spec := range []string{"star:70", "rmat:6:8", "path:5"} {
		want := emulate(t, countersText, spec, lower.Options{BlockThreads: 64}, 0)
		if g, ok := want.Global("unlike"); !ok || g.Values[0].Int != 0 {
			t.Errorf("%s: a round sees other sums than those of the rounds before", spec)
		}
		for k := range lower.Schedulers(96) {
			np, coop := k%32, lower.CoopLevel(1+k/32)
			if int(np)%3 != i {
				continue
			}
			lo := lower.Options{NP: np, Coop: coop, Batch: int(np)%3 + 1, BlockThreads: []int{64, 32, 96}[np%3], Deal: np%4 < 2, WarpLoop: int(np)%5*8 + 1, BlockLoop: 40, GridLoop: 4}
			if np%2 == 1 || np%4 == 2 {
				lo.Outline = lower.Outline{Auto: true}
				lo.OutlineThreads, lo.OutlineBlocks = []int{0, 32}[np/2%2], int(np)%3
			}
			same(t, lo, want, emulate(t, countersText, spec, lo, uint64(k)))
		}
	}
}

// TestCounterTypes does the same for all types and operations.
func TestCounterTypes(t *testing.T) {
	long(t)
	t.Parallel()
	text, err := os.ReadFile("../compile/testdata/counters.irgl")
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"path:1", "path:150"} {
		want := emulate(t, string(text), spec, lower.Options{BlockThreads: 64}, 0)
		for seed := range uint64(4) {
			lo := lower.Options{Coop: lower.CoopLevel(1 + seed%3), BlockThreads: 64, Outline: lower.Outline{Auto: seed > 1}}
			same(t, lo, want, emulate(t, string(text), spec, lo, seed))
		}
	}
}

// TestLateCounters has only some calls put long lists off, so that a counter gets
// its parts before the grid meets in some, and behind the tiles in others.
func TestLateCounters(t *testing.T) {
	t.Parallel()
	const text = `Graph graph { Node int a = id; }
Output long seen; long sum;
Kernel look(graph, int ROUND) {
	ForAll (n In graph.nodes) {
		atomicAdd(&sum, 1);
		if (n.a % 3 == ROUND % 3) { ForAll (e In n.edges) { atomicAdd(&sum, e.dst.a + ROUND); } }
	}
}
Host main() {
	long mixed = 0;
	int ROUND = 0;
	while (ROUND < 9) { Invoke look(graph, ROUND); mixed = 31 * mixed + sum; ROUND++; }
	seen = mixed;
}
`
	want := emulate(t, text, "star:40", lower.Options{BlockThreads: 64}, 0)
	for seed := range uint64(12) {
		lo := lower.Options{NP: lower.ByGrid | lower.ByWarp, Coop: lower.CoopLevel(1 + seed%3), GridLoop: 30, BlockThreads: 64,
			Outline: lower.Outline{Auto: seed%5 != 0}, OutlineThreads: 32, OutlineBlocks: int(seed / 2 % 2)}
		same(t, lo, want, emulate(t, text, "star:40", lo, seed))
	}
}

// kernelCounts runs a bundled program in two blocks of 64 threads and returns what
// the emulator counted in its kernels.
func kernelCounts(t *testing.T, name, spec string, lo lower.Options) map[string]device.Counters {
	t.Helper()
	text, ok := programs.Text(name)
	if !ok {
		t.Fatal("no program ", name)
	}
	lo.BlockThreads = 64
	u, err := compile.Compile(source.NewFile(name+".irgl", text), syntax.IrGL, "", compile.Options{Lower: lo, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	dev := simt.Open(simt.Checked())
	defer dev.Close()
	runOn(t, dev, u, name, spec, args[name])
	for _, r := range dev.Reports() {
		if r.Kind != "race" || u.Info.Racy[strings.TrimPrefix(r.Buffer, "property ")] == "" {
			t.Errorf("%s on %s: %v (%s)", name, spec, r, r.Buffer)
		}
	}
	return dev.KernelCounters()
}

// TestCounterAtomics counts the atomics on shared counters: gathered, one for a
// block or a warp and each call at most, and none where there is nothing to add.
func TestCounterAtomics(t *testing.T) {
	t.Parallel()
	const blocks, warps = 2, 4
	// Nodes without edges that lead away, all of them below the degree from which
	// on parts of sums are added by atomics.
	const sinks, none = "rmat:8:1", "grid:12:12"
	for _, spec := range []string{sinks, none} {
		plain := kernelCounts(t, "pr_pull", spec, lower.Options{})["pull_any"]
		for _, tt := range []struct {
			coop  lower.CoopLevel
			units uint64
		}{{lower.CoopWarp, warps}, {lower.CoopBlock, blocks}} {
			all := kernelCounts(t, "pr_pull", spec, lower.Options{Coop: tt.coop})
			pull := all["pull_any"]
			most := tt.units * pull.Launches // what is left of the reduction
			if spec == sinks {
				most *= 2 // and what is lost
			}
			if pull.AtomicsGlobal > most {
				t.Errorf("%s, coop=%d: %d atomics in %d calls", spec, tt.coop, pull.AtomicsGlobal, pull.Launches)
			}
			if begin := all["begin"].AtomicsGlobal; begin > 2*tt.units || spec == none && begin > 0 {
				t.Errorf("%s, coop=%d: %d atomics in the first call", spec, tt.coop, begin)
			}
		}
		if spec == sinks && plain.AtomicsGlobal < 20*blocks*plain.Launches {
			t.Errorf("%s has too few sinks: %d atomics in %d calls", spec, plain.AtomicsGlobal, plain.Launches)
		}
	}
}

// TestPlaceAtomics counts those of the list of sssp_ds: the lanes of a warp that
// come to it together share one.
func TestPlaceAtomics(t *testing.T) {
	t.Parallel()
	const text = `Graph graph { Node node list; Output Node int held; }
int waiting;
Kernel all(graph) { ForAll (n In graph.nodes) { graph.nodes(atomicAdd(&waiting, 1)).list = n; } }
Kernel some(graph, int first) { ForAll (n In graph.nodes) { if (n % 2 == 1) { graph.nodes(atomicAdd(&waiting, 1)).list = n; } } }
Host main() { Invoke all(graph); waiting = 0; Invoke some(graph, 1); }
`
	for _, coop := range []lower.CoopLevel{lower.CoopWarp, lower.CoopBlock} {
		c, _ := count(t, "places", text, "path:640", lower.Options{Coop: coop})
		if c.AtomicsGlobal > 2*640/32 {
			t.Errorf("coop=%d: %d atomics", coop, c.AtomicsGlobal)
		}
		const spec, nodes = "star:2000:wmax=100", 2000
		plain := kernelCounts(t, "sssp_ds", spec, lower.Options{NP: lower.ByWarp})["relax"].AtomicsGlobal
		shared := kernelCounts(t, "sssp_ds", spec, lower.Options{NP: lower.ByWarp, Coop: coop})["relax"].AtomicsGlobal
		if plain-shared < nodes+300 { // a node is pushed once; some wait
			t.Errorf("sssp_ds, coop=%d: %d atomics, %d without", coop, shared, plain)
		}
	}
}

// TestReservedAtomics counts those of pushes in counted C loops: each thread reserves the
// room for all of its pushes, or the warp or the block that of all its threads. What stays
// in the list is one item for each place.
func TestReservedAtomics(t *testing.T) {
	t.Parallel()
	const text = `Graph graph { Output Node int a; Output Node int b; }
Kernel constant(graph) { ForAll (n In graph.nodes) { for (int k = 0; k < 4; k++) { WL.push(4 * n + k); } } }
Kernel bounded(graph, int m) { ForAll (n In graph.nodes) { if (n.degree > 0) { for (int k = m; k >= 2; k--) { for (int j = 0; j < n.degree; j++) { WL.push(n); } WL.push(n); } } } }
Kernel place(graph) { ForAll (i In WL) { int x = WL.pop(i); node n = x / 4; n.a = 1; } }
Host main() { Pipe Once { Invoke constant(graph); Invoke place(graph); } Pipe Once { Invoke bounded(graph, 3); } }
`
	const nodes = 256
	for coop, want := range map[lower.CoopLevel]uint64{lower.CoopThread: nodes, lower.CoopWarp: nodes / 32, lower.CoopBlock: nodes / 64} {
		c, _ := count(t, "counted", text, "path:256", lower.Options{Coop: coop})
		if c.AtomicsGlobal != 2*want {
			t.Errorf("coop=%d: %d atomics, want %d", coop, c.AtomicsGlobal, 2*want)
		}
	}
}
