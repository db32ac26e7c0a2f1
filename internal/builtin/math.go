package builtin

// The forms that groups share.
var (
	real1 = []string{"f(f)", "d(d)"}
	real2 = []string{"f(f,f)", "d(d,d)"}
	real3 = []string{"f(f,f,f)", "d(d,d,d)"}

	float1 = []string{"f(f)"}
	float2 = []string{"f(f,f)"}
	float3 = []string{"f(f,f,f)"}

	integers = []string{"i(*i,i)", "u(*u,u)", "U(*U,U)", "L(*L,L)", "l(*l,l)", "m(*m,m)"}
)

const deviceOnly = "it exists in device code only"

// numeric are the functions of numbers that every engine has. IEEE 754 defines
// the exact ones to the last bit.
var numeric = [...]group{
	{names: "sqrt floor ceil trunc round rint fabs", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Host: true, Device: true, Engines: everywhere}},
	{names: "fmin fmax fmod copysign remainder", ends: " f", float: float2,
		Row: Row{Rule: MathCall, Forms: real2, Host: true, Device: true, Engines: everywhere}},
	{names: "fma", ends: " f", float: float3,
		Row: Row{Rule: MathCall, Forms: real3, Host: true, Device: true, Engines: everywhere}},
	{names: "rsqrt exp exp2 log log2 log10 sin cos tan expm1 log1p asin acos atan sinh cosh tanh asinh acosh atanh erf erfc cbrt", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Host: true, Device: true, Inexact: true, Engines: everywhere}},
	{names: "pow atan2 hypot", ends: " f", float: float2,
		Row: Row{Rule: MathCall, Forms: real2, Host: true, Device: true, Inexact: true, Engines: everywhere}},
	{names: "isnan isinf", Row: Row{Rule: MathCall, Forms: []string{"i(f)", "i(d)"}, Host: true, Device: true, Engines: everywhere}},
	{names: "min max", Row: Row{Rule: MinMaxCall, Forms: []string{"i(i,i)", "u(u,u)", "l(l,l)", "m(m,m)", "L(L,L)", "U(U,U)", "f(f,f)", "d(d,d)"}, Host: true, Device: true, Engines: everywhere}},
	{names: "abs", Row: Row{Rule: MinMaxCall, Forms: []string{"i(i)", "l(l)", "L(L)", "f(f)", "d(d)"}, Host: true, Device: true, Engines: everywhere}},
	{names: "labs", Row: Row{Forms: []string{"l(l)"}, Host: true, Device: true, Engines: everywhere}},
	{names: "llabs", Row: Row{Forms: []string{"L(L)"}, Host: true, Device: true, Engines: everywhere}},

	// nvcc has these in device code only.
	{names: "__popc", Row: Row{Forms: []string{"i(u)"}, Host: true, Device: true, Engines: kernels, HostForm: "irgl_popc", Instead: deviceOnly}},
	{names: "__popcll", Row: Row{Forms: []string{"i(U)"}, Host: true, Device: true, Engines: kernels, HostForm: "irgl_popcll", Instead: deviceOnly}},
	{names: "__clz", Row: Row{Forms: []string{"i(i)"}, Host: true, Device: true, Engines: kernels, HostForm: "irgl_clz", Instead: deviceOnly}},
	{names: "__clzll", Row: Row{Forms: []string{"i(L)"}, Host: true, Device: true, Engines: kernels, HostForm: "irgl_clzll", Instead: deviceOnly}},
	{names: "__ffs", Row: Row{Forms: []string{"i(i)"}, Host: true, Device: true, Engines: kernels, HostForm: "irgl_ffs", Instead: deviceOnly}},
	{names: "__ffsll", Row: Row{Forms: []string{"i(L)"}, Host: true, Device: true, Engines: kernels, HostForm: "irgl_ffsll", Instead: deviceOnly}},
	{names: "__brev", Row: Row{Forms: []string{"u(u)"}, Device: true, Engines: kernels}},
	{names: "__brevll", Row: Row{Forms: []string{"U(U)"}, Device: true, Engines: kernels}},
	{names: "__byte_perm", Row: Row{Forms: []string{"u(u,u,u)"}, Device: true, Engines: kernels}},
	{names: "__mulhi __mul24", Row: Row{Forms: []string{"i(i,i)"}, Device: true, Engines: kernels}},
	{names: "__umulhi __umul24", Row: Row{Forms: []string{"u(u,u)"}, Device: true, Engines: kernels}},
	{names: "__mul64hi", Row: Row{Forms: []string{"L(L,L)"}, Device: true, Engines: kernels}},
	{names: "__umul64hi", Row: Row{Forms: []string{"U(U,U)"}, Device: true, Engines: kernels}},
	{names: "__float_as_int", Row: Row{Forms: []string{"i(f)"}, Device: true, Engines: kernels}},
	{names: "__int_as_float", Row: Row{Forms: []string{"f(i)"}, Device: true, Engines: kernels}},
	{names: "__float_as_uint", Row: Row{Forms: []string{"u(f)"}, Device: true, Engines: kernels}},
	{names: "__uint_as_float", Row: Row{Forms: []string{"f(u)"}, Device: true, Engines: kernels}},
	{names: "__double_as_longlong", Row: Row{Forms: []string{"L(d)"}, Device: true, Engines: kernels}},
	{names: "__longlong_as_double", Row: Row{Forms: []string{"d(L)"}, Device: true, Engines: kernels}},
}

// cudaMath is the rest of <math.h> and of CUDA's own functions, in .cu files.
var cudaMath = [...]group{
	{names: "exp10 rcbrt tgamma lgamma logb", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Host: true, Device: true, CUDAOnly: true, Inexact: true, Engines: HostEval | DeviceGen}},
	{names: "rhypot", ends: " f", float: float2,
		Row: Row{Rule: MathCall, Forms: real2, Host: true, Device: true, CUDAOnly: true, Inexact: true, Engines: HostEval | DeviceGen}},
	{names: "j0 j1 y0 y1 erfcx", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Host: true, Device: true, CUDAOnly: true, Inexact: true, Engines: HostEval | DeviceGen}},
	{names: "jn yn", ends: " f", float: []string{"f(i,f)"},
		Row: Row{Rule: MathCall, Forms: []string{"f(i,f)", "d(i,d)"}, Host: true, Device: true, CUDAOnly: true, Inexact: true, Engines: HostEval | DeviceGen}},
	{names: "cyl_bessel_i0 cyl_bessel_i1", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},
	{names: "norm3d rnorm3d", ends: " f", float: float3,
		Row: Row{Forms: []string{"d(d,d,d)"}, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},
	{names: "norm4d rnorm4d", ends: " f", float: []string{"f(f,f,f,f)"},
		Row: Row{Forms: []string{"d(d,d,d,d)"}, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},
	{names: "norm rnorm", ends: " f", float: []string{"f(i,#f)"},
		Row: Row{Forms: []string{"d(i,#d)"}, Device: true, CUDAOnly: true, Inexact: true, Effects: Reads, Engines: DeviceGen}},
	{names: "nearbyint", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "fdim", ends: " f", float: float2,
		Row: Row{Rule: MathCall, Forms: real2, Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "sinpi cospi", ends: " f", float: float1,
		Row: Row{Rule: MathCall, Forms: real1, Host: true, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "nextafter", ends: " f", float: float2,
		Row: Row{Rule: MathCall, Forms: real2, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "ldexp scalbn", ends: " f", float: []string{"f(f,i)"},
		Row: Row{Rule: MathCall, Forms: []string{"f(f,i)", "d(d,i)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "scalbln", ends: " f", float: []string{"f(f,l)"},
		Row: Row{Rule: MathCall, Forms: []string{"f(f,l)", "d(d,l)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "frexp", ends: " f", float: []string{"f(f,*i)"},
		Row: Row{Rule: MathCall, Forms: []string{"f(f,*i)", "d(d,*i)"}, Host: true, Device: true, CUDAOnly: true, Effects: Writes, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "modf", ends: " f", float: []string{"f(f,*f)"},
		Row: Row{Rule: MathCall, Forms: []string{"f(f,*f)", "d(d,*d)"}, Host: true, Device: true, CUDAOnly: true, Effects: Writes, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "remquo", ends: " f", float: []string{"f(f,f,*i)"},
		Row: Row{Rule: MathCall, Forms: []string{"f(f,f,*i)", "d(d,d,*i)"}, Host: true, Device: true, CUDAOnly: true, Effects: Writes, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "sincos sincospi", ends: " f", float: []string{"v(f,*f,*f)"},
		Row: Row{Rule: MathCall, Forms: []string{"v(f,*f,*f)", "v(d,*d,*d)"}, Host: true, Device: true, CUDAOnly: true, Inexact: true, Effects: Writes, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "ilogb", ends: " f", float: []string{"i(f)"},
		Row: Row{Rule: MathCall, Forms: []string{"i(f)", "i(d)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "lround lrint", ends: " f", float: []string{"l(f)"},
		Row: Row{Rule: MathCall, Forms: []string{"l(f)", "l(d)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "llround llrint", ends: " f", float: []string{"L(f)"},
		Row: Row{Rule: MathCall, Forms: []string{"L(f)", "L(d)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
	{names: "isfinite signbit isnormal",
		Row: Row{Rule: MathCall, Forms: []string{"i(f)", "i(d)"}, Host: true, Device: true, CUDAOnly: true, Engines: DeviceGen, Instead: deviceOnly}},
}
