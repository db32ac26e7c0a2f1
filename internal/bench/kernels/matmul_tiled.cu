// Dense matrix product through 16 by 16 tiles in shared memory.
//bench suite dense
//bench size n 32 1024
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n uniform -1 1
//bench buffer c f32 n*n zero out 1e-4
//bench launch matmul_tiled grid n/16 n/16 block 16 16 args a b c i32:n
#define TILE 16

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < n / TILE; t++) {
    as[ty][tx] = a[row * n + t * TILE + tx];
    bs[ty][tx] = b[(t * TILE + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++)
      sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
