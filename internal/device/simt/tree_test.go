package simt

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestTree compares trees with maps, and checks that a union shares what it can.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	keys := []uint64{0, 1, 2, 3, 31, 32, 1 << 31, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	random := func() (*tree[int], map[uint64]int) {
		var made *tree[int]
		want := map[uint64]int{}
		for range rng.IntN(40) {
			key := rng.Uint64N(64)
			if rng.IntN(3) == 0 {
				key = keys[rng.IntN(len(keys))]
			}
			v := 1 + rng.IntN(9)
			made = union(made, leaf(key, v), larger)
			want[key] = max(want[key], v)
		}
		return made, want
	}
	equal := func(what string, got *tree[int], want map[uint64]int) {
		t.Helper()
		if got.len() != len(want) {
			t.Fatalf("%s: %d keys, want %d", what, got.len(), len(want))
		}
		for key, v := range want {
			if g, ok := got.get(key); !ok || g != v {
				t.Fatalf("%s: key %d has %d %v, want %d", what, key, g, ok, v)
			}
		}
		if _, ok := got.get(1 << 40); ok {
			t.Fatalf("%s: a key that it does not have", what)
		}
	}
	for range 2000 {
		a, inA := random()
		b, inB := random()
		equal("a", a, inA)
		both := maps.Clone(inA)
		for key, v := range inB {
			both[key] = max(both[key], v)
		}
		ab := union(a, b, larger)
		equal("a or b", ab, both)
		if union(ab, a, larger) != ab || union(a, ab, larger) != ab || union(ab, b, larger) != ab {
			t.Fatal("a union with a part of itself is another tree")
		}
		odd := ab.filter(func(key uint64, _ int) bool { return key%2 == 1 })
		maps.DeleteFunc(both, func(key uint64, _ int) bool { return key%2 == 0 })
		equal("odd keys", odd, both)
		if odd.filter(func(uint64, int) bool { return true }) != odd || odd.filter(func(uint64, int) bool { return false }) != nil {
			t.Fatal("a filter that takes all or nothing")
		}
	}
}

func larger(a, b int) int { return max(a, b) }
