// Tensor: exponentials, logarithms and hyperbolic tangents by coefficients.
//bench suite tensor
//bench size n 509 8388608
//bench size blocks 3 1056
//bench buffer a f32 n uniform 0.1 2
//bench buffer b f32 n uniform 0.1 2
//bench buffer c f32 n zero out 1e-5
//bench launch transcendental grid blocks block 256 args a b c i32:n
#include "tensor.cuh"

extern "C" __global__ void transcendental(float *a, float *b, float *c, int n) {
  using namespace tensor;
  Map<float, 1> x(a, {n}), y(b, {n});
  assign(Map<float, 1>(c, {n}), x.exp() + y.log() * (-x).tanh());
}
