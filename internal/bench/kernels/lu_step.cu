// A step of LU factorisation: the multipliers of a column, then the trailing update.
//bench suite dense
//bench size n 64 8192
//bench size k 8 8
//bench buffer a f64 n*n uniform 1 2 out 1e-12
//bench launch lu_column grid (n+63)/64 block 64 args a i32:n i32:k
//bench launch lu_update grid (n+15)/16 (n+15)/16 block 16 16 args a i32:n i32:k
extern "C" __global__ void lu_column(double *a, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > k && i < n) a[i * n + k] /= a[k * n + k];
}

extern "C" __global__ void lu_update(double *a, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > k && j > k && i < n && j < n)
    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
