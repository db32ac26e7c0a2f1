// Dot product in doubles: grid-stride loops, then one block over the partial sums.
//bench suite reduce
//bench size n 10000 16000000
//bench size blocks 8 528
//bench buffer a f64 n uniform -1 1
//bench buffer b f64 n uniform -1 1
//bench buffer part f64 blocks zero out 1e-10
//bench buffer sum f64 1 zero out 1e-9
//bench launch dot grid blocks block 256 args a b part i32:n
//bench launch total grid 1 block 256 args part sum i32:blocks
__device__ double block_sum(double v) {
  __shared__ double s[256];
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  return s[0];
}

extern "C" __global__ void dot(const double *a, const double *b, double *part, int n) {
  double v = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += a[i] * b[i];
  v = block_sum(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

extern "C" __global__ void total(const double *part, double *sum, int n) {
  double v = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    v += part[i];
  v = block_sum(v);
  if (threadIdx.x == 0) *sum = v;
}
