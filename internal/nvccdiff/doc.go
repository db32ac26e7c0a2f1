// Package nvccdiff compares the device code of .cu files with nvcc's: each kernel's PTX of
// both compilers runs on the emulator, with the same random arguments, and must leave the
// same memory.
//
//	o := nvccdiff.Options{NVCC: "/usr/local/cuda/bin/nvcc", Seed: 1}
//	results := nvccdiff.File(ctx, "kernels.cu", o)
//	for _, r := range results {
//		fmt.Println(r.Kernel, r.Outcome, r.Detail)
//	}
//
// Arguments follow from the types of the parameters (args.go): a pointer gets a buffer of random
// elements, also within structs and behind other pointers; integers are extents of the
// grid or small; integers in memory are small and not negative, since most are indices.
// Grids, blocks, sizes and ranges are drawn (attempt.go) until nvcc's code runs without a report of the emulator's
// checks, writes something, and leaves the same memory under two schedules; a kernel for which no
// such arguments are found has no verdict. Then ours must run without a report, too.
//
// Then up to six runs have special numbers (special.go) in arguments of valid runs: NaN, infinities, zeros of
// both signs, subnormals, small and large numbers, or the extremes of integers. Where they are indices or bounds, the
// emulator reports the accesses, and the run does not count. Of what C++ leaves undefined, such as the
// conversion of NaN to an integer and the overflow of signed integers, the report says nothing: such differences are no faults.
//
// Integers must be equal bit for bit, floating-point numbers within [MaxULP] units in the last
// place; zeros of both signs are equal, NaNs too. Words behind a void pointer, and unions of several kinds, are compared as floats
// if both are normal numbers, else as integers.
//
// Where the results differ, both compilers compile the file once more without contraction of
// multiplications and additions; a kernel that agrees then is [AgreesUncontracted], if the differences
// are as small as contraction makes them (bound.go): within 256 units in the last place of the largest result in the buffer, or
// four times what contraction changes in the results of both compilers. Else it [Differs]. [AgreesSameMath] is
// the same with functions of our own in place of sinf and its like.
//
// What it does not see: textures and surfaces, __managed__ variables, what kernels print, launches in device code,
// and pointers in memory, whose values differ. ptxas may contract more than the PTX says, for
// both.
package nvccdiff
