// Exclusive prefix sums of blocks of 512: up and down a tree in shared memory.
//bench suite reduce
//bench size n 8192 33554432
//bench buffer in i32 n uniform 0 100
//bench buffer out i32 n zero out
//bench launch scan_block grid n/512 block 256 args in out
extern "C" __global__ void scan_block(const int *in, int *out) {
  __shared__ int s[512];
  int t = threadIdx.x, base = blockIdx.x * 512, stride = 1;
  s[2 * t] = in[base + 2 * t];
  s[2 * t + 1] = in[base + 2 * t + 1];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d)
      s[stride * (2 * t + 2) - 1] += s[stride * (2 * t + 1) - 1];
    stride *= 2;
  }
  if (t == 0) s[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < d) {
      int i = stride * (2 * t + 1) - 1, j = stride * (2 * t + 2) - 1;
      int x = s[i];
      s[i] = s[j];
      s[j] += x;
    }
  }
  __syncthreads();
  out[base + 2 * t] = s[2 * t];
  out[base + 2 * t + 1] = s[2 * t + 1];
}
