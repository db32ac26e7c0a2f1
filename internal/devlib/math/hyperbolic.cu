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
  double p = 0x1.b4cf8ea033fdp-41;
  p = fma(p, z, 0x1.611a39ef12549p-33);
  p = fma(p, z, 0x1.ae646766ac24bp-26);
  p = fma(p, z, 0x1.71de3a45f7ad4p-19);
  p = fma(p, z, 0x1.a01a01a0291dbp-13);
  p = fma(p, z, 0x1.11111111110a1p-7);
  p = fma(p, z, 0x1.5555555555556p-3);
  double small = fma(z * a, p, a);
  double h = irgl_half_exp(a);
  return copysign(a < 1.0 ? small : h - 0.25 / h, x);
}

static __device__ double irgl_cosh(double x) {
  double h = irgl_half_exp(fabs(x));
  return h + 0.25 / h;
}

// m / (m + 2) with m = e^2x - 1, both of two parts; far out 1 - 2/(m + 2).
static __device__ double irgl_tanh(double x) {
  double a = fabs(x);
  double low, m = irgl_expm1_pair(2.0 * fmin(a, 1.0), &low);
  double d = __dadd_rn(2.0, m);
  double dlow = (m < 2.0 ? (2.0 - d) + m : (m - d) + 2.0) + low;
  double q = m / d;
  double small = q + (fma(-q, d, m) + fma(-q, dlow, low)) / d;
  double r = 1.0 - 1.0 / (irgl_half_exp(2.0 * a) + 0.5);
  r = a < 0.6 ? small : r;
  return copysign(a < 0x1p-28 ? a : r, x);
}

// log1p(a + a^2/(1 + sqrt(1 + a^2)))
static __device__ double irgl_asinh(double x) {
  double a = fabs(x);
  double z = a * a;
  double w = z / (1.0 + sqrt(1.0 + z));
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
  double q = 2.0 * a / d;
  double low = a < 0.99 ? (fma(-q, d, 2.0 * a) - q * dlow) / d : 0.0;
  double r = 0.5 * irgl_log1p_pair(a < 1.0 ? q : 0.0, low);
  r = a < 0x1p-28 ? a : a < 1.0 ? r : a == 1.0 ? INFINITY : NAN;
  return copysign(r, x);
}

// See irgl_cbrt_partf: here the guess takes three steps.
static __device__ __forceinline__ double irgl_cbrt_part(double m) {
  double t = __hiloint2double((int)(__umulhi((unsigned int)__double2hiint(m), 0x55555556u) + 0x2a9f7893u), 0);
  for (int i = 0; i < 3; i++) {
    double c = t * t * t;
    t = t - t * ((c - m) / (c + c + m));
  }
  double h = __dmul_rn(t, t);
  double hlow = fma(t, t, -h);
  double e = fma(-hlow, t, fma(-h, t, m));
  return t + e / (3.0 * h);
}

static __device__ __forceinline__ double irgl_cbrt_scale(double a) {
  return a < 0x1p-900 ? 0x1p168 : a > 0x1p900 ? 0x1p-168 : 1.0;
}

static __device__ double irgl_cbrt(double x) {
  double a = fabs(x), s = irgl_cbrt_scale(a);
  double t = irgl_cbrt_part(a * s);
  t = s == 1.0 ? t : s > 1.0 ? t * 0x1p-56 : t * 0x1p56;
  return a == 0.0 || !(a < INFINITY) ? x + x : copysign(t, x);
}

static __device__ double irgl_rcbrt(double x) {
  double a = fabs(x), s = irgl_cbrt_scale(a), m = a * s;
  double y = __drcp_rn(irgl_cbrt_part(m));
  double p = __dmul_rn(m, y);
  double plow = fma(m, y, -p);
  double h = __dmul_rn(y, y);
  double hlow = fma(y, y, -h);
  double e = fma(-p, h, 1.0) - fma(plow, h, p * hlow);
  y = fma(y * 0x1.5555555555555p-2, e, y);
  y = s == 1.0 ? y : s > 1.0 ? y * 0x1p56 : y * 0x1p-56;
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

static __device__ double irgl_rhypot(double x, double y) {
  int e;
  double low, s = irgl_squares(x, y, &e, &low);
  double r = 1.0 / sqrt(s);
  double h = __dmul_rn(r, r);
  double c = fma(-s, h, 1.0) - fma(s, fma(r, r, -h), low * h);
  r = s > 0.0 ? fma(r * 0.5, c, r) : INFINITY;
  r = irgl_scale(r, -e);
  r = x != x || y != y ? x + y : r;
  return fabs(x) == INFINITY || fabs(y) == INFINITY ? 0.0 : r;
}
