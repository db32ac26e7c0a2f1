// Tensor: images convolved with a kernel of 7 by 7.
//bench suite tensor
//bench size n 2 16
//bench size m 38 1030
//bench buffer a f32 n*m*m uniform -1 1
//bench buffer k f32 49 uniform -1 1
//bench buffer b f32 n*(m-6)*(m-6) zero out 1e-4
//bench launch convolution grid (m-6)/32 (m-6)/8 n block 32 8 args a k b i32:n i32:m
#include "tensor.cuh"

extern "C" __global__ void __launch_bounds__(256) convolution(float *a, float *k, float *b, int n, int m) {
  using namespace tensor;
  convolve<7>(Map<float, 3>(b, {n, m - 6, m - 6}), Map<float, 3>(a, {n, m, m}), k);
}
