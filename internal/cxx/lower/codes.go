package lower

import "irgl/internal/source"

// The codes of this package's diagnostics, each with the smallest program that
// produces it.
const (
	codeType    source.Code = "XL001" // __global__ void k(long double *p) { *p = 1; }   a type that device code does not have
	codePacked  source.Code = "XL002" // a class whose layout C cannot express; a bug of the compiler where sema accepts it
	codeStatic  source.Code = "XL003" // __device__ int f(int n) { static int x = n; return x; }   a static variable that is initialised at run time
	codeMember  source.Code = "XL004" // struct s { __device__ int f(); }; __device__ auto p = &s::f;   a pointer to a member function as a value
	codeStmt    source.Code = "XL005" // __device__ int f(int n) { return n + ({ int i = n; i; }); }   a statement expression inside of an expression
	codeArray   source.Code = "XL006" // an array of objects with constructors where only an expression can be
	codeGoto    source.Code = "XL007" // goto into the scope of a variable that is initialised
	codeNew     source.Code = "XL008" // struct s { __device__ ~s(); }; __device__ s *f(int n) { return new s[n]; }   an array in new whose elements have a destructor
	codeCase    source.Code = "XL009" // switch (n) { case 0 ... 5000: }   a range of cases that is too long
	codeMissing source.Code = "XL010" // a construct that lowering does not know; a bug of the compiler
)
