// Tensor: a contraction of the first dimensions of two matrices, of which one is scaled.
//bench suite tensor
//bench size n 50 1024
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n uniform -1 1
//bench buffer c f32 n*n zero out 1e-4
//bench launch contraction grid n/64+1 n/64+1 block 256 args a b c i32:n
#include "tensor.cuh"

extern "C" __global__ void __launch_bounds__(256) contraction(float *a, float *b, float *c, int n) {
  using namespace tensor;
  Map<float, 2> x(a, {n, n}), y(b, {n, n});
  contract<64, 16, 4>(Map<float, 2>(c, {n, n}), x.shuffle({1, 0}), y * 0.5f);
}
