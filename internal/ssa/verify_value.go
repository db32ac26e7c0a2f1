package ssa

import "strings"

// value checks v against the rules of its operation: arguments, types, fields.
func (c *verifier) value(v *Value) {
	if n := v.Op.NumArgs(); n >= 0 && len(v.Args) != n {
		c.errorf(v.Pos, CodeArgs, "%s: %s has %d arguments, not %d", v.LongString(), v.Op, len(v.Args), n)
		return
	}
	if v.Type >= numTypes || !c.types(v) {
		c.errorf(v.Pos, CodeType, "%s: wrong types%s", v.LongString(), argTypes(v))
		return
	}
	c.fields(v)
	c.references(v)
	if v.Op == OpAlloca && v.Block != c.f.Blocks[0] {
		c.errorf(v.Pos, CodeAlloca, "%s is outside the entry", v.LongString())
	}
}

func argTypes(v *Value) string {
	s := ""
	for i, a := range v.Args {
		if i == 0 {
			s = " of arguments: "
		} else {
			s += ", "
		}
		s += a.Type.String()
	}
	return s
}

// wide reports whether t is an integer that arithmetic is done on.
func wide(t Type) bool { return t.IsInt() && t != I1 }

// same reports whether all arguments of v have type t.
func same(v *Value, t Type) bool {
	for _, a := range v.Args {
		if a.Type != t {
			return false
		}
	}
	return true
}

// types reports whether the types of v and of its arguments, whose number is
// right, fit its operation. A call's are checked with the function it names.
//
//irgl:flatswitch
func (c *verifier) types(v *Value) bool {
	t := v.Type
	arg := func(i int) Type { return v.Args[i].Type }
	switch v.Op {
	case OpConst:
		return t.IsInt() || t.IsPtr()
	case OpFConst:
		return t.IsFloat()
	case OpUndef, OpParam:
		return t != Void
	case OpGlobalAddr:
		return t == PtrGlobal || t == PtrShared || t == PtrConst
	case OpFuncAddr:
		return t == Ptr
	case OpSpecial:
		return t == I32 || t == I64
	case OpAlloca:
		return t == PtrLocal
	case OpPhi:
		return t != Void && same(v, t)
	case OpAnd, OpOr, OpXor, OpNot:
		return t.IsInt() && same(v, t)
	case OpAdd, OpSub, OpMul, OpMulHiS, OpMulHiU, OpSDiv, OpUDiv, OpSRem, OpURem,
		OpSMin, OpSMax, OpUMin, OpUMax, OpNeg, OpAbs, OpBrev:
		return wide(t) && same(v, t)
	case OpShl, OpLShr, OpAShr:
		return wide(t) && arg(0) == t && arg(1) == I32
	case OpPopc, OpClz:
		return t == I32 && wide(arg(0))
	case OpFAdd, OpFSub, OpFMul, OpFDiv, OpFMin, OpFMax, OpFMA, OpFNeg, OpFAbs, OpFSqrt,
		OpFFloor, OpFCeil, OpFTrunc, OpFRint:
		return t.IsFloat() && same(v, t)
	case OpFRsqrt, OpFEx2, OpFLg2, OpFSin, OpFCos:
		return t == F32 && same(v, F32)
	case OpEq, OpNe:
		return t == I1 && arg(0) == arg(1) && (arg(0).IsInt() || arg(0).IsPtr())
	case OpULt, OpULe, OpUGt, OpUGe:
		return t == I1 && arg(0) == arg(1) && (wide(arg(0)) || arg(0).IsPtr())
	case OpSLt, OpSLe, OpSGt, OpSGe:
		return t == I1 && arg(0) == arg(1) && wide(arg(0))
	case OpFEq, OpFNe, OpFLt, OpFLe, OpFGt, OpFGe:
		return t == I1 && arg(0) == arg(1) && arg(0).IsFloat()
	case OpSelect:
		return t != Void && arg(0) == I1 && arg(1) == t && arg(2) == t
	case OpTrunc:
		return t.IsInt() && arg(0).IsInt() && t.Bits() < arg(0).Bits()
	case OpSExt, OpZExt:
		return t.IsInt() && arg(0).IsInt() && t.Bits() > arg(0).Bits()
	case OpSToF, OpUToF:
		return t.IsFloat() && wide(arg(0))
	case OpFToS, OpFToU:
		return wide(t) && arg(0).IsFloat()
	case OpFExt:
		return t == F64 && arg(0) == F32
	case OpFRound:
		return t == F32 && arg(0) == F64
	case OpBitcast:
		return (wide(t) || t.IsFloat()) && (wide(arg(0)) || arg(0).IsFloat()) && t.Bits() == arg(0).Bits()
	case OpPtrToInt:
		return t == I64 && arg(0).IsPtr()
	case OpIntToPtr:
		return t.IsPtr() && arg(0) == I64
	case OpSpaceCast:
		return t.IsPtr() && arg(0).IsPtr() && (t == Ptr || arg(0) == Ptr)
	case OpPtrAdd:
		return t.IsPtr() && arg(0) == t && arg(1) == I64
	case OpLoad:
		return t != Void && arg(0).IsPtr()
	case OpAtomicLoad:
		return t.Bits() >= 32 && !t.IsPtr() && writable(arg(0))
	case OpStore:
		return t == Void && writable(arg(0)) && arg(1) != Void
	case OpAtomicAdd, OpAtomicSMin, OpAtomicSMax, OpAtomicUMin, OpAtomicUMax, OpAtomicAnd, OpAtomicOr, OpAtomicXor:
		return (t == I32 || t == I64) && writable(arg(0)) && arg(1) == t
	case OpAtomicFAdd:
		return t.IsFloat() && writable(arg(0)) && arg(1) == t
	case OpAtomicExch:
		return t.Bits() >= 32 && writable(arg(0)) && arg(1) == t
	case OpAtomicInc, OpAtomicDec:
		return t == I32 && writable(arg(0)) && arg(1) == t
	case OpAtomicCAS:
		return t.Bits() >= 16 && writable(arg(0)) && arg(1) == t && arg(2) == t
	case OpBarrier, OpClusterBarrier, OpFence:
		return t == Void
	case OpBarrierRed:
		return arg(0) == I1 && (v.Sym == "popc" && t == I32 || v.Sym != "popc" && t == I1)
	case OpWarpSync:
		return t == Void && arg(0) == I32
	case OpShfl:
		return (t == I32 || t == F32) && arg(0) == I32 && arg(1) == t && arg(2) == I32 && arg(3) == I32
	case OpBallot:
		return t == I32 && arg(0) == I32 && arg(1) == I1
	case OpVoteAny, OpVoteAll:
		return t == I1 && arg(0) == I32 && arg(1) == I1
	case OpActiveMask:
		return t == I32
	case OpMatchAny:
		return t == I32 && arg(0) == I32 && (arg(1) == I32 || arg(1) == I64)
	case OpCall:
		return true
	case OpPrintf:
		return t == I32 && arg(0).IsPtr() && arg(1).IsPtr()
	case OpNative:
		return nativeFits(v)
	}
	return false
}

// writable reports whether t is an address that may be written through.
func writable(t Type) bool { return t.IsPtr() && t != PtrConst && t != PtrParam }

// fields checks that Int, Float, Sym and Mem hold what the operation needs and
// are zero where it needs nothing.
func (c *verifier) fields(v *Value) {
	kind := fields[v.Op]
	bad := ""
	switch {
	case v.Int != 0 && kind != fieldInt:
		bad = "Int"
	case v.Op == OpConst && v.Int != SignExtend(v.Type, v.Int):
		bad = "Int, which is not sign-extended from its type,"
	case v.Op == OpAlloca && v.Int <= 0:
		bad = "Int"
	case v.Float != 0 && kind != fieldFloat, kind == fieldFloat && !exactIn(v.Type, v.Float):
		bad = "Float"
	case v.Sym != "" && (kind == fieldNone || kind == fieldInt || kind == fieldFloat), !symFits(v.Op, v.Sym):
		bad = "Sym"
	case v.Op == OpAlloca && (v.Mem.Volatile || v.Mem.ReadOnly):
		bad = "Mem"
	case v.Op == OpAlloca || v.Op.accessesMemory():
		if !isPowerOfTwo(v.Mem.Align) {
			bad = "Mem.Align, which is not a power of two,"
		} else if v.Op != OpLoad && v.Mem.ReadOnly {
			bad = "Mem.ReadOnly"
		}
	case v.Mem != MemInfo{}:
		bad = "Mem"
	}
	if v.NoWrap && !v.Op.MayPromise() {
		bad = "NoWrap"
	}
	if bad != "" {
		c.errorf(v.Pos, CodeField, "%s: wrong %s in %s", v.LongString(), bad, v.Op)
	}
}

// symFits reports whether s is one of the words that op knows.
func symFits(op Op, s string) bool {
	switch op {
	case OpSpecial:
		return isName(s)
	case OpBarrierRed:
		return s == "and" || s == "or" || s == "popc"
	case OpClusterBarrier:
		return s == "arrive" || s == "arrive.relaxed" || s == "wait"
	case OpFence:
		s = strings.TrimSuffix(s, ".acq_rel")
		return s == "block" || s == "cluster" || s == "device" || s == "system"
	case OpShfl:
		return s == "idx" || s == "up" || s == "down" || s == "bfly"
	}
	if op == OpNative {
		_, ok := Natives()[s]
		return ok
	}
	if op.IsAtomic() || op == OpAtomicLoad {
		return s == "" || s == "block" || s == "system"
	}
	return true
}

// references checks the parameter, global or function that v names.
func (c *verifier) references(v *Value) {
	switch v.Op {
	case OpParam:
		if v.Int < 0 || v.Int >= int64(len(c.f.Params)) {
			c.errorf(v.Pos, CodeReference, "%s: there is no such parameter", v.LongString())
		} else if want := c.f.Params[v.Int].Type; v.Type != want {
			c.errorf(v.Pos, CodeReference, "%s: the parameter has type %s", v.LongString(), want)
		}
	case OpGlobalAddr:
		if c.mod == nil {
			return
		}
		if g := c.globals[v.Sym]; g == nil {
			c.errorf(v.Pos, CodeReference, "%s: there is no such variable", v.LongString())
		} else if v.Type != g.Space {
			c.errorf(v.Pos, CodeReference, "%s: the variable is in %s", v.LongString(), g.Space)
		}
	case OpFuncAddr:
		if c.mod != nil && c.funcs[v.Sym] == nil {
			c.errorf(v.Pos, CodeReference, "%s: there is no such function", v.LongString())
		}
	case OpCall:
		if c.mod != nil {
			c.call(v)
		}
	}
}

// call checks a call against its function. An aggregate goes by address, from
// whatever space the caller has it in.
func (c *verifier) call(v *Value) {
	f := c.funcs[v.Sym]
	switch {
	case f == nil:
		c.errorf(v.Pos, CodeReference, "%s: there is no such function", v.LongString())
		return
	case f.Kernel:
		c.errorf(v.Pos, CodeReference, "%s: a kernel cannot be called", v.LongString())
		return
	case len(v.Args) != len(f.Params) || v.Type != f.Result:
		c.errorf(v.Pos, CodeReference, "%s: the function takes %d arguments and gives %s", v.LongString(), len(f.Params), f.Result)
		return
	}
	for i, a := range v.Args {
		want := f.Params[i].Type
		if a.Type != want && !(want == PtrParam && a.Type.IsPtr()) {
			c.errorf(v.Pos, CodeReference, "%s: argument %d has type %s, the parameter %s", v.LongString(), i, a.Type, want)
		}
	}
}
