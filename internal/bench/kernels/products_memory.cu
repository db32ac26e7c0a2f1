// Four columns of a matrix product in each thread, which add to the result in memory.
//bench suite dense
//bench size n 64 1024
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*4 uniform -1 1
//bench buffer c f32 n*4 uniform -1 1 out 1e-4
//bench launch products_memory grid n/64 block 64 args a b c i32:n
extern "C" __global__ void products_memory(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < 4; j++)
      c[row * 4 + j] += a[row * n + k] * b[k * 4 + j];
}
