// Remainders, and the parts of a double: all exact.

// The exponent of a > 0.
static __device__ __forceinline__ int irgl_exponent(double a) {
  bool small = a < 0x1p-1022;
  int e = (__double2hiint(small ? a * 0x1p54 : a) >> 20) - 1023;
  return small ? e - 54 : e;
}

// a mod b for finite a >= 0 and b > 0, and the low bits of the quotient. Each
// round subtracts a multiple of b 2^n whose factor is exact but for being one
// too large.
static __device__ double irgl_mod_part(double a, double b, unsigned int *bits) {
  unsigned int low = 0u;
  while (a >= b) {
    int n = irgl_exponent(a) - irgl_exponent(b) - 49;
    double c = n > 1900 ? irgl_scale(b * 0x1p54, n - 54) : n > 0 ? irgl_scale(b, n) : b;
    double q = trunc(a / c);
    a = fma(-q, c, a);
    if (a < 0.0) {
      a = a + c;
      q = q - 1.0;
    }
    if (n < 3) {
      low = low + ((unsigned int)(long long)q << (n > 0 ? n : 0));
    }
  }
  *bits = low;
  return a;
}

static __device__ double irgl_fmod(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (!(a < INFINITY) || !(b > 0.0)) {
    return x != x || y != y ? x + y : NAN;
  }
  unsigned int bits;
  return b == INFINITY ? x : copysign(irgl_mod_part(a, b, &bits), x);
}

// The remainder that is nearest to 0, the one of an even quotient of two.
static __device__ double irgl_remquo(double x, double y, int *quotient) {
  double a = fabs(x), b = fabs(y);
  *quotient = 0;
  if (!(a < INFINITY) || !(b > 0.0)) {
    return x != x || y != y ? x + y : NAN;
  }
  if (b == INFINITY) {
    return x;
  }
  unsigned int bits;
  a = irgl_mod_part(a, b, &bits);
  double other = b - a; // exact where it matters
  if (a > other || a == other && (bits & 1u) != 0u) {
    a = a - b;
    bits++;
  }
  int q = (int)(bits & 7u);
  *quotient = (__double2hiint(x) ^ __double2hiint(y)) < 0 ? -q : q;
  return __double2hiint(x) < 0 ? -a : a;
}

static __device__ __forceinline__ double irgl_remainder(double x, double y) {
  int quotient;
  return irgl_remquo(x, y, &quotient);
}

static __device__ __forceinline__ double irgl_fdim(double x, double y) {
  return x > y ? x - y : x != x || y != y ? x + y : 0.0;
}

static __device__ __forceinline__ double irgl_modf(double x, double *whole) {
  double t = trunc(x);
  *whole = t;
  return copysign(fabs(x) == INFINITY ? 0.0 : x - t, x);
}

static __device__ __forceinline__ double irgl_frexp(double x, int *e) {
  double a = fabs(x);
  if (a == 0.0 || !(a < INFINITY)) {
    *e = 0;
    return x + x;
  }
  int n = irgl_exponent(a) + 1;
  *e = n;
  return irgl_scale(x, -n);
}

static __device__ __forceinline__ int irgl_ilogb(double x) {
  double a = fabs(x);
  return a == INFINITY ? INT_MAX : !(a > 0.0) ? INT_MIN : irgl_exponent(a);
}

static __device__ __forceinline__ double irgl_logb(double x) {
  double a = fabs(x);
  return a == 0.0 ? -INFINITY : !(a < INFINITY) ? a : (double)irgl_exponent(a);
}

// x * 2^n: to a mantissa of exponent 0 and from there, in two steps of which
// the first is exact.
static __device__ __forceinline__ double irgl_scalbn(double x, int n) {
  double a = fabs(x);
  if (a == 0.0 || !(a < INFINITY)) {
    return x + x;
  }
  int e = irgl_exponent(a);
  double m = irgl_scale(x, -e);
  n = n < -5000 ? -5000 : n > 5000 ? 5000 : n;
  n = n + e;
  n = n < -1200 ? -1200 : n > 1200 ? 1200 : n;
  return irgl_scale(m, n);
}

static __device__ __forceinline__ double irgl_ldexp(double x, int n) {
  return irgl_scalbn(x, n);
}

static __device__ __forceinline__ double irgl_scalbln(double x, long n) {
  return irgl_scalbn(x, n < -5000l ? -5000 : n > 5000l ? 5000 : (int)n);
}

// The neighbour of x on the side of y: the bits, as an integer, count the
// values of one sign in order.
static __device__ __forceinline__ double irgl_nextafter(double x, double y) {
  if (x != x || y != y) {
    return x + y;
  }
  if (x == y) {
    return y;
  }
  if (x == 0.0) {
    return copysign(0x1p-1074, y);
  }
  return __longlong_as_double(__double_as_longlong(x) + ((x < y) == (x > 0.0) ? 1ll : -1ll));
}
