// Sums of rows of eight, accumulated in the result's place.
//bench suite memory
//bench size n 4096 16777216
//bench size blocks 4 1056
//bench buffer x f32 n*8 uniform -1 1
//bench buffer y f32 n zero out 1e-6
//bench launch row_sums grid blocks block 256 args x y i32:n
extern "C" __global__ void row_sums(const float *__restrict__ x, float *__restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = 0.0f;
    for (int k = 0; k < 8; k++) {
      y[i] += x[i * 8 + k];
    }
  }
}
