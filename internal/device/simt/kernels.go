package simt

import (
	"math"
	"math/bits"
	"strings"
	"sync"

	"irgl/internal/ptx"
)

// This file has the commonest instructions as loops over lanes. What they compute is what the functions of
// ops_int.go, ops_float.go and ops_cvt.go compute for one lane, which are the definition; here no call is made
// for each lane. The slices of one call have the same length.

// The functions of one, two and three operands, and of a comparison, which returns a bit for each lane.
type (
	unaryKernel   func(d, a []uint64)
	binaryKernel  func(d, a, b []uint64)
	ternaryKernel func(d, a, b, c []uint64)
	compareKernel func(a, b []uint64) uint32
)

// laneRange returns the lanes of m as a range; false if it has gaps.
func laneRange(m uint32) (lo, hi int32, ok bool) {
	lo = int32(lowest(m))
	s := m >> lo
	return lo, lo + int32(bits.Len32(s)), s&(s+1) == 0
}

// kernelName is the key of the tables: the opcode with its modifiers.
func kernelName(s *ptx.Inst) string { return s.Op + "." + strings.Join(s.Mods, ".") }

func runUnaryKernel(w *warp, in *inst, m uint32) {
	if lo, hi, ok := laneRange(m); ok {
		in.k1(w.regs[in.d+lo:in.d+hi], w.regs[in.a+lo:in.a+hi])
		return
	}
	runUnary(w, in, m)
}

func runBinaryKernel(w *warp, in *inst, m uint32) {
	if lo, hi, ok := laneRange(m); ok {
		in.k2(w.regs[in.d+lo:in.d+hi], w.regs[in.a+lo:in.a+hi], w.regs[in.b+lo:in.b+hi])
		return
	}
	runBinary(w, in, m)
}

func runTernaryKernel(w *warp, in *inst, m uint32) {
	if lo, hi, ok := laneRange(m); ok {
		in.k3(w.regs[in.d+lo:in.d+hi], w.regs[in.a+lo:in.a+hi], w.regs[in.b+lo:in.b+hi], w.regs[in.c+lo:in.c+hi])
		return
	}
	runTernary(w, in, m)
}

// runCompareKernel executes setp of one predicate. What it compares for lanes beside m has no effect.
func runCompareKernel(w *warp, in *inst, m uint32) {
	lo := int32(lowest(m))
	n := int32(bits.Len32(m))
	t := in.kc(w.regs[in.a+lo:in.a+n], w.regs[in.b+lo:in.b+n]) << lo
	if in.negated {
		t = ^t
	}
	w.regs[in.d] = uint64(uint32(w.regs[in.d])&^m | t&m)
}

// kernelTables are the kernels by the names of instructions; those of comparisons by names of their own.
type kernelTables struct {
	unary   map[string]unaryKernel
	binary  map[string]binaryKernel
	ternary map[string]ternaryKernel
	compare map[string]compareKernel
}

var kernelsOf = sync.OnceValue(func() *kernelTables {
	return &kernelTables{
		unary: map[string]unaryKernel{
			"cvt.u64.u32": zeroExtend32, "cvt.u32.u64": zeroExtend32, "cvt.s64.u32": zeroExtend32, "cvt.u32.u32": zeroExtend32,
			"cvt.s64.s32": signExtend32, "cvt.rn.f64.s32": toF64, "cvt.f64.f32": widenF32, "cvt.rn.f32.s32": toF32,
			"cvta.to.global.u64": same, "cvta.global.u64": same,
			"not.b32": not32, "not.b64": not64, "neg.s32": neg32, "neg.s64": neg64,
			"neg.f64": negF64, "abs.f64": absF64, "sqrt.rn.f32": sqrtF32, "sqrt.rn.f64": sqrtF64,
		},
		binary: map[string]binaryKernel{
			"add.u32": add32, "add.s32": add32, "add.u64": add64, "add.s64": add64,
			"sub.u32": sub32, "sub.s32": sub32, "sub.u64": sub64, "sub.s64": sub64,
			"mul.lo.u32": mul32, "mul.lo.s32": mul32, "mul.lo.u64": mul64, "mul.lo.s64": mul64,
			"mul.wide.u32": mulWide, "mul.wide.s32": mulWideSigned,
			"and.b32": and, "and.b64": and, "or.b32": or, "or.b64": or, "xor.b32": xor, "xor.b64": xor,
			"shl.b32": shl32, "shl.b64": shl64, "shr.u32": shr, "shr.b32": shr, "shr.u64": shr, "shr.b64": shr, "shr.s32": shrSigned32, "shr.s64": shrSigned64,
			"mul.hi.u32": mulHigh, "mul.hi.s32": mulHighSigned,
			"min.s32": min32, "max.s32": max32, "min.u32": minUnsigned, "max.u32": maxUnsigned,
			"add.f32": addF32, "add.rn.f32": addF32, "sub.f32": subF32, "sub.rn.f32": subF32, "mul.f32": mulF32, "mul.rn.f32": mulF32,
			"add.f64": addF64, "add.rn.f64": addF64, "mul.f64": mulF64, "mul.rn.f64": mulF64,
			"sub.f64": subF64, "sub.rn.f64": subF64, "div.rn.f32": divF32, "div.rn.f64": divF64,
		},
		ternary: map[string]ternaryKernel{
			"mad.lo.u32": mad32, "mad.lo.s32": mad32, "mad.lo.u64": mad64, "mad.lo.s64": mad64,
			"mad.wide.u32": madWide, "mad.wide.s32": madWideSigned, "fma.rn.f32": fmaF32, "fma.rn.f64": fmaF64,
		},
		compare: map[string]compareKernel{
			"less32": less32, "lessUnsigned32": lessUnsigned32, "less64": less64, "lessUnsigned64": lessUnsigned64,
			"equal32": equal32, "equal64": equal64, "lessF32": lessF32, "lessEqualF32": lessEqualF32, "equalF32": equalF32,
			"lessF64": lessF64, "lessEqualF64": lessEqualF64, "equalF64": equalF64,
		},
	}
})

// comparison returns the name of the kernel of a setp, whether its operands change places, and whether its result is
// negated; "" if there is none.
func comparison(m mods) (name string, swapped, negated bool) {
	op, t := m.list[0], m.t
	if len(m.list) != 2 {
		return "", false, false
	}
	less, equal := "lessUnsigned32", "equal32"
	switch t {
	case "u32", "b32":
	case "s32":
		less = "less32"
	case "u64", "b64":
		less, equal = "lessUnsigned64", "equal64"
	case "s64":
		less, equal = "less64", "equal64"
	case "f32", "f64":
		return comparisonOfFloats(op, strings.ToUpper(string(t)))
	default:
		return "", false, false
	}
	switch op {
	case "eq", "ne":
		return equal, false, op == "ne"
	case "lt", "lo":
		return less, false, false
	case "gt", "hi":
		return less, true, false
	case "ge", "hs":
		return less, false, true
	case "le", "ls":
		return less, true, true
	}
	return "", false, false
}

// comparisonOfFloats is comparison for F32 or F64: with NaN no ordered comparison holds, and every unordered one.
func comparisonOfFloats(op, t string) (name string, swapped, negated bool) {
	switch op {
	case "eq", "neu":
		return "equal" + t, false, op == "neu"
	case "lt", "geu":
		return "less" + t, false, op == "geu"
	case "gt", "leu":
		return "less" + t, true, op == "leu"
	case "le", "gtu":
		return "lessEqual" + t, false, op == "gtu"
	case "ge", "ltu":
		return "lessEqual" + t, true, op == "ltu"
	}
	return "", false, false
}

func same(d, a []uint64) { copy(d, a) }

func zeroExtend32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i]))
	}
}

func signExtend32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = uint64(int32(a[i]))
	}
}

func not32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(^a[i]))
	}
}

func not64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = ^a[i]
	}
}

func neg32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(-a[i]))
	}
}

func neg64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = -a[i]
	}
}

func toF64(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(float64(int32(a[i])))
	}
}

func toF32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = uint64(math.Float32bits(float32(int32(a[i]))))
	}
}

func widenF32(d, a []uint64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = math.Float64bits(float64(f32of(a[i])))
	}
}

func add32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i] + b[i]))
	}
}

func add64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i] - b[i]))
	}
}

func sub64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mul32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i]) * uint32(b[i]))
	}
}

func mul64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func mulWide(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i])) * uint64(uint32(b[i]))
	}
}

func mulWideSigned(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
	}
}

func and(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func shl32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i] << b[i]))
	}
}

func shl64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shr(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func shrSigned32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(int32(a[i]) >> b[i]))
	}
}

func shrSigned64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(int64(a[i]) >> b[i])
	}
}

func mulHigh(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i])) * uint64(uint32(b[i])) >> 32
	}
}

func mulHighSigned(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(int64(int32(a[i]))*int64(int32(b[i]))) >> 32
	}
}

func min32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(min(int32(a[i]), int32(b[i]))))
	}
}

func max32(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(max(int32(a[i]), int32(b[i]))))
	}
}

func minUnsigned(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func maxUnsigned(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

func mad32(d, a, b, c []uint64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i])*uint32(b[i]) + uint32(c[i]))
	}
}

func mad64(d, a, b, c []uint64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func madWide(d, a, b, c []uint64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = uint64(uint32(a[i]))*uint64(uint32(b[i])) + c[i]
	}
}

func madWideSigned(d, a, b, c []uint64) {
	a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
	for i := range d {
		d[i] = uint64(int64(int32(a[i]))*int64(int32(b[i]))) + c[i]
	}
}

func less32(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(int32(a[i]) < int32(b[i])) << i
	}
	return t
}

func lessUnsigned32(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(uint32(a[i]) < uint32(b[i])) << i
	}
	return t
}

func less64(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(int64(a[i]) < int64(b[i])) << i
	}
	return t
}

func lessUnsigned64(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(a[i] < b[i]) << i
	}
	return t
}

func equal32(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(uint32(a[i]) == uint32(b[i])) << i
	}
	return t
}

func equal64(a, b []uint64) (t uint32) {
	b = b[:len(a)]
	for i := range a {
		t |= bit(a[i] == b[i]) << i
	}
	return t
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
