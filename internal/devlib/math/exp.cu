// Exponentials, logarithms and powers of double; see exp_float.cu.

// e^(f+g) * 2^n for f within half of log(2) and a g far below f.
static __device__ __forceinline__ double irgl_exp_part(double f, double g, int n) {
  // (e^f - 1 - f) / f^2 for |f| < 0.347, to 2^-57.9 of the whole
  double p = 0x1.ad7fd415b615dp-26;
  p = fma(p, f, 0x1.28ad977e829adp-22);
  p = fma(p, f, 0x1.71df2557514adp-19);
  p = fma(p, f, 0x1.a01999e7955e7p-16);
  p = fma(p, f, 0x1.a01a012a34826p-13);
  p = fma(p, f, 0x1.6c16c1843661bp-10);
  p = fma(p, f, 0x1.1111111127cb8p-7);
  p = fma(p, f, 0x1.555555555084bp-5);
  p = fma(p, f, 0x1.55555555554f9p-3);
  p = fma(p, f, 0x1.000000000000ap-1);
  p = fma(p, f * f, g);
  return irgl_scale_one(1.0 + (f + p), n);
}

// x - n log(2) and what it lacks. The first product is exact.
static __device__ __forceinline__ double irgl_exp_reduce(double x, double t, double *low) {
  double a = fma(t, -0x1.62e42fefa4p-1, x);
  double b = t * -(-0x1.8432a1b0e2634p-43);
  double f = __dadd_rn(a, b);
  *low = (a - f) + b;
  return f;
}

static __device__ double irgl_exp(double x) {
  int n;
  double t = irgl_nearest(x, 0x1.71547652b82fep+0, &n);
  double f = fma(t, -0x1.62e42fefa4p-1, x);
  f = fma(t, -(-0x1.8432a1b0e2634p-43), f);
  // (e^f - 1 - f) / f^2 for |f| < 0.347, to 2^-57.9 of the whole
  double p = 0x1.ad7fd415b615dp-26;
  p = fma(p, f, 0x1.28ad977e829adp-22);
  p = fma(p, f, 0x1.71df2557514adp-19);
  p = fma(p, f, 0x1.a01999e7955e7p-16);
  p = fma(p, f, 0x1.a01a012a34826p-13);
  p = fma(p, f, 0x1.6c16c1843661bp-10);
  p = fma(p, f, 0x1.1111111127cb8p-7);
  p = fma(p, f, 0x1.555555555084bp-5);
  p = fma(p, f, 0x1.55555555554f9p-3);
  p = fma(p, f, 0x1.000000000000ap-1);
  p = fma(p, f, 1.0);
  double r = irgl_scale_one(fma(p, f, 1.0), n);
  return fabs(x) < 746.0 ? r : x < 0.0 ? 0.0 : x * INFINITY;
}

static __device__ double irgl_exp2(double x) {
  int n;
  double f = x - irgl_nearest(x, 1.0, &n);
  double h = __dmul_rn(f, 0x1.62e42fefa39efp-1);
  double g = fma(f, 0x1.abc9e3b39803fp-56, fma(f, 0x1.62e42fefa39efp-1, -h));
  double r = irgl_exp_part(h, g, n);
  return fabs(x) < 1076.0 ? r : x < 0.0 ? 0.0 : x * INFINITY;
}

static __device__ double irgl_exp10(double x) {
  int n;
  double t = irgl_nearest(x, 0x1.a934f0979a371p+1, &n);
  double f = fma(t, -0x1.34413509f8p-2, x);
  f = fma(t, -(-0x1.80433b83b532ap-44), f);
  double h = __dmul_rn(f, 0x1.26bb1bbb55516p+1);
  double g = fma(f, (-0x1.f48ad494ea3e9p-53), fma(f, 0x1.26bb1bbb55516p+1, -h));
  double r = irgl_exp_part(h, g, n);
  return fabs(x) < 325.0 ? r : x < 0.0 ? 0.0 : x * INFINITY;
}

// e^x - 1 as the sum of the result and *low, for x below 700.
static __device__ __forceinline__ double irgl_expm1_pair(double x, double *low) {
  int n;
  double t = irgl_nearest(fabs(x) < 0.42 ? 0.0 : x, 0x1.71547652b82fep+0, &n);
  double c, f = irgl_exp_reduce(x, t, &c);
  // (e^f - 1 - f - f^2/2) / f^3 for |f| < 0.42, to 2^-58.4 of the whole
  double p = 0x1.1ef8c760c7cafp-29;
  p = fma(p, f, 0x1.afd1490c65de9p-26);
  p = fma(p, f, 0x1.27e56229dc96p-22);
  p = fma(p, f, 0x1.71ddae9421d15p-19);
  p = fma(p, f, 0x1.a01a01443d9c9p-16);
  p = fma(p, f, 0x1.a01a01d071518p-13);
  p = fma(p, f, 0x1.6c16c16c32c9fp-10);
  p = fma(p, f, 0x1.1111111109d65p-7);
  p = fma(p, f, 0x1.55555555554fep-5);
  p = fma(p, f, 0x1.555555555556bp-3);
  // e^f - 1 is f + c + f^2/2 + f^3 p; the square has two parts
  double q = __dmul_rn(f, 0.5 * f);
  double qlow = fma(f, 0.5 * f, -q);
  double h = __dadd_rn(f, q);
  double l = (f - h) + q + (fma(p, f * (f * f), qlow) + fma(c, f, c));
  double s = __hiloint2double((n + 1023) << 20, 0);
  double one = s - 1.0; // 0 or not smaller than h
  double sum = __dadd_rn(one, s * h);
  double rest = t == 0.0 ? 0.0 : fabs(one) >= fabs(s * h) ? (one - sum) + s * h : (s * h - sum) + one;
  rest = fma(s, l, rest);
  double out = __dadd_rn(sum, rest);
  *low = (sum - out) + rest;
  return out;
}

static __device__ double irgl_expm1(double x) {
  double low, r = irgl_expm1_pair(fmin(x, 690.0), &low);
  if (!(x < 690.0)) {
    r = irgl_exp(x);
  }
  r = x < -60.0 ? -1.0 : r;
  return x == 0.0 ? x : r;
}

// The number e for which x = m 2^e with m in [2/3, 4/3), and m - 1. A
// subnormal x must be scaled before.
static __device__ __forceinline__ int irgl_log_split(double x, double *f) {
  long long i = __double_as_longlong(x);
  int e = (int)((i - 0x3fe5555555555555ll) >> 52);
  *f = __longlong_as_double(i - ((long long)e << 52)) - 1.0;
  return e;
}

// log(1+f) for f within a third as the sum of the result and *low: u + u^3 P, u = 2f/(2+f).
static __device__ __forceinline__ double irgl_log1p_part(double f, double *low) {
  double h = 0.5 * f;
  double r = irgl_full_rcp(1.0 + h);
  double u = __dmul_rn(f, r);
  double rest = fma(u, -h, f - u) * r;
  double z = u * u;
  // (log((2+u)/(2-u)) - u) / u^3 of z = u^2 <= 0.16, to 2^-62.6 of the whole
  double p = 0x1.1b8884f425868p-20;
  p = fma(p, z, 0x1.0dca8a1716f82p-18);
  p = fma(p, z, 0x1.3b35d10065faap-16);
  p = fma(p, z, 0x1.745c4a5ac66fp-14);
  p = fma(p, z, 0x1.c71c7491e96d3p-12);
  p = fma(p, z, 0x1.24924921e1e0fp-9);
  p = fma(p, z, 0x1.999999999c1a1p-7);
  p = fma(p, z, 0x1.555555555554fp-4);
  *low = fma(z * u, p, rest);
  return u;
}

// n log(2) + h + low, where |h| is at most 0.41. The first product is exact.
static __device__ __forceinline__ double irgl_log_sum(double n, double h, double low) {
  double sum = fma(n, 0x1.62e42fefa4p-1, h);
  double rest = fma(n, 0x1.62e42fefa4p-1, -sum) + h;
  return sum + (rest + fma(n, (-0x1.8432a1b0e2634p-43), low));
}

// Whether x is a finite number of at least 2^-1022.
static __device__ __forceinline__ bool irgl_log_normal(double x) {
  return (unsigned int)__double2hiint(x) - 0x00100000u < 0x7fe00000u;
}

// Multiplies a subnormal x by 2^54, for which *extra makes up in the exponent; false for what is no number above 0.
static __device__ __forceinline__ bool irgl_log_raise(double *x, int *extra) {
  if (!(*x > 0.0 && *x < INFINITY)) {
    return false;
  }
  *x *= 0x1p54;
  *extra = -54;
  return true;
}

static __device__ __forceinline__ double irgl_log_special(double x) {
  return x == 0.0 ? -INFINITY : x < 0.0 ? NAN : x + x;
}

static __device__ double irgl_log(double x) {
  int extra = 0;
  if (!irgl_log_normal(x) && !irgl_log_raise(&x, &extra)) {
    return irgl_log_special(x);
  }
  double f, low;
  int e = irgl_log_split(x, &f);
  double h = irgl_log1p_part(f, &low);
  return irgl_log_sum(irgl_exact(e + extra), h, low);
}

// The logarithm to another base: (h + low) times a constant of two parts.
static __device__ __forceinline__ double irgl_log_scaled(double h, double low, double c, double clow, double *rest) {
  double p = __dmul_rn(h, c);
  *rest = fma(low, c, fma(h, clow, fma(h, c, -p)));
  return p;
}

static __device__ double irgl_log2(double x) {
  int extra = 0;
  if (!irgl_log_normal(x) && !irgl_log_raise(&x, &extra)) {
    return irgl_log_special(x);
  }
  double f, low;
  int e = irgl_log_split(x, &f);
  double h = irgl_log1p_part(f, &low);
  h = irgl_log_scaled(h, low, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, &low);
  double n = irgl_exact(e + extra);
  double sum = __dadd_rn(n, h);
  double rest = (n - sum) + h;
  return sum + (rest + low);
}

static __device__ double irgl_log10(double x) {
  int extra = 0;
  if (!irgl_log_normal(x) && !irgl_log_raise(&x, &extra)) {
    return irgl_log_special(x);
  }
  double f, low;
  int e = irgl_log_split(x, &f);
  double h = irgl_log1p_part(f, &low);
  h = irgl_log_scaled(h, low, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, &low);
  double n = irgl_exact(e + extra);
  double sum = fma(n, 0x1.34413509f8p-2, h); // the product is exact
  double rest = fma(n, 0x1.34413509f8p-2, -sum) + h;
  return sum + (rest + fma(n, (-0x1.80433b83b532ap-44), low));
}

// log(1 + x + low), where low is far below x: 1 + x as a sum of two parts.
static __device__ __forceinline__ double irgl_log1p_pair(double x, double low) {
  double u = __dadd_rn(1.0, x);
  double c = (fabs(x) < 1.0 ? (1.0 - u) + x : (x - u) + 1.0) + low;
  double f, l;
  int e = irgl_log_split(u, &f);
  double h = irgl_log1p_part(f, &l);
  // log(u + c) is log(u) + c/u, and c is small
  return irgl_log_sum(irgl_exact(e), h, fma(c, (double)__irgl_rcp((float)u), l));
}

static __device__ double irgl_log1p(double x) {
  double r = irgl_log1p_pair(x < 0x1p60 ? x : 1.0, 0.0);
  if (!(x < 0x1p60)) {
    r = irgl_log(x);
  }
  r = x > -1.0 ? r : irgl_log_special(1.0 + x);
  return fabs(x) < 0x1p-54 ? x : r;
}

// log(x) of a normal x > 0 to 2^-64, as in irgl_log_pairf.
static __device__ __forceinline__ double irgl_log_pair(double x, int extra, double *low) {
  double f;
  double n = irgl_exact(irgl_log_split(x, &f) + extra);
  double r = irgl_full_rcp(2.0 + f);
  double s = __dmul_rn(f, r);
  double slow = fma(s, -f, fma(-2.0, s, f)) * r;
  double z = __dmul_rn(s, s);
  double zlow = fma(2.0 * s, slow, fma(s, s, -z));
  // (log((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5 of z = s^2 <= 0.04, to 2^-74.8 of the whole
  double p = 0x1.dbe195a52ce21p-4;
  p = fma(p, z, 0x1.a6f67d58590a8p-4);
  p = fma(p, z, 0x1.e25018183b186p-4);
  p = fma(p, z, 0x1.110f4dc1aec91p-3);
  p = fma(p, z, 0x1.3b13ba4eafe4p-3);
  p = fma(p, z, 0x1.745d1728b6086p-3);
  p = fma(p, z, 0x1.c71c71c753bc1p-3);
  p = fma(p, z, 0x1.24924924922d8p-2);
  p = fma(p, z, 0x1.999999999999ap-2);
  double c = __dmul_rn(z, 0x1.5555555555555p-1);
  double clow = fma(z, 0x1.5555555555555p-1, -c) + fma(z, 0x1.5555555555555p-55, zlow * 0x1.5555555555555p-1);
  clow = fma(p, z * z, clow);
  double t = __dmul_rn(s, c);
  double tlow = fma(s, c, -t) + fma(s, clow, slow * c);
  double h = __dadd_rn(2.0 * s, t);
  double hlow = (2.0 * s - h) + t + fma(2.0, slow, tlow);
  double sum = fma(n, 0x1.62e42fefa4p-1, h); // the product is exact
  double rest = fma(n, 0x1.62e42fefa4p-1, -sum) + h;
  rest = rest + fma(n, (-0x1.8432a1b0e2634p-43), hlow);
  double out = __dadd_rn(sum, rest);
  *low = (sum - out) + rest;
  return out;
}

// e^(p+low) * 2^n for any p; low is far below p or 0.
static __device__ __forceinline__ double irgl_exp_pair(double p, double low, int n) {
  if (!(fabs(p) < 800.0)) { // certainly beyond the range
    p = copysign(800.0, p);
    low = 0.0;
  }
  int m;
  double t = irgl_nearest(p, 0x1.71547652b82fep+0, &m);
  double g, f = irgl_exp_reduce(p, t, &g);
  low = g + low;
  double sum = __dadd_rn(f, low);
  return irgl_exp_part(sum, (f - sum) + low, m + n);
}

// x^y for finite x > 0 and finite y.
static __device__ __forceinline__ double irgl_pow_part(double x, double y) {
  bool small = x < 0x1p-1022;
  double low, high = irgl_log_pair(small ? x * 0x1p54 : x, small ? -54 : 0, &low);
  double p = __dmul_rn(y, high);
  return irgl_exp_pair(p, fma(y, low, fma(y, high, -p)), 0);
}

// The special cases are those of C, annex F.
static __device__ double irgl_pow(double x, double y) {
  double a = fabs(x);
  if (x == 1.0 || y == 0.0) {
    return 1.0;
  }
  if (x != x || y != y) {
    return x + y;
  }
  double ay = fabs(y);
  bool whole = ay >= 0x1p52 || trunc(y) == y;
  bool odd = ay < 0x1p53 && whole && ((long long)y & 1ll) != 0ll;
  double r;
  if (ay == INFINITY) {
    return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? INFINITY : 0.0;
  }
  if (a == 0.0 || a == INFINITY) {
    r = (a == 0.0) == (y > 0.0) ? 0.0 : INFINITY;
  } else {
    r = irgl_pow_part(a, y);
    if (x < 0.0 && !whole) {
      return NAN;
    }
  }
  return odd ? copysign(r, x) : r;
}
