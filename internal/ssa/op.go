package ssa

import "iter"

// An Op is an operation. The comments give arguments and which of Int, Float
// and Sym count; T is the type of the result.
type Op uint8

const (
	OpInvalid Op = iota

	// Leaves.
	OpConst      // Int: its value, sign-extended from T's width; T integer or pointer
	OpFConst     // Float, exact in T
	OpUndef      // any value
	OpParam      // Int: the parameter's index
	OpGlobalAddr // Sym: the global; T its space
	OpFuncAddr   // Sym: the function
	OpSpecial    // Sym: a special register, "tid.x", "laneid"; T i32 or i64
	OpAlloca     // Int: bytes, Mem.Align: a thread's own memory for the call; T ptr.local
	OpPhi        // one argument per predecessor

	// Integer arithmetic, two arguments of type T; it wraps. Shift counts are
	// i32; a count of the width or more gives 0, or the sign for AShr.
	// Division by zero gives all ones, its remainder the dividend.
	OpAdd
	OpSub
	OpMul
	OpMulHiS
	OpMulHiU
	OpSDiv
	OpUDiv
	OpSRem
	OpURem
	OpAnd
	OpOr
	OpXor
	OpShl
	OpLShr
	OpAShr
	OpSMin
	OpSMax
	OpUMin
	OpUMax

	// Integer, one argument of type T; the counts give i32.
	OpNeg
	OpNot // bitwise; logical for i1
	OpAbs
	OpPopc
	OpClz
	OpBrev

	// Floating point, IEEE, round to nearest; FMin and FMax return the number
	// when the other is NaN.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFMin
	OpFMax
	OpFMA // three arguments
	OpFNeg
	OpFAbs
	OpFSqrt
	OpFFloor
	OpFCeil
	OpFTrunc
	OpFRint // to nearest even
	// Approximate f32 functions of the hardware.
	OpFRsqrt
	OpFEx2
	OpFLg2
	OpFSin
	OpFCos

	// Comparisons: two arguments of one type, T i1. The float ones are false
	// for NaN, but for FNe, which is true.
	OpEq
	OpNe
	OpSLt
	OpSLe
	OpSGt
	OpSGe
	OpULt
	OpULe
	OpUGt
	OpUGe
	OpFEq
	OpFNe
	OpFLt
	OpFLe
	OpFGt
	OpFGe
	OpSelect // condition i1, then, else

	// Conversions, one argument.
	OpTrunc // to a narrower integer; to i1 keeps the lowest bit
	OpSExt
	OpZExt
	OpSToF
	OpUToF
	OpFToS // toward zero, saturating, NaN to 0
	OpFToU
	OpFExt   // f32 to f64
	OpFRound // f64 to f32
	OpBitcast
	OpPtrToInt  // to i64, of the same bits
	OpIntToPtr  // from i64
	OpSpaceCast // between ptr and a space
	OpInSpace   // ptr; Sym: a Space; T i1, whether it is an address in that space

	// Memory.
	OpPtrAdd // pointer, i64 bytes; T the pointer's type
	OpLoad   // pointer
	OpStore  // pointer, value; T void

	// OpAtomicLoad takes a pointer and acquires: what another thread released
	// before it stored the value that is found is there for all that follows.
	// Sym is a scope as for the atomics below.
	OpAtomicLoad

	// Atomics: pointer, operand(s); T the old value's type. Relaxed, scope of
	// the device; Sym "" or a narrower or wider scope: "block", "system".
	OpAtomicAdd
	OpAtomicFAdd
	OpAtomicSMin
	OpAtomicSMax
	OpAtomicUMin
	OpAtomicUMax
	OpAtomicAnd
	OpAtomicOr
	OpAtomicXor
	OpAtomicExch
	OpAtomicInc
	OpAtomicDec
	OpAtomicCAS // pointer, compare, new

	// Synchronisation and warp operations. Masks are i32.
	OpBarrier    // all threads of the block; T void
	OpBarrierRed // condition i1; Sym "and", "or" (T i1), "popc" (T i32)
	// OpClusterBarrier is one half of a barrier of all threads of the cluster: Sym
	// "arrive", which releases, "arrive.relaxed", or "wait", which acquires; T void.
	OpClusterBarrier
	OpFence      // Sym "block", "cluster", "device", "system", each with ".acq_rel" if it need not be sequentially consistent; T void
	OpWarpSync   // mask
	OpShfl       // mask, value (i32 or f32), lane or delta, clamp i32; Sym "idx", "up", "down", "bfly"
	OpBallot     // mask, condition i1; T i32
	OpVoteAny    // mask, condition; T i1
	OpVoteAll    // mask, condition; T i1
	OpActiveMask // T i32
	OpMatchAny   // mask, value; T i32

	OpCall // Sym: the function; arguments as its parameters; aggregates by address
	// OpCallPtr is a call of the function at an address; Sym: the signature; the address,
	// then arguments as for OpCall.
	OpCallPtr
	OpPrintf // format (pointer), pointer to the packed arguments or null; T i32

	// OpNative is one instruction of the device that computes a result from
	// its arguments alone and that no pass looks into. Sym: the instruction
	// with its rounding and types, "add.rz.f32"; see [Natives].
	OpNative

	// Inline PTX; Sym: the operands and the template. Arguments and results as [Asm] says.
	OpAsm         // computes its results from its arguments
	OpAsmRead     // also from memory, any of it
	OpAsmVolatile // has an effect besides, but not on memory
	OpAsmMemory   // may access any memory
	OpAsmSync     // also waits for other threads or exchanges values with them
	OpAsmResult   // inline PTX in the same block; Int: which of its outputs, from 1

	numOps
)

// Ops returns all operations but OpInvalid.
func Ops() iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for op := OpInvalid + 1; op < numOps; op++ {
			if !yield(op) {
				return
			}
		}
	}
}

func (op Op) String() string { return opTable[op].name }

// NumArgs returns how many arguments op takes, -1 for any number.
func (op Op) NumArgs() int { return opTable[op].args }

// Effects returns what op does besides computing its result.
func (op Op) Effects() Effects { return opTable[op].effects }

// Pure reports whether op only computes a result from its arguments, wherever it is.
func (op Op) Pure() bool { return opTable[op].effects == 0 && op != OpPhi && op != OpAsmResult }

// IsCall reports whether op calls a function of the module.
func (op Op) IsCall() bool { return op == OpCall || op == OpCallPtr }

// IsAsm reports whether op is inline PTX.
func (op Op) IsAsm() bool { return opTable[op].field == fieldAsm }

func (op Op) is(c class) bool { return opTable[op].class&c != 0 }

// IsLiteral reports whether op is a constant that the value itself holds, an
// integer or a float.
func (op Op) IsLiteral() bool { return op.is(literal) }

// Commutative reports whether op's two arguments may be exchanged.
func (op Op) Commutative() bool { return op.is(commutative) }

// IsIntBinary reports whether op is integer arithmetic of two arguments, shifts
// and bitwise operations included, comparisons not.
func (op Op) IsIntBinary() bool { return op.is(intBinary) }

// IsIntUnary reports whether op is integer arithmetic of one argument;
// conversions are not.
func (op Op) IsIntUnary() bool { return op.is(intUnary) }

// IsDivision reports whether op is an integer quotient or remainder.
func (op Op) IsDivision() bool { return op.is(division) }

// IsQuotient reports whether op is an integer quotient.
func (op Op) IsQuotient() bool { return op.is(quotient) }

// IsFloatArith reports whether op is floating-point arithmetic, with any number
// of arguments; comparisons and conversions are not.
func (op Op) IsFloatArith() bool { return op.is(floatArith) }

// IsCompare reports whether op compares, integers, pointers or floats.
func (op Op) IsCompare() bool { return op.is(intCompare | floatCompare) }

// IsIntCompare reports whether op compares integers or pointers.
func (op Op) IsIntCompare() bool { return op.is(intCompare) }

// IsUnsignedOrder reports whether op orders integers or pointers as unsigned
// numbers.
func (op Op) IsUnsignedOrder() bool { return op.is(unsignedOrder) }

// IsConversion reports whether op converts its argument to another type or
// address space.
func (op Op) IsConversion() bool { return op.is(conversion) }

// AccessesMemory reports whether op has a [MemInfo] and a pointer as its first
// argument: loads, stores and atomics.
func (op Op) AccessesMemory() bool { return op.is(access) }

// IsAtomic reports whether op is an atomic read-modify-write.
func (op Op) IsAtomic() bool { return op.is(atomic) }

// signless pairs divisions and orders of signed integers with those of unsigned
// ones.
var signless = [...]struct{ signed, unsigned Op }{
	{OpSDiv, OpUDiv}, {OpSRem, OpURem}, {OpSLt, OpULt}, {OpSLe, OpULe}, {OpSGt, OpUGt}, {OpSGe, OpUGe},
}

// Unsigned returns the operation on unsigned integers for a division or order of
// signed ones, and op for any other.
func (op Op) Unsigned() Op {
	for _, p := range signless {
		if p.signed == op {
			return p.unsigned
		}
	}
	return op
}

// Signed returns the operation on signed integers for a division or order of
// unsigned ones, and op for any other.
func (op Op) Signed() Op {
	for _, p := range signless {
		if p.unsigned == op {
			return p.signed
		}
	}
	return op
}

// OtherDivision returns the remainder for a quotient and the quotient for a
// remainder, of the same sign, and op for any other operation.
func (op Op) OtherDivision() Op {
	switch op {
	case OpSDiv:
		return OpSRem
	case OpSRem:
		return OpSDiv
	case OpUDiv:
		return OpURem
	case OpURem:
		return OpUDiv
	}
	return op
}
