package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Constant folding and algebraic simplification.
// Source: gpucc, section 3.4 (straight-line scalar optimisations start from
// addresses in a simple form); the rest is common knowledge.
//
// Operations on constants are computed; operations with a neutral, absorbing
// or repeated operand become that operand; multiplications and unsigned
// divisions by powers of two become shifts; a comparison of an extended i1
// becomes the i1; pairs of inverse conversions are removed; selects and
// branches on constants are resolved; a phi whose arguments are all one value
// becomes that value. Addresses get the form
//
//	ptradd(ptradd(base, variable), constant)
//
// so that nearby accesses share the variable part, and PTX generation folds
// the constant into the access.
//
//	v3 = mul i64 v1, 8          v3 = shl i64 v1, 3
//	v4 = add i64 v3, 16         v4 = ptradd ptr v0, v3
//	v5 = ptradd ptr v0, v4      v5 = ptradd ptr v4, 16
//
// Blocks are visited in reverse postorder, so operands are simplified before
// their users; sweeps repeat until nothing changes, at most maxSweeps times,
// which cycles of phis require.
//
// Every result is the one that ssa's operations are defined to give, division
// by zero and wide shifts included. Floating point is folded only where the
// result is exact to the bit: operations that IEEE 754 rounds correctly, in
// the type's own precision; never those that give NaN, whose bits differ
// between machines, nor approximate functions. Of the identities it applies
// those that hold for all operands, infinities and signed zeros included:
// x*1, x-0, x/2^k = x*2^-k, but not x+0 or x*0.
//
// What it will not do: use that signed arithmetic must not overflow, beyond
// keeping the promise of it (ssa.Op.MayPromise) through these rules; assume
// anything of undef, or reassociate floating point.
func constFold(f *ssa.Func, r *pass.Run) {
	if len(f.Blocks) == 0 {
		return
	}
	removeUnreachable(f)
	fo := &folder{f: f}
	for range maxSweeps {
		if !fo.sweep() {
			break
		}
	}
	r.Count("constants", fo.constants)
	r.Count("simplified", fo.simplified)
	r.Count("branches", fo.branches)
}

const (
	maxSweeps = 8
	maxSteps  = 16 // of one value in one sweep; each rule makes progress, so few are needed
)

// A folder simplifies the values of a function.
type folder struct {
	f     *ssa.Func
	subst *subst
	block *ssa.Block   // the current block
	at    *ssa.Value   // the current value
	out   []*ssa.Value // the block's new list
	late  []*ssa.Value // values made for a phi, placed after the phis

	changed                         bool
	constants, simplified, branches int
}

// sweep simplifies each value once and reports whether anything changed.
func (fo *folder) sweep() bool {
	fo.changed = false
	fo.subst = newSubst(fo.f)
	order := analysis.ReversePostorder(fo.f)
	for _, b := range order {
		fo.block = b
		fo.out = fo.out[:0]
		fo.late = fo.late[:0]
		phis := len(b.Phis())
		for i, v := range b.Values {
			if i == phis {
				fo.out = append(fo.out, fo.late...)
				fo.late = fo.late[:0]
			}
			fo.subst.args(v)
			fo.at = v
			if by := fo.simplify(v); by != v {
				fo.subst.replace(v, by)
				fo.changed = true
			} else {
				fo.out = append(fo.out, v)
			}
		}
		fo.out = append(fo.out, fo.late...)
		setValues(b, fo.out)
		b.Ctrl = fo.subst.find(b.Ctrl)
	}
	fo.subst.apply(fo.f)
	for _, b := range order {
		fo.branch(b)
	}
	if fo.changed {
		removeUnreachable(fo.f)
	}
	return fo.changed
}

// branch resolves an if on a constant, and removes a not from a condition.
func (fo *folder) branch(b *ssa.Block) {
	if b.Kind != ssa.BlockIf {
		return
	}
	for b.Ctrl.Op == ssa.OpNot && b.Succs[0] != b.Succs[1] {
		b.Ctrl = b.Ctrl.Args[0]
		b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
		fo.changed = true
	}
	if n, ok := constant(b.Ctrl); ok {
		dead := 1
		if n == 0 {
			dead = 0
		}
		removeEdge(b, dead)
		fo.branches++
		fo.changed = true
	}
}

// simplify applies rules to v until none matches. It returns v, possibly with
// another operation, or the value that replaces it.
func (fo *folder) simplify(v *ssa.Value) *ssa.Value {
	for range maxSteps {
		by := fo.rule(v)
		if by == nil {
			return v
		}
		fo.changed = true
		if by.Op == ssa.OpConst || by.Op == ssa.OpFConst {
			fo.constants++
		} else {
			fo.simplified++
		}
		if by != v {
			return by
		}
	}
	return v
}

// rule applies one rule to v. It returns nil when none matches, v when v was
// changed in place, and otherwise the replacement of v.
func (fo *folder) rule(v *ssa.Value) *ssa.Value {
	if !v.Mergeable() && v.Op != ssa.OpPhi || len(v.Args) == 0 {
		return nil
	}
	if by := fo.constantResult(v); by != nil {
		return by
	}
	if v.Op.Commutative() && len(v.Args) == 2 && v.Args[0].Op.IsLiteral() && !v.Args[1].Op.IsLiteral() {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		return v
	}
	switch {
	case v.Op == ssa.OpPhi:
		return fo.phi(v)
	case v.Op.IsIntBinary():
		return fo.integer(v)
	case v.Op.IsIntUnary():
		return fo.unary(v)
	case v.Op.IsFloatArith():
		return fo.floating(v)
	case v.Op.IsCompare():
		return fo.compare(v)
	case v.Op == ssa.OpSelect:
		return fo.selection(v)
	case v.Op.IsConversion():
		return fo.conversion(v)
	case v.Op == ssa.OpPtrAdd:
		return fo.address(v)
	}
	return nil
}

// emit inserts v before the current value. A value made for a phi is inserted
// after the phis of the block.
func (fo *folder) emit(v *ssa.Value) *ssa.Value {
	v.Block, v.Pos = fo.block, fo.at.Pos
	if fo.at.Op == ssa.OpPhi {
		fo.late = append(fo.late, v)
	} else {
		fo.out = append(fo.out, v)
	}
	return v
}

// int makes the integer constant n of type t.
func (fo *folder) int(t ssa.Type, n int64) *ssa.Value { return fo.emit(fo.f.NewConst(t, n)) }

// make makes a new value and simplifies it.
func (fo *folder) make(op ssa.Op, t ssa.Type, args ...*ssa.Value) *ssa.Value {
	v := fo.f.NewValue(op, t, args...)
	if by := fo.simplify(v); by != v {
		return by
	}
	return fo.emit(v)
}

// become changes v to another operation in place.
func (fo *folder) become(v *ssa.Value, op ssa.Op, args ...*ssa.Value) *ssa.Value {
	reset(v, op, args...)
	return v
}

// becomeInt makes v the constant n. A phi is replaced, since no constant may
// precede a phi.
func (fo *folder) becomeInt(v *ssa.Value, n int64) *ssa.Value {
	if v.Op == ssa.OpPhi {
		return fo.int(v.Type, n)
	}
	reset(v, ssa.OpConst)
	v.Int = ssa.SignExtend(v.Type, n)
	return v
}

func (fo *folder) becomeFloat(v *ssa.Value, x float64) *ssa.Value {
	reset(v, ssa.OpFConst)
	v.Float = x
	return v
}

// constantResult computes an operation on constants.
func (fo *folder) constantResult(v *ssa.Value) *ssa.Value {
	if v.Op == ssa.OpPhi || v.Op == ssa.OpSelect || v.Op == ssa.OpPtrAdd && v.Type != ssa.Ptr && v.Type != ssa.PtrGlobal {
		return nil
	}
	for _, a := range v.Args {
		if !a.Op.IsLiteral() {
			return nil
		}
	}
	a := v.Args[0]
	switch {
	case v.Type.IsFloat():
		if x, ok := foldFloat(v); ok {
			return fo.becomeFloat(v, x)
		}
	case a.Op == ssa.OpFConst:
		if n, ok := foldToInt(v); ok {
			return fo.becomeInt(v, n)
		}
	case len(v.Args) == 2:
		if n, ok := foldInt(v.Op, a.Type, a.Int, v.Args[1].Int); ok {
			return fo.becomeInt(v, n)
		}
	case len(v.Args) == 1:
		if n, ok := foldUnary(v.Op, a.Type, a.Int); ok {
			return fo.becomeInt(v, n)
		}
	}
	return nil
}

// phi replaces a phi whose arguments, ignoring the phi itself, are one value
// or equal constants.
func (fo *folder) phi(v *ssa.Value) *ssa.Value {
	var only *ssa.Value
	one := true // not two values with the same constant
	for _, a := range v.Args {
		switch {
		case a == v || a == only:
		case only == nil:
			only = a
		case a.Op == ssa.OpConst && only.Op == ssa.OpConst && a.Int == only.Int:
			one = false
		default:
			return nil
		}
	}
	switch {
	case only == nil:
		return nil // no argument but itself: an unreachable loop
	case one:
		return only
	}
	return fo.int(v.Type, only.Int)
}
