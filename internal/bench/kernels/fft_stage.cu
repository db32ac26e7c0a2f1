// Blocks of 256 complex numbers: all stages of a radix-2 transform in shared memory.
//bench suite physics
//bench size n 1024 4194304
//bench buffer in f32 2*n uniform -1 1
//bench buffer out f32 2*n zero out 1e-4
//bench launch fft_stage grid n/256 block 128 args in out
extern "C" __global__ void fft_stage(const float2 *in, float2 *out) {
  __shared__ float2 s[256];
  unsigned t = threadIdx.x, base = blockIdx.x * 256;
  s[__brev(t) >> 24] = in[base + t];
  s[__brev(t + 128) >> 24] = in[base + t + 128];
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    int k = t & (half - 1);
    int i = 2 * t - k, j = i + half;
    float angle = -3.14159265f * k / half;
    float wr = cosf(angle), wi = sinf(angle);
    float2 a = s[i], b = s[j];
    float xr = wr * b.x - wi * b.y, xi = wr * b.y + wi * b.x;
    s[i].x = a.x + xr;
    s[i].y = a.y + xi;
    s[j].x = a.x - xr;
    s[j].y = a.y - xi;
  }
  __syncthreads();
  out[base + t] = s[t];
  out[base + t + 128] = s[t + 128];
}
