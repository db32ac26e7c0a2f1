// Dense matrix product, one thread an element: no reuse but the caches'.
//bench suite dense
//bench size n 32 1024
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n uniform -1 1
//bench buffer c f32 n*n zero out 1e-4
//bench launch matmul grid n/16 n/16 block 16 16 args a b c i32:n
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
