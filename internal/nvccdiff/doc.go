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
// Integers must be equal bit for bit, floating-point numbers within [MaxULP] units in the last
// place. Where they are not, both compilers compile the file once more without contraction of
// multiplications and additions; a kernel that agrees then is [AgreesUncontracted].
//
// What it does not see: textures and surfaces, what kernels print, launches in device code,
// and pointers in memory, whose values differ.
package nvccdiff
