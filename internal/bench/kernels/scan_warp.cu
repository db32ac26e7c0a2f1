// Inclusive prefix sums of blocks of 256: warp shuffles, then the warps' totals.
//bench suite reduce
//bench size n 8192 33554432
//bench buffer in i32 n uniform 0 100
//bench buffer out i32 n zero out
//bench launch scan_warp grid n/256 block 256 args in out
extern "C" __global__ void scan_warp(const int *in, int *out) {
  __shared__ int totals[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = in[i];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; w++)
    before += totals[w];
  out[i] = v + before;
}
