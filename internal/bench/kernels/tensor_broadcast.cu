// Tensor: a row and a column are broadcast over a matrix, which they shift and scale.
//bench suite tensor
//bench size n 60 4096
//bench size blocks 3 1056
//bench buffer a f32 n*n uniform -1 1
//bench buffer row f32 n uniform -1 1
//bench buffer col f32 n uniform -1 1
//bench buffer b f32 n*n zero out 1e-6
//bench launch broadcast grid blocks block 256 args a row col b i32:n
#include "tensor.cuh"

extern "C" __global__ void broadcast(float *a, float *row, float *col, float *b, int n) {
  using namespace tensor;
  Map<float, 2> x(a, {n, n}), r(row, {1, n}), c(col, {n, 1});
  assign(Map<float, 2>(b, {n, n}), x * c.broadcast({1, n}) + r.broadcast({n, 1}));
}
