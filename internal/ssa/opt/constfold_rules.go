package opt

import (
	"math"
	"math/bits"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// powerOfTwo returns k when n, as a number of t's width, is 2^k.
func powerOfTwo(t ssa.Type, n int64) (int64, bool) {
	u := ssa.ZeroExtend(t, n)
	return int64(bits.TrailingZeros64(u)), bits.OnesCount64(u) == 1
}

// integer simplifies a binary integer operation. Constants are the right
// operand of commutative ones already.
func (fo *folder) integer(v *ssa.Value) *ssa.Value {
	x, y, t := v.Args[0], v.Args[1], v.Type
	if x == y {
		switch v.Op {
		case ssa.OpSub, ssa.OpXor:
			return fo.becomeInt(v, 0)
		case ssa.OpAnd, ssa.OpOr, ssa.OpSMin, ssa.OpSMax, ssa.OpUMin, ssa.OpUMax:
			return x
		}
	}
	if n, ok := constant(y); ok {
		if by := fo.integerConstant(v, x, t, n); by != nil {
			return by
		}
	}
	if v.Op == ssa.OpSub {
		if by := fo.difference(v, x, y); by != nil {
			return by
		}
	}
	if v.Op == ssa.OpAdd {
		if by := dividend(x, y); by != nil {
			return by
		}
	}
	if by := fo.ofTruths(v, x, y); by != nil {
		return by
	}
	if v.Op == ssa.OpOr {
		if by := rejoined(x, y); by != nil {
			return by
		}
	}
	switch {
	case isConst(x, 0) && v.Op == ssa.OpSub:
		return fo.become(v, ssa.OpNeg, y)
	case isConst(x, 0) && (v.Op == ssa.OpShl || v.Op == ssa.OpLShr || v.Op == ssa.OpAShr):
		return x
	case y.Op == ssa.OpNeg && v.Op == ssa.OpAdd:
		return fo.become(v, ssa.OpSub, x, y.Args[0])
	case x.Op == ssa.OpNeg && v.Op == ssa.OpAdd:
		return fo.become(v, ssa.OpSub, y, x.Args[0])
	case y.Op == ssa.OpNeg && v.Op == ssa.OpSub:
		return fo.become(v, ssa.OpAdd, x, y.Args[0])
	case t == ssa.I1 && x.Op == ssa.OpNot && y.Op == ssa.OpNot:
		// A branch or select turns the result for nothing.
		switch v.Op {
		case ssa.OpAnd:
			return fo.become(v, ssa.OpNot, fo.make(ssa.OpOr, t, x.Args[0], y.Args[0]))
		case ssa.OpOr:
			return fo.become(v, ssa.OpNot, fo.make(ssa.OpAnd, t, x.Args[0], y.Args[0]))
		}
	}
	return nil
}

// rejoined returns the value of which x and y are all bits, in their places; nil if they are not.
func rejoined(x, y *ssa.Value) *ssa.Value {
	if p, ok := joinPieces(x, y, 0); ok && p.from == 0 && p.to == int64(x.Type.Bits()) {
		return p.of
	}
	return nil
}

// A piece is the bits of a value from one to another, in their places. All others are zero.
type piece struct {
	of       *ssa.Value
	from, to int64
}

// maxPieces bounds how deep the pieces of a value are looked for.
const maxPieces = 8

// joinPieces returns the piece that neighbouring pieces are together.
func joinPieces(x, y *ssa.Value, depth int) (piece, bool) {
	if depth == maxPieces {
		return piece{}, false
	}
	p, ok := pieceOf(x, depth)
	if !ok {
		return p, false
	}
	q, ok := pieceOf(y, depth)
	switch {
	case !ok || p.of != q.of:
		return p, false
	case p.to == q.from:
		return piece{p.of, p.from, q.to}, true
	case q.to == p.from:
		return piece{p.of, q.from, p.to}, true
	}
	return p, false
}

// pieceOf returns the piece that v is of another value of its type.
func pieceOf(v *ssa.Value, depth int) (piece, bool) {
	switch v.Op {
	case ssa.OpOr:
		return joinPieces(v.Args[0], v.Args[1], depth+1)
	case ssa.OpZExt:
		if v.Args[0].Op == ssa.OpTrunc && v.Args[0].Args[0].Type == v.Type {
			return piece{v.Args[0].Args[0], 0, int64(v.Args[0].Type.Bits())}, true
		}
	case ssa.OpShl: // of what was shifted right as far
		k, ok := constant(v.Args[1])
		bits := int64(v.Type.Bits())
		if !ok || k <= 0 || k >= bits {
			break
		}
		high, to := v.Args[0], bits
		if high.Op == ssa.OpZExt && high.Args[0].Op == ssa.OpTrunc && high.Args[0].Args[0].Type == v.Type {
			high, to = high.Args[0].Args[0], min(bits, k+int64(high.Args[0].Type.Bits()))
		}
		if high.Op == ssa.OpLShr && isConst(high.Args[1], k) {
			return piece{high.Args[0], k, to}, true
		}
	}
	return piece{}, false
}

// integerConstant simplifies x op n.
//
//irgl:flatswitch
func (fo *folder) integerConstant(v, x *ssa.Value, t ssa.Type, n int64) *ssa.Value {
	k, isPower := powerOfTwo(t, n)
	switch v.Op {
	case ssa.OpAdd:
		if n == 0 {
			return x
		}
		if inner, c, ok := withConstant(x, ssa.OpAdd); ok {
			// x and v are inner and a constant, exactly, if both promise it.
			return fo.promise(v.NoWrap && x.NoWrap && fits(t, c, n), v, ssa.OpAdd, inner, fo.int(t, c+n))
		}
	case ssa.OpSub:
		return fo.promise(v.NoWrap && n != analysis.FullRange(t).Lo, v, ssa.OpAdd, x, fo.int(t, -n))
	case ssa.OpMul:
		inner, c, ok := withConstant(x, ssa.OpMul)
		switch {
		case n == 0:
			return fo.becomeInt(v, 0)
		case n == 1:
			return x
		case n == -1:
			return fo.become(v, ssa.OpNeg, x)
		case ok:
			return fo.become(v, ssa.OpMul, inner, fo.int(t, c*n))
		case isPower:
			return fo.promise(v.NoWrap && n > 0, v, ssa.OpShl, x, fo.int(ssa.I32, k))
		}
	case ssa.OpMulHiU:
		if n == 0 || n == 1 {
			return fo.becomeInt(v, 0)
		}
	case ssa.OpMulHiS:
		if n == 0 {
			return fo.becomeInt(v, 0)
		}
	case ssa.OpSDiv:
		switch n {
		case 0:
			return fo.becomeInt(v, -1)
		case 1:
			return x
		case -1:
			return fo.become(v, ssa.OpNeg, x)
		}
	case ssa.OpUDiv:
		switch {
		case n == 0:
			return fo.becomeInt(v, -1)
		case n == 1:
			return x
		case isPower:
			return fo.become(v, ssa.OpLShr, x, fo.int(ssa.I32, k))
		}
	case ssa.OpSRem:
		switch n {
		case 0:
			return x
		case 1, -1:
			return fo.becomeInt(v, 0)
		}
	case ssa.OpURem:
		switch {
		case n == 0:
			return x
		case isPower:
			return fo.become(v, ssa.OpAnd, x, fo.int(t, n-1))
		}
	case ssa.OpAnd, ssa.OpOr, ssa.OpXor:
		return fo.bitwiseConstant(v, x, t, n)
	case ssa.OpShl, ssa.OpLShr, ssa.OpAShr:
		return fo.shiftConstant(v, x, t, n)
	case ssa.OpSMin, ssa.OpSMax, ssa.OpUMin, ssa.OpUMax:
		if inner, c, ok := withConstant(x, v.Op); ok {
			m, _ := foldInt(v.Op, t, c, n)
			return fo.become(v, v.Op, inner, fo.int(t, m))
		}
		switch least := v.Op == ssa.OpUMin; {
		case n == 0 && least:
			return fo.becomeInt(v, 0)
		case n == 0 && v.Op == ssa.OpUMax, n == -1 && least:
			return x
		}
	}
	return nil
}

// promise changes v to another operation, which promises not to wrap if ok.
func (fo *folder) promise(ok bool, v *ssa.Value, op ssa.Op, args ...*ssa.Value) *ssa.Value {
	fo.become(v, op, args...)
	v.NoWrap = ok
	return v
}

// fits reports whether the sum of two constants of type t fits in t.
func fits(t ssa.Type, c, n int64) bool {
	sum := ssa.SignExtend(t, c+n)
	return (sum > c) == (n > 0)
}

// withConstant reports whether x is inner op c.
func withConstant(x *ssa.Value, op ssa.Op) (inner *ssa.Value, c int64, ok bool) {
	if x.Op != op || len(x.Args) != 2 {
		return nil, 0, false
	}
	c, ok = constant(x.Args[1])
	return x.Args[0], c, ok
}

func (fo *folder) bitwiseConstant(v, x *ssa.Value, t ssa.Type, n int64) *ssa.Value {
	switch {
	case n == 0 && v.Op == ssa.OpAnd:
		return fo.becomeInt(v, 0)
	case n == 0, n == -1 && v.Op == ssa.OpAnd:
		return x
	case n == -1 && v.Op == ssa.OpOr:
		return fo.becomeInt(v, -1)
	case n == -1:
		return fo.become(v, ssa.OpNot, x)
	}
	if inner, c, ok := withConstant(x, v.Op); ok {
		m, _ := foldInt(v.Op, t, c, n)
		return fo.become(v, v.Op, inner, fo.int(t, m))
	}
	// A multiple of 2^k leaves the low k bits of a sum alone.
	if inner, c, ok := withConstant(x, ssa.OpAdd); ok && v.Op == ssa.OpAnd && n > 0 && n&(n+1) == 0 && c&n == 0 {
		return fo.become(v, v.Op, inner, fo.int(t, n))
	}
	return nil
}

// shiftConstant simplifies x shifted by n.
func (fo *folder) shiftConstant(v, x *ssa.Value, t ssa.Type, n int64) *ssa.Value {
	width := int64(t.Bits())
	wide := uint64(uint32(n)) >= uint64(width)
	switch {
	case n == 0:
		return x
	case wide && v.Op != ssa.OpAShr:
		return fo.becomeInt(v, 0)
	case wide: // the sign bit, as for a count of the width minus one
		return fo.become(v, ssa.OpAShr, x, fo.int(ssa.I32, width-1))
	}
	inner, c, ok := withConstant(x, v.Op)
	switch {
	case ok && 0 <= c && c < width && v.Op == ssa.OpAShr:
		return fo.become(v, v.Op, inner, fo.int(ssa.I32, min(c+n, width-1)))
	case ok && 0 <= c && c < width:
		return fo.become(v, v.Op, inner, fo.int(ssa.I32, c+n)) // may reach the width: then the result is 0
	}
	// (x + c) << n is (x << n) + (c << n): the constant moves outward, where an
	// address can fold it.
	if inner, c, ok := withConstant(x, ssa.OpAdd); ok && v.Op == ssa.OpShl && t == ssa.I64 {
		return fo.become(v, ssa.OpAdd, fo.make(ssa.OpShl, t, inner, v.Args[1]), fo.int(t, c<<n))
	}
	return nil
}

// unary simplifies an operation on one integer.
func (fo *folder) unary(v *ssa.Value) *ssa.Value {
	x := v.Args[0]
	switch {
	case v.Op == ssa.OpNeg && x.Op == ssa.OpNeg, v.Op == ssa.OpNot && x.Op == ssa.OpNot,
		v.Op == ssa.OpBrev && x.Op == ssa.OpBrev:
		return x.Args[0]
	case v.Op == ssa.OpNeg && x.Op == ssa.OpSub:
		return fo.become(v, ssa.OpSub, x.Args[1], x.Args[0])
	case v.Op == ssa.OpAbs && (x.Op == ssa.OpAbs || x.Op == ssa.OpNeg):
		return fo.become(v, ssa.OpAbs, x.Args[0])
	case v.Op == ssa.OpNot:
		if op, ok := opposite(x.Op); ok {
			return fo.become(v, op, x.Args[0], x.Args[1])
		}
	}
	return nil
}

// opposite returns the negated comparison. Of the float comparisons only
// equality has one, because of NaN.
func opposite(op ssa.Op) (ssa.Op, bool) {
	switch op {
	case ssa.OpEq:
		return ssa.OpNe, true
	case ssa.OpNe:
		return ssa.OpEq, true
	case ssa.OpSLt:
		return ssa.OpSGe, true
	case ssa.OpSLe:
		return ssa.OpSGt, true
	case ssa.OpSGt:
		return ssa.OpSLe, true
	case ssa.OpSGe:
		return ssa.OpSLt, true
	case ssa.OpULt:
		return ssa.OpUGe, true
	case ssa.OpULe:
		return ssa.OpUGt, true
	case ssa.OpUGt:
		return ssa.OpULe, true
	case ssa.OpUGe:
		return ssa.OpULt, true
	case ssa.OpFEq:
		return ssa.OpFNe, true
	case ssa.OpFNe:
		return ssa.OpFEq, true
	}
	return op, false
}

// floating simplifies an operation on floats.
func (fo *folder) floating(v *ssa.Value) *ssa.Value {
	x := v.Args[0]
	switch v.Op {
	case ssa.OpFNeg:
		if x.Op == ssa.OpFNeg {
			return x.Args[0]
		}
	case ssa.OpFAbs:
		if x.Op == ssa.OpFNeg || x.Op == ssa.OpFAbs {
			return fo.become(v, ssa.OpFAbs, x.Args[0])
		}
	case ssa.OpFSub:
		// x - (+0) is x for all x; x + (+0) is not, for -0.
		if y := v.Args[1]; y.Op == ssa.OpFConst && y.Float == 0 && !math.Signbit(y.Float) {
			return x
		}
	case ssa.OpFMul:
		if y := v.Args[1]; y.Op == ssa.OpFConst && y.Float == 1 {
			return x
		}
	case ssa.OpFDiv:
		y := v.Args[1]
		if y.Op != ssa.OpFConst {
			return nil
		}
		if y.Float == 1 {
			return x
		}
		if r, ok := reciprocal(v.Type, y.Float); ok {
			by := fo.f.NewValue(ssa.OpFConst, v.Type)
			by.Float = r
			return fo.become(v, ssa.OpFMul, x, fo.emit(by))
		}
	}
	return nil
}

// reciprocal returns 1/y when y and 1/y are powers of two that are normal
// numbers of t: multiplying by it then rounds the same number as dividing.
func reciprocal(t ssa.Type, y float64) (float64, bool) {
	fraction, exponent := math.Frexp(y)
	limit := 1022
	if t == ssa.F32 {
		limit = 126
	}
	if math.Abs(fraction) != 0.5 || exponent-1 < -limit || exponent-1 > limit {
		return 0, false
	}
	return 1 / y, true
}

// selection simplifies a select.
func (fo *folder) selection(v *ssa.Value) *ssa.Value {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	if n, ok := constant(c); ok {
		if n != 0 {
			return x
		}
		return y
	}
	switch {
	case x == y:
		return x
	case c.Op == ssa.OpNot:
		return fo.become(v, ssa.OpSelect, c.Args[0], y, x)
	case x.Op != ssa.OpConst && y.Op != ssa.OpConst || !v.Type.IsInt():
		return nil
	case v.Type == ssa.I1:
		switch {
		case isConst(x, -1) && isConst(y, 0):
			return c
		case isConst(x, 0) && isConst(y, -1):
			return fo.become(v, ssa.OpNot, c)
		case isConst(x, -1):
			return fo.become(v, ssa.OpOr, c, y)
		case isConst(y, 0):
			return fo.become(v, ssa.OpAnd, c, x)
		}
	case isConst(x, 1) && isConst(y, 0):
		return fo.become(v, ssa.OpZExt, c)
	case isConst(x, -1) && isConst(y, 0):
		return fo.become(v, ssa.OpSExt, c)
	case x.Op == ssa.OpConst && y.Op == ssa.OpConst && x.Int == y.Int:
		return x
	}
	return nil
}

// conversion simplifies conversions of conversions.
func (fo *folder) conversion(v *ssa.Value) *ssa.Value {
	x := v.Args[0]
	if v.Op == ssa.OpTrunc {
		return fo.truncation(v, x)
	}
	if (v.Op == ssa.OpBitcast || v.Op == ssa.OpSpaceCast) && v.Type == x.Type {
		return x
	}
	if by := fo.ofChoice(v, x); by != nil {
		return by
	}
	if v.Op == ssa.OpFRound && len(x.Args) == 2 {
		return fo.rounded(v, x)
	}
	if len(x.Args) != 1 {
		return nil
	}
	inner := x.Args[0]
	switch {
	case v.Op == x.Op && (v.Op == ssa.OpZExt || v.Op == ssa.OpSExt || v.Op == ssa.OpBitcast):
		return fo.become(v, v.Op, inner)
	case v.Op == ssa.OpSExt && x.Op == ssa.OpZExt:
		return fo.become(v, ssa.OpZExt, inner) // the sign is 0
	case v.Op == ssa.OpFRound && x.Op == ssa.OpFExt:
		return inner
	case v.Op == ssa.OpPtrToInt && x.Op == ssa.OpIntToPtr:
		return inner
	case v.Op == ssa.OpIntToPtr && x.Op == ssa.OpPtrToInt && inner.Type == v.Type:
		return inner
	case v.Op == ssa.OpSpaceCast && x.Op == ssa.OpSpaceCast && inner.Type == v.Type:
		return inner // a pair of inverse conversions
	}
	return nil
}

// ofChoice turns the conversion of a select between constants into a select
// between converted constants, if both are exact to the bit: (float)(c ? 3 :
// 5) is c ? 3.0f : 5.0f. An extended i1 is such a select, of 1 or -1 and 0,
// and remains one as an integer, where the extension is as short.
func (fo *folder) ofChoice(v, x *ssa.Value) *ssa.Value {
	if len(x.Args) == 0 {
		return nil
	}
	c := x.Args[0]
	var of [2]*ssa.Value
	switch {
	case x.Op == ssa.OpSelect && x.Args[1].Op.IsLiteral() && x.Args[2].Op.IsLiteral():
		of = [2]*ssa.Value{x.Args[1], x.Args[2]}
	case v.Type.IsFloat() && x.Op == ssa.OpZExt && c.Type == ssa.I1:
		of = [2]*ssa.Value{fo.f.NewConst(x.Type, 1), fo.f.NewConst(x.Type, 0)}
	case v.Type.IsFloat() && x.Op == ssa.OpSExt && c.Type == ssa.I1:
		of = [2]*ssa.Value{fo.f.NewConst(x.Type, -1), fo.f.NewConst(x.Type, 0)}
	default:
		return nil
	}
	for i, a := range of {
		if of[i] = fo.constantResult(fo.f.NewValue(v.Op, v.Type, a)); of[i] == nil {
			return nil
		}
	}
	return fo.become(v, ssa.OpSelect, c, fo.emit(of[0]), fo.emit(of[1]))
}

func (fo *folder) truncation(v, x *ssa.Value) *ssa.Value {
	if by := fo.ofChoice(v, x); by != nil {
		return by
	}
	switch x.Op {
	case ssa.OpPtrToInt:
		if p := x.Args[0]; p.Op == ssa.OpPtrAdd && p.Type == ssa.PtrShared && v.Type == ssa.I32 {
			return fo.become(v, ssa.OpAdd, fo.low(fo.make(ssa.OpPtrToInt, ssa.I64, p.Args[0]), 0), fo.low(p.Args[1], 0))
		}
	case ssa.OpTrunc:
		return fo.become(v, ssa.OpTrunc, x.Args[0])
	case ssa.OpZExt, ssa.OpSExt:
		switch inner := x.Args[0]; {
		case inner.Type == v.Type:
			return inner
		case inner.Type.Bits() < v.Type.Bits():
			return fo.become(v, x.Op, inner)
		default:
			return fo.become(v, ssa.OpTrunc, inner)
		}
	}
	return nil
}

// maxLow bounds the operations of an offset that low computes once more.
const maxLow = 4

// low returns the low 32 bits of x, of 64: for the offset of an address in shared memory as a number, of
// which no other bits are used.
func (fo *folder) low(x *ssa.Value, depth int) *ssa.Value {
	switch {
	case x.Op == ssa.OpConst:
		return fo.int(ssa.I32, x.Int)
	case depth == maxLow:
	case x.Op == ssa.OpShl && x.Args[1].Op == ssa.OpConst && 0 <= x.Args[1].Int && x.Args[1].Int < 32:
		return fo.make(ssa.OpShl, ssa.I32, fo.low(x.Args[0], depth+1), fo.int(ssa.I32, x.Args[1].Int))
	case x.Op == ssa.OpAdd || x.Op == ssa.OpSub || x.Op == ssa.OpMul:
		return fo.make(x.Op, ssa.I32, fo.low(x.Args[0], depth+1), fo.low(x.Args[1], depth+1))
	}
	return fo.make(ssa.OpTrunc, ssa.I32, x)
}

// address brings an address into the form base, variable, constant.
func (fo *folder) address(v *ssa.Value) *ssa.Value {
	p, off := v.Args[0], v.Args[1]
	n, isConstant := constant(off)
	if isConstant && n == 0 {
		return p
	}
	if inner, c, ok := withConstant(p, ssa.OpPtrAdd); ok {
		if isConstant {
			return fo.become(v, ssa.OpPtrAdd, inner, fo.int(ssa.I64, c+n))
		}
		return fo.become(v, ssa.OpPtrAdd, fo.make(ssa.OpPtrAdd, v.Type, inner, off), p.Args[1])
	}
	if inner, c, ok := withConstant(off, ssa.OpAdd); ok && c == int64(int32(c)) {
		return fo.become(v, ssa.OpPtrAdd, fo.make(ssa.OpPtrAdd, v.Type, p, inner), off.Args[1])
	}
	return nil
}
