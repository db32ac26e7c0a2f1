// One dimension, radius 4, through shared memory with a halo.
//bench suite stencil
//bench size n 2048 33554432
//bench buffer in f32 n+8 uniform -1 1
//bench buffer out f32 n zero out 1e-5
//bench launch stencil1d grid n/256 block 256 args in out i32:n
#define R 4

extern "C" __global__ void stencil1d(const float *in, float *out, int n) {
  __shared__ float s[256 + 2 * R];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  s[t + R] = in[i + R];
  if (t < R) {
    s[t] = in[i];
    s[t + 256 + R] = in[i + 256 + R];
  }
  __syncthreads();
  float sum = 0.0f;
  for (int d = -R; d <= R; d++)
    sum += s[t + R + d];
  if (i < n) out[i] = sum * (1.0f / (2 * R + 1));
}
