// Sparse matrix (CSR) times vector, a thread a row.
//bench suite sparse
//bench size n 512 524288
//bench size deg 8 16
//bench buffer row i32 n+1 rows deg
//bench buffer col i32 n*deg uniform 0 n
//bench buffer val f32 n*deg uniform -1 1
//bench buffer x f32 n uniform -1 1
//bench buffer y f32 n zero out 1e-5
//bench launch spmv_scalar grid n/128 block 128 args row col val x y i32:n
extern "C" __global__ void spmv_scalar(const int *row, const int *col, const float *val, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int e = row[i]; e < row[i + 1]; e++)
    sum += val[e] * x[col[e]];
  y[i] = sum;
}
