// Two dimensions, a star of radius 3 with a weight a distance.
//bench suite stencil
//bench size n 64 8192
//bench buffer in f32 n*n uniform -1 1
//bench buffer out f32 n*n zero out 1e-5
//bench launch stencil2d_wide grid n/32 n/8 block 32 8 args in out i32:n f32:0.4 f32:0.1 f32:0.04 f32:0.01
extern "C" __global__ void stencil2d_wide(const float *__restrict__ in, float *__restrict__ out, int n, float w0, float w1, float w2, float w3) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 3 || x >= n - 3 || y < 3 || y >= n - 3) return;
  float w[4];
  w[0] = w0;
  w[1] = w1;
  w[2] = w2;
  w[3] = w3;
  float sum = w[0] * in[y * n + x];
#pragma unroll
  for (int d = 1; d <= 3; d++)
    sum += w[d] * (in[(y - d) * n + x] + in[(y + d) * n + x] + in[y * n + (x - d)] + in[y * n + (x + d)]);
  out[y * n + x] = sum;
}
