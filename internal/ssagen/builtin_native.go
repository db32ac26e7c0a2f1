package ssagen

import (
	"math"
	"strings"

	"irgl/internal/check"
	"irgl/internal/ssa"
)

// Intrinsics that are one device instruction or a few: directed rounding, fast
// approximations, and bit operations.

// native emits an instruction of the device.
func (g *fb) native(sym string, args ...*ssa.Value) *ssa.Value {
	v := g.emit(ssa.OpNative, ssa.Natives()[sym].Result, args...)
	v.Sym = ssa.Instruction(sym)
	return v
}

// nativeOf returns the emitter of one instruction on the arguments unchanged.
func nativeOf(sym string) func(*bcall) *ssa.Value {
	return func(c *bcall) *ssa.Value { return c.native(sym, c.args...) }
}

// roundings maps the suffixes of CUDA's names to PTX's rounding modes.
var roundings = map[string]string{"_rn": "rn", "_rz": "rz", "_ru": "rp", "_rd": "rm"}

func (t table) directed() {
	for end, mode := range roundings {
		for name, op := range map[string]string{"add": "add", "sub": "sub", "mul": "mul", "div": "div", "sqrt": "sqrt", "rcp": "rcp"} {
			t.add("__f"+name+end, nativeOf(op+"."+mode+".f32"))
			t.add("__d"+name+end, nativeOf(op+"."+mode+".f64"))
		}
		t.add("__fmaf"+end, nativeOf("fma."+mode+".f32"))
		t.add("__fma"+end, nativeOf("fma."+mode+".f64"))
		t.add("__double2float"+end, nativeOf("cvt."+mode+".f32.f64"))
		for f, ft := range map[string]string{"float": ".f32", "double": ".f64"} {
			for i, it := range map[string]string{"int": ".s32", "uint": ".u32", "ll": ".s64", "ull": ".u64"} {
				t.add("__"+f+"2"+i+end, nativeOf("cvt."+mode+"i"+it+ft))
				if f == "double" && (i == "int" || i == "uint") && end != "_rn" {
					continue // 32-bit integers are exact in a double
				}
				t.add("__"+i+"2"+f+end, nativeOf("cvt."+mode+ft+it))
			}
		}
	}
	t.add("__double2hiint", func(c *bcall) *ssa.Value { return c.highWord(c.args[0]) })
	t.add("__double2loint", func(c *bcall) *ssa.Value {
		return c.emit(ssa.OpTrunc, ssa.I32, c.emit(ssa.OpBitcast, ssa.I64, c.args[0]))
	})
	t.add("__hiloint2double", func(c *bcall) *ssa.Value {
		high := c.emit(ssa.OpShl, ssa.I64, c.emit(ssa.OpZExt, ssa.I64, c.args[0]), c.intConst(ssa.I32, 32))
		return c.emit(ssa.OpBitcast, ssa.F64, c.emit(ssa.OpOr, ssa.I64, high, c.emit(ssa.OpZExt, ssa.I64, c.args[1])))
	})
}

// The fast intrinsics. Those without an instruction are composed as CUDA
// documents: __expf(x) is 2^(x*log2(e)), __powf(x, y) is 2^(y*log2(x)), and a
// logarithm to another base is a multiple of log2.
func (t table) fast() {
	scaled := func(sym string, before, after float64) func(*bcall) *ssa.Value {
		return func(c *bcall) *ssa.Value {
			v := c.args[0]
			if before != 1 {
				v = c.emit(ssa.OpFMul, ssa.F32, v, c.floatConst(ssa.F32, before))
			}
			v = c.native(sym, v)
			if after != 1 {
				v = c.emit(ssa.OpFMul, ssa.F32, v, c.floatConst(ssa.F32, after))
			}
			return v
		}
	}
	t.add("__expf", scaled("ex2.approx.f32", math.Log2E, 1))
	t.add("__exp10f", scaled("ex2.approx.f32", math.Ln10*math.Log2E, 1))
	t.add("__log2f", nativeOf("lg2.approx.f32"))
	t.add("__logf", scaled("lg2.approx.f32", 1, math.Ln2))
	t.add("__log10f", scaled("lg2.approx.f32", 1, math.Ln2/math.Ln10))
	t.add("__sinf", nativeOf("sin.approx.f32"))
	t.add("__cosf", nativeOf("cos.approx.f32"))
	t.add("__tanf", func(c *bcall) *ssa.Value {
		return c.native("div.approx.f32", c.native("sin.approx.f32", c.args[0]), c.native("cos.approx.f32", c.args[0]))
	})
	t.add("__sincosf", func(c *bcall) *ssa.Value {
		for i, sym := range []string{"sin.approx.f32", "cos.approx.f32"} {
			s := c.emit(ssa.OpStore, ssa.Void, c.args[i+1], c.native(sym, c.args[0]))
			s.Mem.Align = 4
		}
		return nil
	})
	t.add("__powf", func(c *bcall) *ssa.Value {
		y := c.emit(ssa.OpFMul, ssa.F32, c.args[1], c.native("lg2.approx.f32", c.args[0]))
		return c.native("ex2.approx.f32", y)
	})
	for name, op := range map[string]string{"__irgl_ex2": "ex2.approx.ftz.f32", "__irgl_lg2": "lg2.approx.ftz.f32", "__irgl_rcp": "rcp.approx.ftz.f32", "__irgl_rcp64": "rcp.approx.ftz.f64"} {
		t.add(name, func(c *bcall) *ssa.Value {
			if !c.isLibrary {
				return c.unavailable(c.e, c.name, c.typ)
			}
			return c.native(op, c.args[0])
		})
	}
	t.add("__fdividef", nativeOf("div.approx.f32"))
	t.add("__saturatef", nativeOf("cvt.sat.f32.f32"))
	t.add("copysign copysignf", func(c *bcall) *ssa.Value { // PTX takes the sign first
		return c.native("copysign."+c.typ.String(), c.args[1], c.args[0])
	})
	t.add("nearbyint nearbyintf", op1(ssa.OpFRint))
	for _, name := range []string{"lrint", "llrint"} {
		emit := func(c *bcall) *ssa.Value { return c.native("cvt.rni.s64."+c.args[0].Type.String(), c.args[0]) }
		t.add(name+" "+name+"f", emit)
	}
	t.add("lround lroundf llround llroundf", func(c *bcall) *ssa.Value {
		return c.native("cvt.rzi.s64."+c.args[0].Type.String(), c.halfAway(c.args[0]))
	})
}

// fastName returns the name of the intrinsic that nvcc's -use_fast_math takes for a function, or
// the function's own.
func fastName(name string, sig *check.Func) string {
	if len(sig.Params) == 0 || sig.Params[0] != check.Float || len(sig.Params) == 2 && sig.Params[1] != check.Float {
		return name
	}
	switch f := strings.TrimSuffix(name, "f"); f {
	case "sin", "cos", "tan", "sincos", "exp", "exp10", "log", "log2", "log10", "pow":
		return "__" + f + "f"
	}
	return name
}

// Bits.
func (t table) moreBits() {
	t.add("__byte_perm", func(c *bcall) *ssa.Value {
		return c.native("prmt.b32", c.args...)
	})
	// CUDA's arguments are the low word, the high word and the count.
	for name, sym := range map[string]string{
		"__funnelshift_l": "shf.l.wrap.b32", "__funnelshift_lc": "shf.l.clamp.b32",
		"__funnelshift_r": "shf.r.wrap.b32", "__funnelshift_rc": "shf.r.clamp.b32",
	} {
		t.add(name, nativeOf(sym))
	}
	t.add("__sad", nativeOf("sad.s32"))
	t.add("__usad", nativeOf("sad.u32"))
	t.add("__fns", nativeOf("fns.b32"))
	t.add("__dp4a", func(c *bcall) *ssa.Value {
		if c.unsignedArg(0) {
			return c.native("dp4a.u32.u32", c.args...)
		}
		return c.native("dp4a.s32.s32", c.args...)
	})
	t.add("__hadd __uhadd __rhadd __urhadd", (*bcall).average)
	t.add("signbit", func(c *bcall) *ssa.Value {
		bits := c.asBits(c.args[0])
		return c.resize(c.emit(ssa.OpSLt, ssa.I1, bits, c.intConst(bits.Type, 0)), ssa.I32, true)
	})
	t.add("isfinite", func(c *bcall) *ssa.Value {
		a := c.emit(ssa.OpFAbs, c.args[0].Type, c.args[0])
		return c.resize(c.emit(ssa.OpFLt, ssa.I1, a, c.floatConst(a.Type, math.Inf(1))), ssa.I32, true)
	})
	t.add("isnormal", func(c *bcall) *ssa.Value {
		least := 0x1p-126
		a := c.emit(ssa.OpFAbs, c.args[0].Type, c.args[0])
		if a.Type == ssa.F64 {
			least = 0x1p-1022
		}
		finite := c.emit(ssa.OpFLt, ssa.I1, a, c.floatConst(a.Type, math.Inf(1)))
		large := c.emit(ssa.OpFGe, ssa.I1, a, c.floatConst(a.Type, least))
		return c.resize(c.emit(ssa.OpAnd, ssa.I1, finite, large), ssa.I32, true)
	})
}

// highWord returns the upper half of a double's bits.
func (c *bcall) highWord(v *ssa.Value) *ssa.Value {
	bits := c.emit(ssa.OpBitcast, ssa.I64, v)
	return c.emit(ssa.OpTrunc, ssa.I32, c.emit(ssa.OpLShr, ssa.I64, bits, c.intConst(ssa.I32, 32)))
}

// average returns (a+b)/2 without overflow, rounded down or, for the names
// with an r, up: the common bits, and half of the differing ones.
func (c *bcall) average() *ssa.Value {
	a, b := c.args[0], c.args[1]
	shared, shift, last := ssa.OpAnd, ssa.OpAShr, ssa.OpAdd
	if strings.Contains(c.name, "rh") {
		shared, last = ssa.OpOr, ssa.OpSub
	}
	if c.unsignedArg(0) {
		shift = ssa.OpLShr
	}
	half := c.emit(shift, ssa.I32, c.emit(ssa.OpXor, ssa.I32, a, b), c.intConst(ssa.I32, 1))
	return c.emit(last, ssa.I32, c.emit(shared, ssa.I32, a, b), half)
}
