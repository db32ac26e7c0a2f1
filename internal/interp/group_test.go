package interp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"irgl/graph"
	"irgl/internal/run"
)

// runOn runs a program on g.
func runOn(t testing.TB, text string, g *graph.Graph, o Options) *run.Result {
	t.Helper()
	info := mustLoad(t, "a.irgl", text)
	e, err := New(info, o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Run(context.Background(), run.Input{Graph: g, Args: defaults(info)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// ints returns the values of an output property.
func ints(res *run.Result, name string) []int {
	c := res.Column(name)
	list := make([]int, c.Len())
	for i := range list {
		list[i] = int(c.Int(i))
	}
	return list
}

// A program in which each node claims the ends of its edges, and itself when it
// has any.
const claims = `Graph graph { Output Node int won = -1; Output Node int owner = -1; Output Node int total; }
int bodies;
Kernel K(graph) {
  ForAll (n In graph.nodes) {
    int list[64];
    int size = 0;
    for (e In n.edges) { list[size++] = e.dst; }
    int self[1] = {n};
    Exclusive (graph, size, list, self[0 : size > 0]) {
      n.won = 1;
      for (int i = 0; i < size; i++) graph.nodes(list[i]).owner = n;
      atomicAdd(&bodies, 1);
    } Else { n.won = 0; }
    SyncRunningThreads();
    n.total = bodies;
  }
}
Host m() { Invoke K(graph); }`

// TestClaims compares what wins with the rules: winners have nothing in common,
// every set of iterations in conflict with each other, directly or through
// others, has a winner, and whoever is in no conflict wins.
func TestClaims(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	all, lost := 0, 0
	for round := range 60 {
		n := 1 + r.IntN(40)
		var src, dst []uint32
		for range r.IntN(2 * n) {
			src, dst = append(src, uint32(r.IntN(n))), append(dst, uint32(r.IntN(n)))
		}
		g, err := graph.FromEdges(n, src, dst, nil)
		if err != nil {
			t.Fatal(err)
		}
		lists := make([][]int, n)
		for u := range lists {
			for _, v := range g.Neighbors(uint32(u)) {
				lists[u] = append(lists[u], int(v))
			}
			if lists[u] != nil {
				lists[u] = append(lists[u], u)
			}
		}
		for seed := range uint64(6) {
			res := runOn(t, claims, g, Options{Seed: seed, Group: 1 + int(seed)*64%100})
			won, total := ints(res, "won"), ints(res, "total")
			// Every group has a winner, so the bodies that ran until its end tell
			// the groups apart.
			meet := func(u, v int) bool {
				return total[u] == total[v] && slices.ContainsFunc(lists[u], func(x int) bool { return slices.Contains(lists[v], x) })
			}
			what := fmt.Sprintf("round %d seed %d", round, seed)
			for u := range n {
				if won[u] < 0 {
					t.Fatalf("%s: node %d ran neither block", what, u)
				}
				alone, some := true, won[u] == 1
				for _, v := range component(n, u, meet) {
					alone = alone && (v == u || !meet(u, v))
					some = some || won[v] == 1
					if u != v && won[u] == 1 && won[v] == 1 && meet(u, v) {
						t.Errorf("%s: %d and %d both won", what, u, v)
					}
				}
				if alone && won[u] == 0 || !some {
					t.Errorf("%s: node %d: won %v, alone %v, a winner among its conflicts %v", what, u, won[u], alone, some)
				}
				all, lost = all+1, lost+1-won[u]
			}
			groups := len(slices.Compact(slices.Sorted(slices.Values(total))))
			if seed == 0 && groups != n || seed == 3 && n > 4 && groups == n {
				t.Errorf("%s: %d groups of %d nodes", what, groups, n)
			}
		}
	}
	if lost < all/10 {
		t.Errorf("only %d of %d lost", lost, all)
	}
}

// component returns what is in conflict with u, directly or through others.
func component(n, u int, meet func(u, v int) bool) []int {
	list, in := []int{u}, make([]bool, n)
	in[u] = true
	for k := 0; k < len(list); k++ {
		for v := range n {
			if !in[v] && meet(list[k], v) {
				in[v] = true
				list = append(list, v)
			}
		}
	}
	return list
}

// A program that colours greedily: whoever has its neighbourhood takes the
// smallest colour that is free, the others try again, some in the same
// invocation and some in the next.
const colouring = `Graph graph { Requires symmetric; Output Node int color = -1; }
Kernel start(graph) { ForAll (n In graph.nodes) { WL.push(n); } }
Kernel paint(graph) {
  ForAll (i In WL) {
    node n = WL.pop(i);
    int list[100];
    int size = 0;
    list[size++] = n;
    for (e In n.edges) { list[size++] = e.dst; }
    Exclusive (graph, size, list) {
      int c = -1;
      bool taken = true;
      while (taken) {
        c++;
        taken = false;
        for (e In n.edges) { if (e.dst.color == c) taken = true; }
      }
      n.color = c;
    } Else { if (n % 2 == 0) { Retry n; } else { Retry Merge n; } }
  }
}
Host m() { Pipe Once { Invoke start(graph); Iterate paint(graph); } }`

// TestColouring runs until nothing is left to retry, in many orders and groups
// of several sizes.
func TestColouring(t *testing.T) {
	for _, spec := range []string{"rmat:6:4", "grid:7:8", "star:30", "empty:3", "uniform:60:3"} {
		g, err := graph.Generate(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if g, err = run.Prepare(context.Background(), g, mustLoad(t, "a.irgl", colouring).Requires); err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(6) {
			for _, group := range []int{1, 2, 16, 1000} {
				color := ints(runOn(t, colouring, g, Options{Seed: seed, Group: group}), "color")
				for u := range color {
					for _, v := range g.Neighbors(uint32(u)) {
						if color[u] < 0 || color[u] == color[v] && int(v) != u {
							t.Fatalf("%s seed %d group %d: %d and %d have colours %d and %d", spec, seed, group, u, v, color[u], color[v])
						}
					}
				}
			}
		}
	}
}

// TestBarrier counts arrivals: after the barrier, every iteration of a group
// sees those of the whole group, and of no other.
func TestBarrier(t *testing.T) {
	text := `Graph graph { Output Node int before = -1; Output Node int after = -1; Output Node int left = -1; }
int arrived;
Kernel K(graph) {
  ForAll (n In graph.nodes) {
    int mine[2];
    mine[1] = atomicAdd(&arrived, 1);
    if (n % 5 == 4) { n.left = 1; continue; }
    n.before = mine[1];
    SyncRunningThreads();
    n.after = arrived;
    LocalBarrier();
    n.left = 10 * n.id + (mine[1] == n.before);
  }
}
Host m() { Invoke K(graph); }`
	const n = 203
	g, err := graph.FromEdges(n, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for seed := range uint64(10) {
		for _, group := range []int{0, 1, 7, 500} {
			res := runOn(t, text, g, Options{Seed: seed, Group: group})
			before, after, left := ints(res, "before"), ints(res, "after"), ints(res, "left")
			limit := group
			if group == 0 {
				limit = 64
			}
			ends := []int{0} // the numbers of arrivals when the groups ended
			for _, a := range after {
				ends = append(ends, max(a, 0))
			}
			slices.Sort(ends)
			for u := range n {
				if u%5 == 4 {
					if left[u] != 1 || after[u] != -1 {
						t.Fatalf("seed %d group %d: node %d went on", seed, group, u)
					}
					continue
				}
				if i, _ := slices.BinarySearch(ends, before[u]+1); left[u] != 10*u+1 || ends[i] != after[u] || after[u]-before[u] > limit {
					t.Fatalf("seed %d group %d: node %d: arrived %d, saw %d, then %d; groups end at %v", seed, group, u, before[u], after[u], left[u], ends)
				}
			}
			if seed == 0 && limit < n && !slices.Contains(after, limit) && limit%5 != 0 && limit > 1 {
				t.Errorf("group %d: no group of that size: %v", group, after)
			}
			orders[fmt.Sprint(before)] = true
		}
	}
	if len(orders) < 30 {
		t.Errorf("only %d orders in 40 runs", len(orders))
	}
}

// TestExchange runs two phases in which neighbours swap values: the sums are
// those of the values before, whatever the order.
func TestExchange(t *testing.T) {
	text := `Graph graph { Output Node int value = id * id; }
Kernel K(graph, int rounds) {
  ForAll (n In graph.nodes) {
    int sum = n.value;
    for (e In n.edges) { sum += e.dst.value; }
    SyncRunningThreads();
    n.value = sum;
    SyncRunningThreads();
    sum = 0;
    for (e In n.edges) { sum = max(sum, e.dst.value); }
    SyncRunningThreads();
    n.value = sum - n.value;
  }
}
Host m() { Invoke K(graph, 1); }`
	g, err := graph.Generate(context.Background(), "grid:6:5")
	if err != nil {
		t.Fatal(err)
	}
	sums, want := make([]int, 30), make([]int, 30)
	for u := range sums {
		sums[u] = u * u
		for _, v := range g.Neighbors(uint32(u)) {
			sums[u] += int(v * v)
		}
	}
	for u := range want {
		for _, v := range g.Neighbors(uint32(u)) {
			want[u] = max(want[u], sums[v])
		}
		want[u] -= sums[u]
	}
	got := ints(runOn(t, text, g, Options{Group: 30}), "value")
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	// Groups of a few see what earlier groups wrote.
	if got := ints(runOn(t, text, g, Options{Group: 3}), "value"); slices.Equal(got, want) {
		t.Error("groups of 3 are as groups of 30")
	}
}
