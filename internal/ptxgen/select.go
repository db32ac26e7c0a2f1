package ptxgen

import (
	"strings"

	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// simple maps operations that are one PTX instruction to their mnemonics; the
// marks say how operands and the type suffix are formed:
//
//	u s  extended without or with sign, unsigned or signed type suffix
//	b    operands as they are, type without sign
//	f    floating point
var simple = [...]struct {
	op   string
	mark byte
}{
	ssa.OpAdd: {"add", 's'}, ssa.OpSub: {"sub", 's'},
	ssa.OpSDiv: {"div", 'S'}, ssa.OpUDiv: {"div", 'U'}, ssa.OpSRem: {"rem", 'S'}, ssa.OpURem: {"rem", 'U'},
	ssa.OpAnd: {"and", 'b'}, ssa.OpOr: {"or", 'b'}, ssa.OpXor: {"xor", 'b'},
	ssa.OpSMin: {"min", 'S'}, ssa.OpSMax: {"max", 'S'}, ssa.OpUMin: {"min", 'U'}, ssa.OpUMax: {"max", 'U'},
	ssa.OpNeg: {"neg", 's'}, ssa.OpNot: {"not", 'b'}, ssa.OpAbs: {"abs", 'S'},
	ssa.OpFDiv: {"div.rn", 'f'}, ssa.OpFMin: {"min", 'f'}, ssa.OpFMax: {"max", 'f'},
	ssa.OpFMA: {"fma.rn", 'f'}, ssa.OpFNeg: {"neg", 'f'}, ssa.OpFAbs: {"abs", 'f'}, ssa.OpFSqrt: {"sqrt.rn", 'f'},
	ssa.OpFRsqrt: {"rsqrt.approx", 'f'}, ssa.OpFEx2: {"ex2.approx", 'f'}, ssa.OpFLg2: {"lg2.approx", 'f'},
	ssa.OpFSin: {"sin.approx", 'f'}, ssa.OpFCos: {"cos.approx", 'f'},
}

// emit generates v, whose users are generated already.
//
//irgl:flatswitch
func (g *fgen) emit(v *ssa.Value) {
	if v.Type == ssa.I1 && len(v.Args) > 0 && v.Args[0].Type == ssa.I1 && g.predicate(v) {
		return
	}
	if int(v.Op) < len(simple) && simple[v.Op].mark != 0 {
		g.simple(v, simple[v.Op].op, simple[v.Op].mark)
		return
	}
	switch v.Op {
	case ssa.OpConst, ssa.OpFConst, ssa.OpUndef:
		// Immediates: folded into their users.
	case ssa.OpParam:
		g.param(v)
	case ssa.OpGlobalAddr, ssa.OpFuncAddr:
		g.def(v, "mov.b64", ptx.Sym(g.names[v.Callee()]))
	case ssa.OpAlloca:
		g.def(v, "mov.b64", ptx.Sym(g.localName(g.localOf[v])))
	case ssa.OpSpecial:
		register := "%" + v.Sym.String()
		if ptx.SpecialType(register).Size() != v.Type.Size() {
			g.errorf(v, "no register %s of type %s", v.Sym, v.Type)
			return
		}
		g.def(v, "mov."+typed(false, v.Type), ptx.R(register))
	case ssa.OpMul:
		g.mul(v)
	case ssa.OpMulHiS, ssa.OpMulHiU:
		g.mulHi(v, v.Op == ssa.OpMulHiS)
	case ssa.OpShl, ssa.OpLShr, ssa.OpAShr:
		g.shift(v)
	case ssa.OpPopc, ssa.OpClz, ssa.OpBrev:
		g.bits(v)
	case ssa.OpFAdd, ssa.OpFSub, ssa.OpFMul:
		g.fuseable(v)
	case ssa.OpFFloor:
		g.round(v, "rmi")
	case ssa.OpFCeil:
		g.round(v, "rpi")
	case ssa.OpFTrunc:
		g.round(v, "rzi")
	case ssa.OpFRint:
		g.round(v, "rni")
	case ssa.OpEq, ssa.OpNe, ssa.OpSLt, ssa.OpSLe, ssa.OpSGt, ssa.OpSGe, ssa.OpULt, ssa.OpULe, ssa.OpUGt, ssa.OpUGe,
		ssa.OpFEq, ssa.OpFNe, ssa.OpFLt, ssa.OpFLe, ssa.OpFGt, ssa.OpFGe:
		g.compare(v)
	case ssa.OpSelect:
		p, not := g.pred(v.Args[0])
		g.def(v, "selp."+classInfo[classOf(v.Type)].bits, choice(g.op(v.Args[1]), g.op(v.Args[2]), p, not)...)
	case ssa.OpTrunc, ssa.OpSExt, ssa.OpZExt, ssa.OpSToF, ssa.OpUToF, ssa.OpFToS, ssa.OpFToU,
		ssa.OpFExt, ssa.OpFRound, ssa.OpBitcast, ssa.OpPtrToInt, ssa.OpIntToPtr:
		g.convert(v)
	case ssa.OpSpaceCast:
		g.spaceCast(v)
	case ssa.OpInSpace:
		g.def(v, "isspacep."+v.Sym.String(), g.reg(v.Args[0]))
	case ssa.OpPtrAdd:
		g.def(v, "add.s64", g.reg(v.Args[0]), g.op(v.Args[1]))
	case ssa.OpLoad:
		g.load(v)
	case ssa.OpStore:
		g.store(v)
	case ssa.OpAtomicLoad:
		g.acquire(v)
	case ssa.OpAtomicAdd, ssa.OpAtomicFAdd, ssa.OpAtomicSMin, ssa.OpAtomicSMax, ssa.OpAtomicUMin, ssa.OpAtomicUMax,
		ssa.OpAtomicAnd, ssa.OpAtomicOr, ssa.OpAtomicXor, ssa.OpAtomicExch, ssa.OpAtomicInc, ssa.OpAtomicDec, ssa.OpAtomicCAS:
		g.atomic(v)
	case ssa.OpBarrier, ssa.OpBarrierRed, ssa.OpClusterBarrier, ssa.OpFence, ssa.OpWarpSync, ssa.OpShfl, ssa.OpBallot, ssa.OpVoteAny,
		ssa.OpVoteAll, ssa.OpActiveMask, ssa.OpMatchAny:
		g.sync(v)
	case ssa.OpCall:
		g.call(v)
	case ssa.OpCallPtr:
		g.callPtr(v)
	case ssa.OpPrintf:
		g.printf(v)
	case ssa.OpNative:
		args := make([]ptx.Operand, len(v.Args))
		for i, a := range v.Args {
			args[i] = g.reg(a)
		}
		g.def(v, v.Sym.String(), args...)
	case ssa.OpAsm, ssa.OpAsmRead, ssa.OpAsmVolatile, ssa.OpAsmMemory, ssa.OpAsmSync:
		g.asm(v)
	case ssa.OpAsmResult: // written by the inline PTX, whose other results may be unused
		g.demanded[v.Args[0].ID] = true
	default:
		g.errorf(v, "no instruction for it")
	}
}

// simple emits an operation of the table above. Additions and multiplications
// ignore the bits above a narrow integer's width; S and U extend first.
func (g *fgen) simple(v *ssa.Value, op string, mark byte) {
	if v.Op == ssa.OpAdd && g.mad(v) || v.Op == ssa.OpOr && (g.pack(v, v) || g.funnel(v)) {
		return
	}
	if mode := g.precision(v); mode != "" {
		op = strings.TrimSuffix(op, "rn") + mode
	}
	if v.Op == ssa.OpFDiv && v.Args[0].Op == ssa.OpFConst && v.Args[0].Float == 1 && op != "div.full" {
		g.def(v, "rcp"+strings.TrimPrefix(op, "div")+"."+v.Type.String(), g.reg(v.Args[1]))
		return
	}
	args := make([]ptx.Operand, len(v.Args))
	suffix := ""
	for i, a := range v.Args {
		switch mark {
		case 'S', 'U':
			args[i] = g.ext(a, mark == 'S')
		default:
			args[i] = g.op(a)
		}
	}
	switch mark {
	case 's', 'S':
		suffix = wide(true, v.Type)
	case 'U':
		suffix = wide(false, v.Type)
	case 'b':
		suffix = classInfo[classOf(v.Type)].bits
	case 'f':
		suffix = v.Type.String()
	}
	if v.Op.Commutative() && args[0].Kind != ptx.KindReg {
		args[0], args[1] = args[1], args[0]
	}
	if len(args) != 2 || args[1].Kind != ptx.KindReg { // at least one operand must be a register for some assemblers
		args[0] = g.inReg(args[0], classOf(v.Type))
	}
	g.def(v, op+"."+suffix, args...)
}

// fuseable emits an addition, subtraction or multiplication of floats.
func (g *fgen) fuseable(v *ssa.Value) {
	op := map[ssa.Op]string{ssa.OpFAdd: "add", ssa.OpFSub: "sub", ssa.OpFMul: "mul"}[v.Op]
	if !g.opts.FuseMulAdd {
		op += ".rn"
	}
	g.simple(v, op, 'f')
}

// round emits a rounding to an integral float.
func (g *fgen) round(v *ssa.Value, mode string) {
	t := v.Type.String()
	g.def(v, "cvt."+mode+"."+t+"."+t, g.reg(v.Args[0]))
}

// mad fuses a 32-bit multiplication into an addition that is its only use.
func (g *fgen) mad(v *ssa.Value) bool {
	if v.Type != ssa.I32 {
		return false
	}
	for i, a := range v.Args {
		if a.Op == ssa.OpMul && g.uses[a.ID] == 1 && a.Block == v.Block {
			x, y := a.Args[0], a.Args[1]
			if x.Op == ssa.OpConst {
				x, y = y, x
			}
			g.def(v, "mad.lo.s32", g.reg(x), g.op(y), g.op(v.Args[1-i]))
			return true
		}
	}
	return false
}

// mul emits a multiplication, a widening one if both factors fit in 32 bits.
func (g *fgen) mul(v *ssa.Value) {
	x, y := v.Args[0], v.Args[1]
	if x.Op == ssa.OpConst {
		x, y = y, x
	}
	if v.Type == ssa.I64 && g.mulWide(v, x, y) {
		return
	}
	g.def(v, "mul.lo."+wide(true, v.Type), g.reg(x), g.op(y))
}

// mulWide emits v = x*y as a widening product of 32-bit registers; x, and y
// unless constant, are extensions of such registers.
func (g *fgen) mulWide(v, x, y *ssa.Value) bool {
	signed := x.Op == ssa.OpSExt
	if !signed && x.Op != ssa.OpZExt || x.Args[0].Type != ssa.I32 {
		return false
	}
	suffix := typed(signed, ssa.I32)
	switch {
	case y.Op == x.Op && y.Args[0].Type == ssa.I32:
		g.def(v, "mul.wide."+suffix, g.reg(x.Args[0]), g.op(y.Args[0]))
	case y.Op == ssa.OpConst && signed && y.Int == int64(int32(y.Int)),
		y.Op == ssa.OpConst && !signed && y.Int == int64(uint32(y.Int)):
		g.def(v, "mul.wide."+suffix, g.reg(x.Args[0]), ptx.I(y.Int))
	default:
		return false
	}
	return true
}

// mulHi emits the upper half of a product; for narrow types the whole product
// fits in 32 bits.
func (g *fgen) mulHi(v *ssa.Value, signed bool) {
	x, y := g.ext(v.Args[0], signed), g.ext(v.Args[1], signed)
	x = g.inReg(x, classOf(v.Type))
	if v.Type.Bits() >= 32 {
		g.def(v, "mul.hi."+typed(signed, v.Type), x, y)
		return
	}
	t := g.tmp(cls32, "mul.lo.s32", x, y)
	g.def(v, "shr."+typed(signed, ssa.I32), t, ptx.I(int64(v.Type.Bits())))
}

// shift emits a shift. PTX clamps counts as SSA does; a left shift of a narrow
// value by its width or more leaves its defined bits zero.
func (g *fgen) shift(v *ssa.Value) {
	x, n := v.Args[0], v.Args[1]
	switch v.Op {
	case ssa.OpShl:
		if n.Op == ssa.OpConst && v.Type == ssa.I64 && n.Int >= 0 && n.Int < 31 {
			c := &ssa.Value{Op: ssa.OpConst, Type: ssa.I64, Int: 1 << n.Int}
			if g.mulWide(v, x, c) {
				return
			}
		}
		g.def(v, "shl."+classInfo[classOf(v.Type)].bits, g.reg(x), g.op(n))
	default:
		signed := v.Op == ssa.OpAShr
		g.def(v, "shr."+wide(signed, v.Type), g.inReg(g.ext(x, signed), classOf(v.Type)), g.op(n))
	}
}

// bits emits popc, clz and brev. Narrow values are counted in 32 bits: clz
// then counts the extension too, and brev leaves the result on top.
func (g *fgen) bits(v *ssa.Value) {
	a := v.Args[0]
	x := g.inReg(g.ext(a, false), classOf(a.Type))
	extra := int64(32 - a.Type.Bits())
	suffix := classInfo[classOf(a.Type)].bits
	switch {
	case v.Op == ssa.OpClz && extra > 0:
		t := g.tmp(cls32, "clz.b32", x)
		g.def(v, "sub.s32", t, ptx.I(extra))
	case v.Op == ssa.OpBrev && extra > 0:
		t := g.tmp(cls32, "brev.b32", x)
		g.def(v, "shr.u32", t, ptx.I(extra))
	default:
		g.def(v, v.Op.String()+"."+suffix, x)
	}
}
