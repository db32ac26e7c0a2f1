// Tensor: arithmetic by coefficients, in packets.
//bench suite tensor
//bench size n 1023 16777216
//bench size blocks 3 1056
//bench buffer a f32 n uniform -1 1
//bench buffer b f32 n uniform -1 1
//bench buffer c f32 n uniform -1 1
//bench buffer d f32 n zero out 1e-6
//bench launch coefficients grid blocks block 256 args a b c d i32:n
#include "tensor.cuh"

extern "C" __global__ void coefficients(float *a, float *b, float *c, float *d, int n) {
  using namespace tensor;
  Map<float, 1> x(a, {n}), y(b, {n}), z(c, {n});
  assign(Map<float, 1>(d, {n}), x * 3.14f + y * 2.7f - (x - z).square() * y);
}
