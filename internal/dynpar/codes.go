package dynpar

import "irgl/internal/source"

// The codes of this package's diagnostics, each with the smallest program that produces it.
const (
	codeSynchronize source.Code = "N0001" // __global__ void c() {} __global__ void k(int *p) { c<<<1, 1>>>(); cudaDeviceSynchronize(); *p = 1; }   a wait for children, with something behind it
	codeDropped     source.Code = "N0002" // __global__ void c() {} __global__ void k() { c<<<1, 1>>>(); cudaDeviceSynchronize(); }   a wait for children at the end of a kernel (a warning)
	codeArguments   source.Code = "N0003" // struct s { char b[5000]; }; __global__ void c(s x) {} __global__ void k(s *p) { c<<<1, 1>>>(*p); }   arguments of more than 4 kB
)
