package ssa

// The rules of the operations' types: each reports whether the types of v and
// of its arguments, whose number is right, fit.

func typeOfArg(v *Value, i int) Type { return v.Args[i].Type }

// wide reports whether t is an integer that arithmetic is done on.
func wide(t Type) bool { return t.IsInt() && t != I1 }

// writable reports whether t is an address that may be written through.
func writable(t Type) bool { return t.IsPtr() && t != PtrConst && t != PtrParam }

// same reports whether all arguments of v have type t.
func same(v *Value, t Type) bool {
	for _, a := range v.Args {
		if a.Type != t {
			return false
		}
	}
	return true
}

// pair reports whether both arguments of v have one type.
func pair(v *Value) bool { return v.Args[0].Type == v.Args[1].Type }

func noType(*Value) bool           { return false }
func calleeType(*Value) bool       { return true } // checked with the function
func noResult(v *Value) bool       { return v.Type == Void }
func hasResult(v *Value) bool      { return v.Type != Void }
func i32Result(v *Value) bool      { return v.Type == I32 }
func floatResult(v *Value) bool    { return v.Type.IsFloat() }
func constType(v *Value) bool      { return v.Type.IsInt() || v.Type.IsPtr() }
func funcAddrType(v *Value) bool   { return v.Type == Ptr }
func specialType(v *Value) bool    { return v.Type == I32 || v.Type == I64 }
func allocaType(v *Value) bool     { return v.Type == PtrLocal }
func anySame(v *Value) bool        { return v.Type != Void && same(v, v.Type) }
func intSame(v *Value) bool        { return v.Type.IsInt() && same(v, v.Type) }
func wideSame(v *Value) bool       { return wide(v.Type) && same(v, v.Type) }
func floatSame(v *Value) bool      { return v.Type.IsFloat() && same(v, v.Type) }
func f32Same(v *Value) bool        { return v.Type == F32 && same(v, F32) }
func bitCountType(v *Value) bool   { return v.Type == I32 && wide(typeOfArg(v, 0)) }
func fextType(v *Value) bool       { return v.Type == F64 && typeOfArg(v, 0) == F32 }
func froundType(v *Value) bool     { return v.Type == F32 && typeOfArg(v, 0) == F64 }
func intToFloatType(v *Value) bool { return v.Type.IsFloat() && wide(typeOfArg(v, 0)) }
func floatToIntType(v *Value) bool { return wide(v.Type) && typeOfArg(v, 0).IsFloat() }
func ptrToIntType(v *Value) bool   { return v.Type == I64 && typeOfArg(v, 0).IsPtr() }
func intToPtrType(v *Value) bool   { return v.Type.IsPtr() && typeOfArg(v, 0) == I64 }
func loadType(v *Value) bool       { return v.Type != Void && typeOfArg(v, 0).IsPtr() }
func warpSyncType(v *Value) bool   { return v.Type == Void && typeOfArg(v, 0) == I32 }

func globalAddrType(v *Value) bool {
	return v.Type == PtrGlobal || v.Type == PtrShared || v.Type == PtrConst
}

func shiftType(v *Value) bool {
	return wide(v.Type) && typeOfArg(v, 0) == v.Type && typeOfArg(v, 1) == I32
}

func equalityType(v *Value) bool {
	t := typeOfArg(v, 0)
	return v.Type == I1 && pair(v) && (t.IsInt() || t.IsPtr())
}

func orderType(v *Value) bool {
	t := typeOfArg(v, 0)
	return v.Type == I1 && pair(v) && (wide(t) || t.IsPtr())
}

func floatCompareType(v *Value) bool {
	return v.Type == I1 && pair(v) && typeOfArg(v, 0).IsFloat()
}

func selectType(v *Value) bool {
	return v.Type != Void && typeOfArg(v, 0) == I1 && typeOfArg(v, 1) == v.Type && typeOfArg(v, 2) == v.Type
}

func truncType(v *Value) bool {
	t := typeOfArg(v, 0)
	return v.Type.IsInt() && t.IsInt() && v.Type.Bits() < t.Bits()
}

func extendType(v *Value) bool {
	t := typeOfArg(v, 0)
	return v.Type.IsInt() && t.IsInt() && v.Type.Bits() > t.Bits()
}

func bitcastType(v *Value) bool {
	number := func(t Type) bool { return wide(t) || t.IsFloat() }
	return number(v.Type) && number(typeOfArg(v, 0)) && v.Type.Bits() == typeOfArg(v, 0).Bits()
}

func spaceCastType(v *Value) bool {
	t := typeOfArg(v, 0)
	return v.Type.IsPtr() && t.IsPtr() && (v.Type == Ptr || t == Ptr)
}

func inSpaceType(v *Value) bool { return v.Type == I1 && typeOfArg(v, 0) == Ptr }

func ptrAddType(v *Value) bool {
	return v.Type.IsPtr() && typeOfArg(v, 0) == v.Type && typeOfArg(v, 1) == I64
}

func storeType(v *Value) bool {
	return v.Type == Void && writable(typeOfArg(v, 0)) && typeOfArg(v, 1) != Void
}

func atomicLoadType(v *Value) bool {
	return v.Type.Bits() >= 32 && !v.Type.IsPtr() && writable(typeOfArg(v, 0))
}

// operands reports whether v has an address that may be written through, and
// then arguments of its own type.
func operands(v *Value) bool {
	for _, a := range v.Args[1:] {
		if a.Type != v.Type {
			return false
		}
	}
	return writable(typeOfArg(v, 0))
}

func atomicIntType(v *Value) bool   { return (v.Type == I32 || v.Type == I64) && operands(v) }
func atomicFloatType(v *Value) bool { return v.Type.IsFloat() && operands(v) }
func atomicExchType(v *Value) bool  { return v.Type.Bits() >= 32 && operands(v) }
func atomicWrapType(v *Value) bool  { return v.Type == I32 && operands(v) }
func atomicCASType(v *Value) bool   { return v.Type.Bits() >= 16 && operands(v) }

func barrierRedType(v *Value) bool {
	want := I1
	if v.Sym == ReducePopc {
		want = I32
	}
	return typeOfArg(v, 0) == I1 && v.Type == want
}

func shflType(v *Value) bool {
	return (v.Type == I32 || v.Type == F32) && typeOfArg(v, 0) == I32 && typeOfArg(v, 1) == v.Type &&
		typeOfArg(v, 2) == I32 && typeOfArg(v, 3) == I32
}

func ballotType(v *Value) bool {
	return v.Type == I32 && typeOfArg(v, 0) == I32 && typeOfArg(v, 1) == I1
}

func voteType(v *Value) bool {
	return v.Type == I1 && typeOfArg(v, 0) == I32 && typeOfArg(v, 1) == I1
}

func matchType(v *Value) bool {
	t := typeOfArg(v, 1)
	return v.Type == I32 && typeOfArg(v, 0) == I32 && (t == I32 || t == I64)
}

func printfType(v *Value) bool {
	return v.Type == I32 && typeOfArg(v, 0).IsPtr() && typeOfArg(v, 1).IsPtr()
}

// nativeType is the signature of the instruction. An unknown one fits here: its
// Sym is refused.
func nativeType(v *Value) bool {
	name, _ := v.Sym.(Instruction)
	n, ok := Natives()[string(name)]
	if !ok {
		return true
	}
	if v.Type != n.Result || len(v.Args) != len(n.Args) {
		return false
	}
	for i, a := range v.Args {
		if a.Type != n.Args[i] {
			return false
		}
	}
	return true
}
