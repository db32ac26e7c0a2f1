// Package difftest generates random CUDA kernels and compares their results under
// different pass pipelines, compilers and devices: the differential test of the whole
// compiler, from text to the contents of memory.
//
// [Generate] takes a seed and gives a [Program], always the same one. Its text
// is C that is also C++: integers of 8 to 64 bits, floats, casts, structs by
// value, pointers into four kinds of memory, functions, loops, switches,
// atomics, and in half of the kernels barriers, shuffles and votes.
//
//	KERNEL k7(unsigned long long *out, const int *__restrict__ in, ...) {
//		short v1 = (short)(in[gid & 63u]);
//		...
//		if ((long)(v1) < 5 && (unsigned char)(s2.b) > v3 || side++ % 3u) {
//			v1 = f7_0((int)(v3), gs);
//
// Every program is defined for every input, for C, C++ and CUDA alike: signed
// sums are made of unsigned ones unless they cannot overflow, which a compiler
// may make use of; divisors cannot be 0 or -1, counts of shifts are masked,
// floats become integers only in range, loops are bounded, and a NaN is seen as
// one bit pattern only. So any two correct compilers must agree in every byte of
// memory.
//
// [Program.Image] is the memory that a kernel starts with, [Run] compiles a
// program with the options of a [Variant] and gives the memory after its launch
// on a device, and [GCC] is a compiler that shares nothing with ours: it
// translates the same text as C, where a launch is a loop over coroutines. A
// [Checker] compares them all, and [Checker.Reduce] cuts a program that fails
// down to the statements and operands that matter. [WriteCorpus] writes
// programs and our PTX for them, to be compared elsewhere.
//
// It refuses nothing: what the compiler refuses of a generated program is a
// finding too.
package difftest
