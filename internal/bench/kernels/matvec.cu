// Dense matrix times vector, a warp a row.
//bench suite dense
//bench size n 128 8192
//bench buffer a f32 n*n uniform -1 1
//bench buffer x f32 n uniform -1 1
//bench buffer y f32 n zero out 1e-4
//bench launch matvec grid n/8 block 256 args a x y i32:n
extern "C" __global__ void matvec(const float *a, const float *x, float *y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0.0f;
  for (int k = lane; k < n; k += 32)
    sum += a[row * n + k] * x[k];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}
