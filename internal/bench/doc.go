// Package bench measures what the scalar compiler is worth: a set of kernels
// in CUDA text, compiled here and by nvcc, run on one device in one process.
//
// Each file of kernels/ holds one benchmark: kernels, and a header of comments
// that says how they are run, at a small size (for the emulator) and a large
// one (for a GPU):
//
//	// Dense matrix times vector, a warp a row.
//	//bench suite dense
//	//bench size n 128 8192
//	//bench buffer a f32 n*n uniform -1 1
//	//bench buffer x f32 n uniform -1 1
//	//bench buffer y f32 n zero out 1e-5
//	//bench launch matvec grid n/8 block 256 args a x y i32:n
//	extern "C" __global__ void matvec(const float *a, const float *x, float *y, int n) {
//
// A buffer has a type, a number of elements, a way to fill it (the same bytes
// each time) and, when it is a result, the relative error allowed and the
// share of elements that may be farther off; without an error it must agree in
// every bit. See [Parse] for the whole of it. [Kernels] returns the set.
//
// [Scalar] runs the set: all passes on, each pass off, the passes switched on
// one after the other, and nvcc's PTX. Texts that are equal are run once. On a
// GPU it takes the median of times between events, all programs of a kernel
// taking turns; on the emulator it counts instructions of warps. The outputs
// of every program are compared before it is timed. [Report] has the results
// as the tables of NVIDIA's "CUDA: Compiling and optimizing for a GPU platform"
// (Table 1) and gpucc (Figure 10), as Markdown, CSV and SVG.
//
// A benchmark that the compiler refuses, or whose outputs differ, is a row of
// the report that says so, and no part of any mean. Headers that make no sense
// are errors with their lines.
package bench
