// Package host runs the host functions of a CUDA tree: the CPU side of a
// compiled program. Kernels run on the device, everything else here, with
// the semantics of C and with the part of the CUDA runtime API that package
// check declares.
//
// [Compile] turns every host function into closures over a [machine]: a stack
// and a heap of bytes with their own address space, so that pointers, structs,
// casts and malloc work as in C. An access through null, outside the memory that
// malloc returned, or outside an array that is indexed by its name is an error
// with the position of the expression; no access crashes. Device memory has the
// device's addresses; dereferencing one in host code is an error that says so.
//
//	while (irgl_wl.size > 0) {              closures for the test and the body;
//	  irgl_invoke_BFS(graph, &irgl_wl, l);  ... BFS<<<g, 256>>>(...) packs the
//	  l++;                                  arguments and calls Device.Launch
//	}
//
// The name of a kernel is a value that cudaLaunchCooperativeKernel,
// cudaOccupancyMaxActiveBlocksPerMultiprocessor and cudaOccupancyMaxActiveClusters
// take, as const void * or directly. A cooperative launch of more blocks than can
// be resident is an error, and so is a grid that is not a multiple of its cluster
// size.
//
// An [Engine] is a lowered IrGL program on a device: it places graph and
// properties in device memory, from the host's arrays or those that package prepare has made there, runs irgl_run, and reads the outputs back. If a
// worklist overflows, the run restarts from the initial values with larger
// worklists. Printed output is buffered until a run completes, so it is
// neither lost nor printed twice.
//
// A mesh is placed with spare capacity for points and elements that kernels
// add. Its initial values stay on the device in arrays that the program does
// not access, and each run begins with a copy of them. A run that exceeds the
// capacity restarts with at least twice as much, as after a worklist overflow.
//
// A run can record the time and work of each kernel, without waiting for the
// device: see record.go.
//
// Rejected, with codes H0001 and up: goto in host code, and calls of functions
// without a body that are not builtins.
package host
