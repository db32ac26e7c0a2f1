// A level of breadth-first search over all nodes of a graph.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row i32 n+1 rows deg
//bench buffer dst i32 n*deg uniform 0 n
//bench buffer level i32 n uniform 1 5 out
//bench buffer changed i32 1 zero out
//bench launch bfs_step grid n/256 block 256 args row dst level changed i32:n i32:5
extern "C" __global__ void bfs_step(const int *row, const int *dst, int *level, int *changed, int n, int next) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n || level[u] != next - 4) return;
  int any = 0;
  for (int e = row[u]; e < row[u + 1]; e++) {
    int v = dst[e];
    if (level[v] > next - 3 && level[v] < next) {
      level[v] = next;
      any = 1;
    }
  }
  if (any) *changed = 1;
}
