// Tensor: the sum of all products of two tensors.
//bench suite tensor
//bench size n 1024 16777216
//bench size blocks 3 1056
//bench buffer a f32 n uniform 0 1
//bench buffer b f32 n uniform 0 1
//bench buffer c f32 1 zero out 1e-4
//bench launch full grid blocks block 256 args a b c i32:n
#include "tensor.cuh"

extern "C" __global__ void full(float *a, float *b, float *c, int n) {
  using namespace tensor;
  reduceAll(c, Map<float, 1>(a, {n}) * Map<float, 1>(b, {n}), Sum());
}
