// Blocks of 256 numbers sorted by four bits, one bit at a time with ballots.
//bench suite sort
//bench size n 2048 8388608
//bench size shift 4 4
//bench buffer in u32 n uniform 0 4294967295
//bench buffer out u32 n zero out
//bench launch radix_pass grid n/256 block 256 args in out i32:shift
extern "C" __global__ void radix_pass(const unsigned *in, unsigned *out, int shift) {
  __shared__ unsigned keys[256];
  __shared__ int zeros[8];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned key = in[blockIdx.x * 256 + t];
  for (int bit = shift; bit < shift + 4; bit++) {
    int one = key >> bit & 1;
    unsigned mask = __ballot_sync(0xffffffffu, !one);
    if (lane == 0) zeros[warp] = __popc(mask);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 8; w++) {
      if (w < warp) before += zeros[w];
      all += zeros[w];
    }
    before += __popc(mask & ((1u << lane) - 1));
    keys[one ? all + t - before : before] = key;
    __syncthreads();
    key = keys[t];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = key;
}
