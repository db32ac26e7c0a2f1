package ssa

// A class is a set of properties of an operation; a predicate of [Op] asks for
// each of them.
type class uint16

const (
	literal       class = 1 << iota // a constant whose number the value holds
	intBinary                       // integer arithmetic of two arguments
	intUnary                        // integer arithmetic of one argument
	division                        // a quotient or a remainder
	quotient                        // a quotient
	promises                        // may carry NoWrap
	commutative                     // its two arguments may be exchanged
	floatArith                      // floating-point arithmetic of any number of arguments
	intCompare                      // compares integers or pointers
	unsignedOrder                   // of integers as unsigned numbers
	floatCompare                    // compares floats
	conversion                      // one argument of another type, or of another meaning
	access                          // has a MemInfo and a pointer as its first argument
	atomic                          // an atomic read-modify-write
)

// Effects says how an operation relates to memory and to other threads.
type Effects uint8

const (
	Reads    Effects = 1 << iota // its result depends on memory
	Writes                       // it changes memory
	Syncs                        // other threads' accesses are ordered by it; it may not be cloned or made conditional
	Volatile                     // it may not be removed or merged although its result is unused
)

const (
	atomicEffects = Reads | Writes | Volatile
	warpEffects   = Syncs | Volatile
)

// An opRow is all that the package knows of an operation. What passes ask for
// is a predicate on [Op]: the numbers of operations mean nothing, and nothing
// depends on their order.
type opRow struct {
	name    string
	args    int // number of arguments; -1 for any
	class   class
	effects Effects
	field   field
	types   func(*Value) bool // whether the types of the result and of the arguments, whose number is right, fit
}

var opTable = [numOps]opRow{
	OpInvalid: {"invalid", 0, 0, 0, fieldNone, noType},

	// Leaves.
	OpConst:      {"const", 0, literal, 0, fieldInt, constType},
	OpFConst:     {"fconst", 0, literal, 0, fieldFloat, floatResult},
	OpUndef:      {"undef", 0, 0, 0, fieldNone, hasResult},
	OpParam:      {"param", 0, 0, 0, fieldInt, hasResult},
	OpGlobalAddr: {"globaladdr", 0, 0, 0, fieldName, globalAddrType},
	OpFuncAddr:   {"funcaddr", 0, 0, 0, fieldName, funcAddrType},
	OpSpecial:    {"special", 0, 0, 0, fieldRegister, specialType},
	OpAlloca:     {"alloca", 0, 0, Volatile, fieldInt, allocaType},
	OpPhi:        {"phi", -1, 0, 0, fieldNone, anySame},

	// Integer arithmetic.
	OpAdd:    {"add", 2, intBinary | promises | commutative, 0, fieldNone, wideSame},
	OpSub:    {"sub", 2, intBinary | promises, 0, fieldNone, wideSame},
	OpMul:    {"mul", 2, intBinary | promises | commutative, 0, fieldNone, wideSame},
	OpMulHiS: {"mulhis", 2, intBinary | commutative, 0, fieldNone, wideSame},
	OpMulHiU: {"mulhiu", 2, intBinary | commutative, 0, fieldNone, wideSame},
	OpSDiv:   {"sdiv", 2, intBinary | division | quotient | promises, 0, fieldNone, wideSame},
	OpUDiv:   {"udiv", 2, intBinary | division | quotient | promises, 0, fieldNone, wideSame},
	OpSRem:   {"srem", 2, intBinary | division, 0, fieldNone, wideSame},
	OpURem:   {"urem", 2, intBinary | division, 0, fieldNone, wideSame},
	OpAnd:    {"and", 2, intBinary | commutative, 0, fieldNone, intSame},
	OpOr:     {"or", 2, intBinary | commutative, 0, fieldNone, intSame},
	OpXor:    {"xor", 2, intBinary | commutative, 0, fieldNone, intSame},
	OpShl:    {"shl", 2, intBinary | promises, 0, fieldNone, shiftType},
	OpLShr:   {"lshr", 2, intBinary, 0, fieldNone, shiftType},
	OpAShr:   {"ashr", 2, intBinary, 0, fieldNone, shiftType},
	OpSMin:   {"smin", 2, intBinary | commutative, 0, fieldNone, wideSame},
	OpSMax:   {"smax", 2, intBinary | commutative, 0, fieldNone, wideSame},
	OpUMin:   {"umin", 2, intBinary | commutative, 0, fieldNone, wideSame},
	OpUMax:   {"umax", 2, intBinary | commutative, 0, fieldNone, wideSame},

	// Integer, one argument.
	OpNeg:  {"neg", 1, intUnary, 0, fieldNone, wideSame},
	OpNot:  {"not", 1, intUnary, 0, fieldNone, intSame},
	OpAbs:  {"abs", 1, intUnary, 0, fieldNone, wideSame},
	OpPopc: {"popc", 1, intUnary, 0, fieldNone, bitCountType},
	OpClz:  {"clz", 1, intUnary, 0, fieldNone, bitCountType},
	OpBrev: {"brev", 1, intUnary, 0, fieldNone, wideSame},

	// Floating point.
	OpFAdd:   {"fadd", 2, floatArith | commutative, 0, fieldNone, floatSame},
	OpFSub:   {"fsub", 2, floatArith, 0, fieldNone, floatSame},
	OpFMul:   {"fmul", 2, floatArith | commutative, 0, fieldNone, floatSame},
	OpFDiv:   {"fdiv", 2, floatArith, 0, fieldNone, floatSame},
	OpFMin:   {"fmin", 2, floatArith | commutative, 0, fieldNone, floatSame},
	OpFMax:   {"fmax", 2, floatArith | commutative, 0, fieldNone, floatSame},
	OpFMA:    {"fma", 3, floatArith, 0, fieldNone, floatSame},
	OpFNeg:   {"fneg", 1, floatArith, 0, fieldNone, floatSame},
	OpFAbs:   {"fabs", 1, floatArith, 0, fieldNone, floatSame},
	OpFSqrt:  {"fsqrt", 1, floatArith, 0, fieldNone, floatSame},
	OpFFloor: {"ffloor", 1, floatArith, 0, fieldNone, floatSame},
	OpFCeil:  {"fceil", 1, floatArith, 0, fieldNone, floatSame},
	OpFTrunc: {"ftrunc", 1, floatArith, 0, fieldNone, floatSame},
	OpFRint:  {"frint", 1, floatArith, 0, fieldNone, floatSame},
	OpFRsqrt: {"frsqrt", 1, floatArith, 0, fieldNone, f32Same},
	OpFEx2:   {"fex2", 1, floatArith, 0, fieldNone, f32Same},
	OpFLg2:   {"flg2", 1, floatArith, 0, fieldNone, f32Same},
	OpFSin:   {"fsin", 1, floatArith, 0, fieldNone, f32Same},
	OpFCos:   {"fcos", 1, floatArith, 0, fieldNone, f32Same},

	// Comparisons and the choice by one.
	OpEq:     {"eq", 2, intCompare | commutative, 0, fieldNone, equalityType},
	OpNe:     {"ne", 2, intCompare | commutative, 0, fieldNone, equalityType},
	OpSLt:    {"slt", 2, intCompare, 0, fieldNone, orderType},
	OpSLe:    {"sle", 2, intCompare, 0, fieldNone, orderType},
	OpSGt:    {"sgt", 2, intCompare, 0, fieldNone, orderType},
	OpSGe:    {"sge", 2, intCompare, 0, fieldNone, orderType},
	OpULt:    {"ult", 2, intCompare | unsignedOrder, 0, fieldNone, orderType},
	OpULe:    {"ule", 2, intCompare | unsignedOrder, 0, fieldNone, orderType},
	OpUGt:    {"ugt", 2, intCompare | unsignedOrder, 0, fieldNone, orderType},
	OpUGe:    {"uge", 2, intCompare | unsignedOrder, 0, fieldNone, orderType},
	OpFEq:    {"feq", 2, floatCompare | commutative, 0, fieldNone, floatCompareType},
	OpFNe:    {"fne", 2, floatCompare | commutative, 0, fieldNone, floatCompareType},
	OpFLt:    {"flt", 2, floatCompare, 0, fieldNone, floatCompareType},
	OpFLe:    {"fle", 2, floatCompare, 0, fieldNone, floatCompareType},
	OpFGt:    {"fgt", 2, floatCompare, 0, fieldNone, floatCompareType},
	OpFGe:    {"fge", 2, floatCompare, 0, fieldNone, floatCompareType},
	OpSelect: {"select", 3, 0, 0, fieldNone, selectType},

	// Conversions.
	OpTrunc:     {"trunc", 1, conversion, 0, fieldNone, truncType},
	OpSExt:      {"sext", 1, conversion, 0, fieldNone, extendType},
	OpZExt:      {"zext", 1, conversion, 0, fieldNone, extendType},
	OpSToF:      {"stof", 1, conversion, 0, fieldNone, intToFloatType},
	OpUToF:      {"utof", 1, conversion, 0, fieldNone, intToFloatType},
	OpFToS:      {"ftos", 1, conversion, 0, fieldNone, floatToIntType},
	OpFToU:      {"ftou", 1, conversion, 0, fieldNone, floatToIntType},
	OpFExt:      {"fext", 1, conversion, 0, fieldNone, fextType},
	OpFRound:    {"fround", 1, conversion, 0, fieldNone, froundType},
	OpBitcast:   {"bitcast", 1, conversion, 0, fieldNone, bitcastType},
	OpPtrToInt:  {"ptrtoint", 1, conversion, 0, fieldNone, ptrToIntType},
	OpIntToPtr:  {"inttoptr", 1, conversion, 0, fieldNone, intToPtrType},
	OpSpaceCast: {"spacecast", 1, conversion, 0, fieldNone, spaceCastType},
	OpInSpace:   {"inspace", 1, 0, 0, fieldSpace, inSpaceType},

	// Memory.
	OpPtrAdd:     {"ptradd", 2, 0, 0, fieldNone, ptrAddType},
	OpLoad:       {"load", 1, access, Reads, fieldNone, loadType},
	OpStore:      {"store", 2, access, Writes | Volatile, fieldNone, storeType},
	OpAtomicLoad: {"atomicload", 1, access, atomicEffects, fieldScope, atomicLoadType},

	// Atomics.
	OpAtomicAdd:  {"atomicadd", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicFAdd: {"atomicfadd", 2, access | atomic, atomicEffects, fieldScope, atomicFloatType},
	OpAtomicSMin: {"atomicsmin", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicSMax: {"atomicsmax", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicUMin: {"atomicumin", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicUMax: {"atomicumax", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicAnd:  {"atomicand", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicOr:   {"atomicor", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicXor:  {"atomicxor", 2, access | atomic, atomicEffects, fieldScope, atomicIntType},
	OpAtomicExch: {"atomicexch", 2, access | atomic, atomicEffects, fieldScope, atomicExchType},
	OpAtomicInc:  {"atomicinc", 2, access | atomic, atomicEffects, fieldScope, atomicWrapType},
	OpAtomicDec:  {"atomicdec", 2, access | atomic, atomicEffects, fieldScope, atomicWrapType},
	OpAtomicCAS:  {"atomiccas", 3, access | atomic, atomicEffects, fieldScope, atomicCASType},

	// Synchronisation and warp operations.
	OpBarrier:        {"barrier", 0, 0, Reads | Writes | warpEffects, fieldNone, noResult},
	OpBarrierRed:     {"barrierred", 1, 0, Reads | Writes | warpEffects, fieldReduction, barrierRedType},
	OpClusterBarrier: {"clusterbarrier", 0, 0, Reads | Writes | warpEffects, fieldClusterStep, noResult},
	OpFence:          {"fence", 0, 0, Reads | Writes | Volatile, fieldFence, noResult},
	OpWarpSync:       {"warpsync", 1, 0, Reads | Writes | warpEffects, fieldNone, warpSyncType},
	OpShfl:           {"shfl", 4, 0, warpEffects, fieldShuffle, shflType},
	OpBallot:         {"ballot", 2, 0, warpEffects, fieldNone, ballotType},
	OpVoteAny:        {"voteany", 2, 0, warpEffects, fieldNone, voteType},
	OpVoteAll:        {"voteall", 2, 0, warpEffects, fieldNone, voteType},
	OpActiveMask:     {"activemask", 0, 0, warpEffects, fieldNone, i32Result},
	OpMatchAny:       {"matchany", 2, 0, warpEffects, fieldNone, matchType},

	// Calls and instructions of the device.
	OpCall:    {"call", -1, 0, Reads | Writes | warpEffects, fieldName, calleeType},
	OpCallPtr: {"callptr", -1, 0, Reads | Writes | warpEffects, fieldSignature, callPtrType},
	OpPrintf:  {"printf", 2, 0, atomicEffects, fieldNone, printfType},
	OpNative:  {"native", -1, 0, 0, fieldNative, nativeType},

	// Inline PTX.
	OpAsm:         {"asm", -1, 0, 0, fieldAsm, asmType},
	OpAsmRead:     {"asmread", -1, 0, Reads, fieldAsm, asmType},
	OpAsmVolatile: {"asmvolatile", -1, 0, Volatile, fieldAsm, asmType},
	OpAsmMemory:   {"asmmemory", -1, 0, Reads | Writes | Volatile, fieldAsm, asmType},
	OpAsmSync:     {"asmsync", -1, 0, Reads | Writes | warpEffects, fieldAsm, asmType},
	OpAsmResult:   {"asmresult", 1, 0, 0, fieldInt, asmResultType},
}
