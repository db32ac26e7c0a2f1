package types

// A funcTable finds the types of functions by their parts: open addressing with linear probing, at
// most half full. Most types of functions are made once and never asked for again, so that a
// lookup must be cheap.
type funcTable struct {
	slots []*Node
	count int
}

// find returns the place of the type of a function: of the node that there is, or of a new one.
func (t *funcTable) find(result Type, f *FuncInfo) **Node {
	if 2*(t.count+1) > len(t.slots) {
		t.grow()
	}
	mask := len(t.slots) - 1
	for i := int(hashFunc(result, f)) & mask; ; i = (i + 1) & mask {
		if n := t.slots[i]; n == nil || n.Elem == result && sameFunc(n.Func, f) {
			return &t.slots[i]
		}
	}
}

func (t *funcTable) grow() {
	old := t.slots
	t.slots = make([]*Node, max(256, 2*len(old)))
	mask := len(t.slots) - 1
	for _, n := range old {
		if n == nil {
			continue
		}
		i := int(hashFunc(n.Elem, n.Func)) & mask
		for t.slots[i] != nil {
			i = (i + 1) & mask
		}
		t.slots[i] = n
	}
}

func hashFunc(result Type, f *FuncInfo) uint32 {
	h := uint32(f.CV)<<2 | uint32(f.Ref)<<4 | uint32(flags(f.Variadic, f.Noexcept))
	mix := func(x Type) {
		h = (h<<5 | h>>27) ^ (x.number()<<2 | uint32(x.CV))
		h *= 0x9e3779b1
	}
	mix(result)
	for _, p := range f.Params {
		mix(p)
	}
	return h ^ h>>15
}

func sameFunc(a, b *FuncInfo) bool {
	if len(a.Params) != len(b.Params) || a.Variadic != b.Variadic || a.CV != b.CV || a.Ref != b.Ref || a.Noexcept != b.Noexcept {
		return false
	}
	for i, p := range a.Params {
		if p != b.Params[i] {
			return false
		}
	}
	return true
}
