// Kernels that every scalar pass finds something in; see scalar_test.go.
extern "C" __global__ void stencil(float *out, const float *in, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  float s = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; dy++)
#pragma unroll
    for (int dx = -1; dx <= 1; dx++) s += in[(y + dy) * w + (x + dx)];
  out[y * w + x] = s / 9;
}
extern "C" __global__ void matmul(float *c, const float *a, const float *b, int n) {
  __shared__ float sa[16][16], sb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float s = 0;
  for (int t = 0; t < n / 16; t++) {
    sa[ty][tx] = a[row * n + t * 16 + tx];
    sb[ty][tx] = b[(t * 16 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += sa[ty][k] * sb[k][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}
extern "C" __global__ void dot(float *out, const float *__restrict__ a, const float *__restrict__ b, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += a[i] * b[i];
  out[threadIdx.x] = s;
}
extern "C" __global__ void idx64(long *out, const long *in, long n, long w) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i / w] + in[i % w] * 7 / 10;
}
struct alignas(16) V { float x, y, z, w; };
extern "C" __global__ void body(V *p, V *v, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { V a = p[i], b = v[i]; a.x += b.x * dt; a.y += b.y * dt; a.z += b.z * dt; p[i] = a; }
}
extern "C" __global__ void row(float *out, float *in, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < m; j++) s += in[j * n + i];
  out[i] = s;
}
extern "C" __global__ void sides(int *p, const int *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (q[i] > n) {
    p[i] = q[n] * 3 + i / 7;
    __threadfence();
  } else {
    p[i + 1] = q[n] * 3 - i % 10;
    __threadfence_block();
  }
}
extern "C" __global__ void flags(int *p, int n) {
  int found = 0, mode = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (mode != 0) { p[i] = 0; mode++; }
    if (p[i] == n) { found = 1; __threadfence(); } else { p[i] = 1; }
    if (found) atomicAdd(p, 1);
  }
}
extern "C" __global__ void partly(int *p, int *q, int c, int n) {
  if (c > n) { *p = n; __threadfence_block(); q[1] = 1; } else { q[2] = p[4]; __threadfence_block(); }
  if (c > 5) q[3] = *p;
  q[0] = *p + c;
}
extern "C" __global__ void table(int *p, int n) {
  int t[8];
  for (int k = 0; k < 8; k++) t[k] = p[k] * k;
  int s = t[n & 7];
  t[n & 3] = s;
  p[threadIdx.x & 4095] = s;
}
extern "C" __global__ void rows(float *a, long b, long c, long n) {
  float s = 0;
#pragma unroll
  for (long x = 0; x < 3; ++x)
#pragma unroll
    for (long y = 0; y < 3; ++y) s += a[(c + y) + (b + x) * n];
  a[0] = s;
}
extern "C" __global__ void either(float *p, float *q, int i, int j, int b, int c) {
  float u = 0, v = 0;
  if (b) u = p[i] * q[j];
  if (c) v = p[i + j] + q[i];
  p[0] = u + v;
}
static __device__ int twice(int x) { return x + x; }
extern "C" __global__ void either_way(int *__restrict__ p, int *__restrict__ q, int *__restrict__ r, int c) {
  if (c > 4) p[0] = twice(c);
  q[0] = p[0];
  for (int i = threadIdx.x; i < c; i += 32) { q[i] = twice(r[i]) + r[c]; __syncthreads(); }
}

// slsr: products of neighbouring factors, wanted for themselves.
extern "C" __global__ void products(unsigned *p, unsigned b, unsigned s) {
  p[0] = b * s;
  p[1] = (b + 1) * s;
  p[2] = (b + 2) * s;
}

// reassociate: a sum that holds another.
extern "C" __global__ void sums(unsigned *p, unsigned a, unsigned b, unsigned c) {
  p[0] = a + b;
  p[1] = a + c + b;
}

// reciprocal: divisions where doubles are fast; narrowloop: operands that stay small.
extern "C" __global__ void gcd(unsigned long long *p) {
  unsigned long long x = p[0], y = p[1];
  while (y != 0) {
    unsigned long long r = x % y;
    x = y;
    y = r;
  }
  p[2] = x;
}

// sumorder and contract: a sum of two products, the second of which is loaded first.
extern "C" __global__ void dot_of_two(float *p, const float *q) {
  float x = q[0], y = q[1];
  p[0] = y * y + x * x;
}

// promote: sums in memory, one of which nothing else may read.
extern "C" __global__ void row_sums(int n, float *s, float *a, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j++) s[i] += a[i * n + j] * x[j];
}
extern "C" __global__ void product(int n, float *__restrict__ c, const float *a, const float *b) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
extern "C" __global__ void quarters(int n, float *__restrict__ c, const float *__restrict__ a) {
  for (int k = 0; k < n; k++)
    for (int j = 0; j < 4; j++) c[threadIdx.x * 4 + j] += a[k * 4 + j];
}

// factor: the planes of a batch, at sums of 64-bit products with common factors.
extern "C" __global__ void planes(const float *in, float *out, size_t channels, size_t height, size_t width) {
	size_t plane = blockIdx.z, x = threadIdx.x, y = blockIdx.y;
	size_t batch = plane / channels, channel = plane % channels;
	float v = in[batch * channels * height * width + channel * height * width + y * width + x];
	out[(batch * channels + channel) * height * width + y * width + x] = v;
}

// Each condition leads to the same store (crossjump).
extern "C" __global__ void border(float *field, int columns, int rows, float value) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0) {
    field[y * columns + x] = value;
  } else if (y == 0) {
    field[y * columns + x] = value;
  } else if (x == columns - 1) {
    field[y * columns + x] = value;
  } else if (y == rows - 1) {
    field[y * columns + x] = value;
  }
}

// idiom: the bits of a word that are set. looptest: a counter of 32 bits, a bound of 64.
extern "C" __global__ void bits_of(const unsigned *in, long n, int *out) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (unsigned x = in[i]; x; x &= x - 1)
      sum++;
  out[threadIdx.x] = sum;
}

// once: rounds of a solver that computes the same in each.
extern "C" __global__ void settled(const float *in, float *out, const int *rounds) {
  float x = in[threadIdx.x], y = 0.0f;
  for (int n = rounds[blockIdx.x], i = 0; i < n; i++)
    y = x > 0.0f ? sqrtf(x) : x;
  out[threadIdx.x] = y;
}

// joinloads: the halves of a word.
extern "C" __global__ void words(const ushort2 *in, unsigned *out) {
  ushort2 pair = in[threadIdx.x];
  out[threadIdx.x] = pair.x | (unsigned)pair.y << 16;
}

// addresstests: what is done with an address in shared memory.
extern "C" __global__ void where(int *out) {
  __shared__ int s[32];
  int *p = s + threadIdx.x;
  *p = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = __isShared(p) ? s[31 - threadIdx.x] : *p;
}

// peel: the first round reads another array. loadsahead: two arrays in place.
extern "C" __global__ void rounds(const float *in, float *__restrict__ out, float *__restrict__ other, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; i++)
    out[t] = (i == 0 ? in[t] : out[t]) + 1.0f;
  for (int i = t; i < n; i += 32) {
    out[i] = t;
    other[i] *= 2.0f;
  }
}
