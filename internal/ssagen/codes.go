package ssagen

import "irgl/internal/source"

// The codes of this package's diagnostics, each with the smallest program that
// produces it.
const (
	codeNotLowered source.Code = "G0001" // Kernel K(g) { ForAll (n In g.nodes) { } }   an IrGL construct that lowering should have removed
	codeBuiltin    source.Code = "G0002" // __global__ void k(float *p) { *p = sinf(*p); }   a builtin without device code
	codeIndirect   source.Code = "G0003" // __device__ void d(void (*f)(void)) { f(); }   a call through a pointer
	codeLaunch     source.Code = "G0004" // __global__ void k(void) { k<<<1, 1>>>(); }   a launch in device code
	codeStaticInit source.Code = "G0005" // __device__ int x; __device__ int *p = &x;   an initial value that is an address
	codeSharedInit source.Code = "G0006" // __global__ void k(void) { __shared__ int n = 1; }   an initial value in shared memory
	codeHostVar    source.Code = "G0007" // a variable that is not in device memory
	codeUndefined  source.Code = "G0008" // __device__ int f(int); __global__ void k(int *p) { *p = f(1); }   a call of a function without a body
	codeTooLarge   source.Code = "G0009" // __global__ void k(void) { char a[1 << 30]; }   more local memory than a thread has
)
