package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file finds how many low bits of an integer matter, and takes the value of which an
// extension or a mask keeps these bits in its place. In C, values of less than 32 bits are
// computed in 32 bits, and each assignment to one truncates and extends again:
//
//	v2 = trunc i16 v1
//	v3 = sext i32 v2
//	v4 = add i32 v3, v0       v4 = add i32 v1, v0
//	v5 = trunc i16 v4         v5 = trunc i16 v4
//
// The high bits of a sum, difference, product, bitwise operation, select or phi change then, so
// these lose their promise not to wrap.

// lowBits returns by value number how many low bits of each integer matter to its uses.
func lowBits(f *ssa.Func) []uint8 {
	low := ssa.Make[uint8](f, f.NumValues())
	var work []*ssa.Value
	demand := func(v *ssa.Value, n uint8) {
		if v.Type.IsInt() && n > low[v.ID] {
			low[v.ID] = n
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if a.Type.IsInt() && !passesLow(v, i) {
					demand(a, uint8(a.Type.Bits()))
				}
			}
		}
		if b.Ctrl != nil && b.Ctrl.Type.IsInt() {
			demand(b.Ctrl, uint8(b.Ctrl.Type.Bits()))
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for i, a := range v.Args {
			if passesLow(v, i) {
				demand(a, min(low[v.ID], uint8(a.Type.Bits())))
			}
		}
	}
	return low
}

// passesLow reports whether the low bits of v depend on no others of its argument i, an integer.
func passesLow(v *ssa.Value, i int) bool {
	switch v.Op {
	case ssa.OpAdd, ssa.OpSub, ssa.OpMul, ssa.OpAnd, ssa.OpOr, ssa.OpXor, ssa.OpNeg, ssa.OpNot:
		return v.Type.IsInt()
	case ssa.OpTrunc, ssa.OpPhi:
		return v.Type.IsInt() && v.Type != ssa.I1
	case ssa.OpSExt, ssa.OpZExt:
		return v.Args[0].Type != ssa.I1
	case ssa.OpSelect:
		return v.Type.IsInt() && i > 0
	case ssa.OpShl:
		return i == 0
	}
	return false
}

// keepLow takes the values in place of extensions and masks that keep what matters of them, and
// returns how many.
func keepLow(f *ssa.Func) int {
	var list []*ssa.Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if n, x := keptBits(v); x != nil && n >= 8 {
				list = append(list, v)
			}
		}
	}
	if len(list) == 0 {
		return 0
	}
	low, s := lowBits(f), newSubst(f)
	var uses *analysis.UseLists
	seen, gone := make(map[*ssa.Value]bool), make(map[*ssa.Value]bool)
	n := 0
	for _, v := range list {
		kept, x := keptBits(v)
		if low[v.ID] == 0 || int64(low[v.ID]) > kept {
			continue
		}
		if uses == nil {
			uses = analysis.Uses(f)
		}
		breakPromises(v, low, uses, seen)
		s.replace(v, x)
		gone[v] = true
		if t := v.Args[0]; t != x && uses.Count(t) == 1 {
			gone[t] = true
		}
		n++
	}
	if n == 0 {
		return 0
	}
	s.apply(f)
	for _, b := range f.Blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *ssa.Value) bool { return gone[v] })
	}
	return n
}

// keptBits returns a value of v's type of which v has the low bits, and how many.
func keptBits(v *ssa.Value) (int64, *ssa.Value) {
	switch {
	case (v.Op == ssa.OpSExt || v.Op == ssa.OpZExt) && v.Args[0].Op == ssa.OpTrunc && v.Args[0].Args[0].Type == v.Type:
		return int64(v.Args[0].Type.Bits()), v.Args[0].Args[0]
	case v.Op == ssa.OpAnd && v.Type != ssa.I1 && v.Args[1].Op == ssa.OpConst:
		if k, ok := powerOfTwo(v.Type, v.Args[1].Int+1); ok {
			return k, v.Args[0]
		}
	}
	return 0, nil
}

// breakPromises takes the promise not to wrap from what depends on high bits of v.
func breakPromises(v *ssa.Value, low []uint8, uses *analysis.UseLists, seen map[*ssa.Value]bool) {
	for _, u := range uses.Of(v) {
		w := u.User
		if w == nil || seen[w] || !passesLow(w, u.Index) || int64(low[w.ID]) >= int64(w.Type.Bits()) {
			continue
		}
		seen[w] = true
		w.NoWrap = false
		breakPromises(w, low, uses, seen)
	}
}
