// Dense matrix product: 64 by 64 tiles, each thread 4 by 4 elements in registers.
//bench suite dense
//bench size n 64 1024
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n uniform -1 1
//bench buffer c f32 n*n zero out 1e-4
//bench launch matmul_register grid n/64 n/64 block 256 args a b c i32:n
extern "C" __global__ void __launch_bounds__(256) matmul_register(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float as[16][64];
  __shared__ float bs[16][64];
  int t = threadIdx.x;
  int tx = t % 16, ty = t / 16;
  int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      sum[i][j] = 0.0f;
  }
  for (int k0 = 0; k0 < n; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int e = t + i * 256;
      as[e % 16][e / 16] = a[(row0 + e / 16) * n + k0 + e % 16];
      bs[e / 64][e % 64] = b[(k0 + e / 64) * n + col0 + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      float x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        x[i] = as[k][ty * 4 + i];
        y[i] = bs[k][tx * 4 + i];
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++)
          sum[i][j] += x[i] * y[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = sum[i][j];
  }
}
