// Trigonometric functions of double; see trig_float.cu.

// x less a multiple of pi/2 as the result and *tail, and that multiple.
static __device__ __forceinline__ double irgl_reduce(double x, int *quarter, double *tail) {
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

// sin and cos of r + low for |r| up to pi/4.
static __device__ __forceinline__ double irgl_sin_part(double r, double low) {
  double z = r * r;
  // (sin(r) - r) / r^3 of z = r^2 <= (pi/4)^2, to 2^-58.0 of the whole
  double p = 0x1.5d93038525b0ep-33;
  p = fma(p, z, -0x1.ae5e66438d66ap-26);
  p = fma(p, z, 0x1.71de3577c1f57p-19);
  p = fma(p, z, -0x1.a01a019c11a5cp-13);
  p = fma(p, z, 0x1.111111110f87bp-7);
  p = fma(p, z, -0x1.5555555555549p-3);
  return r + fma(z * r, p, low);
}

static __device__ __forceinline__ double irgl_cos_part(double r, double low) {
  double z = __dmul_rn(r, r);
  // (cos(r) - 1 + r^2/2) / r^4 of z = r^2 <= (pi/4)^2, to 2^-64.2 of the whole
  double p = -0x1.8fae893d6aef7p-37;
  p = fma(p, z, 0x1.1ee9ebc6b392bp-29);
  p = fma(p, z, -0x1.27e4f809c2a83p-22);
  p = fma(p, z, 0x1.a01a019cb186dp-16);
  p = fma(p, z, -0x1.6c16c16c1517cp-10);
  p = fma(p, z, 0x1.555555555554cp-5);
  double h = fma(z, -0.5, 1.0);
  double rest = fma(z, -0.5, 1.0 - h); // exact
  rest = fma(p, z * z, rest - fma(r, low, 0.5 * fma(r, r, -z)));
  return h + rest;
}

static __device__ __forceinline__ double irgl_sin_quarter(double r, double low, int quarter) {
  double s = (quarter & 1) != 0 ? irgl_cos_part(r, low) : irgl_sin_part(r, low);
  return (quarter & 2) != 0 ? -s : s;
}

static __device__ double irgl_sin(double x) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
  r = irgl_sin_quarter(r, low, q);
  return x == 0.0 ? x : r;
}

static __device__ double irgl_cos(double x) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
  return irgl_sin_quarter(r, low, q + 1);
}

static __device__ void irgl_sincos(double x, double *s, double *c) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
  double sine = irgl_sin_part(r, low), cosine = irgl_cos_part(r, low);
  double a = (q & 1) != 0 ? cosine : sine, b = (q & 1) != 0 ? sine : cosine;
  a = (q & 2) != 0 ? -a : a;
  *s = x == 0.0 ? x : a;
  *c = (q + 1 & 2) != 0 ? -b : b;
}

// The quotient of sine and cosine, each with what its rounding lost.
static __device__ double irgl_tan(double x) {
  int q;
  double low, r = irgl_reduce(x, &q, &low);
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
  double rb = __drcp_rn(b);
  double t = a * rb;
  t = fma(fma(-t, b, a) + fma(-t, blow, alow), rb, t);
  return x == 0.0 ? x : t;
}

// x in halves of a turn.
static __device__ __forceinline__ double irgl_reduce_pi(double x, double *low, int *quarter) {
  x = fabs(x) < 0x1p53 ? x : x * 0.0; // even numbers all, or NaN
  double t = rint(2.0 * x);
  double f = fma(t, -0.5, x);
  double r = __dmul_rn(f, 0x1.921fb54442d18p+1);
  *low = fma(f, 0x1.1a62633145c07p-53, fma(f, 0x1.921fb54442d18p+1, -r));
  *quarter = (int)((long long)t & 3ll);
  return r;
}

static __device__ double irgl_sinpi(double x) {
  int q;
  double low, r = irgl_reduce_pi(x, &low, &q);
  r = irgl_sin_quarter(r, low, q);
  return r == 0.0 ? x * 0.0 : r;
}

static __device__ double irgl_cospi(double x) {
  int q;
  double low, r = irgl_reduce_pi(x, &low, &q);
  return irgl_sin_quarter(r, low, q + 1) + 0.0;
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
