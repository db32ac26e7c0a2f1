package ssa

import "sync"

// A Native is the signature of an instruction that [OpNative] may name.
type Native struct {
	Result Type
	Args   []Type
}

// Natives returns the instructions that [OpNative] may name: arithmetic and
// conversions with a rounding of their own, the approximations that CUDA's
// fast intrinsics promise, and bit operations for which the IR has no word.
// The map is shared and must not be changed.
//
// They are here, and not operations each, because no pass gains from knowing
// them: equal ones are merged, unused ones dropped, and that is all.
var Natives = sync.OnceValue(func() map[string]Native {
	n := map[string]Native{}
	floats := []struct {
		name string
		typ  Type
	}{{"f32", F32}, {"f64", F64}}
	ints := []struct {
		name string
		typ  Type
	}{{"s32", I32}, {"u32", I32}, {"s64", I64}, {"u64", I64}}
	for _, f := range floats {
		t := f.typ
		for _, r := range []string{"rn", "rz", "rm", "rp"} {
			for _, op := range []string{"add", "sub", "mul", "div"} {
				n[op+"."+r+"."+f.name] = Native{t, []Type{t, t}}
			}
			n["fma."+r+"."+f.name] = Native{t, []Type{t, t, t}}
			for _, op := range []string{"sqrt", "rcp"} {
				n[op+"."+r+"."+f.name] = Native{t, []Type{t}}
			}
			for _, i := range ints {
				n["cvt."+r+"i."+i.name+"."+f.name] = Native{i.typ, []Type{t}}
				n["cvt."+r+"."+f.name+"."+i.name] = Native{t, []Type{i.typ}}
			}
			n["cvt."+r+".f32.f64"] = Native{F32, []Type{F64}}
		}
		n["copysign."+f.name] = Native{t, []Type{t, t}}
	}
	for _, op := range []string{"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt"} {
		n[op+".approx.f32"] = Native{F32, []Type{F32}}
		n[op+".approx.ftz.f32"] = Native{F32, []Type{F32}}
	}
	n["tanh.approx.f32"] = Native{F32, []Type{F32}}
	n["rcp.approx.ftz.f64"] = Native{F64, []Type{F64}}
	n["rsqrt.approx.f64"] = Native{F64, []Type{F64}}
	n["div.approx.f32"] = Native{F32, []Type{F32, F32}}
	n["cvt.sat.f32.f32"] = Native{F32, []Type{F32}}
	three := Native{I32, []Type{I32, I32, I32}}
	for _, s := range []string{
		"prmt.b32", "shf.l.wrap.b32", "shf.l.clamp.b32", "shf.r.wrap.b32", "shf.r.clamp.b32", "sad.s32", "sad.u32",
		"dp4a.s32.s32", "dp4a.u32.u32", "dp2a.lo.s32.s32", "dp2a.lo.u32.u32", "dp2a.hi.s32.s32", "dp2a.hi.u32.u32", "fns.b32",
	} {
		n[s] = three
	}
	return n
})
