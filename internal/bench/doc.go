// Package bench measures the performance of the scalar compiler: a set of CUDA
// kernels, compiled here and by nvcc, run on one device in one process.
//
// Each file of kernels/ holds one benchmark: kernels, and a header of comments
// with the launches, at a small size (for the emulator) and a large one (for a
// GPU):
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
// A buffer has a type, a number of elements, a pattern for its initial
// contents (deterministic) and, if it is a result, the tolerated relative
// error and the share of elements that may exceed it; without an error it must
// match bit for bit. See [Parse] for the complete format. [Kernels] returns
// the set.
//
// A folder of .cu files of any origin is such a set, too ([Folder]): kernels without a header
// get arguments by the types of their parameters, and are left out, with the reason, if
// the emulator finds a fault with them.
//
// [Scalar] runs the set: with all passes, without each pass, with the passes
// enabled one after the other, and nvcc's PTX. Identical texts are run once. On
// a GPU it takes the median of times between events, with all programs of a
// kernel in turns; on the emulator it counts warp instructions. The outputs of
// every program are compared before it is timed. [Report] has the results as
// the tables of NVIDIA's "CUDA: Compiling and optimizing for a GPU platform"
// (Table 1) and gpucc (Figure 10), as Markdown, CSV and SVG; [Report.Blocks] is what a file of
// measurements keeps of them, and [WriteKernelsBlock] and [WritePassesBlock] make the tables again.
//
// [CompileFiles] compares the compile times of any .cu files with nvcc's.
//
// [Registers] compares the compiler's estimate of registers with ptxas.
//
// [Compare] runs any commands by turns and compares the figures that they print.
//
// A benchmark that does not compile, or whose outputs differ, is reported as
// such, and excluded from all means. Malformed headers are errors with line
// numbers.
package bench
