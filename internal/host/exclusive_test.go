package host

import (
	"bytes"
	"context"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// claims has every node claim itself and three others, and the winners change
// what they claimed without atomics. A second Exclusive follows in the same
// iteration, and a barrier of blocks and one of the grid.
const claims = `Graph g { Node int once = 0; Node int twice = 0; Node int before = 0; }
int won = 0;
int lost = 0;
int again = 0;
int early = 0;
Kernel claim(g, int k, int size, int group) {
  ForAll (n In g.nodes) {
    int list[4];
    int m = 0;
    list[m] = n.id; m++;
    for (int i = 1; i < size; i++) { list[m] = (n.id * k + i * 7) % g.nnodes; m++; }
    n.before = k;
    Exclusive (g.nodes, list[0 : m]) {
      for (int i = 0; i < m; i++) { g.nodes(list[i]).once += 1; }
      atomicAdd(&won, 1);
    } Else { atomicAdd(&lost, 1); }
    Exclusive (g, 1, list) {
      for (int i = 0; i < 1; i++) { g.nodes(list[i]).twice += 1; }
      atomicAdd(&again, 1);
    }
    LocalBarrier();
    SyncRunningThreads();
    node o = g.nodes((n.id + 32) % g.nnodes);
    if (o.id / group == n.id / group && o.before != k) atomicAdd(&early, 1);
  }
}
Host f(int k, int size, int group) {
  Invoke claim(g, k, size, group);
  int once = 0;
  int twice = 0;
  for (int i = 0; i < g.nnodes; i++) { once += g.nodes(i).once; twice += g.nodes(i).twice; }
  printf("%d %d %d %d %d", won + lost, once - size * won, twice - again, early, won > 0 && again == g.nnodes);
}
`

// TestExclusive runs it with grids of one block and of several, fewer threads
// than nodes, under permuted schedules: no change is lost, somebody wins, and
// the emulator reports no race.
func TestExclusive(t *testing.T) {
	const threads = 32
	u, err := compile.Compile(source.NewFile("claims.irgl", []byte(claims)), syntax.IrGL, "", compile.Options{Check: true, Lower: lower.Options{Outline: outlined.Outline, BlockThreads: threads}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Generate(context.Background(), "empty:200")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(6) {
		for _, blocks := range []int{1, 2, 5, 0} {
			group := blocks * threads // iterations that meet at the barriers
			if blocks == 0 {
				group = 224
			}
			o := simt.Checked()
			o.Seed, o.Schedule = seed, simt.Schedule(seed%3)
			dev := simt.Open(o)
			e, err := New(dev, u.Info, u.CUDAInfo, u.PTXText(), Options{BlockThreads: threads, MaxBlocks: blocks})
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int64{1, 4} {
				var out bytes.Buffer
				in := run.Input{Graph: g, Args: []run.Value{run.IntValue(int64(3 + seed)), run.IntValue(size), run.IntValue(int64(group))}, Stdout: &out}
				if _, err := e.Run(context.Background(), in); err != nil || out.String() != "200 0 0 0 1" {
					t.Errorf("seed %d, %d blocks, lists of %d: %q, %v", seed, blocks, size, out.String(), err)
				}
			}
			for _, r := range dev.Reports() {
				t.Errorf("seed %d, %d blocks: %v", seed, blocks, r)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
