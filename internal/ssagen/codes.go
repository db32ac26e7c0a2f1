package ssagen

import "irgl/internal/source"

// The codes of this package's diagnostics, each with the smallest program that
// produces it. G0003, of calls through pointers, is no longer in use.
const (
	codeEarlier    source.Code = "G0001" // a construct that an earlier stage should have lowered (a ForAll) or rejected; a bug of the compiler
	codeBuiltin    source.Code = "G0002" // __global__ void k(float *p) { *p = __irgl_ex2(*p); }   a builtin that programs cannot use in this way
	codeLaunch     source.Code = "G0004" // __global__ void k(void) { k<<<1, 1>>>(); }   a launch in device code
	codeStaticInit source.Code = "G0005" // __shared__ int x; __device__ int *p = &x;   an initial value that is no constant
	codeTooLarge   source.Code = "G0006" // __global__ void k(void) { char a[1 << 24]; }   a variable larger than a thread's local memory or a block's static shared memory, variables larger than constant memory, or parameters larger than a kernel's
	codeAsm        source.Code = "G0007" // __device__ void d(void) { asm("frob;"); }   inline PTX with an error in an instruction
)
