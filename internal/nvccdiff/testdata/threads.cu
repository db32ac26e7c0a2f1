// Shared memory, warps, atomics, and memory of every kind.
__constant__ float weights[9];
__constant__ int steps[4] = {1, -1, 2, -2};
__device__ unsigned visits[64];
__device__ long long total;

__global__ void scanWarp(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int from = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d)
      v += from;
  }
  if (i < n)
    out[i] = v;
}

__global__ void votes(const int *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, in[i] & 1);
  out[i] = __popc(mask) * 3 + (__any_sync(0xffffffff, in[i] > 6) ? 1 : 0) + __ffs(mask) + __clz(in[i]) + __brev(mask);
}

__global__ void histogram(const unsigned char *in, unsigned *out, int n) {
  __shared__ unsigned bins[128];
  for (int b = threadIdx.x; b < 128; b += blockDim.x)
    bins[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[in[i] & 127], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 128; b += blockDim.x)
    atomicAdd(&out[b], bins[b]);
}

__global__ void visit(const int *list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicInc(&visits[list[i] & 63], 1000);
  atomicAdd(reinterpret_cast<unsigned long long *>(&total), static_cast<unsigned long long>(list[i]));
}

__global__ void extremes(const int *in, int *least, int *most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMin(&least[i % 5], in[i] - 3);
    atomicMax(&most[i % 7], in[i] * in[i]);
  }
}

__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (blockDim.x != 16 || blockDim.y != 16)
    return;
  if (x < n && y < n)
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n && blockIdx.x * 16 + threadIdx.x < n)
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void stencil(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
      sum += weights[3 * (dy + 1) + dx + 1] * in[v * width + u];
    }
  out[y * width + x] = sum;
}

extern __shared__ int dynamic[];

__global__ void rotate(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  dynamic[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = dynamic[(threadIdx.x + steps[i & 3] + blockDim.x) % blockDim.x];
}

__global__ void rows(const int *offsets, const int *columns, const double *values, const double *x, double *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  double sum = 0;
  for (int k = offsets[row]; k < offsets[row + 1]; k++)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}
