// Common neighbours of the ends of every edge, by merging sorted lists.
//bench suite graph
//bench size n 256 131072
//bench size deg 8 16
//bench buffer row i32 n+1 rows deg
//bench buffer dst i32 n*deg neighbours n deg
//bench buffer count u64 1 zero out
//bench launch triangles grid n/64 block 64 args row dst count i32:n
extern "C" __global__ void triangles(const int *row, const int *dst, unsigned long long *count, int n) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  unsigned found = 0;
  for (int e = row[u]; e < row[u + 1]; e++) {
    int v = dst[e];
    int i = row[u], j = row[v];
    while (i < row[u + 1] && j < row[v + 1]) {
      int a = dst[i], b = dst[j];
      if (a == b) found++;
      if (a <= b) i++;
      if (b <= a) j++;
    }
  }
  atomicAdd(count, (unsigned long long)found);
}
