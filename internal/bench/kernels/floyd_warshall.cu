// Shortest paths through one more node.
//bench suite dynamic
//bench size n 64 8192
//bench size k 5 5
//bench buffer d i32 n*n uniform 1 1000 out
//bench launch floyd_warshall grid n/32 n/8 block 32 8 args d i32:n i32:k
extern "C" __global__ void floyd_warshall(int *d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n || i == k || j == k) return;
  int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
}
