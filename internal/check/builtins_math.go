package check

import "strings"

// mathLibrary adds the rest of <math.h> and of CUDA's device functions. What
// every engine computes is part of IrGL too; the others exist in .cu files.
func (t *tableMaker) mathLibrary() {
	t.pair("expm1 log1p asin acos atan sinh cosh tanh asinh acosh atanh erf erfc cbrt", "R(R)")
	t.pair("atan2 hypot copysign remainder", "R(R,R)")
	t.cudaOnly = true
	t.pair("exp10 sinpi cospi rcbrt tgamma lgamma logb nearbyint", "R(R)")
	t.pair("fdim nextafter rhypot", "R(R,R)")
	t.pair("ldexp scalbn", "R(R,i)")
	t.pair("scalbln", "R(R,l)")
	t.pair("frexp", "R(R,*i)")
	t.pair("modf", "R(R,*R)")
	t.pair("remquo", "R(R,R,*i)")
	t.pair("sincos sincospi", "v(R,*R,*R)")
	t.pair("ilogb", "i(R)")
	t.pair("lround lrint", "l(R)")
	t.pair("llround llrint", "L(R)")
	t.fn("isfinite signbit isnormal", onBoth, MathCall, "i(f)", "i(d)")
}

// fastAndDirected adds the intrinsics of CUDA's device code that IrGL has not.
func (t *tableMaker) fastAndDirected() {
	t.cudaOnly = true
	t.fast()
	t.directed()
	t.moreIntegers()
	t.libraryOnly()
}

// libraryOnly adds instructions that CUDA has no name for and the device
// library uses; ssagen refuses them in programs.
func (t *tableMaker) libraryOnly() {
	t.fn("__irgl_ex2 __irgl_lg2 __irgl_rcp", onDevice, PlainCall, "f(f)")
}

// pair adds functions of float and double, R in the signature, and their forms
// of float alone, which have an f behind the name.
func (t *tableMaker) pair(names, sig string) {
	float, double := strings.ReplaceAll(sig, "R", "f"), strings.ReplaceAll(sig, "R", "d")
	for name := range strings.FieldsSeq(names) {
		t.fn(name, onBoth, MathCall, float, double)
		t.fn(name+"f", onBoth, PlainCall, float)
	}
}

// fast adds the intrinsics that trade precision for speed.
func (t *tableMaker) fast() {
	t.fn("__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf __saturatef", onDevice, PlainCall, "f(f)")
	t.fn("__powf __fdividef", onDevice, PlainCall, "f(f,f)")
	t.fn("__sincosf", onDevice, PlainCall, "v(f,*f,*f)")
}

// directed adds arithmetic and conversions with a rounding mode in the name:
// to nearest, toward zero, up and down.
func (t *tableMaker) directed() {
	for r := range strings.FieldsSeq("_rn _rz _ru _rd") {
		t.fn("__fadd"+r+" __fsub"+r+" __fmul"+r+" __fdiv"+r, onDevice, PlainCall, "f(f,f)")
		t.fn("__dadd"+r+" __dsub"+r+" __dmul"+r+" __ddiv"+r, onDevice, PlainCall, "d(d,d)")
		t.fn("__fmaf"+r, onDevice, PlainCall, "f(f,f,f)")
		t.fn("__fma"+r, onDevice, PlainCall, "d(d,d,d)")
		t.fn("__fsqrt"+r+" __frcp"+r, onDevice, PlainCall, "f(f)")
		t.fn("__dsqrt"+r+" __drcp"+r, onDevice, PlainCall, "d(d)")
		for _, i := range []struct{ name, sig string }{{"int", "i"}, {"uint", "u"}, {"ll", "L"}, {"ull", "U"}} {
			t.fn("__float2"+i.name+r, onDevice, PlainCall, i.sig+"(f)")
			t.fn("__double2"+i.name+r, onDevice, PlainCall, i.sig+"(d)")
			t.fn("__"+i.name+"2float"+r, onDevice, PlainCall, "f("+i.sig+")")
			if i.name == "ll" || i.name == "ull" { // 32 bits always fit a double
				t.fn("__"+i.name+"2double"+r, onDevice, PlainCall, "d("+i.sig+")")
			}
		}
		t.fn("__double2float"+r, onDevice, PlainCall, "f(d)")
	}
	t.fn("__int2double_rn", onDevice, PlainCall, "d(i)")
	t.fn("__uint2double_rn", onDevice, PlainCall, "d(u)")
	t.fn("__frsqrt_rn", onDevice, PlainCall, "f(f)")
	t.fn("__double2hiint __double2loint", onDevice, PlainCall, "i(d)")
	t.fn("__hiloint2double", onDevice, PlainCall, "d(i,i)")
}

// moreIntegers adds the integer intrinsics that no CPU engine has.
func (t *tableMaker) moreIntegers() {
	t.fn("__funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc", onDevice, PlainCall, "u(u,u,u)")
	t.fn("__sad", onDevice, PlainCall, "u(i,i,u)")
	t.fn("__usad", onDevice, PlainCall, "u(u,u,u)")
	t.fn("__hadd __rhadd", onDevice, PlainCall, "i(i,i)")
	t.fn("__uhadd __urhadd", onDevice, PlainCall, "u(u,u)")
	t.fn("__fns", onDevice, PlainCall, "u(u,u,i)")
	t.fn("__dp4a", onDevice, MinMaxCall, "i(i,i,i)", "u(u,u,u)")
}
