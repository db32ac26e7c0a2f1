package builtin

const (
	noHeap  = "operator code has no heap: use a property or a global array"
	deviceC = "write it as a loop, or do it on the host"
)

// cLibrary is the part of the C library that programs use.
var cLibrary = [...]group{
	{names: "printf", Row: Row{Rule: PrintfCall, Forms: []string{"i(#c,...)"}, Host: true, Device: true, Effects: Output, Engines: everywhere}},
	{names: "fprintf", Row: Row{Rule: PrintfCall, Forms: []string{"i(*F,#c,...)"}, Host: true, Effects: Output, Engines: Interp | HostEval}},
	{names: "assert", Row: Row{Forms: []string{"v(b)"}, Host: true, Device: true, Effects: MayExit, Engines: everywhere}},
	{names: "exit", Row: Row{Forms: []string{"v(i)"}, Host: true, Effects: MayExit | NoReturn, Engines: hosts}},
	{names: "abort", Row: Row{Forms: []string{"v()"}, Host: true, Effects: MayExit | NoReturn, Engines: hosts}},
	{names: "strcmp", Row: Row{Forms: []string{"i(#c,#c)"}, Host: true, Effects: Reads, Engines: Interp | HostEval}},
	{names: "strlen", Row: Row{Forms: []string{"m(#c)"}, Host: true, Effects: Reads, Engines: Interp | HostEval}},
	{names: "atoi", Row: Row{Forms: []string{"i(#c)"}, Host: true, Effects: Reads, Engines: Interp | HostEval}},
	{names: "atof", Row: Row{Forms: []string{"d(#c)"}, Host: true, Effects: Reads, Engines: Interp | HostEval}},
	{names: "malloc", Row: Row{Forms: []string{"*v(m)"}, Host: true, Device: true, LowLevel: noHeap, Effects: Allocates, Engines: HostEval | DeviceGen}},
	{names: "calloc", Row: Row{Forms: []string{"*v(m,m)"}, Host: true, LowLevel: noHeap, Effects: Allocates, Engines: HostEval}},
	{names: "realloc", Row: Row{Forms: []string{"*v(*v,m)"}, Host: true, LowLevel: noHeap, Effects: Allocates | Writes, Instead: "malloc, memcpy and free do the same"}},
	{names: "free", Row: Row{Forms: []string{"v(*v)"}, Host: true, Device: true, LowLevel: noHeap, Effects: Allocates, Engines: HostEval | DeviceGen}},
	{names: "memset", Row: Row{Forms: []string{"*v(*v,i,m)"}, Host: true, Device: true, LowLevel: noHeap, Effects: Writes, Engines: HostEval | DeviceGen}},
	{names: "memcpy", Row: Row{Forms: []string{"*v(*v,#v,m)"}, Host: true, Device: true, LowLevel: noHeap, Effects: Reads | Writes, Engines: HostEval | DeviceGen}},
	{names: "memmove", Row: Row{Forms: []string{"*v(*v,#v,m)"}, Host: true, Device: true, LowLevel: noHeap, Effects: Reads | Writes, Engines: HostEval, Instead: deviceC}},
	{names: "stdout stderr", Row: Row{Kind: Var, Of: "*F", Host: true, Engines: Interp | HostEval}},
	{names: "range", Row: Row{Rule: RangeCall, Forms: []string{"R(i)", "R(i,i)"}, Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
}

// cTypes are the types that need no declaration: those of <stdint.h> and
// <stddef.h>, CUDA's vectors, and IrGL's handles.
var cTypes = [...]group{
	{names: "size_t uintptr_t uint64_t uintmax_t ulong", Row: Row{Kind: Type, Of: "m", Host: true, Device: true, Engines: everywhere}},
	{names: "ptrdiff_t ssize_t intptr_t int64_t intmax_t clock_t time_t", Row: Row{Kind: Type, Of: "l", Host: true, Device: true, Engines: everywhere}},
	{names: "int8_t", Row: Row{Kind: Type, Of: "a", Host: true, Device: true, Engines: everywhere}},
	{names: "int16_t", Row: Row{Kind: Type, Of: "s", Host: true, Device: true, Engines: everywhere}},
	{names: "int32_t", Row: Row{Kind: Type, Of: "i", Host: true, Device: true, Engines: everywhere}},
	{names: "uint8_t uchar", Row: Row{Kind: Type, Of: "h", Host: true, Device: true, Engines: everywhere}},
	{names: "uint16_t ushort", Row: Row{Kind: Type, Of: "t", Host: true, Device: true, Engines: everywhere}},
	{names: "uint32_t uint", Row: Row{Kind: Type, Of: "u", Host: true, Device: true, Engines: everywhere}},
	{names: "char uchar short ushort int uint long ulong longlong ulonglong float double", ends: "1 2 3 4",
		Row: Row{Kind: Type, Host: true, Device: true, Engines: everywhere}},
	{names: "make_char make_uchar make_short make_ushort make_int make_uint make_long make_ulong make_longlong make_ulonglong make_float make_double", ends: "1 2 3 4",
		Row: Row{Rule: CtorCall, Host: true, Device: true, Engines: everywhere}},
	{names: "dim3", Row: Row{Kind: Type, Rule: CtorCall, Forms: []string{"D()", "D(u)", "D(u,u)", "D(u,u,u)"}, Of: "D", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "FILE", Row: Row{Kind: Type, Of: "F", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "dist_t", Row: Row{Kind: Type, Of: "i", WideOf: "l", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
	{names: "node", Row: Row{Kind: Type, Of: "N", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
	{names: "edge", Row: Row{Kind: Type, Of: "X", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
	{names: "point", Row: Row{Kind: Type, Of: "P", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},   // in programs with a Mesh
	{names: "element", Row: Row{Kind: Type, Of: "T", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}}, // likewise
}

// constants are those of <limits.h>, <stdint.h>, <float.h>, <math.h> and
// <stdlib.h>, and INF.
var constants = [...]group{
	{names: "true", Row: Row{Kind: Const, Of: "b", Value: "1", Host: true, Device: true, Engines: everywhere}},
	{names: "false", Row: Row{Kind: Const, Of: "b", Value: "0", Host: true, Device: true, Engines: everywhere}},
	{names: "NULL EXIT_SUCCESS", Row: Row{Kind: Const, Of: "i", Value: "0", Host: true, Device: true, Engines: everywhere}},
	{names: "nullptr", Row: Row{Kind: Const, Of: "*v", Value: "0", Host: true, Device: true, Engines: everywhere}},
	{names: "EXIT_FAILURE", Row: Row{Kind: Const, Of: "i", Value: "1", Host: true, Device: true, Engines: everywhere}},
	{names: "CHAR_BIT", Row: Row{Kind: Const, Of: "i", Value: "8", Host: true, Device: true, Engines: everywhere}},
	{names: "CHAR_MAX SCHAR_MAX INT8_MAX", Row: Row{Kind: Const, Of: "i", Value: "127", Host: true, Device: true, Engines: everywhere}},
	{names: "CHAR_MIN SCHAR_MIN INT8_MIN", Row: Row{Kind: Const, Of: "i", Value: "-128", Host: true, Device: true, Engines: everywhere}},
	{names: "UCHAR_MAX UINT8_MAX", Row: Row{Kind: Const, Of: "i", Value: "255", Host: true, Device: true, Engines: everywhere}},
	{names: "SHRT_MAX INT16_MAX", Row: Row{Kind: Const, Of: "i", Value: "32767", Host: true, Device: true, Engines: everywhere}},
	{names: "SHRT_MIN INT16_MIN", Row: Row{Kind: Const, Of: "i", Value: "-32768", Host: true, Device: true, Engines: everywhere}},
	{names: "USHRT_MAX UINT16_MAX", Row: Row{Kind: Const, Of: "i", Value: "65535", Host: true, Device: true, Engines: everywhere}},
	{names: "INT_MAX INT32_MAX", Row: Row{Kind: Const, Of: "i", Value: "2147483647", Host: true, Device: true, Engines: everywhere}},
	{names: "INT_MIN INT32_MIN", Row: Row{Kind: Const, Of: "i", Value: "-2147483648", Host: true, Device: true, Engines: everywhere}},
	{names: "UINT_MAX UINT32_MAX", Row: Row{Kind: Const, Of: "u", Value: "4294967295", Host: true, Device: true, Engines: everywhere}},
	{names: "LONG_MAX INT64_MAX", Row: Row{Kind: Const, Of: "l", Value: "9223372036854775807", Host: true, Device: true, Engines: everywhere}},
	{names: "LONG_MIN INT64_MIN", Row: Row{Kind: Const, Of: "l", Value: "-9223372036854775808", Host: true, Device: true, Engines: everywhere}},
	{names: "ULONG_MAX UINT64_MAX SIZE_MAX", Row: Row{Kind: Const, Of: "m", Value: "-1", Host: true, Device: true, Engines: everywhere}},
	{names: "LLONG_MAX", Row: Row{Kind: Const, Of: "L", Value: "9223372036854775807", Host: true, Device: true, Engines: everywhere}},
	{names: "LLONG_MIN", Row: Row{Kind: Const, Of: "L", Value: "-9223372036854775808", Host: true, Device: true, Engines: everywhere}},
	{names: "ULLONG_MAX", Row: Row{Kind: Const, Of: "U", Value: "-1", Host: true, Device: true, Engines: everywhere}},
	{names: "FLT_MAX", Row: Row{Kind: Const, Of: "f", Value: "0x1.fffffep127", Host: true, Device: true, Engines: everywhere}},
	{names: "FLT_MIN", Row: Row{Kind: Const, Of: "f", Value: "0x1p-126", Host: true, Device: true, Engines: everywhere}},
	{names: "FLT_EPSILON", Row: Row{Kind: Const, Of: "f", Value: "0x1p-23", Host: true, Device: true, Engines: everywhere}},
	{names: "INFINITY", Row: Row{Kind: Const, Of: "f", Value: "inf", Host: true, Device: true, Engines: everywhere}},
	{names: "NAN", Row: Row{Kind: Const, Of: "f", Value: "nan", Host: true, Device: true, Engines: everywhere}},
	{names: "DBL_MAX", Row: Row{Kind: Const, Of: "d", Value: "0x1.fffffffffffffp1023", Host: true, Device: true, Engines: everywhere}},
	{names: "DBL_MIN", Row: Row{Kind: Const, Of: "d", Value: "0x1p-1022", Host: true, Device: true, Engines: everywhere}},
	{names: "DBL_EPSILON", Row: Row{Kind: Const, Of: "d", Value: "0x1p-52", Host: true, Device: true, Engines: everywhere}},
	{names: "M_PI", Row: Row{Kind: Const, Of: "d", Value: "3.14159265358979323846", Host: true, Device: true, Engines: everywhere}},
	{names: "M_E", Row: Row{Kind: Const, Of: "d", Value: "2.71828182845904523536", Host: true, Device: true, Engines: everywhere}},
	{names: "DIST_MAX", Row: Row{Kind: Const, Of: "i", Value: "2147483647", WideOf: "l", WideValue: "9223372036854775807", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
	{names: "WARP_SIZE", Row: Row{Kind: Const, Of: "i", Value: "32", CPUValue: "1", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
	{names: "INF", Row: Row{Kind: Const, Of: "i", Value: "2147483647", Host: true, Device: true, IrGLOnly: true, Engines: everywhere}},
}
