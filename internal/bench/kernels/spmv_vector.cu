// Sparse matrix (CSR) times vector, a warp a row.
//bench suite sparse
//bench size n 256 131072
//bench size deg 16 64
//bench buffer row i32 n+1 rows deg
//bench buffer col i32 n*deg uniform 0 n
//bench buffer val f64 n*deg uniform -1 1
//bench buffer x f64 n uniform -1 1
//bench buffer y f64 n zero out 1e-12
//bench launch spmv_vector grid n/4 block 128 args row col val x y i32:n
extern "C" __global__ void spmv_vector(const int *__restrict__ row, const int *__restrict__ col, const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (i >= n) return;
  double sum = 0.0;
  int end = row[i + 1];
  for (int e = row[i] + lane; e < end; e += 32)
    sum += val[e] * x[col[e]];
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) y[i] = sum;
}
