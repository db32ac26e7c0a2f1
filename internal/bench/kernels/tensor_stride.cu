// Tensor: every second row and every third column of a matrix.
//bench suite tensor
//bench size n 60 6144
//bench size blocks 3 1056
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n/6 zero out
//bench launch stride grid blocks block 256 args a b i32:n
#include "tensor.cuh"

extern "C" __global__ void stride(float *a, float *b, int n) {
  using namespace tensor;
  assign(Map<float, 2>(b, {n / 2, n / 3}), Map<float, 2>(a, {n, n}).stride({2, 3}));
}
