package opt

import (
	"testing"

	"irgl/internal/ssa"
)

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
