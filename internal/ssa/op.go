package ssa

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

	OpCall   // Sym: the function; arguments as its parameters; aggregates by address
	OpPrintf // format (pointer), pointer to the packed arguments or null; T i32

	// OpNative is one instruction of the device that computes a result from
	// its arguments alone and that no pass looks into. Sym: the instruction
	// with its rounding and types, "add.rz.f32"; see [Natives].
	OpNative

	numOps
)

// Effects says how an operation relates to memory and to other threads.
type Effects uint8

const (
	Reads    Effects = 1 << iota // its result depends on memory
	Writes                       // it changes memory
	Syncs                        // other threads' accesses are ordered by it; it may not be cloned or made conditional
	Volatile                     // it may not be removed or merged although its result is unused
)

type opInfo struct {
	name        string
	args        int // number of arguments; -1 for any
	commutative bool
	effects     Effects
}

const (
	atomicEffects = Reads | Writes | Volatile
	warpEffects   = Syncs | Volatile
)

var opTable = [numOps]opInfo{
	OpInvalid: {"invalid", 0, false, 0},
	OpConst:   {"const", 0, false, 0}, OpFConst: {"fconst", 0, false, 0}, OpUndef: {"undef", 0, false, 0},
	OpParam: {"param", 0, false, 0}, OpGlobalAddr: {"globaladdr", 0, false, 0}, OpFuncAddr: {"funcaddr", 0, false, 0},
	OpSpecial: {"special", 0, false, 0}, OpAlloca: {"alloca", 0, false, Volatile}, OpPhi: {"phi", -1, false, 0},
	OpAdd: {"add", 2, true, 0}, OpSub: {"sub", 2, false, 0}, OpMul: {"mul", 2, true, 0},
	OpMulHiS: {"mulhis", 2, true, 0}, OpMulHiU: {"mulhiu", 2, true, 0},
	OpSDiv: {"sdiv", 2, false, 0}, OpUDiv: {"udiv", 2, false, 0}, OpSRem: {"srem", 2, false, 0}, OpURem: {"urem", 2, false, 0},
	OpAnd: {"and", 2, true, 0}, OpOr: {"or", 2, true, 0}, OpXor: {"xor", 2, true, 0},
	OpShl: {"shl", 2, false, 0}, OpLShr: {"lshr", 2, false, 0}, OpAShr: {"ashr", 2, false, 0},
	OpSMin: {"smin", 2, true, 0}, OpSMax: {"smax", 2, true, 0}, OpUMin: {"umin", 2, true, 0}, OpUMax: {"umax", 2, true, 0},
	OpNeg: {"neg", 1, false, 0}, OpNot: {"not", 1, false, 0}, OpAbs: {"abs", 1, false, 0},
	OpPopc: {"popc", 1, false, 0}, OpClz: {"clz", 1, false, 0}, OpBrev: {"brev", 1, false, 0},
	OpFAdd: {"fadd", 2, true, 0}, OpFSub: {"fsub", 2, false, 0}, OpFMul: {"fmul", 2, true, 0}, OpFDiv: {"fdiv", 2, false, 0},
	OpFMin: {"fmin", 2, true, 0}, OpFMax: {"fmax", 2, true, 0}, OpFMA: {"fma", 3, false, 0},
	OpFNeg: {"fneg", 1, false, 0}, OpFAbs: {"fabs", 1, false, 0}, OpFSqrt: {"fsqrt", 1, false, 0},
	OpFFloor: {"ffloor", 1, false, 0}, OpFCeil: {"fceil", 1, false, 0}, OpFTrunc: {"ftrunc", 1, false, 0}, OpFRint: {"frint", 1, false, 0},
	OpFRsqrt: {"frsqrt", 1, false, 0}, OpFEx2: {"fex2", 1, false, 0}, OpFLg2: {"flg2", 1, false, 0}, OpFSin: {"fsin", 1, false, 0}, OpFCos: {"fcos", 1, false, 0},
	OpEq: {"eq", 2, true, 0}, OpNe: {"ne", 2, true, 0},
	OpSLt: {"slt", 2, false, 0}, OpSLe: {"sle", 2, false, 0}, OpSGt: {"sgt", 2, false, 0}, OpSGe: {"sge", 2, false, 0},
	OpULt: {"ult", 2, false, 0}, OpULe: {"ule", 2, false, 0}, OpUGt: {"ugt", 2, false, 0}, OpUGe: {"uge", 2, false, 0},
	OpFEq: {"feq", 2, true, 0}, OpFNe: {"fne", 2, true, 0},
	OpFLt: {"flt", 2, false, 0}, OpFLe: {"fle", 2, false, 0}, OpFGt: {"fgt", 2, false, 0}, OpFGe: {"fge", 2, false, 0},
	OpSelect: {"select", 3, false, 0},
	OpTrunc:  {"trunc", 1, false, 0}, OpSExt: {"sext", 1, false, 0}, OpZExt: {"zext", 1, false, 0},
	OpSToF: {"stof", 1, false, 0}, OpUToF: {"utof", 1, false, 0}, OpFToS: {"ftos", 1, false, 0}, OpFToU: {"ftou", 1, false, 0},
	OpFExt: {"fext", 1, false, 0}, OpFRound: {"fround", 1, false, 0}, OpBitcast: {"bitcast", 1, false, 0},
	OpPtrToInt: {"ptrtoint", 1, false, 0}, OpIntToPtr: {"inttoptr", 1, false, 0}, OpSpaceCast: {"spacecast", 1, false, 0},
	OpPtrAdd: {"ptradd", 2, false, 0}, OpLoad: {"load", 1, false, Reads}, OpStore: {"store", 2, false, Writes | Volatile},
	OpAtomicLoad: {"atomicload", 1, false, atomicEffects},
	OpAtomicAdd:  {"atomicadd", 2, false, atomicEffects}, OpAtomicFAdd: {"atomicfadd", 2, false, atomicEffects},
	OpAtomicSMin: {"atomicsmin", 2, false, atomicEffects}, OpAtomicSMax: {"atomicsmax", 2, false, atomicEffects},
	OpAtomicUMin: {"atomicumin", 2, false, atomicEffects}, OpAtomicUMax: {"atomicumax", 2, false, atomicEffects},
	OpAtomicAnd: {"atomicand", 2, false, atomicEffects}, OpAtomicOr: {"atomicor", 2, false, atomicEffects}, OpAtomicXor: {"atomicxor", 2, false, atomicEffects},
	OpAtomicExch: {"atomicexch", 2, false, atomicEffects}, OpAtomicInc: {"atomicinc", 2, false, atomicEffects}, OpAtomicDec: {"atomicdec", 2, false, atomicEffects},
	OpAtomicCAS: {"atomiccas", 3, false, atomicEffects},
	OpBarrier:   {"barrier", 0, false, Reads | Writes | warpEffects}, OpBarrierRed: {"barrierred", 1, false, Reads | Writes | warpEffects},
	OpClusterBarrier: {"clusterbarrier", 0, false, Reads | Writes | warpEffects},
	OpFence:          {"fence", 0, false, Reads | Writes | Volatile}, OpWarpSync: {"warpsync", 1, false, Reads | Writes | warpEffects},
	OpShfl: {"shfl", 4, false, warpEffects}, OpBallot: {"ballot", 2, false, warpEffects}, OpVoteAny: {"voteany", 2, false, warpEffects},
	OpVoteAll: {"voteall", 2, false, warpEffects}, OpActiveMask: {"activemask", 0, false, warpEffects}, OpMatchAny: {"matchany", 2, false, warpEffects},
	OpCall: {"call", -1, false, Reads | Writes | warpEffects}, OpPrintf: {"printf", 2, false, atomicEffects},
	OpNative: {"native", -1, false, 0},
}

func (op Op) String() string { return opTable[op].name }

// NumArgs returns how many arguments op takes, -1 for any number.
func (op Op) NumArgs() int { return opTable[op].args }

// Commutative reports whether op's two arguments may be exchanged.
func (op Op) Commutative() bool { return opTable[op].commutative }

// Effects returns what op does besides computing its result.
func (op Op) Effects() Effects { return opTable[op].effects }

// Pure reports whether op only computes a result from its arguments.
func (op Op) Pure() bool { return opTable[op].effects == 0 && op != OpPhi }
