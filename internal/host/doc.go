// Package host runs the host functions of a CUDA tree on a device: it is the
// CPU side of a compiled program. Kernels run on the device, everything else
// here, in C's semantics, with the part of the CUDA runtime API that package
// check knows.
//
// [Compile] turns every host function into closures over a [machine]: a stack
// and a heap of bytes with addresses of their own, so that pointers, structs,
// casts and malloc work as in C. An access through null, outside what malloc
// returned, or outside an array that is indexed by its name is an error with the
// position of the expression; no access crashes. Device memory has the
// device's addresses; host code that follows one gets an error that says so.
//
//	while (irgl_wl.size > 0) {              closures for the test and the body;
//	  irgl_invoke_BFS(graph, &irgl_wl, l);  ... BFS<<<g, 256>>>(...) packs the
//	  l++;                                  arguments and calls Device.Launch
//	}
//
// The name of a kernel is a value that cudaLaunchCooperativeKernel,
// cudaOccupancyMaxActiveBlocksPerMultiprocessor and cudaOccupancyMaxActiveClusters
// take, as const void * or by itself. A cooperative launch of more blocks than the
// device holds is an error, and so is a grid that is no multiple of its clusters.
//
// An [Engine] is a lowered IrGL program on a device: it places graph and
// properties in device memory, runs irgl_run, and reads the outputs back. When
// a worklist overflows, the run begins again from the initial values with
// larger lists; what the program printed is kept back until a run completes,
// so nothing is lost and nothing printed twice.
//
// A mesh is placed with room for points and elements that kernels add. The
// values it starts with stay on the device, unseen by the program, and each run
// begins with a copy of them. A run that needs more room begins again with at
// least twice as much, as one whose worklists overflow.
//
// A run that is asked to records what each kernel took and did, without waiting
// for the device on the way: see record.go.
//
// Refused, with codes H0001 and up: goto in host code, calls of functions that
// have no body and are no builtin.
package host
