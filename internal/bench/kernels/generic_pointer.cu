// A pointer that goes to shared or global memory by a parameter, behind functions.
//bench suite memory
//bench size n 4096 33554432
//bench buffer in f32 n uniform -1 1
//bench buffer out f32 n zero out 1e-5
//bench launch generic_pointer grid n/256 block 256 args in out i32:8
__device__ float total(const float *p, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}

__device__ void store(float *p, int i, float v) {
  p[i] = v;
}

extern "C" __global__ void generic_pointer(const float *in, float *out, int n) {
  __shared__ float s[264];
  int t = threadIdx.x, base = blockIdx.x * 256;
  store(s, t, in[base + t]);
  if (t < 8) store(s, t + 256, 0.0f);
  __syncthreads();
  float *to = s;
  float v = total(s + t, n);
  __syncthreads();
  store(to, t, v);
  __syncthreads();
  store(out, base + t, to[255 - t]);
}
