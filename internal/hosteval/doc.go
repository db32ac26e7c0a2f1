// Package hosteval runs CUDA C++ programs on machines without a C++ compiler: it evaluates
// their host code.
//
//	p, diags, err := hosteval.Compile(ctx, "x.cu", options)
//	status, err := p.Run(ctx, hosteval.Run{Device: "simt", Args: args, Stdout: os.Stdout, ...})
//
// Host code is compiled as device code is, by the C++ front end and the optimiser
// to PTX, with main as its root. The PTX runs on the emulator as a kernel of one thread, a machine
// (package simt, Options.Machine). Functions without a body are calls of the machine: of the C
// library and of the CUDA runtime, in the table of table.go. What they do is Go.
//
//	int main() {                                kernel __irgl_main on the machine
//	  float *d;
//	  cudaMalloc(&d, 4096);                     Device.Alloc of the program's device
//	  k<<<4, 256>>>(d);                         Device.Launch, of the device code's PTX
//	  puts("done");                             a write to Run.Stdout
//	}
//
// The program's device is the emulator or a GPU. Its addresses and those of the machine are
// different, so that an access to the wrong side's memory is found; page-locked and managed memory
// of the emulator is mapped by both. Device code is compiled by package cudabuild, with the instances
// of kernels that host code launches.
//
// Host code may be C with classes, templates and lambdas. Refused are exceptions, virtual
// functions, and headers of the C++ library that are for the host, such as <iostream> and <vector>
// (refuse.go). Accesses outside of objects end the program with the line, also where a compiled program
// would go on.
package hosteval
