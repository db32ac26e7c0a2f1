// Blocks of 512 numbers sorted by a bitonic network in shared memory.
//bench suite sort
//bench size n 2048 4194304
//bench buffer in u32 n uniform 0 4294967295
//bench buffer out u32 n zero out
//bench launch bitonic grid n/512 block 256 args in out
extern "C" __global__ void bitonic(const unsigned *in, unsigned *out) {
  __shared__ unsigned s[512];
  unsigned t = threadIdx.x, base = blockIdx.x * 512;
  s[t] = in[base + t];
  s[t + 256] = in[base + t + 256];
  for (unsigned size = 2; size <= 512; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned i = 2 * t - (t & (stride - 1));
      unsigned up = (i & size) == 0;
      unsigned x = s[i], y = s[i + stride];
      if ((x > y) == up) {
        s[i] = y;
        s[i + stride] = x;
      }
    }
  }
  __syncthreads();
  out[base + t] = s[t];
  out[base + t + 256] = s[t + 256];
}
