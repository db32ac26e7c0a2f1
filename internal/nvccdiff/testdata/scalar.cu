// Integers, floats, bits, structs, control flow, inline PTX.
#include <cstdint>

struct Item {
  uint8_t kind;
  uint16_t count;
  int32_t key;
  int64_t sum;
  float rate;
};

struct Limits {
  int low, high;
  float scale;
};

__device__ __noinline__ int64_t mix(int64_t h) {
  uint64_t x = static_cast<uint64_t>(h);
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 29;
  return static_cast<int64_t>(x);
}

__global__ void items(Item *list, Limits limits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Item it = list[i];
  switch (it.kind & 7) {
  case 0:
    it.count++;
    break;
  case 1:
    it.key = -it.key / 3;
    [[fallthrough]];
  case 2:
    it.sum = mix(it.sum);
    break;
  case 3:
    it.rate *= limits.scale;
    break;
  case 5:
    it.key %= 5;
    break;
  default:
    it.key = it.key < limits.low ? limits.low : it.key > limits.high ? limits.high : it.key;
  }
  list[i] = it;
}

__global__ void divide(const int *a, const int *b, int *q, int *r, unsigned *u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int d = b[i] + 1, x = a[i] - 5;
    q[i] = x / d;
    r[i] = x % d;
    u[i] = static_cast<unsigned>(x) / static_cast<unsigned>(d) + static_cast<unsigned>(x) % 10u + static_cast<unsigned>(x / 7);
  }
}

__global__ void wide(const long long *a, const unsigned long long *b, long long *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long d = static_cast<long long>(b[i]) + 1;
    c[i] = a[i] * 1000003LL / (d | 2) + __mul64hi(a[i], d) + (a[i] << (i & 31)) + (a[i] >> 3) + static_cast<long long>(__umul64hi(b[i], ~b[i]));
  }
}

__global__ void narrow(const signed char *a, const unsigned short *b, short *c, unsigned char *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    c[i] = static_cast<short>(a[i] * b[i] - 70000);
    d[i] = static_cast<unsigned char>(a[i] - b[i]) >> 1;
  }
}

__global__ void collatz(const int *start, int *length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = start[i] + 1, count = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    if (++count > 200)
      break;
  }
  length[i] = count;
}

__global__ void horner(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float c[] = {0.5f, -1.25f, 3.0f, 0.125f};
  float sum = 0;
  for (float k : c)
    sum = sum * x[i] + k;
  y[i] = sqrtf(fabsf(sum)) / (1 + x[i] * x[i]);
}

__global__ void rounds(const double *x, int *a, double *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    a[i] = (x[i] == x[i] ? static_cast<int>(x[i] * 100) : 0) + __double2int_rn(x[i] * 7);
    b[i] = floor(x[i] * 3) + ceil(x[i]) - trunc(x[i] * 5) + fmod(x[i], 0.25) + copysign(x[i], -1.0);
    c[i] = static_cast<float>(x[i]) + __int2float_rz(a[i]) + fmaxf(0.25f, x[i]) + rintf(x[i] * 9);
  }
}

__global__ void bits(const unsigned *a, unsigned *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = a[i] * 2654435761u;
  b[i] = __popc(x) + __clz(x) + __ffs(x) + __brev(x) + __byte_perm(x, i, 0x3614) + __funnelshift_l(x, i, 9) + __sad(x, i, 3) + __mulhi(x, i);
}

__global__ void assembly(const unsigned *a, unsigned *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned low, high;
  asm("{\n\t.reg .u64 t;\n\tmul.wide.u32 t, %2, %3;\n\tmov.b64 {%0, %1}, t;\n\t}" : "=r"(low), "=r"(high) : "r"(a[i] * 77777777u), "r"(i + 99u));
  asm("bfe.u32 %0, %1, 3, 11;" : "+r"(low) : "r"(high + low));
  b[i] = low ^ high;
}

__global__ void vectors(const float4 *a, const int2 *b, float4 *c, double2 *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = a[i];
  v.x += v.w;
  v.y *= static_cast<float>(b[i].x);
  c[i] = make_float4(v.z, v.x, v.y, v.x - v.w);
  d[i] = make_double2(v.x / 3.0, b[i].y * 0.1);
}

__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }

__global__ void recursion(const int *a, int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = ackermann(1, a[i] & 7);
}

__global__ void tables(int **rows, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    rows[i & 3][i] += index[i];
}
