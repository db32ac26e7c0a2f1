// Package headers holds the headers that CUDA C++ programs include, in the dialect of our
// own C++ front end: the device parts of the C and C++ libraries, and CUDA's.
//
//	#include <cmath>            std::sqrt, for device code
//	#include <cuda_runtime.h>   nothing: every file has it
//
// They are written from the public documentation: the C++ standard, and NVIDIA's CUDA C++
// Programming Guide. Headers of the host's libraries that are not here (<vector>,
// <iostream>) are not read for device code.
//
// Every file has CUDA's types and functions, as nvcc includes cuda_runtime.h: the macros of
// [Prelude], and a [Demand], the declarations of the names that the file uses. There are more
// than a thousand, and parsing all of them would take longer than most files.
// Those that the compiler generates code for have an attribute that names the builtin of
// package builtin:
//
//	__device__ int __popc(unsigned int) __attribute__((irgl_builtin("__popc")));
//
// They are in irgl/builtins.h, which a test of this package writes from the table
// (go test ./internal/cxx/headers -update).
//
// Functions on textures and surfaces are in one of two headers, which [Textures] chooses: irgl/texture_loads.h reads
// memory, irgl/texture_unit.h, which a test writes, has instructions.
//
// Of the headers that [Rest] knows, such as <type_traits> and the functions on half, what follows the last
// directive is read by name, too. There a declaration is whole lines, and a namespace begins and ends
// on a line of its own. A program that names none of them pays for reading the bytes alone.
package headers
