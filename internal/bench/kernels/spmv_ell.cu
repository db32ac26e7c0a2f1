// Sparse matrix (ELLPACK, column by column) times vector; -1 marks padding.
//bench suite sparse
//bench size n 512 524288
//bench size width 12 16
//bench buffer col i32 n*width uniform -1 n
//bench buffer val f32 n*width uniform -1 1
//bench buffer x f32 n uniform -1 1
//bench buffer y f32 n zero out 1e-5
//bench launch spmv_ell grid n/128 block 128 args col val x y i32:n i32:width
extern "C" __global__ void spmv_ell(const int *col, const float *val, const float *x, float *y, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int j = 0; j < width; j++) {
    int c = col[j * n + i];
    if (c >= 0) sum += val[j * n + i] * x[c];
  }
  y[i] = sum;
}
