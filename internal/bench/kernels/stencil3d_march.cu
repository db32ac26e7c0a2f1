// Three dimensions, radius 2: a thread goes along z with the column in registers.
//bench suite stencil
//bench size n 32 384
//bench buffer in f32 n*n*n uniform -1 1
//bench buffer out f32 n*n*n zero out 1e-5
//bench launch stencil3d_march grid n/32 n/4 block 32 4 args in out i32:n
extern "C" __global__ void stencil3d_march(const float *__restrict__ in, float *__restrict__ out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return;
  int plane = n * n;
  int i = y * n + x + 2 * plane;
  float b2 = in[i - 2 * plane], b1 = in[i - plane], c = in[i], a1 = in[i + plane];
  for (int z = 2; z < n - 2; z++) {
    float a2 = in[i + 2 * plane];
    float near = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + b1 + a1;
    float far = in[i - 2] + in[i + 2] + in[i - 2 * n] + in[i + 2 * n] + b2 + a2;
    out[i] = 0.25f * c + 0.1f * near + 0.025f * far;
    b2 = b1;
    b1 = c;
    c = a1;
    a1 = a2;
    i += plane;
  }
}
