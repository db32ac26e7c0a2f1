// Hyperbolic functions, roots and distances of double.

// e^a / 2 for a >= 0, which may be infinite.
static __device__ __forceinline__ double irgl_half_exp(double a) {
  int n;
  double t = irgl_nearest(a, 0x1.71547652b82fep+0, &n);
  double low, f = irgl_exp_reduce(a, t, &low);
  double r = irgl_exp_part(f, low, n - 1);
  return a < 720.0 ? r : a * INFINITY;
}

static __device__ double irgl_sinh(double x) {
  double a = fabs(x);
  double z = a * a;
  // (sinh(a) - a) / a^3 of z = a^2 <= 1, to 2^-63.2 of the whole
  double p = 0x1.b4cf8ea033fdp-41;
  p = fma(p, z, 0x1.611a39ef12549p-33);
  p = fma(p, z, 0x1.ae646766ac24bp-26);
  p = fma(p, z, 0x1.71de3a45f7ad4p-19);
  p = fma(p, z, 0x1.a01a01a0291dbp-13);
  p = fma(p, z, 0x1.11111111110a1p-7);
  p = fma(p, z, 0x1.5555555555556p-3);
  double small = fma(z * a, p, a);
  double h = irgl_half_exp(a);
  return copysign(a < 1.0 ? small : fma(-0.25, __drcp_rn(h), h), x);
}

static __device__ double irgl_cosh(double x) {
  double h = irgl_half_exp(fabs(x));
  return fma(0.25, __drcp_rn(h), h);
}

static __device__ double irgl_tanh(double x) {
  double a = fabs(x);
  if (!(a < 0.6)) {
    double r = 1.0 - irgl_full_rcp(irgl_half_exp(2.0 * a) + 0.5);
    return copysign(a > 20.0 ? 1.0 : r, x);
  }
  double z = x * x;
  // (tanh(a) - a) / a^3 of z = a^2 <= 0.6^2, to 2^-57.8 of the whole
  double p = -0x1.20b09cf44836ap-16;
  p = fma(p, z, 0x1.4ce7871ec42e2p-14);
  p = fma(p, z, -0x1.e347643be9b04p-13);
  p = fma(p, z, 0x1.33de3db61e993p-11);
  p = fma(p, z, -0x1.7d7a52433daf7p-10);
  p = fma(p, z, 0x1.d6d0d1b8ec702p-9);
  p = fma(p, z, -0x1.226e22edb2f78p-7);
  p = fma(p, z, 0x1.664f47f389b67p-6);
  p = fma(p, z, -0x1.ba1ba1b793f07p-5);
  p = fma(p, z, 0x1.111111110e35cp-3);
  p = fma(p, z, -0x1.5555555555531p-2);
  return fma(fma(p, z, 0.0), x, x); // -0 stays
}

// log1p(a + a^2/(1 + sqrt(1 + a^2)))
static __device__ double irgl_asinh(double x) {
  double a = fabs(x);
  double z = a * a;
  double w = z * __drcp_rn(1.0 + sqrt(1.0 + z));
  double b = __dadd_rn(a, w);
  double low = a < 1.0 ? (a - b) + w : 0.0;
  double r = irgl_log1p_pair(a < 0x1p60 ? b : 1.0, low);
  if (!(a < 0x1p60)) {
    r = irgl_log(a) + 0x1.62e42fefa39efp-1;
  }
  return copysign(a < 0x1p-28 ? a : r, x);
}

static __device__ double irgl_acosh(double x) {
  double t = x - 1.0;
  double s = sqrt(fma(t, t, 2.0 * t));
  double b = __dadd_rn(t, s);
  double r = irgl_log1p_pair(x < 0x1p60 ? b : 1.0, 0.0);
  if (!(x < 0x1p60)) {
    r = irgl_log(x) + 0x1.62e42fefa39efp-1;
  }
  return x < 1.0 ? NAN : x == 1.0 ? 0.0 : r;
}

static __device__ double irgl_atanh(double x) {
  double a = fabs(x);
  double d = __dadd_rn(1.0, -a);
  double dlow = (1.0 - d) - a;
  double q = 2.0 * a * __drcp_rn(d);
  double low = a < 0.99 ? (fma(-q, d, 2.0 * a) - q * dlow) * (double)__irgl_rcp((float)d) : 0.0;
  double r = 0.5 * irgl_log1p_pair(a < 1.0 ? q : 0.0, low);
  r = a < 0x1p-28 ? a : a < 1.0 ? r : a == 1.0 ? INFINITY : NAN;
  return copysign(r, x);
}

// The cube root of m in [1, 8) by two steps of Newton's method from a float's:
// the second has the residue of t^3 to twice the precision. The divisors need
// a float's precision only.
static __device__ __forceinline__ double irgl_cbrt_part(double m) {
  double t = (double)__irgl_ex2(__irgl_lg2((float)m) * 0x1.555556p-2f);
  double h = t * t;
  double r = (double)__irgl_rcp((float)(3.0 * h));
  t = fma(fma(-h, t, m), r, t);
  h = __dmul_rn(t, t);
  double hlow = fma(t, t, -h);
  double e = fma(-hlow, t, fma(-h, t, m));
  return fma(e, r, t);
}

// The same for 1 / cbrt(m), with the residue 1 - m y^3.
static __device__ __forceinline__ double irgl_rcbrt_part(double m) {
  double y = (double)__irgl_ex2(__irgl_lg2((float)m) * -0x1.555556p-2f);
  double e = fma(-m * y, y * y, 1.0);
  y = fma(y * 0x1.5555555555555p-2, fma(e, e * 0x1.5555555555555p-1, e), y);
  double p = __dmul_rn(m, y);
  double plow = fma(m, y, -p);
  double h = __dmul_rn(y, y);
  double hlow = fma(y, y, -h);
  e = fma(-p, h, 1.0) - fma(plow, h, p * hlow);
  return fma(y * 0x1.5555555555555p-2, e, y);
}

// a, finite and not 0, as the result in [1, 8) times 8^*n.
static __device__ __forceinline__ double irgl_cbrt_split(double a, int *n) {
  bool small = a < 0x1p-1022;
  double m = small ? a * 0x1p54 : a;
  int e = (__double2hiint(m) >> 20) - 1023 + 3000;
  int k = e / 3;
  *n = k - 1000 - (small ? 18 : 0);
  return __hiloint2double(__double2hiint(m) - ((3 * k - 3000) << 20), __double2loint(m));
}

static __device__ double irgl_cbrt(double x) {
  int n;
  double a = fabs(x);
  double t = irgl_cbrt_part(irgl_cbrt_split(a, &n));
  return a == 0.0 || !(a < INFINITY) ? x + x : copysign(irgl_scale_one(t, n), x);
}

static __device__ double irgl_rcbrt(double x) {
  int n;
  double a = fabs(x);
  double y = irgl_rcbrt_part(irgl_cbrt_split(a, &n));
  y = irgl_scale_one(y, -n);
  y = a == 0.0 ? INFINITY : a == INFINITY ? 0.0 : y;
  return x != x ? x : copysign(y, x);
}

// See irgl_squaresf; what the sum of the squares lacks is *low.
static __device__ __forceinline__ double irgl_squares(double x, double y, int *e, double *low) {
  double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
  int n = (__double2hiint(a) >> 20) - 1023;
  n = n < -1021 ? -1021 : n > 1021 ? 1021 : n;
  double s = __hiloint2double((1023 - n) << 20, 0);
  a = a * s;
  b = b * s;
  *e = n;
  double p = __dmul_rn(a, a), q = __dmul_rn(b, b);
  double h = __dadd_rn(p, q);
  *low = (p - h) + q + (fma(a, a, -p) + fma(b, b, -q));
  return h;
}

static __device__ double irgl_hypot(double x, double y) {
  int e;
  double low, s = irgl_squares(x, y, &e, &low);
  double r = irgl_scale(sqrt(s + low), e);
  r = x != x || y != y ? x + y : r;
  return fabs(x) == INFINITY || fabs(y) == INFINITY ? INFINITY : r;
}

// 2^n / sqrt(s + low).
static __device__ __forceinline__ double irgl_inverse_root(double s, double low, int n) {
  double r = rsqrt(s);
  double h = __dmul_rn(r, r);
  double c = fma(-s, h, 1.0) - fma(s, fma(r, r, -h), low * h);
  r = s > 0.0 ? fma(r * 0.5, c, r) : INFINITY;
  return irgl_scale(r, n);
}

static __device__ double irgl_rhypot(double x, double y) {
  int e;
  double low, s = irgl_squares(x, y, &e, &low);
  double r = irgl_inverse_root(s, low, -e);
  r = x != x || y != y ? x + y : r;
  return fabs(x) == INFINITY || fabs(y) == INFINITY ? 0.0 : r;
}
