// Three dimensions, seven points, one thread a point.
//bench suite stencil
//bench size n 24 384
//bench buffer in f32 n*n*n uniform -1 1
//bench buffer out f32 n*n*n zero out 1e-5
//bench launch stencil3d grid n/8 n/4 n/4 block 8 4 4 args in out i32:n
extern "C" __global__ void stencil3d(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1) return;
  int i = (z * n + y) * n + x;
  out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n]);
}
