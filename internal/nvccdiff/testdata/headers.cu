// Halves and cooperative groups.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__global__ void halves(const __half *a, const __half *b, __half *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = __hadd(__hmul(a[i], b[i]), __float2half(0.5f));
}

__global__ void pairs(const __half2 *a, __half2 *b, float2 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    b[i] = __hmul2(a[i], __hadd2(a[i], b[i]));
    c[i] = __half22float2(b[i]);
  }
}

__global__ void groups(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  for (int d = tile.size() / 2; d > 0; d /= 2)
    v += tile.shfl_xor(v, d);
  out[i] = v + static_cast<int>(tile.thread_rank()) * 1000 + (tile.all(in[i] > 0) ? 7 : 0);
}

__global__ void early(const int *in, int *out, unsigned n) {
  __shared__ int values[64];
  cg::thread_block block = cg::this_thread_block();
  unsigned active = n % 5 + 1, t = threadIdx.x;
  if (t >= active)
    return;
  values[t] = in[t];
  cg::sync(block);
  for (unsigned k = 1; k < active; k *= 2) {
    int other = values[t ^ k];
    if ((t ^ k) < active && other > 2)
      values[t + 32] = other;
    cg::sync(block);
  }
  if (in != out)
    for (unsigned i = t; i < 2 * active; i += active)
      out[blockIdx.x * blockDim.x + i] = values[t];
}
