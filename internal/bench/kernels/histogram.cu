// Histogram of bytes: counters in shared memory, merged by atomics.
//bench suite reduce
//bench size n 16384 134217728
//bench size blocks 4 264
//bench buffer in u32 n/4 uniform 0 4294967295
//bench buffer count u32 256 zero out
//bench launch histogram grid blocks block 256 args in count i32:n/4
extern "C" __global__ void histogram(const unsigned *in, unsigned *count, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    unsigned w = in[i];
    atomicAdd(&s[w & 255], 1u);
    atomicAdd(&s[w >> 8 & 255], 1u);
    atomicAdd(&s[w >> 16 & 255], 1u);
    atomicAdd(&s[w >> 24], 1u);
  }
  __syncthreads();
  atomicAdd(&count[threadIdx.x], s[threadIdx.x]);
}
