package opt

import (
	"math/bits"

	"irgl/internal/ssa"
)

// A scopedTable is a table for a walk over the dominator tree: what is put
// after a mark is taken out again by leave. An entry hides an older one with
// the same key until then.
//
// The entries lie in the order in which they came, linked with those of the
// same slot: to leave is to cut the list off, which undoing changes of a map
// one by one is not, and nothing is moved as the table grows but the list.
type scopedTable[T any] struct {
	slots   []int32 // the last entry of each + 1; a power of two of them
	entries []scopedEntry[T]
}

type scopedEntry[T any] struct {
	key  key
	slot uint32
	next int32 // the entry of the slot before this one + 1
	val  T
}

// newScopedTable returns a table for about n entries, for a pass over f.
func newScopedTable[T any](f *ssa.Func, n int) *scopedTable[T] {
	return &scopedTable[T]{slots: ssa.Make[int32](f, 1<<bits.Len(uint(max(n, 16)-1))), entries: ssa.Make[scopedEntry[T]](f, n/2)[:0]}
}

// find returns the entry of k.
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

// put enters val for k.
func (t *scopedTable[T]) put(k key, val T) {
	slot := t.slotOf(k)
	t.entries = append(t.entries, scopedEntry[T]{k, slot, t.slots[slot], val})
	t.slots[slot] = int32(len(t.entries))
}

// mark returns what leave takes to go back to this moment.
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

// slotOf spreads keys over the slots. The high bits of a product depend on all
// bits of its factors.
func (t *scopedTable[T]) slotOf(k key) uint32 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(k.op)<<8 | uint64(k.typ)
	h = (h ^ uint64(uint32(k.a0)) ^ uint64(uint32(k.a1))<<32) * odd
	h = (bits.RotateLeft64(h, 32) ^ uint64(uint32(k.a2)) ^ k.number) * odd
	if k.sym != nil {
		for _, c := range []byte(k.sym.String()) {
			h = (h ^ uint64(c)) * odd
			h ^= h >> 32
		}
	}
	h *= odd
	return uint32(h >> 32 & uint64(len(t.slots)-1))
}
