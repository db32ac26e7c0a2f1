package opt

import (
	"maps"
	"math/rand/v2"
	"testing"

	"irgl/internal/ssa"
)

// TestScopedTable compares a table with maps that are copied at every mark,
// with few slots and keys, so that entries collide and shadow each other.
func TestScopedTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table := newScopedTable[int](&ssa.Func{}, 1)
	var marks []int
	var saved []map[key]int
	want := map[key]int{}
	keys := make([]key, 60)
	for i := range keys {
		keys[i] = key{op: []ssa.Op{ssa.OpConst, ssa.OpAdd, ssa.OpSpecial}[i%3], typ: ssa.I32, a0: int32(i % 5), a1: int32(i / 5 % 4), number: uint64(i % 7), sym: []ssa.Name{"", "x", "tid.x"}[i%3]}
	}
	for step := range 20_000 {
		switch k := keys[r.IntN(len(keys))]; r.IntN(8) {
		case 0:
			marks, saved = append(marks, table.mark()), append(saved, maps.Clone(want))
		case 1:
			if last := len(marks) - 1; last >= 0 {
				table.leave(marks[last])
				want, marks, saved = saved[last], marks[:last], saved[:last]
			}
		case 2, 3:
			table.put(k, step)
			want[k] = step
		default:
			got, ok := table.find(k)
			if w, had := want[k]; ok != had || got != w {
				t.Fatalf("step %d: %v is %d, %t; want %d, %t", step, k, got, ok, w, had)
			}
		}
	}
}

// TestScopedChains: keys whose parts grow together are spread over the slots. Those of sums
// have the numbers of terms, which are consecutive in the sums of one loop.
func TestScopedChains(t *testing.T) {
	f := new(ssa.Func)
	const n = 1 << 14
	for _, test := range []struct {
		name string
		key  func(i int) key
	}{
		{"one term", func(i int) key { return key{op: ssa.OpPtrAdd, a0: 1, a1: int32(i)} }},
		{"two terms", func(i int) key { return key{op: ssa.OpPtrAdd, a0: 1, a1: int32(i), a2: int32(i + 1)} }},
		{"three terms", func(i int) key { return key{op: ssa.OpPtrAdd, a0: 1, a1: 7, a2: int32(i), number: uint64(i + 1)} }},
		{"equal ends", func(i int) key { return key{op: ssa.OpPtrAdd, a0: 1, a1: 7, a2: int32(i), number: uint64(i)} }},
		{"four terms", func(i int) key {
			return key{op: ssa.OpPtrAdd, a0: 1, a1: int32(i), a2: int32(i + 1), number: uint64(i+2) | uint64(i+3)<<32}
		}},
		{"term", func(i int) key { return key{op: ssa.OpSExt, a0: int32(i), number: 4} }},
		{"scale", func(i int) key { return key{a0: 3, number: uint64(i)} }},
	} {
		s := newScopedTable[int](f, n)
		for i := range n {
			s.put(test.key(i), i)
		}
		longest := 0
		for _, last := range s.slots {
			length := 0
			for i := last; i != 0; i = s.entries[i-1].next {
				length++
			}
			longest = max(longest, length)
		}
		if longest > 16 {
			t.Errorf("%s: %d of %d keys share a slot of %d", test.name, longest, n, len(s.slots))
		}
	}
}
