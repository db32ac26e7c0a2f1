// Product of matrices of bytes on the tensor cores, through tiles in shared memory; a warp computes 16 by 16 sums.
//bench suite dense
//bench size n 64 2048
//bench buffer a u8 n*n uniform 0 200
//bench buffer b u8 n*n uniform 0 200
//bench buffer c i32 n*n zero out
//bench launch matmul_bytes grid n/32 n/32 block 128 args a b c i32:n
#include <mma.h>
using namespace nvcuda;
#define TILE 32
#define ROW (TILE + 16)

// Both factors are in rows of k, so that the second is transposed.
extern "C" __global__ void matmul_bytes(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *c, int n) {
  __shared__ unsigned char as[TILE][ROW], bs[TILE][ROW];
  int warp = threadIdx.x / 32, row = warp / 2 * 16, col = warp % 2 * 16;
  int line = threadIdx.x / 4, part = threadIdx.x % 4 * 8;
  const unsigned char *pa = a + (size_t)(blockIdx.y * TILE + line) * n + part, *pb = b + (size_t)(blockIdx.x * TILE + line) * n + part;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < n; k += TILE) {
    *(uint2 *)&as[line][part] = *(const uint2 *)(pa + k);
    *(uint2 *)&bs[line][part] = *(const uint2 *)(pb + k);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, unsigned char, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, unsigned char, wmma::col_major> fb;
      wmma::load_matrix_sync(fa, &as[row][i], ROW);
      wmma::load_matrix_sync(fb, &bs[col][i], ROW);
      wmma::mma_sync(sum, fa, fb, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(c + (size_t)(blockIdx.y * TILE + row) * n + blockIdx.x * TILE + col, sum, n, wmma::mem_row_major);
}
