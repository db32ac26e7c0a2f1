// The positive numbers of each block of 256, packed to its start, and their count.
//bench suite reduce
//bench size n 8192 33554432
//bench buffer in i32 n uniform -50 50
//bench buffer out i32 n zero out
//bench buffer count i32 n/256 zero out
//bench launch compact grid n/256 block 256 args in out count
extern "C" __global__ void compact(const int *in, int *out, int *count) {
  __shared__ int base[9];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int v = in[blockIdx.x * 256 + t];
  unsigned mask = __ballot_sync(0xffffffffu, v > 0);
  if (lane == 0) base[warp + 1] = __popc(mask);
  if (t == 0) base[0] = 0;
  __syncthreads();
  if (t == 0)
    for (int w = 0; w < 8; w++)
      base[w + 1] += base[w];
  __syncthreads();
  if (v > 0)
    out[blockIdx.x * 256 + base[warp] + __popc(mask & ((1u << lane) - 1))] = v;
  if (t == 0) count[blockIdx.x] = base[8];
}
