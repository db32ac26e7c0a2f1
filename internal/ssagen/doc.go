// Package ssagen turns the device functions of a checked CUDA tree into SSA.
//
// [Build] takes a [check.Info] without errors and gives a module with every
// function that has a body and runs on the device, the device, constant and
// shared variables, and the strings that the functions use. The form is naive:
// each local variable is an alloca, each use a load, each assignment a store;
// package ssa/opt lifts them to registers.
//
//	__device__ int next(int n) {         func @next(%n: i32) i32 {
//		return n + 1;                    b0:
//	}                                      v0 = param i32 0
//	                                       v1 = alloca ptr.local 4 align 4
//	                                       store v1, v0 align 4
//	                                       jump b1
//	                                     b1: <- b0
//	                                       v3 = load i32 v1 align 4
//	                                       v4 = const i32 1
//	                                       v5 = add i32 v3, v4
//	                                       ret v5
//	                                     }
//
// How C maps to SSA:
//
//   - bool is i1, a pointer is a generic ptr. A variable is accessed in its own
//     space; its address becomes generic only when the program makes a pointer.
//   - A struct by value is an address. A parameter of struct type is ptr.param,
//     read in place if the function only reads it, and copied otherwise. A
//     struct result is stored through a first parameter "result", a pointer to
//     the caller's memory.
//   - A __shared__ variable v of function f is the global f.v; extern __shared__
//     arrays are globals of size 0, which all begin at the same address.
//   - Integer arithmetic wraps; a float becomes an integer by truncation that
//     saturates. Arguments are evaluated from left to right, an assignment's
//     value before its target.
//   - A load through a kernel parameter const T *__restrict__ p, as p[i] or *p,
//     is marked read-only unless the function changes p.
//
// Mathematical functions that are one instruction, or an exact sequence of
// some, become that: sqrt, fabs, floor, fmin, fma, isnan, the fast intrinsics
// and those with a rounding mode in the name. Each of the others (exp, pow,
// sin, ...) becomes a call of the device library's function of that name, as
// "math.expf", and the module gets those functions that it calls.
//
// Refused, with diagnostics G0001 and up (see codes.go): IrGL constructs that
// have not been lowered, calls through pointers, launches in device code,
// initialisers that are addresses, builtins without device code.
package ssagen
