package opt

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"irgl/internal/ssa"
)

// A machine interprets functions for one thread, as package ssa documents
// them, and shares no code with the folder: it keeps every value as its bits,
// zero-extended. It is the oracle for passes. The observable behaviour of a
// thread is its memory and the trace.
type machine struct {
	mod    *ssa.Module
	memory map[uint64]byte
	frame  uint64   // the next free local address
	fuel   int      // values left to execute
	trace  []string // barriers, warp operations, volatile accesses
	watch  bool     // end with errBroken if a broken promise matters

	approximate approximation           // of native reciprocals
	outputs     map[*ssa.Value][]uint64 // of inline PTX
}

const (
	localBase0 = 1 << 40
	nanBits64  = 0x7ff8000000000000
	nanBits32  = 0x7fc00000
)

var errFuel = fmt.Errorf("out of fuel")

func mask(t ssa.Type, x uint64) uint64 { return x & (1<<uint(t.Bits()) - 1) }

func signed(t ssa.Type, x uint64) int64 {
	if t.Bits() < 64 && x>>(t.Bits()-1)&1 == 1 {
		x -= 1 << t.Bits()
	}
	return int64(x)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func toFloat(t ssa.Type, x uint64) float64 {
	if t == ssa.F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

func fromFloat(t ssa.Type, x float64) uint64 {
	switch {
	case t == ssa.F32 && x != x:
		return nanBits32
	case x != x:
		return nanBits64
	case t == ssa.F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func (m *machine) read(addr uint64, t ssa.Type) uint64 {
	var x uint64
	for i := range t.Size() {
		x |= uint64(m.memory[addr+uint64(i)]) << (8 * i)
	}
	return mask(t, x)
}

func (m *machine) write(addr uint64, t ssa.Type, x uint64) {
	for i := range t.Size() {
		m.memory[addr+uint64(i)] = byte(x >> (8 * i))
	}
}

func (m *machine) log(v *ssa.Value, args []uint64) {
	m.trace = append(m.trace, fmt.Sprintf("%s %v %x", v.Op, v.Sym, args))
}

// call runs f and returns its result.
func (m *machine) call(f *ssa.Func, args []uint64) (uint64, error) {
	saved := m.frame
	defer func() { m.frame = saved }()
	val := make([]uint64, f.NumValues())
	bad := make([]bool, f.NumValues()) // poison, since a promise was broken
	b := f.Blocks[0]
	var from *ssa.Block
	second := false // entered by from's second edge
	for {
		phis := b.Phis()
		if len(phis) > 0 {
			k := b.PredIndex(from)
			if second && from.Succs[0] == b { // the second of two edges
				k += 1 + slices.Index(b.Preds[k+1:], from)
			}
			in, badIn := make([]uint64, len(phis)), make([]bool, len(phis))
			for i, phi := range phis {
				in[i], badIn[i] = val[phi.Args[k].ID], bad[phi.Args[k].ID]
			}
			for i, phi := range phis {
				val[phi.ID], bad[phi.ID] = in[i], badIn[i]
			}
		}
		for _, v := range b.Values[len(phis):] {
			if m.fuel--; m.fuel < 0 {
				return 0, errFuel
			}
			a, badArgs := make([]uint64, len(v.Args)), make([]bool, len(v.Args))
			for i, x := range v.Args {
				a[i], badArgs[i] = val[x.ID], bad[x.ID]
			}
			if m.watch {
				var err error
				if bad[v.ID], err = broken(v, a, badArgs); err != nil {
					return 0, err
				}
			}
			r, err := m.value(v, a, args)
			if err != nil {
				return 0, err
			}
			if v.Type != ssa.Void {
				val[v.ID] = mask(v.Type, r)
			}
		}
		if m.fuel--; m.fuel < 0 {
			return 0, errFuel
		}
		from, second = b, false
		if b.Ctrl != nil && bad[b.Ctrl.ID] {
			return 0, errBroken
		}
		switch b.Kind {
		case ssa.BlockRet:
			if b.Ctrl == nil {
				return 0, nil
			}
			return val[b.Ctrl.ID], nil
		case ssa.BlockTrap:
			m.trace = append(m.trace, "trap")
			return 0, fmt.Errorf("trap")
		case ssa.BlockIf:
			if val[b.Ctrl.ID] == 0 {
				second = true
				b = b.Succs[1]
			} else {
				b = b.Succs[0]
			}
		default:
			b = b.Succs[0]
		}
	}
}

func (m *machine) value(v *ssa.Value, a []uint64, params []uint64) (uint64, error) {
	op := v.Op
	switch {
	case op == ssa.OpFuncAddr:
		return funcAddress(v.Callee()), nil
	case op.IsCall():
		callee := m.mod.Func(v.Callee())
		if op == ssa.OpCallPtr {
			for _, f := range m.mod.Funcs {
				if funcAddress(f.Name) == a[0] {
					callee = f
				}
			}
			a = slices.Clone(a[1:])
		}
		for i, p := range callee.Params {
			if p.Type == ssa.PtrParam { // the callee has its own copy
				copied := m.alloc(p.Size)
				for j := range uint64(p.Size) {
					m.memory[copied+j] = m.memory[a[i]+j]
				}
				a[i] = copied
			}
		}
		return m.call(callee, a)
	case op == ssa.OpNative:
		return native(v, a, m.approximate), nil
	case op.IsAsm():
		return m.inlinePTX(v, a), nil
	case op == ssa.OpAsmResult:
		return m.outputs[v.Args[0]][v.Int], nil
	case op == ssa.OpAlloca:
		return m.alloc(v.Int), nil
	case op == ssa.OpParam:
		return params[v.Int], nil
	case op.AccessesMemory():
		return m.access(v, a), nil
	case op.Effects() != 0:
		m.log(v, a)
		return 0, nil
	}
	return pure(v, a), nil
}

// funcAddress returns the address of a function, which is the same in all modules.
func funcAddress(name string) uint64 { return 1<<50 + uint64(len(name))<<8 + uint64(name[0]) }

// inlinePTX gives inline PTX results that depend on all that it has. One that accesses
// memory adds to a word.
func (m *machine) inlinePTX(v *ssa.Value, a []uint64) uint64 {
	asm, _ := v.Asm()
	if v.Op == ssa.OpAsmRead {
		return mask(ssa.I32, m.read(a[0], ssa.I32)+a[1])
	}
	if v.Op.Effects() != 0 {
		m.log(v, a)
	}
	if v.Op.Effects()&ssa.Writes != 0 {
		old := m.read(a[0], ssa.I32)
		m.write(a[0], ssa.I32, old+a[1])
		return old
	}
	sum := uint64(len(asm.Operands)) + uint64(asm.Template[0])
	for _, x := range a {
		sum = sum*31 + x
	}
	if m.outputs == nil {
		m.outputs = make(map[*ssa.Value][]uint64)
	}
	var out []uint64
	for i, t := range asm.Results() {
		out = append(out, mask(t, sum*uint64(2*i+1)+sum>>32))
	}
	m.outputs[v] = out
	return out[0]
}

func (m *machine) alloc(n int64) uint64 {
	at := m.frame
	m.frame += uint64(n+15) &^ 15
	return at
}

func (m *machine) access(v *ssa.Value, a []uint64) uint64 {
	if v.Mem.Volatile || v.Op.IsAtomic() {
		m.log(v, a[1:])
	}
	switch v.Op {
	case ssa.OpLoad:
		return m.read(a[0], v.Type)
	case ssa.OpStore:
		m.write(a[0], v.Args[1].Type, a[1])
		return 0
	}
	old := m.read(a[0], v.Type)
	switch v.Op {
	case ssa.OpAtomicAdd:
		m.write(a[0], v.Type, old+a[1])
	case ssa.OpAtomicCAS:
		if old == a[1] {
			m.write(a[0], v.Type, a[2])
		}
	default:
		m.write(a[0], v.Type, a[1])
	}
	return old
}

func pure(v *ssa.Value, a []uint64) uint64 {
	switch {
	case v.Op == ssa.OpConst:
		return uint64(v.Int)
	case v.Op == ssa.OpFConst:
		return fromFloat(v.Type, v.Float)
	case v.Op == ssa.OpUndef:
		return 0
	case v.Op == ssa.OpSpecial:
		return uint64(len(v.Sym.String()))
	case v.Op == ssa.OpGlobalAddr:
		return 1 << 30
	case v.Op == ssa.OpSelect:
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	case v.Op.IsIntBinary(), v.Op == ssa.OpPtrAdd, v.Op.IsIntCompare():
		return integerOp(v.Op, v.Args[0].Type, a[0], a[1])
	case v.Op.IsCompare():
		return compareFloats(v.Op, toFloat(v.Args[0].Type, a[0]), toFloat(v.Args[0].Type, a[1]))
	case v.Op.IsFloatArith():
		return floatOp(v, a)
	}
	return oneOp(v, a[0])
}

//irgl:flatswitch
func integerOp(op ssa.Op, t ssa.Type, x, y uint64) uint64 {
	n := uint64(t.Bits())
	sx, sy := signed(t, x), signed(t, y)
	switch op {
	case ssa.OpAdd, ssa.OpPtrAdd:
		return x + y
	case ssa.OpSub:
		return x - y
	case ssa.OpMul:
		return x * y
	case ssa.OpMulHiU, ssa.OpMulHiS:
		if n < 64 {
			if op == ssa.OpMulHiS {
				return uint64(sx * sy >> n)
			}
			return x * y >> n
		}
		hi, _ := bits.Mul64(x, y)
		if op == ssa.OpMulHiS {
			if sx < 0 {
				hi -= y
			}
			if sy < 0 {
				hi -= x
			}
		}
		return hi
	case ssa.OpUDiv, ssa.OpSDiv:
		switch {
		case y == 0:
			return math.MaxUint64
		case op == ssa.OpUDiv:
			return x / y
		case sy == -1:
			return -x
		}
		return uint64(sx / sy)
	case ssa.OpURem, ssa.OpSRem:
		switch {
		case y == 0:
			return x
		case op == ssa.OpURem:
			return x % y
		case sy == -1:
			return 0
		}
		return uint64(sx % sy)
	case ssa.OpAnd:
		return x & y
	case ssa.OpOr:
		return x | y
	case ssa.OpXor:
		return x ^ y
	case ssa.OpShl:
		return x << y // Go shifts out all bits, too
	case ssa.OpLShr:
		return x >> y
	case ssa.OpAShr:
		return uint64(sx >> y)
	case ssa.OpSMin, ssa.OpSMax:
		if (sx < sy) == (op == ssa.OpSMin) {
			return x
		}
		return y
	case ssa.OpUMin, ssa.OpUMax:
		if (x < y) == (op == ssa.OpUMin) {
			return x
		}
		return y
	case ssa.OpEq:
		return truth(x == y)
	case ssa.OpNe:
		return truth(x != y)
	case ssa.OpSLt:
		return truth(sx < sy)
	case ssa.OpSLe:
		return truth(sx <= sy)
	case ssa.OpSGt:
		return truth(sx > sy)
	case ssa.OpSGe:
		return truth(sx >= sy)
	case ssa.OpULt:
		return truth(x < y)
	case ssa.OpULe:
		return truth(x <= y)
	case ssa.OpUGt:
		return truth(x > y)
	case ssa.OpUGe:
		return truth(x >= y)
	}
	panic("no integer operation: " + op.String())
}

func compareFloats(op ssa.Op, x, y float64) uint64 {
	switch op {
	case ssa.OpFEq:
		return truth(x == y)
	case ssa.OpFNe:
		return truth(x != y)
	case ssa.OpFLt:
		return truth(x < y)
	case ssa.OpFLe:
		return truth(x <= y)
	case ssa.OpFGt:
		return truth(x > y)
	}
	return truth(x >= y)
}

func floatOp(v *ssa.Value, a []uint64) uint64 {
	t := v.Type
	x, y := toFloat(t, a[0]), 0.0
	if len(a) > 1 {
		y = toFloat(t, a[1])
	}
	f32 := t == ssa.F32
	var r float64
	switch v.Op {
	case ssa.OpFAdd:
		if r = x + y; f32 {
			r = float64(float32(x) + float32(y))
		}
	case ssa.OpFSub:
		if r = x - y; f32 {
			r = float64(float32(x) - float32(y))
		}
	case ssa.OpFMul:
		if r = x * y; f32 {
			r = float64(float32(x) * float32(y))
		}
	case ssa.OpFDiv:
		if r = x / y; f32 {
			r = float64(float32(x) / float32(y))
		}
	case ssa.OpFMin, ssa.OpFMax:
		switch {
		case x != x:
			r = y
		case y != y:
			r = x
		case v.Op == ssa.OpFMin:
			r = math.Min(x, y)
		default:
			r = math.Max(x, y)
		}
	case ssa.OpFNeg:
		r = -x
	case ssa.OpFAbs:
		r = math.Abs(x)
	case ssa.OpFSqrt:
		r = math.Sqrt(x)
	case ssa.OpFFloor:
		r = math.Floor(x)
	case ssa.OpFCeil:
		r = math.Ceil(x)
	case ssa.OpFTrunc:
		r = math.Trunc(x)
	case ssa.OpFRint:
		r = math.RoundToEven(x)
	default:
		panic("no float operation: " + v.Op.String())
	}
	return fromFloat(t, r)
}

func oneOp(v *ssa.Value, x uint64) uint64 {
	from, t := v.Args[0].Type, v.Type
	switch v.Op {
	case ssa.OpNeg:
		return -x
	case ssa.OpNot:
		return ^x
	case ssa.OpAbs:
		if signed(t, x) < 0 {
			return -x
		}
		return x
	case ssa.OpPopc, ssa.OpClz, ssa.OpBrev:
		var ones, zeros, reversed uint64
		for i := range from.Bits() {
			bit := x >> i & 1
			ones += bit
			reversed = reversed<<1 | bit
			if zeros++; bit == 1 {
				zeros = 0
			}
		}
		return map[ssa.Op]uint64{ssa.OpPopc: ones, ssa.OpClz: zeros, ssa.OpBrev: reversed}[v.Op]
	case ssa.OpTrunc, ssa.OpZExt, ssa.OpBitcast, ssa.OpPtrToInt, ssa.OpIntToPtr, ssa.OpSpaceCast:
		return x
	case ssa.OpSExt:
		return uint64(signed(from, x))
	case ssa.OpSToF:
		if t == ssa.F32 {
			return fromFloat(t, float64(float32(signed(from, x))))
		}
		return fromFloat(t, float64(signed(from, x)))
	case ssa.OpUToF:
		if t == ssa.F32 {
			return fromFloat(t, float64(float32(x)))
		}
		return fromFloat(t, float64(x))
	case ssa.OpFToS, ssa.OpFToU:
		f := math.Trunc(toFloat(from, x))
		lo, hi := -math.Ldexp(1, t.Bits()-1), math.Ldexp(1, t.Bits()-1)
		if v.Op == ssa.OpFToU {
			lo, hi = 0, 2*hi
		}
		switch {
		case f != f:
			return 0
		case f < lo:
			f = lo
		case f >= hi && v.Op == ssa.OpFToS:
			return 1<<(t.Bits()-1) - 1
		case f >= hi:
			return math.MaxUint64
		}
		if f < 0 {
			return uint64(int64(f))
		}
		return uint64(f)
	case ssa.OpFExt, ssa.OpFRound:
		return fromFloat(t, toFloat(from, x))
	}
	panic("no operation: " + v.Op.String())
}
