// A row of the knapsack table from the row before, and the next from that.
//bench suite dynamic
//bench size n 4096 33554432
//bench buffer row i32 n uniform 0 1000
//bench buffer mid i32 n zero out
//bench buffer last i32 n zero out
//bench launch knapsack grid n/256 block 256 args row mid i32:17 i32:60 i32:n
//bench launch knapsack grid n/256 block 256 args mid last i32:101 i32:333 i32:n
extern "C" __global__ void knapsack(const int *from, int *to, int weight, int value, int n) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= n) return;
  int best = from[w];
  if (w >= weight) best = max(best, from[w - weight] + value);
  to[w] = best;
}
