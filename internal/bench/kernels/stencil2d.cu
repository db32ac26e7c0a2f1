// Two dimensions, five points, from global memory.
//bench suite stencil
//bench size n 64 8192
//bench buffer in f32 n*n uniform -1 1
//bench buffer out f32 n*n zero out 1e-5
//bench launch stencil2d grid n/32 n/8 block 32 8 args in out i32:n
extern "C" __global__ void stencil2d(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (in[(y - 1) * n + x] + in[(y + 1) * n + x] + in[y * n + x - 1] + in[y * n + x + 1]);
}
