package simt

import "math/bits"

// A tree is a map from numbers to values that is never changed once made: a Patricia
// trie of the bits of the keys, the highest first (Okasaki and Gill, Fast Mergeable
// Integer Maps, 1998). Trees that were made of each other share what they have in
// common, and their union visits only what they do not share. The detector has one in
// each place by which threads synchronise, and they differ by what happened since.
// nil is the empty tree.
type tree[V comparable] struct {
	key       uint64 // of a leaf; of a branch, the bits above its own
	bit       uint64 // in which the keys below low and high differ; 0 for a leaf
	low, high *tree[V]
	value     V // of a leaf
	size      int
}

// leaf returns a tree of one value.
func leaf[V comparable](key uint64, value V) *tree[V] {
	return &tree[V]{key: key, value: value, size: 1}
}

// len returns the number of keys.
func (t *tree[V]) len() int {
	if t == nil {
		return 0
	}
	return t.size
}

// get returns the value of a key, and whether it has one.
func (t *tree[V]) get(key uint64) (value V, ok bool) {
	for t != nil && t.bit != 0 {
		if key&t.bit == 0 {
			t = t.low
		} else {
			t = t.high
		}
	}
	if t == nil || t.key != key {
		return value, false
	}
	return t.value, true
}

// holds reports whether all keys of o belong below the branch t.
func (t *tree[V]) holds(o *tree[V]) bool {
	return t.bit > o.bit && (o.key^t.key)&^(2*t.bit-1) == 0
}

// with returns the branch t with other trees below it, or what is left of it.
func (t *tree[V]) with(low, high *tree[V]) *tree[V] {
	switch {
	case low == t.low && high == t.high:
		return t
	case low == nil:
		return high
	case high == nil:
		return low
	}
	return &tree[V]{key: t.key, bit: t.bit, low: low, high: high, size: low.size + high.size}
}

// union returns the keys of a and b, with join's result for those in both. It is a or b
// itself where it is equal to one of them. join(x, x) must be x, and the order of its
// arguments must not matter.
func union[V comparable](a, b *tree[V], join func(V, V) V) *tree[V] {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.holds(b):
		if b.key&a.bit == 0 {
			return a.with(union(a.low, b, join), a.high)
		}
		return a.with(a.low, union(a.high, b, join))
	case b.holds(a):
		return union(b, a, join)
	case a.bit != b.bit || a.key != b.key:
		return branch(a, b)
	case a.bit == 0:
		switch v := join(a.value, b.value); v {
		case a.value:
			return a
		case b.value:
			return b
		default:
			return leaf(a.key, v)
		}
	}
	low, high := union(a.low, b.low, join), union(a.high, b.high, join)
	if low == b.low && high == b.high {
		return b
	}
	return a.with(low, high)
}

// branch returns the union of trees of which none holds the other.
func branch[V comparable](a, b *tree[V]) *tree[V] {
	bit := uint64(1) << (bits.Len64(a.key^b.key) - 1)
	if a.key&bit != 0 {
		a, b = b, a
	}
	return &tree[V]{key: a.key &^ (2*bit - 1), bit: bit, low: a, high: b, size: a.size + b.size}
}

// filter returns what keep wants of t, t itself if that is all.
func (t *tree[V]) filter(keep func(key uint64, v V) bool) *tree[V] {
	switch {
	case t == nil:
		return nil
	case t.bit != 0:
		return t.with(t.low.filter(keep), t.high.filter(keep))
	case keep(t.key, t.value):
		return t
	}
	return nil
}
