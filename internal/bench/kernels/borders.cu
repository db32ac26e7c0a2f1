// A field's step of diffusion, whose six kinds of borders are reset by conditions that follow each other.
//bench suite stencil
//bench size n 20 320
//bench buffer a f32 n*n*n uniform -1 1
//bench buffer b f32 n*n*n zero out 1e-6
//bench launch borders grid (n+31)/32 (n+7)/8 n block 32 8 args a b i32:n
extern "C" __global__ void borders(const float *__restrict__ a, float *__restrict__ b, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x >= n || y >= n)
    return;
  int i = (z * n + y) * n + x;
  if (x == 0)
    b[i] = -1.0f;
  else if (x == n - 1)
    b[i] = -1.0f;
  else if (y == 0)
    b[i] = -1.0f;
  else if (y == n - 1)
    b[i] = -1.0f;
  else if (z == 0)
    b[i] = -1.0f;
  else if (z == n - 1)
    b[i] = -1.0f;
  else
    b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]);
}
