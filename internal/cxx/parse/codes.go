package parse

import "irgl/internal/source"

// The codes of the diagnostics of this package. Each is documented by its smallest program.
const (
	// A missing token.
	//	__device__ void f() { int a = (1; }
	CodeExpected source.Code = "XP001"
	// Something that is not an expression.
	//	__device__ void f() { int a = ; }
	CodeExpression source.Code = "XP002"
	// Something that is not a type where one is needed.
	//	__device__ int a = static_cast<1>(2);
	CodeType source.Code = "XP003"
	// A declaration without a type.
	//	__device__ f() {}
	CodeNoType source.Code = "XP004"
	// Something that is not a name where one is needed.
	//	__device__ int 1;
	CodeName source.Code = "XP005"
	// Type specifiers that do not go together.
	//	__device__ short float a;
	CodeSpecifiers source.Code = "XP006"
	// A brace that is never closed, or that was never opened.
	//	__device__ void f() {
	CodeBrace source.Code = "XP007"
	// Brackets, operators or statements nested beyond the limit.
	//	((((...))))
	CodeDepth source.Code = "XP008"
	// Something that is not a statement.
	//	__device__ void f() { else; }
	CodeStatement source.Code = "XP009"
	// A malformed launch.
	//	__device__ void f() { k<<<1, 2, 3, 4, 5>>>(); }
	CodeLaunch source.Code = "XP010"
	// A malformed template parameter, argument or declaration.
	//	template <1> __device__ void f();
	CodeTemplate source.Code = "XP011"
	// A construct that this compiler does not have.
	//	__device__ void f(int a) { __builtin_va_arg(a, int); }
	CodeUnsupported source.Code = "XP012"
	// Inline assembly that is malformed.
	//	__device__ void f() { asm(1); }
	CodeAsm source.Code = "XP013"
)
