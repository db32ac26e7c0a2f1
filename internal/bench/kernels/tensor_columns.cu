// Tensor: the sums of the columns of a matrix whose elements are added to a bound of theirs.
//bench suite tensor
//bench size n 72 4096
//bench buffer a f32 n*n uniform 0 1
//bench buffer b f32 n zero out 1e-4
//bench launch columns grid n/64+1 n/64+1 block 64 args a b i32:n
#include "tensor.cuh"

extern "C" __global__ void columns(float *a, float *b, int n) {
  using namespace tensor;
  Map<float, 2> x(a, {n, n});
  reduceColumns<64>(b, x + x.slice({0, 0}, {n, n}).max(x.constant(0.5f)), Sum());
}
