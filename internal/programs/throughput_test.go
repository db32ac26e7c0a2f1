package programs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// throughputGraphs are small, with all that schedulers tell apart: no edges,
// few, a hub, and many of all sizes.
var throughputGraphs = []string{"empty:1", "path:5", "star:40", "clique:8", "rmat:7:8"}

// combinations returns options of the throughput passes: every set of
// schedulers with every level of cooperation and every size of batches.
func combinations() []lower.Options {
	var out []lower.Options
	for np := range lower.Schedulers(32) {
		for coop := lower.CoopNone; coop <= lower.CoopBlock; coop++ {
			for _, batch := range []int{1, 2, 4, 8} {
				out = append(out, lower.Options{NP: np, Coop: coop, Batch: batch, Eager: len(out)%5 < 2, Deal: len(out)%7 < 3, GridLoop: 4 << (len(out) % 4)})
			}
		}
	}
	return out
}

// TestThroughput runs every program with every combination of the throughput
// passes, in small blocks, so that there are hubs, several warps and several
// rounds, and some in the usual ones; with loops on the host, and some outlined.
// It takes every sixteenth combination; IRGL_ALL=1 takes them all.
func TestThroughput(t *testing.T) {
	for k, name := range programs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, lo := range combinations() {
				switch {
				case os.Getenv("IRGL_ALL") != "":
				case testing.Short() && i%29 != 0, i%16 != k%16:
					continue // 24 of the 384, others for each program
				}
				lo.Outline.Auto = i/16%3 == 0
				lo.BlockThreads = []int{64, 32, 64, 256, 32, 64, 96}[i%7]
				t.Run(fmt.Sprintf("np=%v,coop=%d,batch=%d,block=%d", lo.NP, lo.Coop, lo.Batch, lo.BlockThreads), func(t *testing.T) {
					u := compiled(t, name, compile.Options{Lower: lo})
					verified(t, name, u, u.PTXText(), uint64(i), throughputGraphs, i%2)
				})
			}
		})
	}
}

// TestNarrowBlocks runs a kernel that retries its items until the launches have
// one thread, with every set of schedulers: they work in smaller blocks than
// they are made for.
func TestNarrowBlocks(t *testing.T) {
	const text = `Graph graph { Node int tries; Output Node int seen; Output Node int done; }
Kernel start(graph) { ForAll (n In graph.nodes) { WL.push(n); } }
Kernel work(graph) {
	ForAll (i In WL) {
		n = WL.pop(i);
		int mine = n.degree;
		ForAll (e In n.edges) {
			atomicAdd(&e.dst.seen, mine);
		}
		if (atomicAdd(&n.tries, 1) < 3) { Retry n; } else { n.done = 1; }
	}
}
Host main() { Pipe Once { Invoke start(graph); Invoke work(graph); } }
`
	ctx := context.Background()
	for k := range lower.Schedulers(16) {
		np := k<<1 | k%2
		for coop := lower.CoopNone; coop <= lower.CoopBlock; coop++ {
			o := compile.Options{Check: true, Lower: lower.Options{NP: np, Coop: coop, Batch: 1 << (np % 4), BlockThreads: 64, GridLoop: 4, Outline: lower.Outline{Auto: np%2 != 0}}}
			u, err := compile.Compile(source.NewFile("narrow.irgl", []byte(text)), syntax.IrGL, "", o)
			if err != nil {
				t.Fatal(err)
			}
			so := simt.Checked()
			so.Seed = uint64(np)
			dev := simt.Open(so)
			e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: 64})
			if err != nil {
				t.Fatal(err)
			}
			g := prepared(t, u, "rmat:7:6")
			res, err := e.Run(ctx, run.Input{Graph: g})
			if err != nil {
				t.Fatalf("%+v: %v", o.Lower, err)
			}
			want := make([]int64, g.NumNodes())
			for v := range want {
				edges := g.Dst[g.RowStart[v]:g.RowStart[v+1]]
				for _, d := range edges {
					want[d] += 4 * int64(len(edges))
				}
			}
			for v, w := range want {
				if seen, done := res.Props[0].Value(v).Int, res.Props[1].Value(v).Int; seen != w || done != 1 {
					t.Errorf("%+v: node %d: %d, want %d; done %d", o.Lower, v, seen, w, done)
					break
				}
			}
			for _, r := range dev.Reports() {
				t.Errorf("%+v: %v", o.Lower, r)
			}
			if err := errors.Join(e.Close(), dev.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}
