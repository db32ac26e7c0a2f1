// Relaxation of every edge, from one array of distances into another.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row i32 n+1 rows deg
//bench buffer dst i32 n*deg uniform 0 n
//bench buffer weight i32 n*deg uniform 1 100
//bench buffer from i32 n uniform 0 1000
//bench buffer to i32 n const 2147483647 out
//bench launch sssp_step grid 2*(n/512) block 256 args row dst weight from to i32:n
extern "C" __global__ void sssp_step(const int *row, const int *dst, const int *weight, const int *from, int *to, int n) {
  for (int u = blockIdx.x * blockDim.x + threadIdx.x; u < n; u += gridDim.x * blockDim.x) {
    int d = from[u];
    for (int e = row[u], end = row[u + 1]; e < end; e++)
      atomicMin(&to[dst[e]], d + weight[e]);
  }
}
