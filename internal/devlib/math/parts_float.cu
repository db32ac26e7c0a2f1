// Remainders, and the parts of a float: all exact.

// The exponent of a > 0.
static __device__ __forceinline__ int irgl_exponentf(float a) {
  bool small = a < 0x1p-126f;
  int e = (int)(__float_as_uint(small ? a * 0x1p24f : a) >> 23) - 127;
  return small ? e - 24 : e;
}

// a mod b for finite a >= 0 and b > 0, and the low bits of the quotient. Each
// round subtracts a multiple of b 2^n whose factor is exact but for being one
// too large.
static __device__ float irgl_mod_partf(float a, float b, unsigned int *bits) {
  unsigned int low = 0u;
  while (a >= b) {
    int n = irgl_exponentf(a) - irgl_exponentf(b) - 20;
    float c = n > 200 ? irgl_scalef(b * 0x1p24f, n - 24) : n > 0 ? irgl_scalef(b, n) : b;
    float q = truncf(a / c);
    a = fmaf(-q, c, a);
    if (a < 0.0f) {
      a = a + c;
      q = q - 1.0f;
    }
    if (n < 3) {
      low = low + ((unsigned int)(long long)q << (n > 0 ? n : 0));
    }
  }
  *bits = low;
  return a;
}

static __device__ float irgl_fmodf(float x, float y) {
  float a = fabsf(x), b = fabsf(y);
  if (!(a < INFINITY) || !(b > 0.0f)) {
    return x != x || y != y ? x + y : NAN;
  }
  unsigned int bits;
  return b == INFINITY ? x : copysignf(irgl_mod_partf(a, b, &bits), x);
}

// The remainder that is nearest to 0, the one of an even quotient of two.
static __device__ float irgl_remquof(float x, float y, int *quotient) {
  float a = fabsf(x), b = fabsf(y);
  *quotient = 0;
  if (!(a < INFINITY) || !(b > 0.0f)) {
    return x != x || y != y ? x + y : NAN;
  }
  if (b == INFINITY) {
    return x;
  }
  unsigned int bits;
  a = irgl_mod_partf(a, b, &bits);
  float other = b - a; // exact where it matters
  if (a > other || a == other && (bits & 1u) != 0u) {
    a = a - b;
    bits++;
  }
  int q = (int)(bits & 7u);
  *quotient = (__float_as_int(x) ^ __float_as_int(y)) < 0 ? -q : q;
  return __float_as_int(x) < 0 ? -a : a;
}

static __device__ __forceinline__ float irgl_remainderf(float x, float y) {
  int quotient;
  return irgl_remquof(x, y, &quotient);
}

static __device__ __forceinline__ float irgl_fdimf(float x, float y) {
  return x > y ? x - y : x != x || y != y ? x + y : 0.0f;
}

static __device__ __forceinline__ float irgl_modff(float x, float *whole) {
  float t = truncf(x);
  *whole = t;
  return copysignf(fabsf(x) == INFINITY ? 0.0f : x - t, x);
}

static __device__ __forceinline__ float irgl_frexpf(float x, int *e) {
  float a = fabsf(x);
  if (a == 0.0f || !(a < INFINITY)) {
    *e = 0;
    return x + x;
  }
  int n = irgl_exponentf(a) + 1;
  *e = n;
  return irgl_scalef(x, -n);
}

static __device__ __forceinline__ int irgl_ilogbf(float x) {
  float a = fabsf(x);
  return a == INFINITY ? INT_MAX : !(a > 0.0f) ? INT_MIN : irgl_exponentf(a);
}

static __device__ __forceinline__ float irgl_logbf(float x) {
  float a = fabsf(x);
  return a == 0.0f ? -INFINITY : !(a < INFINITY) ? a : (float)irgl_exponentf(a);
}

// x * 2^n: to a mantissa of exponent 0 and from there, in two steps of which
// the first is exact.
static __device__ __forceinline__ float irgl_scalbnf(float x, int n) {
  float a = fabsf(x);
  if (a == 0.0f || !(a < INFINITY)) {
    return x + x;
  }
  int e = irgl_exponentf(a);
  float m = irgl_scalef(x, -e);
  n = n < -1000 ? -1000 : n > 1000 ? 1000 : n;
  n = n + e;
  n = n < -200 ? -200 : n > 200 ? 200 : n;
  return irgl_scalef(m, n);
}

static __device__ __forceinline__ float irgl_ldexpf(float x, int n) {
  return irgl_scalbnf(x, n);
}

static __device__ __forceinline__ float irgl_scalblnf(float x, long n) {
  return irgl_scalbnf(x, n < -1000l ? -1000 : n > 1000l ? 1000 : (int)n);
}

// The neighbour of x on the side of y: the bits, as an integer, count the
// values of one sign in order.
static __device__ __forceinline__ float irgl_nextafterf(float x, float y) {
  if (x != x || y != y) {
    return x + y;
  }
  if (x == y) {
    return y;
  }
  if (x == 0.0f) {
    return copysignf(0x1p-149f, y);
  }
  return __int_as_float(__float_as_int(x) + ((x < y) == (x > 0.0f) ? 1 : -1));
}
