__device__ int counter = 5;
__constant__ int factors[4]; __device__ char word[8];
__managed__ int managed_sum = 100;

extern "C" __global__ void add(int *out, const int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = out[i] + a[i];
  }
}

extern "C" __global__ void beyond(int *out, int n) {
  out[n + threadIdx.x] = 1;
}

extern "C" __global__ void scale(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    data[i] *= factors[i & 3];
  }
  if (i == 0) {
    counter++;
  }
}

extern "C" __global__ void talk(int n) {
  printf("thread %d of %d\n", threadIdx.x, n);
}

extern "C" __global__ void sum(const int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&managed_sum, a[i]);
  }
}

extern "C" __global__ void nothing() {}

extern "C" __global__ void racing(int *p) { p[0] = threadIdx.x; }

extern "C" __global__ void claim(int n) { assert(n < 3); }

extern "C" __global__ void forever(volatile int *p) {
  while (p[0] == 0) { p[1]++; }
}

struct pair { char tag; double value; };
extern "C" __global__ void structs(struct pair p, short s, double *out) { out[0] = p.value + p.tag + s; }

extern "C" __global__ __launch_bounds__(64) void bounded(int *p) {
  __shared__ int s[1024];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}

extern "C" __global__ void dynamic(int *p, int n) {
  extern __shared__ int d[];
  d[n] = 7;
  p[0] = d[n];
}

extern "C" __global__ void child(int *log, int v) { log[1 + atomicAdd(log, 1)] = v; }

extern "C" __global__ void family(int *log, int n) {
  if (n <= 0) { return; }
  child<<<1, 1>>>(log, 10 * n);
  family<<<1, 1>>>(log, n - 1);
  child<<<1, 1>>>(log, 10 * n + 1);
}
