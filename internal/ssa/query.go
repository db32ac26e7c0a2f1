package ssa

import (
	"slices"
	"strings"
)

// Address returns the pointer that a load, store or atomic accesses, and nil
// for any other value.
func (v *Value) Address() *Value {
	if !v.Op.AccessesMemory() || len(v.Args) == 0 {
		return nil
	}
	return v.Args[0]
}

// Mergeable reports whether v depends on its arguments alone, so that two such
// values with equal operation, type, arguments and fields are one.
func (v *Value) Mergeable() bool {
	if r, ok := v.Sym.(Register); ok && r.VariesInTime() {
		return false
	}
	if a, ok := v.Sym.(Asm); ok && strings.Count(a.Operands, "=")+strings.Count(a.Operands, "+") > 1 {
		return false // its other results have to be in the same block
	}
	return v.Op.Pure()
}

// SignExtend returns n cut to t's width and sign-extended, the form that the
// Int of an OpConst has; true is -1.
func SignExtend(t Type, n int64) int64 {
	shift := 64 - t.Bits()
	return n << shift >> shift
}

// ZeroExtend returns the low bits of n that t has, without their sign.
func ZeroExtend(t Type, n int64) uint64 {
	shift := 64 - t.Bits()
	return uint64(n) << shift >> shift
}

// IntToFloat returns n, an integer of type from with its sign extended, as a float of
// type to, as OpSToF converts it, or OpUToF if it is not signed. It is rounded once: to a
// double first and then to a float may give another number.
func IntToFloat(signed bool, from, to Type, n int64) float64 {
	u := ZeroExtend(from, n)
	switch {
	case signed && to == F32:
		return float64(float32(n))
	case signed:
		return float64(n)
	case to == F32:
		return float64(float32(u))
	}
	return float64(u)
}

// NewConst returns a constant of an integer or pointer type, in no block yet.
func (f *Func) NewConst(t Type, n int64) *Value {
	v := f.NewValue(OpConst, t)
	v.Int = SignExtend(t, n)
	return v
}

// NewParam returns a parameter of a type that is not an aggregate.
func NewParam(name string, t Type) *Param {
	return &Param{Name: name, Type: t, Size: int64(t.Size()), Align: int64(t.Size())}
}

// PredIndex returns the position of pred among b's predecessors, or -1; of
// two edges from pred it is the first.
//
// The search goes both ways from where the last two ended: a pass that looks at
// the thousands of blocks which leave for one place, in about their order, then
// takes a few steps for each. There are two since a branch and its side may both
// leave for it, and all branches may be before all sides.
func (b *Block) PredIndex(pred *Block) int {
	if len(pred.Succs) == 2 && pred.Succs[0] == pred.Succs[1] {
		return slices.Index(b.Preds, pred)
	}
	n := len(b.Preds)
	for d := range n {
		for k, near := range b.lastPreds {
			for _, i := range [...]int{near - d, near + d} {
				if i < 0 || i >= n || b.Preds[i] != pred {
					continue
				}
				if d > 16 { // another sequence than that of the nearer end
					k = 1 - k
				}
				b.lastPreds[k] = i
				return i
			}
		}
	}
	// The ends of the searches may lie beyond a list that has become shorter.
	return slices.Index(b.Preds, pred)
}

// Phis returns the phis at the start of b.
func (b *Block) Phis() []*Value {
	n := 0
	for n < len(b.Values) && b.Values[n].Op == OpPhi {
		n++
	}
	return b.Values[:n]
}
