// Maximum of floats by warp shuffles.
//bench suite reduce
//bench size n 8192 67108864
//bench buffer in f32 n uniform -1000 1000
//bench buffer out f32 n/256 zero out
//bench launch reduce_shuffle grid n/256 block 256 args in out
__device__ float warp_max(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1)
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

extern "C" __global__ void reduce_shuffle(const float *in, float *out) {
  __shared__ float s[8];
  int t = threadIdx.x;
  float v = warp_max(in[blockIdx.x * 256 + t]);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = warp_max(t < 8 ? s[t] : -1e30f);
    if (t == 0) out[blockIdx.x] = v;
  }
}
