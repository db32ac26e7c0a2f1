// Tensor: one half of a matrix is copied from another at offsets.
//bench suite tensor
//bench size n 64 4096
//bench size blocks 3 1056
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n/4 zero out
//bench launch slice grid blocks block 256 args a b i32:n
#include "tensor.cuh"

extern "C" __global__ void slice(float *a, float *b, int n) {
  using namespace tensor;
  int half = n / 2;
  assign(Map<float, 2>(b, {half, half}), Map<float, 2>(a, {n, n}).slice({half / 2, half - 1}, {half, half}));
}
