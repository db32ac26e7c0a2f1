// Tensor: the sums of the squares of the rows of a matrix.
//bench suite tensor
//bench size n 36 4096
//bench size blocks 2 1056
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n zero out 1e-5
//bench launch rows grid blocks block 256 args a b i32:n
#include "tensor.cuh"

extern "C" __global__ void rows(float *a, float *b, int n) {
  using namespace tensor;
  reduceRows(b, Map<float, 2>(a, {n, n}).square(), Sum());
}
