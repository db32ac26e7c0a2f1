// Tensor: a plane of each of three directions of a cube, added.
//bench suite tensor
//bench size n 24 512
//bench size blocks 3 528
//bench buffer a f32 n*n*n uniform -1 1
//bench buffer b f32 n*n zero out 1e-6
//bench launch chip grid blocks block 256 args a b i32:n
#include "tensor.cuh"

extern "C" __global__ void chip(float *a, float *b, int n) {
  using namespace tensor;
  Map<float, 3> x(a, {n, n, n});
  assign(Map<float, 2>(b, {n, n}), x.chip<0>(n / 2) + x.chip<1>(n / 3) + x.chip<2>(n / 5));
}
