// Trigonometric functions of double; see trig_float.cu.

// x less a multiple of pi/2 as the result and *low, and that multiple. Up to 2^30 pi/2 in three parts of 53 bits is
// enough, since the first difference is exact: what the second lacks is far below. No part is negative, so that -0 stays.
static __device__ __forceinline__ double irgl_reduce(double x, int *quarter, double *low) {
  double t = irgl_nearest(x, 0x1.45f306dc9c883p-1, quarter);
  double r = fma(t, -0x1.921fb54442d18p+0, x);
  r = fma(t, -0x1.1a62633145c06p-54, r);
  *low = t * -0x1.c1cd129024e09p-107;
  int size = __double2hiint(x) & 0x7fffffff;
  if (size >= (1023 + 30) << 20) {
    r = NAN;
    if (size < 2047 << 20) {
      unsigned long long bits = irgl_reduce_packed(x);
      *low = 0.0;
      *quarter = (int)(bits >> 61 & 3ull);
      r = __longlong_as_double((long long)(bits & ~(3ull << 61) | 1ull << 61));
    }
  }
  return r;
}

// The coefficients of (sin(r) - r) / r^3 and 0, and those of (cos(r) - 1 + r^2/2) / r^4 and -1/2, of z = r^2 <= (pi/4)^2; irgl_tan has them too,
// as fit.py prints them.
static __device__ const double2 irgl_sin_cos[8] = {
  0x1.5d93038525b0ep-33, -0x1.ae5e66438d66ap-26, 0x1.71de3577c1f57p-19, -0x1.a01a019c11a5cp-13,
  0x1.111111110f87bp-7, -0x1.5555555555549p-3, 0.0, 0.0,
  -0x1.8fae893d6aef7p-37, 0x1.1ee9ebc6b392bp-29, -0x1.27e4f809c2a83p-22, 0x1.a01a019cb186dp-16,
  -0x1.6c16c16c1517cp-10, 0x1.555555555554cp-5, -0.5, 0.0,
};

// sin of r + low and a number of quarters of a turn, for |r| up to pi/4. Lanes in different quarters evaluate one polynomial, each
// with its coefficients: a branch would evaluate both.
static __device__ __forceinline__ double irgl_sin_quarter(double r, double low, int quarter) {
  const double2 *c = irgl_sin_cos + (quarter & 1) * 4;
  double z = r * r;
  double p = fma(c[0].x, z, c[0].y);
  p = fma(p, z, c[1].x);
  p = fma(p, z, c[1].y);
  p = fma(p, z, c[2].x);
  p = fma(p, z, c[2].y);
  p = fma(p, z, c[3].x);
  bool odd = (quarter & 1) != 0;
  double s = fma(p, odd ? z : r, odd ? 0.0 : low) + (odd ? 1.0 : r);
  return __hiloint2double(__double2hiint(s) ^ (quarter & 2) << 30, __double2loint(s));
}

static __device__ double irgl_sin(double x) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
  return irgl_sin_quarter(r, low, q);
}

static __device__ double irgl_cos(double x) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
  return irgl_sin_quarter(r, low, q + 1);
}

static __device__ void irgl_sincos(double x, double *s, double *c) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
  double z = r * r;
  double p = 0x1.5d93038525b0ep-33;
  p = fma(p, z, -0x1.ae5e66438d66ap-26);
  p = fma(p, z, 0x1.71de3577c1f57p-19);
  p = fma(p, z, -0x1.a01a019c11a5cp-13);
  p = fma(p, z, 0x1.111111110f87bp-7);
  p = fma(p, z, -0x1.5555555555549p-3);
  double sine = fma(fma(p, z, 0.0), r, low) + r; // -0 stays
  p = -0x1.8fae893d6aef7p-37;
  p = fma(p, z, 0x1.1ee9ebc6b392bp-29);
  p = fma(p, z, -0x1.27e4f809c2a83p-22);
  p = fma(p, z, 0x1.a01a019cb186dp-16);
  p = fma(p, z, -0x1.6c16c16c1517cp-10);
  p = fma(p, z, 0x1.555555555554cp-5);
  double cosine = fma(fma(p, z, -0.5), z, 1.0);
  bool odd = (q & 1) != 0;
  double a = odd ? cosine : sine, b = odd ? sine : cosine;
  *s = __hiloint2double(__double2hiint(a) ^ (q & 2) << 30, __double2loint(a));
  *c = __hiloint2double(__double2hiint(b) ^ (q + 1 & 2) << 30, __double2loint(b));
}

// x less a multiple of pi/2 as the result and *tail, and that multiple: for what needs more than irgl_reduce has.
static __device__ __forceinline__ double irgl_reduce_tail(double x, int *quarter, double *tail) {
  double t = irgl_nearest(x, 0x1.45f306dc9c883p-1, quarter);
  double a = fma(t, -0x1.921fb54442d18p+0, x); // exact
  double r = fma(t, -0x1.1a62633145c07p-54, a);
  // what the second product and the rounding lost
  double p = __dmul_rn(t, 0x1.1a62633145c07p-54);
  double e = fma(t, 0x1.1a62633145c07p-54, -p);
  double b = a - r;
  double low = (fabs(a) >= fabs(p) ? b - p : (-p - r) + a) - e;
  low = fma(t, -(-0x1.f1976b8p-110), low);
  *tail = low;
  if (fabs(x) >= 0x1p15) {
    r = NAN;
    if (fabs(x) < INFINITY) {
      int q;
      double rest;
      r = irgl_reduce_large(x, &q, &rest);
      *quarter = q;
      *tail = rest;
    }
  }
  return r;
}

// The quotient of sine and cosine, each with what its rounding lost.
static __device__ double irgl_tan(double x) {
  int q;
  double low, r = irgl_reduce_tail(x, &q, &low);
  double z = __dmul_rn(r, r);
  // (sin(r) - r) / r^3 of z = r^2 <= (pi/4)^2, to 2^-58.0 of the whole
  double ps = 0x1.5d93038525b0ep-33;
  ps = fma(ps, z, -0x1.ae5e66438d66ap-26);
  ps = fma(ps, z, 0x1.71de3577c1f57p-19);
  ps = fma(ps, z, -0x1.a01a019c11a5cp-13);
  ps = fma(ps, z, 0x1.111111110f87bp-7);
  ps = fma(ps, z, -0x1.5555555555549p-3);
  double st = fma(z * r, ps, low);
  double s = __dadd_rn(r, st);
  double slow = (r - s) + st;
  // (cos(r) - 1 + r^2/2) / r^4 of z = r^2 <= (pi/4)^2, to 2^-64.2 of the whole
  double pc = -0x1.8fae893d6aef7p-37;
  pc = fma(pc, z, 0x1.1ee9ebc6b392bp-29);
  pc = fma(pc, z, -0x1.27e4f809c2a83p-22);
  pc = fma(pc, z, 0x1.a01a019cb186dp-16);
  pc = fma(pc, z, -0x1.6c16c16c1517cp-10);
  pc = fma(pc, z, 0x1.555555555554cp-5);
  double h = fma(z, -0.5, 1.0);
  double ct = fma(pc, z * z, fma(z, -0.5, 1.0 - h) - fma(r, low, 0.5 * fma(r, r, -z)));
  double c = __dadd_rn(h, ct);
  double clow = (h - c) + ct;
  bool odd = (q & 1) != 0;
  double a = odd ? -c : s, alow = odd ? -clow : slow;
  double b = odd ? s : c, blow = odd ? slow : clow;
  double rb = irgl_half_rcp(b); // what t lacks is added
  double t = __dmul_rn(a, rb);
  t = fma(fma(-t, b, a) + fma(-t, blow, alow), rb, t);
  return x == 0.0 ? x : t;
}

// x in halves of a turn.
static __device__ __forceinline__ double irgl_reduce_pi(double x, int *quarter) {
  x = fabs(x) < 0x1p53 ? x : x * 0.0; // even numbers all, or NaN
  double t = rint(2.0 * x);
  double f = fma(t, -0.5, x);
  *quarter = (int)((long long)t & 3ll);
  return fma(f, 0x1.921fb54442d18p+1, f * 0x1.1a62633145c07p-53);
}

static __device__ double irgl_sinpi(double x) {
  int q;
  double r = irgl_reduce_pi(x, &q);
  r = irgl_sin_quarter(r, 0.0, q);
  return r == 0.0 ? x * 0.0 : r;
}

static __device__ double irgl_cospi(double x) {
  int q;
  double r = irgl_reduce_pi(x, &q);
  return irgl_sin_quarter(r, 0.0, q + 1) + 0.0;
}

static __device__ void irgl_sincospi(double x, double *s, double *c) {
  *s = irgl_sinpi(x);
  *c = irgl_cospi(x);
}

static __device__ __forceinline__ double irgl_asin_part(double z) {
  // (asin(s) - s) / s^3 of z = s^2 <= 1/4, to 2^-59.8 of the whole
  double p = 0x1.0bd5afb31810ep-5;
  p = fma(p, z, -0x1.59c5a6b95dfb9p-6);
  p = fma(p, z, 0x1.64de1c35db24ep-6);
  p = fma(p, z, 0x1.e1d618b20024cp-9);
  p = fma(p, z, 0x1.618241f7f0086p-7);
  p = fma(p, z, 0x1.757920a7edb6cp-7);
  p = fma(p, z, 0x1.ca2110d55a14ap-7);
  p = fma(p, z, 0x1.1c49e03e93217p-6);
  p = fma(p, z, 0x1.6e8bdfc56ba5bp-6);
  p = fma(p, z, 0x1.f1c71a8cd3a42p-6);
  p = fma(p, z, 0x1.6db6db72281c7p-5);
  p = fma(p, z, 0x1.333333332df5ap-4);
  p = fma(p, z, 0x1.5555555555578p-3);
  return p;
}

// Twice what s, the root of z, lacks.
static __device__ __forceinline__ double irgl_root_rest(double z, double s) {
  return z > 0.0 ? fma(-s, s, z) * (double)__irgl_rcp((float)s) : 0.0;
}

static __device__ double irgl_asin(double x) {
  double a = fabs(x);
  bool large = a > 0.5;
  double z = large ? fma(-0.5, a, 0.5) : a * a;
  double s = large ? sqrt(z) : a;
  double p = irgl_asin_part(z);
  double r = fma(s * z, p, s);
  if (large) {
    double c = irgl_root_rest(z, s);
    r = 0x1.921fb54442d18p+0 - (2.0 * s + (fma(2.0 * (s * z), p, c) - 0x1.1a62633145c07p-54));
  }
  return copysign(r, x);
}

static __device__ double irgl_acos(double x) {
  double a = fabs(x);
  bool large = a > 0.5;
  double z = large ? fma(-0.5, a, 0.5) : a * a;
  double s = large ? sqrt(z) : x;
  double p = irgl_asin_part(z);
  if (large) {
    double c = irgl_root_rest(z, s);
    double t = fma(2.0 * (s * z), p, c);
    return x > 0.0 ? 2.0 * s + t : x != x ? x : 0x1.921fb54442d18p+1 - (2.0 * s + (t - 0x1.1a62633145c07p-53));
  }
  return 0x1.921fb54442d18p+0 - (s + fma(s * z, p, -0x1.1a62633145c07p-54));
}

// atan(y) - y for y in [0, 1].
static __device__ __forceinline__ double irgl_atan_part(double y) {
  double z = y * y;
  // (atan(y) - y) / y^3 of z = y^2 <= 1, to 2^-56.7 of the whole
  double p = 0x1.83e7fa5423419p-17;
  p = fma(p, z, -0x1.1d45525af7166p-13);
  p = fma(p, z, 0x1.8e0d20d88b78bp-11);
  p = fma(p, z, -0x1.604f332384c64p-9);
  p = fma(p, z, 0x1.bf8349a1b5884p-8);
  p = fma(p, z, -0x1.b72faaa333635p-7);
  p = fma(p, z, 0x1.5ff3c278f752dp-6);
  p = fma(p, z, -0x1.e3966d0ee8b58p-6);
  p = fma(p, z, 0x1.2a49417879334p-5);
  p = fma(p, z, -0x1.58c62a7ee315ep-5);
  p = fma(p, z, 0x1.828cf6c726528p-5);
  p = fma(p, z, -0x1.ae49ae1f93d16p-5);
  p = fma(p, z, 0x1.e1b7851c88322p-5);
  p = fma(p, z, -0x1.110e04ff4b6e8p-4);
  p = fma(p, z, 0x1.3b135f03556bp-4);
  p = fma(p, z, -0x1.745d1132a963dp-4);
  p = fma(p, z, 0x1.c71c717b898ddp-4);
  p = fma(p, z, -0x1.249249237a395p-3);
  p = fma(p, z, 0x1.999999999588ap-3);
  p = fma(p, z, -0x1.555555555552cp-2);
  return z * y * p;
}

static __device__ double irgl_atan(double x) {
  double a = fabs(x);
  bool large = a > 1.0;
  double y = large ? __drcp_rn(a) : a;
  double rest = irgl_atan_part(y);
  double r = large ? 0x1.921fb54442d18p+0 - (y + (rest - 0x1.1a62633145c07p-54)) : y + rest;
  return copysign(r, x);
}

static __device__ double irgl_atan2(double y, double x) {
  double a = fabs(x), b = fabs(y);
  double most = fmax(a, b), least = fmin(a, b);
  double q = most == 0.0 ? 0.0 : least == INFINITY ? 1.0 : least / most;
  double rest = irgl_atan_part(q);
  // pi/2 - r and pi - r with what the constants lack
  double base = 0.0, tail = 0.0, sign = 1.0;
  bool back = __double2hiint(x) < 0;
  if (b > a) {
    base = 0x1.921fb54442d18p+0;
    tail = 0x1.1a62633145c07p-54;
    sign = back ? 1.0 : -1.0;
  } else if (back) {
    base = 0x1.921fb54442d18p+1;
    tail = 0x1.1a62633145c07p-53;
    sign = -1.0;
  }
  double r = base + fma(sign, q, fma(sign, rest, tail));
  return x != x || y != y ? x + y : copysign(r, y);
}
