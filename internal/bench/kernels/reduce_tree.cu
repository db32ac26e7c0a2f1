// Sum of integers: a tree in shared memory, one result a block.
//bench suite reduce
//bench size n 8192 67108864
//bench buffer in i32 n uniform -1000 1000
//bench buffer out i32 n/256 zero out
//bench launch reduce_tree grid n/256 block 256 args in out
extern "C" __global__ void reduce_tree(const int *in, int *out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
