package opt

import (
	"math/bits"

	"irgl/internal/ssa"
)

// A scopedTable is a hash table for a walk over the dominator tree: leave
// removes the entries put after a mark. Until then an entry shadows an older
// one with the same key.
//
// The entries are stored in insertion order, linked with those of the same
// slot: leave truncates the list, which is cheaper than undoing changes of a
// map one by one, and only the list moves as the table grows.
type scopedTable[T any] struct {
	slots   []int32 // index + 1 of the last entry of each slot; their number is a power of two
	entries []scopedEntry[T]
}

type scopedEntry[T any] struct {
	key  key
	slot uint32
	next int32 // index + 1 of the previous entry of the slot
	val  T
}

// newScopedTable returns a table for about n entries, for a pass over f.
func newScopedTable[T any](f *ssa.Func, n int) *scopedTable[T] {
	return &scopedTable[T]{slots: ssa.Make[int32](f, 1<<bits.Len(uint(max(n, 16)-1))), entries: ssa.Make[scopedEntry[T]](f, n/2)[:0]}
}

// find returns the entry for k.
func (t *scopedTable[T]) find(k key) (T, bool) {
	for i := t.slots[t.slotOf(k)]; i != 0; {
		e := &t.entries[i-1]
		if e.key == k {
			return e.val, true
		}
		i = e.next
	}
	var none T
	return none, false
}

// put adds an entry for k.
func (t *scopedTable[T]) put(k key, val T) {
	slot := t.slotOf(k)
	t.entries = append(t.entries, scopedEntry[T]{k, slot, t.slots[slot], val})
	t.slots[slot] = int32(len(t.entries))
}

// mark returns the argument for leave that restores the current state.
func (t *scopedTable[T]) mark() int { return len(t.entries) }

// leave removes what was put since the mark.
func (t *scopedTable[T]) leave(mark int) {
	for i := len(t.entries) - 1; i >= mark; i-- {
		e := &t.entries[i]
		t.slots[e.slot] = e.next
	}
	clear(t.entries[mark:])
	t.entries = t.entries[:mark]
}

// slotOf hashes a key to its slot. The high bits of a product depend on all
// bits of its factors. a2 is multiplied before it is combined with number: numbers of
// terms in both are often consecutive, and x^(x+1) has few values.
func (t *scopedTable[T]) slotOf(k key) uint32 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(k.op)<<8 | uint64(k.typ)
	h = (h ^ uint64(uint32(k.a0)) ^ uint64(uint32(k.a1))<<32) * odd
	h = (bits.RotateLeft64(h, 32) + uint64(uint32(k.a2))*odd ^ k.number) * odd
	if k.sym != nil {
		for _, c := range []byte(k.sym.String()) {
			h = (h ^ uint64(c)) * odd
			h ^= h >> 32
		}
	}
	h *= odd
	return uint32(h >> 32 & uint64(len(t.slots)-1))
}
