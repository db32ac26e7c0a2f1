// Weights in a table that is a parameter, passed on by its address and indexed by data.
//bench suite memory
//bench size n 4096 33554432
//bench buffer in i32 n uniform 0 1000000
//bench buffer out i64 n zero out
//bench launch param_table grid n/256 block 256 args in out { i64:7 i64:-11 i64:13 i64:17 i64:-19 i64:23 i64:29 i64:31 }
struct Table {
  long weight[8];
};

static __device__ long weigh(const struct Table *table, int x) {
  long sum = 0;
  for (int k = 0; k < 4; k++)
    sum = sum * 3 + table->weight[(x >> 3 * k) & 7];
  return sum;
}

extern "C" __global__ void param_table(const int *in, long long *out, struct Table table) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = weigh(&table, in[t]) + table.weight[t % 8];
}
