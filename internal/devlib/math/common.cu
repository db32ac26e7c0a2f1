// What the functions of <math.h> share: scaling by powers of two and the
// reduction of angles too large for subtraction.

// p * 2^n for p near 1 and any n a result can have. The first product is
// exact, so that a subnormal result is rounded once.
static __device__ __forceinline__ float irgl_scalef(float p, int n) {
  int half = n >> 1;
  p = p * __int_as_float((half + 127) << 23);
  return p * __int_as_float((n - half + 127) << 23);
}

static __device__ __forceinline__ double irgl_scale(double p, int n) {
  int half = n >> 1;
  p = p * __hiloint2double((half + 1023) << 20, 0);
  return p * __hiloint2double((n - half + 1023) << 20, 0);
}

// irgl_scale of a p in [1/2, 2): mostly an addition to the exponent.
static __device__ __forceinline__ double irgl_scale_one(double p, int n) {
  if (n > -1021 && n < 1022) {
    return __hiloint2double(__double2hiint(p) + (n << 20), __double2loint(p));
  }
  return irgl_scale(p, n);
}

// v * c to the nearest integer n, for a product below 2^21: the sum with
// 1.5*2^23 has it in its low bits. Faster than a conversion.
static __device__ __forceinline__ float irgl_nearestf(float v, float c, int *n) {
  float t = fmaf(v, c, 0x1.8p23f);
  *n = __float_as_int(t) - 0x4b400000;
  return __fadd_rn(t, -0x1.8p23f);
}

// The same for a double, below 2^31.
static __device__ __forceinline__ double irgl_nearest(double v, double c, int *n) {
  double t = fma(v, c, 0x1.8p52);
  *n = __double2loint(t);
  return __dadd_rn(t, -0x1.8p52);
}

// n as a double: faster than a conversion.
static __device__ __forceinline__ double irgl_exact(int n) {
  return __hiloint2double(0x43300000, n ^ 0x80000000) - 0x1.000008p52;
}

// The reciprocal of a normal d to 2^-38: the instruction has 20 bits.
static __device__ __forceinline__ double irgl_half_rcp(double d) {
  double r = __irgl_rcp64(d);
  return fma(fma(-d, r, 1.0), r, r);
}

// The reciprocal of a normal d but for its last bit.
static __device__ __forceinline__ double irgl_full_rcp(double d) {
  double r = irgl_half_rcp(d);
  return fma(fma(-d, r, 1.0), r, r);
}

// The bits of 2/pi after the point, behind 64 zeros.
static __device__ const unsigned long long irgl_two_over_pi[22] = {
  0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
  0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
  0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
  0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
  0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
  0xf0cfbc209af4361dull, 0xa9e391615ee61b08ull,
};

// 64 bits of the table from the given bit on.
static __device__ __forceinline__ unsigned long long irgl_two_over_pi_at(int bit) {
  int word = bit >> 6, shift = bit & 63;
  unsigned long long a = irgl_two_over_pi[word], b = irgl_two_over_pi[word + 1];
  return shift == 0 ? a : (a << shift) | (b >> (64 - shift));
}

// The reduction of Payne and Hanek for a float of at least 2^15: x is an
// integer m times 2^e, and of the bits of 2/pi only those count whose product
// with x is less than 4 quarters of a turn, down to far below its smallest
// distance from a multiple. Returns the bits of the rest, in [-pi/4, pi/4], and
// above them the quarter: in registers, since a pointer would give all callers
// a stack, and keep its address in registers where nothing is ever reduced.
static __device__ __noinline__ unsigned long long irgl_reduce_largef(float x) {
  unsigned int bits = __float_as_uint(x);
  int e = (int)(bits >> 23 & 255u) - 150;
  unsigned long long m = (bits & 0x7fffffu) | 0x800000u;
  int from = 64 + e - 2;
  unsigned long long w1 = irgl_two_over_pi_at(from + 64);
  unsigned long long high = m * irgl_two_over_pi_at(from) + __umul64hi(m, w1);
  unsigned long long low = m * w1;
  unsigned long long part = high << 2 | low >> 62;
  int q = (int)(high >> 62) + (int)(part >> 63);
  float r = (float)((double)(long long)part * 0x1.921fb54442d18p-64);
  q = x < 0.0f ? -q : q;
  r = x < 0.0f ? -r : r;
  return (unsigned long long)(unsigned int)q << 32 | __float_as_uint(r);
}

// The same for a double of at least 2^15; the rest is the returned value and
// *tail. 192 bits of 2/pi leave a fraction of 137 bits, and no double comes
// nearer to a multiple of pi/2 than 2^-62.
static __device__ __forceinline__ double irgl_reduce_wide(double x, int *quarter, double *tail) {
  unsigned long long bits = (unsigned long long)__double_as_longlong(x);
  int e = (int)(bits >> 52 & 2047ull) - 1075;
  unsigned long long m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  int from = 64 + e - 2;
  unsigned long long w1 = irgl_two_over_pi_at(from + 64), w2 = irgl_two_over_pi_at(from + 128);
  unsigned long long low = m * w2, carry = __umul64hi(m, w2);
  unsigned long long mid = m * w1 + carry;
  unsigned long long high = m * irgl_two_over_pi_at(from) + __umul64hi(m, w1) + (mid < carry ? 1ull : 0ull);
  int q = (int)(high >> 62);
  high = high << 2 | mid >> 62;
  mid = mid << 2 | low >> 62;
  double sign = 1.0;
  if (high >> 63 != 0ull) {
    q++;
    sign = -1.0;
    high = ~high;
    mid = ~mid; // what this is off by is far below the tail
  }
  int n = __clzll((long long)high);
  if (n > 0) {
    high = high << n | mid >> (64 - n);
    mid = mid << n;
  }
  // The upper 53 bits are exact in a double; the rest is the tail.
  double top = (double)(long long)(high >> 11);
  double rest = (double)(long long)(high << 53 >> 1 | mid >> 12) * 0x1p-63;
  double unit = __hiloint2double((1023 - 53 - n) << 20, 0) * sign;
  double r = __dmul_rn(top, 0x1.921fb54442d18p+0);
  double t = fma(top, 0x1.921fb54442d18p+0, -r) + fma(top, 0x1.1a62633145c07p-54, rest * 0x1.921fb54442d18p+0);
  if (x < 0.0) {
    q = -q;
    unit = -unit;
  }
  *quarter = q;
  *tail = t * unit;
  return r * unit;
}

static __device__ __noinline__ double irgl_reduce_large(double x, int *quarter, double *tail) {
  return irgl_reduce_wide(x, quarter, tail);
}

// The same with the tail added, in registers: the bits of the rest, of whose exponent, which is from -62 to -1, the
// two bits below the highest are 0 and 1, with the quarter in their place.
static __device__ __noinline__ unsigned long long irgl_reduce_packed(double x) {
  int q;
  double tail, r = irgl_reduce_wide(x, &q, &tail);
  return (unsigned long long)__double_as_longlong(r + tail) & ~(3ull << 61) | (unsigned long long)(q & 3) << 61;
}
