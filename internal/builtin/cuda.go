package builtin

import "strings"

// The types of elements and of vectors that one instruction loads or stores.
const (
	hintScalars = "c a h s t i u l m L U f d"
	hintVectors = "char2 char4 uchar2 uchar4 short2 short4 ushort2 ushort4 int2 int4 uint2 uint4 longlong2 ulonglong2 float2 float4 double2"
)

// hinted returns a form for each type that an access with a cache hint may have: the
// form with "T" for the type.
func hinted(form string) (forms []string) {
	for t := range strings.FieldsSeq(hintScalars) {
		forms = append(forms, strings.ReplaceAll(form, "T", t))
	}
	return append(forms, hintedVectors(form)...)
}

func hintedVectors(form string) (forms []string) {
	for t := range strings.FieldsSeq(hintVectors) {
		forms = append(forms, strings.ReplaceAll(form, "T", "{"+t+"}"))
	}
	return forms
}

// withoutMask returns the forms of a warp function without the mask, its first argument.
func withoutMask(forms []string) (old []string) {
	for _, f := range forms {
		old = append(old, strings.Replace(f, "(u,", "(", 1))
	}
	return old
}

// scopes end the names of atomics whose scope is not the device.
const scopes = "_block _system"

// cudaDevice are device functions of .cu files that IrGL has no equivalent of: atomics
// with a scope, cache hints, address spaces, and what newer and older versions of CUDA have.
var cudaDevice = [...]group{
	{names: "atomicAdd atomicExch", ends: scopes, Row: Row{Rule: AtomicCall, Device: true, CUDAOnly: true, Effects: Atomic, Engines: DeviceGen,
		Forms: []string{"i(*i,i)", "u(*u,u)", "U(*U,U)", "L(*L,L)", "l(*l,l)", "m(*m,m)", "f(*f,f)", "d(*d,d)"}}},
	{names: "atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor", ends: scopes, Row: Row{Rule: AtomicCall, Forms: integers, Device: true, CUDAOnly: true, Effects: Atomic, Engines: DeviceGen}},
	{names: "atomicInc atomicDec", ends: scopes, Row: Row{Rule: AtomicCall, Forms: []string{"u(*u,u)"}, Device: true, CUDAOnly: true, Effects: Atomic, Engines: DeviceGen}},
	{names: "atomicCAS", ends: scopes, Row: Row{Rule: AtomicCall, Device: true, CUDAOnly: true, Effects: Atomic, Engines: DeviceGen,
		Forms: []string{"i(*i,i,i)", "u(*u,u,u)", "U(*U,U,U)", "L(*L,L,L)", "l(*l,l,l)", "m(*m,m,m)", "t(*t,t,t)"}}},

	{names: "__ldca __ldcg __ldcs __ldlu __ldcv", forms: func(r *Row) { r.Forms = hinted("T(#T)") }, Row: Row{Rule: MinMaxCall, Device: true, CUDAOnly: true, Effects: Reads, Engines: DeviceGen}},
	{names: "__stwb __stcg __stcs __stwt", forms: func(r *Row) { r.Forms = hinted("v(*T,T)") }, Row: Row{Rule: MinMaxCall, Device: true, CUDAOnly: true, Effects: Writes, Engines: DeviceGen}},

	{names: "__isGlobal __isShared __isConstant __isLocal", Row: Row{Forms: []string{"u(#v)"}, Device: true, CUDAOnly: true, Effects: PerThread, Engines: DeviceGen}},
	{names: "__cvta_generic_to_global __cvta_generic_to_shared __cvta_generic_to_constant __cvta_generic_to_local",
		Row: Row{Forms: []string{"m(#v)"}, Device: true, CUDAOnly: true, Effects: PerThread, Engines: DeviceGen}},
	{names: "__cvta_global_to_generic __cvta_shared_to_generic __cvta_constant_to_generic __cvta_local_to_generic",
		Row: Row{Forms: []string{"*v(m)"}, Device: true, CUDAOnly: true, Effects: PerThread, Engines: DeviceGen}},

	{names: "__match_all_sync", Row: Row{Rule: MinMaxCall, Forms: []string{"u(u,i,*i)", "u(u,u,*i)", "u(u,l,*i)", "u(u,m,*i)", "u(u,L,*i)", "u(u,U,*i)", "u(u,f,*i)", "u(u,d,*i)"},
		Device: true, CUDAOnly: true, Effects: Barrier | PerThread | Writes, Engines: DeviceGen}},
	{names: "__reduce_add_sync __reduce_min_sync __reduce_max_sync", Row: Row{Rule: MinMaxCall, Forms: []string{"i(u,i)", "u(u,u)"}, Device: true, CUDAOnly: true, Effects: Barrier | PerThread, Engines: DeviceGen}},
	{names: "__reduce_and_sync __reduce_or_sync __reduce_xor_sync", Row: Row{Forms: []string{"u(u,u)"}, Device: true, CUDAOnly: true, Effects: Barrier | PerThread, Engines: DeviceGen}},

	{names: "__shfl __shfl_xor", forms: func(r *Row) { r.Forms = withoutMask(shuffles) }, Row: Row{Rule: MinMaxCall, Device: true, CUDAOnly: true, Effects: Barrier | PerThread, Engines: DeviceGen, Outdated: true}},
	{names: "__shfl_up __shfl_down", forms: func(r *Row) { r.Forms = withoutMask(directedShuffles) }, Row: Row{Rule: MinMaxCall, Device: true, CUDAOnly: true, Effects: Barrier | PerThread, Engines: DeviceGen, Outdated: true}},
	{names: "__ballot", Row: Row{Forms: []string{"u(i)"}, Device: true, CUDAOnly: true, Effects: Barrier | PerThread, Engines: DeviceGen, Outdated: true}},
	{names: "__any __all", Row: Row{Forms: []string{"i(i)"}, Device: true, CUDAOnly: true, Effects: Barrier | PerThread, Engines: DeviceGen, Outdated: true}},

	{names: "__dp2a_lo __dp2a_hi", Row: Row{Rule: MinMaxCall, Forms: []string{"i(i,i,i)", "u(u,u,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "umin umax", Row: Row{Forms: []string{"u(u,u)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "llmin llmax", Row: Row{Forms: []string{"L(L,L)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "ullmin ullmax", Row: Row{Forms: []string{"U(U,U)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "__prof_trigger", Row: Row{Forms: []string{"v(i)"}, Device: true, CUDAOnly: true, Effects: PerThread, Engines: DeviceGen}},
	{names: "__globaltimer", Row: Row{Forms: []string{"U()"}, Device: true, CUDAOnly: true, Effects: PerThread, Engines: DeviceGen}},
	{names: "__brkpt", Row: Row{Forms: []string{"v()"}, Device: true, CUDAOnly: true, Effects: MayExit, Engines: DeviceGen}},
	{names: "__assume __builtin_assume", Row: Row{Forms: []string{"v(b)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__builtin_expect", Row: Row{Forms: []string{"l(l,l)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__builtin_unreachable", Row: Row{Forms: []string{"v()"}, Device: true, CUDAOnly: true, Effects: NoReturn, Engines: DeviceGen}},
	{names: "__builtin_assume_aligned", Row: Row{Forms: []string{"*v(#v,m)", "*v(#v,m,m)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},

	{names: "__vadd2 __vadd4 __vsub2 __vsub4 __vaddss2 __vaddss4 __vaddus2 __vaddus4 __vsubss2 __vsubss4 __vsubus2 __vsubus4 " +
		"__vavgs2 __vavgs4 __vavgu2 __vavgu4 __vhaddu2 __vhaddu4 __vmaxs2 __vmaxs4 __vmaxu2 __vmaxu4 __vmins2 __vmins4 __vminu2 __vminu4 " +
		"__vabsdiffs2 __vabsdiffs4 __vabsdiffu2 __vabsdiffu4 __vsads2 __vsads4 __vsadu2 __vsadu4 " +
		"__vcmpeq2 __vcmpeq4 __vcmpne2 __vcmpne4 __vcmpges2 __vcmpges4 __vcmpgeu2 __vcmpgeu4 __vcmpgts2 __vcmpgts4 __vcmpgtu2 __vcmpgtu4 " +
		"__vcmples2 __vcmples4 __vcmpleu2 __vcmpleu4 __vcmplts2 __vcmplts4 __vcmpltu2 __vcmpltu4 " +
		"__vseteq2 __vseteq4 __vsetne2 __vsetne4 __vsetges2 __vsetges4 __vsetgeu2 __vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 __vsetgtu4 " +
		"__vsetles2 __vsetles4 __vsetleu2 __vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4",
		Row: Row{Forms: []string{"u(u,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__vabs2 __vabs4 __vabsss2 __vabsss4 __vneg2 __vneg4 __vnegss2 __vnegss4", Row: Row{Forms: []string{"u(u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
}
