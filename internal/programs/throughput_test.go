package programs_test

import (
	"fmt"
	"os"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/programs"
)

// throughputGraphs are small, with all that schedulers tell apart: no edges,
// few, a hub, and many of all sizes.
var throughputGraphs = []string{"empty:1", "path:5", "star:40", "clique:8", "rmat:7:8"}

// combinations returns options of the throughput passes: every set of
// schedulers with every level of cooperation and every size of batches.
func combinations() []lower.Options {
	var out []lower.Options
	for np := range lower.Schedulers(16) {
		for coop := lower.CoopNone; coop <= lower.CoopBlock; coop++ {
			for _, batch := range []int{1, 2, 4, 8} {
				out = append(out, lower.Options{NP: np, Coop: coop, Batch: batch})
			}
		}
	}
	return out
}

// TestThroughput runs every program with every combination of the throughput
// passes, in small blocks, so that there are hubs, several warps and several
// rounds, and some in the usual ones. It takes every third combination;
// IRGL_ALL=1 takes them all.
func TestThroughput(t *testing.T) {
	for k, name := range programs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, lo := range combinations() {
				switch {
				case os.Getenv("IRGL_ALL") != "":
				case testing.Short() && i%29 != 0, i%3 != k%3:
					continue // 64 of the 192, others for each program
				}
				lo.BlockThreads = []int{64, 32, 64, 256, 32, 64, 96}[i%7]
				t.Run(fmt.Sprintf("np=%v,coop=%d,batch=%d,block=%d", lo.NP, lo.Coop, lo.Batch, lo.BlockThreads), func(t *testing.T) {
					u := compiled(t, name, compile.Options{Lower: lo})
					verified(t, name, u, u.PTXText(), uint64(i), throughputGraphs, i%2)
				})
			}
		})
	}
}
