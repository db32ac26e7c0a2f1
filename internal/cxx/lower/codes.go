package lower

import "irgl/internal/source"

// The codes of this package's diagnostics. Each is documented by its smallest program.
const (
	// A type that device code does not have.
	//	__global__ void k(long double *p) { *p = 1; }
	codeType source.Code = "XL001"
	// A class whose layout C cannot express.
	//	struct __attribute__((packed)) s { long a : 3, b : 64; };
	//	__global__ void k(s *p) { p->b = 1; }
	codePacked source.Code = "XL002"
	// XL003 was a pointer to a member function as a value.

	// A statement expression where its statements cannot be in front of the expression.
	//	__global__ void k(int *p) { do { ++*p; } while (({ int i = *p; i < 9; })); }
	codeStmt source.Code = "XL004"
	// An array of objects that is initialised inside of an expression.
	//	struct s { int n; __device__ s() : n(1) {} };
	//	struct t { s list[100]; };
	//	__device__ int f(const t &x) { return x.list[0].n; }
	//	__global__ void k(int *p) { *p = *p ? f(t{}) : 0; }
	codeArray source.Code = "XL005"
	// XL006 was a goto into the scope of a variable with a destructor: XS079 now.

	// An array that new initialises, or delete destroys, by a loop where no statement can be.
	//	struct s { int n; __device__ ~s() { n = 0; } };
	//	__global__ void k(s *p, int n) { for (; n--; delete[] p) ; }
	codeNew source.Code = "XL007"
	// A range of cases that is too long.
	//	__global__ void k(int n) { switch (n) { case 0 ... 5000: ; } }
	codeCase source.Code = "XL008"
	// A construct that lowering does not know: a fault of the compiler.
	codeMissing source.Code = "XL009"
)
