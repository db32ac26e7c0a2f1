package programs_test

import (
	"testing"

	"irgl/internal/lower"
)

// TestSerialLoops shares inner loops in each round of serial loops around them,
// whose rounds depend on each other: by every set of schedulers the results are
// those of threads that go by themselves.
func TestSerialLoops(t *testing.T) {
	const text = `Graph graph { Output Node int most = id % 7; Output Node long seen; Output Node int rounds; Output Node int pushed; Node int kind = id % 3; }
Kernel spread(graph, int TIMES, int step) {
	ForAll (n In graph.nodes) {
		int sum = n.degree;
		if (n.kind == 2) { continue; }
		for (int k = 0; k < TIMES; k += step) {
			if ((n.id + k) % 4 == 3) { continue; }
			int mine = n.id + k;
			for (int j = 0; j < 2; j++) {
				ForAll (e In n.edges) {
					atomicAdd(&e.dst.seen, (long)(mine + j));
					atomicAdd(&sum, e.dst.kind + 1);
				}
				mine += sum;
			}
			ForAll (e In n.edges) {
				if (k == 1) { atomicAdd(&e.dst.pushed, 1); WL.push(e.dst); }
				WL.push(n);
			}
			n.rounds += sum;
		}
		n.rounds++;
	}
}
Kernel count(graph) { ForAll (i In WL) { n = WL.pop(i); atomicAdd(&n.pushed, 1000); } }
Host main() { Pipe Once { Invoke spread(graph, 3, 1); Invoke count(graph); } Pipe Once { Invoke spread(graph, 0, 0); } }
`
	for i, spec := range []string{"star:70", "rmat:6:8"} {
		want := emulate(t, text, spec, lower.Options{BlockThreads: 64}, 0)
		for np := lower.Schedulers(1); np < 32; np++ {
			if int(np)%2 != i || testing.Short() && np%5 != 0 {
				continue
			}
			lo := lower.Options{NP: np, Coop: lower.CoopLevel(np / 2 % 4), Batch: int(np)%3 + 1, BlockThreads: []int{64, 32, 96}[np%3], Deal: np%4 < 2, WarpLoop: int(np)%5*8 + 1, BlockLoop: 40, GridLoop: 4}
			same(t, lo, want, emulate(t, text, spec, lo, uint64(np)))
		}
	}
}
