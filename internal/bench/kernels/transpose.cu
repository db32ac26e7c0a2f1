// Matrix transposition through a padded tile, so that both sides are coalesced.
//bench suite dense
//bench size n 64 8192
//bench buffer a f32 n*n uniform -1 1
//bench buffer b f32 n*n zero out
//bench launch transpose grid n/32 n/32 block 32 8 args a b i32:n
extern "C" __global__ void transpose(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    tile[threadIdx.y + i][threadIdx.x] = a[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    b[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
