// Tensor: the dimensions of a tensor of rank 3 in another order.
//bench suite tensor
//bench size n 20 256
//bench size m 12 192
//bench size blocks 3 1056
//bench buffer a f32 n*m*m uniform -1 1
//bench buffer b f32 n*m*m zero out
//bench launch shuffle grid blocks block 256 args a b i32:n i32:m
#include "tensor.cuh"

extern "C" __global__ void shuffle(float *a, float *b, int n, int m) {
  using namespace tensor;
  assign(Map<float, 3>(b, {m, n, m}), Map<float, 3>(a, {n, m, m}).shuffle({2, 0, 1}));
}
