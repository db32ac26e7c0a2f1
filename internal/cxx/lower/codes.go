package lower

import "irgl/internal/source"

// The codes of this package's diagnostics. Each is documented by its smallest program.
const (
	// A type that device code does not have.
	//	__global__ void k(long double *p) { *p = 1; }
	codeType source.Code = "XL001"
	// A class whose layout C cannot express.
	//	struct s { int a : 24; char c; };
	//	__global__ void k(s *p) { p->c = 1; }
	codePacked source.Code = "XL002"
	// A pointer to a member function as a value.
	//	struct s { __device__ int f() { return 1; } };
	//	__global__ void k() { auto p = &s::f; }
	codeMember source.Code = "XL003"
	// A statement expression where its statements cannot be in front of the expression.
	//	__global__ void k(int *p) { do { ++*p; } while (({ int i = *p; i < 9; })); }
	codeStmt source.Code = "XL004"
	// An array of objects that is initialised inside of an expression.
	//	struct s { int n; __device__ s() : n(1) {} };
	//	struct t { s list[100]; };
	//	__device__ int f(const t &x) { return x.list[0].n; }
	//	__global__ void k(int *p) { *p = *p ? f(t{}) : 0; }
	codeArray source.Code = "XL005"
	// A goto into the scope of a variable with a destructor.
	//	struct s { __device__ s() {} __device__ ~s() {} };
	//	__global__ void k() { goto end; { s x; end: ; } }
	codeGoto source.Code = "XL006"
	// An array of objects with destructors in delete, or an array in new inside of an operand
	// that may be skipped.
	//	struct s { int n; __device__ ~s() { n = 0; } };
	//	__global__ void k(s *p) { delete[] p; }
	codeNew source.Code = "XL007"
	// A range of cases that is too long.
	//	__global__ void k(int n) { switch (n) { case 0 ... 5000: ; } }
	codeCase source.Code = "XL008"
	// A construct that lowering does not know: a fault of the compiler.
	codeMissing source.Code = "XL009"
)
