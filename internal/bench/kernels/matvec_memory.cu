// Dense matrix times vector, a row in each thread, which adds to the result in memory.
//bench suite dense
//bench size n 64 2048
//bench buffer a f32 n*n uniform -1 1
//bench buffer x f32 n uniform -1 1
//bench buffer y f32 n uniform -1 1 out 1e-4
//bench launch matvec_memory grid n/64 block 64 args a x y i32:n
extern "C" __global__ void matvec_memory(const float *a, const float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  for (int k = 0; k < n; k++)
    y[row] += a[row * n + k] * x[k];
}
