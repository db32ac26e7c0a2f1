// Exponentials, logarithms and powers of float. Each reduces its argument to a
// small interval and evaluates a polynomial there, whose coefficients make the
// largest error as small as possible.

// e^(f+g) * 2^n for f within half of log(2) and a g far below f.
static __device__ __forceinline__ float irgl_exp_partf(float f, float g, int n) {
  // (e^f - 1 - f) / f^2 for |f| < 0.347, to 2^-28.3 of the whole
  float p = 0x1.6a2306p-10f;
  p = fmaf(p, f, 0x1.123a1ap-7f);
  p = fmaf(p, f, 0x1.5558f4p-5f);
  p = fmaf(p, f, 0x1.555492p-3f);
  p = fmaf(p, f, 0x1.fffffcp-2f);
  p = fmaf(p, f * f, g);
  return irgl_scalef(1.0f + (f + p), n);
}

// 2^(x*h + x*l), times 2^shift: the hardware's 2^f, good to two units in the
// last place, for the fraction f of the product. The whole part n is kept
// within the exponents of floats, and f takes what is beyond, so that very
// large and small results come out right with one rounding.
static __device__ __forceinline__ float irgl_power_of_2f(float x, float h, float l, int shift) {
  float y = fminf(fmaxf(x * h, -126.0f), 127.0f);
  float t = __fadd_rn(y, 0x1.8000fep23f); // 127 more than 1.5*2^23
  float n = __fadd_rn(t, -0x1.8000fep23f);
  float f = fmaf(x, l, fmaf(x, h, -n));
  return __irgl_ex2(f) * __int_as_float(__float_as_int(t) + shift << 23);
}

static __device__ __forceinline__ float irgl_expf(float x) {
  return irgl_power_of_2f(x, 0x1.715476p+0f, 0x1.4ae0cp-26f, 0);
}

static __device__ __forceinline__ float irgl_exp2f(float x) {
  float t = __fadd_rn(fminf(fmaxf(x, -126.0f), 127.0f), 0x1.8000fep23f);
  float f = x - __fadd_rn(t, -0x1.8000fep23f);
  return __irgl_ex2(f) * __int_as_float(__float_as_int(t) << 23);
}

static __device__ __forceinline__ float irgl_exp10f(float x) {
  return irgl_power_of_2f(x, 0x1.a934fp+1f, 0x1.2f346ep-24f, 0);
}

// (2^t - 1) + 2^t (e^f - 1), with t = 0 wherever the result is small.
static __device__ __forceinline__ float irgl_expm1f(float x) {
  int n;
  float t = irgl_nearestf(fabsf(x) < 0.42f ? 0.0f : x, 0x1.715476p+0f, &n);
  float f = fmaf(t, -0x1.62e4p-1f, x);
  f = fmaf(t, -0x1.7f7d1cp-20f, f);
  // (e^f - 1 - f) / f^2 for |f| < 0.42, to 2^-29.8 of the whole
  float p = 0x1.a3db22p-13f;
  p = fmaf(p, f, 0x1.6e32f4p-10f);
  p = fmaf(p, f, 0x1.110efcp-7f);
  p = fmaf(p, f, 0x1.5553c6p-5f);
  p = fmaf(p, f, 0x1.555556p-3f);
  p = fmaf(p, f, 0x1p-1f);
  p = fmaf(p, f * f, f);
  // 2^128 is not a float: the last power goes in two steps.
  float twice = n == 128 ? 2.0f : 1.0f;
  float s = __int_as_float(((n == 128 ? 127 : n) + 127) << 23);
  float r = fmaf(s, p, s - (n == 128 ? 0.5f : 1.0f)) * twice;
  if (!(x < 88.8f)) {
    r = x * INFINITY;
  }
  if (x < -25.0f) {
    r = -1.0f;
  }
  return x == 0.0f ? x : r;
}

// log(1+f) for f within a third.
static __device__ __forceinline__ float irgl_log1p_partf(float f) {
  // (log(1+f) - f + f^2/2) / f^3 for |f| <= 1/3, to 2^-27.7 of the whole
  float p = -0x1.08197ep-3f;
  p = fmaf(p, f, 0x1.1e6422p-3f);
  p = fmaf(p, f, -0x1.f306d4p-4f);
  p = fmaf(p, f, 0x1.1ed7c6p-3f);
  p = fmaf(p, f, -0x1.559e3ap-3f);
  p = fmaf(p, f, 0x1.99d01ap-3f);
  p = fmaf(p, f, -0x1.fffeeep-3f);
  p = fmaf(p, f, 0x1.555506p-2f);
  p = fmaf(p, f, -0.5f);
  return fmaf(p, f * f, f);
}

// The number e for which x = m 2^e with m in [2/3, 4/3), and m - 1. A
// subnormal x must be scaled before.
static __device__ __forceinline__ int irgl_log_splitf(float x, float *f) {
  int i = __float_as_int(x);
  int e = (i - 0x3f2aaaab) >> 23;
  *f = __int_as_float(i - (e << 23)) - 1.0f;
  return e;
}

// The logarithms of what has none: 0, what is negative, infinity and NaN.
static __device__ __forceinline__ float irgl_log_specialf(float x) {
  return x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x + x;
}

static __device__ __forceinline__ float irgl_logf(float x) {
  float f, big = x < 0x1p-126f ? x * 0x1p23f : x;
  int e = irgl_log_splitf(big, &f);
  float n = (float)(x < 0x1p-126f ? e - 23 : e);
  float r = fmaf(n, 0x1.62e43p-1f, irgl_log1p_partf(f));
  return x > 0.0f && x < INFINITY ? r : irgl_log_specialf(x);
}

static __device__ __forceinline__ float irgl_log2f(float x) {
  float f, big = x < 0x1p-126f ? x * 0x1p23f : x;
  int e = irgl_log_splitf(big, &f);
  float n = (float)(x < 0x1p-126f ? e - 23 : e);
  // (log2(1+f) - f log2(e)) / f^2 for |f| <= 1/3, to 2^-29.9 of the whole
  float p = 0x1.59e7bap-3f;
  p = fmaf(p, f, -0x1.837a98p-3f);
  p = fmaf(p, f, 0x1.3fd994p-3f);
  p = fmaf(p, f, -0x1.66481p-3f);
  p = fmaf(p, f, 0x1.a67aecp-3f);
  p = fmaf(p, f, -0x1.ed010ap-3f);
  p = fmaf(p, f, 0x1.2775dap-2f);
  p = fmaf(p, f, -0x1.7152fap-2f);
  p = fmaf(p, f, 0x1.ec709ep-2f);
  p = fmaf(p, f, -0x1.715478p-1f);
  p = fmaf(p, f * f, f * 0x1.4ae0cp-26f);
  float r = n + fmaf(f, 0x1.715476p+0f, p);
  return x > 0.0f && x < INFINITY ? r : irgl_log_specialf(x);
}

static __device__ __forceinline__ float irgl_log10f(float x) {
  float f, big = x < 0x1p-126f ? x * 0x1p23f : x;
  int e = irgl_log_splitf(big, &f);
  float n = (float)(x < 0x1p-126f ? e - 23 : e);
  // (log10(1+f) - f log10(e)) / f^2 for |f| <= 1/3, to 2^-31.6 of the whole
  float p = 0x1.a082e8p-5f;
  p = fmaf(p, f, -0x1.d2923p-5f);
  p = fmaf(p, f, 0x1.81234p-5f);
  p = fmaf(p, f, -0x1.af69f6p-5f);
  p = fmaf(p, f, 0x1.fcb78p-5f);
  p = fmaf(p, f, -0x1.28d16ap-4f);
  p = fmaf(p, f, 0x1.63c50ep-4f);
  p = fmaf(p, f, -0x1.bcb5e6p-4f);
  p = fmaf(p, f, 0x1.287a76p-3f);
  p = fmaf(p, f, -0x1.bcb7b2p-3f);
  p = fmaf(p, f * f, f * (-0x1.5b235ep-27f));
  p = fmaf(f, 0x1.bcb7b2p-2f, p);
  p = fmaf(n, (-0x1.95ec1p-19f), p);
  float r = fmaf(n, 0x1.3442p-2f, p);
  return x > 0.0f && x < INFINITY ? r : irgl_log_specialf(x);
}

// u = 1 + x rounded gives the power of two; what it lost is small enough for
// the first terms of 1/(1+f).
static __device__ __forceinline__ float irgl_log1pf(float x) {
  float u = __fadd_rn(1.0f, x);
  float lost = fabsf(x) < 1.0f ? (1.0f - u) + x : (x - u) + 1.0f;
  int e = (__float_as_int(u) - 0x3f2aaaab) >> 23;
  float s = __int_as_float((127 - e) << 23);
  float f = e == 0 ? x : fmaf(s, u, -1.0f);
  float low = e == 0 ? 0.0f : s * lost;
  float n = (float)e;
  if (!(x < 0x1p30f)) { // 1 does not count here
    e = irgl_log_splitf(x, &f);
    n = (float)e;
    low = 0.0f;
  }
  // (log(1+f) - f + f^2/2) / f^3 for |f| <= 1/3, to 2^-27.7 of the whole
  float p = -0x1.08197ep-3f;
  p = fmaf(p, f, 0x1.1e6422p-3f);
  p = fmaf(p, f, -0x1.f306d4p-4f);
  p = fmaf(p, f, 0x1.1ed7c6p-3f);
  p = fmaf(p, f, -0x1.559e3ap-3f);
  p = fmaf(p, f, 0x1.99d01ap-3f);
  p = fmaf(p, f, -0x1.fffeeep-3f);
  p = fmaf(p, f, 0x1.555506p-2f);
  p = fmaf(p, f, -0.5f) * (f * f);
  p = fmaf(low, fmaf(f, f - 1.0f, 1.0f), p);
  float l = n * 0x1.62e4p-1f;
  float sum = __fadd_rn(l, f); // l is 0 or larger than f
  float r = sum + ((l - sum) + f + fmaf(n, 0x1.7f7d1cp-20f, p));
  r = x > -1.0f && x < INFINITY ? r : irgl_log_specialf(u);
  return x == 0.0f ? x : r;
}

// log(x) of a normal x > 0 as the sum of the result and *low, good to 2^-33:
// with s = f/(2+f), log(1+f) is 2s + 2/3 s^3 + ..., where s and the second term
// are sums of two floats too.
static __device__ __forceinline__ float irgl_log_pairf(float x, int extra, float *low) {
  float f;
  float n = (float)(irgl_log_splitf(x, &f) + extra);
  float r = __irgl_rcp(2.0f + f);
  float s = __fmul_rn(f, r);
  float slow = fmaf(s, -f, fmaf(-2.0f, s, f)) * r;
  float z = __fmul_rn(s, s);
  float zlow = fmaf(2.0f * s, slow, fmaf(s, s, -z));
  // (log((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5 of z = s^2 <= 0.04, to 2^-40.5 of the whole
  float p = 0x1.98db56p-3f;
  p = fmaf(p, z, 0x1.c5aa2cp-3f);
  p = fmaf(p, z, 0x1.24955p-2f);
  p = fmaf(p, z, 0x1.999996p-2f);
  float c = __fmul_rn(z, 0x1.555556p-1f);
  float clow = fmaf(z, 0x1.555556p-1f, -c) + fmaf(z, (-0x1.555556p-26f), zlow * 0x1.555556p-1f);
  clow = fmaf(p, z * z, clow);
  // s * c, then 2s + s c, then n log(2) + that
  float t = __fmul_rn(s, c);
  float tlow = fmaf(s, c, -t) + fmaf(s, clow, slow * c);
  float h = __fadd_rn(2.0f * s, t);
  float hlow = (2.0f * s - h) + t + fmaf(2.0f, slow, tlow);
  float l = n * 0x1.62e4p-1f;
  float sum = __fadd_rn(l, h);
  // l is 0 or larger than h
  float rest = n == 0.0f ? 0.0f : (l - sum) + h;
  rest = rest + fmaf(n, 0x1.7f7d1cp-20f, hlow);
  float out = __fadd_rn(sum, rest);
  *low = (sum - out) + rest;
  return out;
}

// |x|^y for finite x other than 0 and finite y.
static __device__ __forceinline__ float irgl_pow_partf(float x, float y) {
  bool small = x < 0x1p-126f;
  float low, high = irgl_log_pairf(small ? x * 0x1p23f : x, small ? -23 : 0, &low);
  float p = __fmul_rn(y, high);
  float plow = fmaf(y, low, fmaf(y, high, -p));
  if (!(fabsf(p) < 110.0f)) { // certainly beyond the range
    p = copysignf(110.0f, p);
    plow = 0.0f;
  }
  int n;
  float t = irgl_nearestf(p, 0x1.715476p+0f, &n);
  float f = fmaf(t, -0x1.62e4p-1f, p);
  float g = fmaf(t, -0x1.7f7d1cp-20f, plow);
  float sum = __fadd_rn(f, g);
  return irgl_exp_partf(sum, (f - sum) + g, n);
}

// The special cases are those of C, annex F.
static __device__ float irgl_powf(float x, float y) {
  float a = fabsf(x);
  if (x == 1.0f || y == 0.0f) {
    return 1.0f;
  }
  if (x != x || y != y) {
    return x + y;
  }
  float ay = fabsf(y);
  bool whole = ay >= 0x1p23f || truncf(y) == y;
  bool odd = ay < 0x1p24f && whole && ((int)y & 1) != 0;
  float r;
  if (ay == INFINITY) {
    return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
  }
  if (a == 0.0f || a == INFINITY) {
    r = (a == 0.0f) == (y > 0.0f) ? 0.0f : INFINITY;
  } else {
    r = irgl_pow_partf(a, y);
    if (x < 0.0f && !whole) {
      return NAN;
    }
  }
  return odd ? copysignf(r, x) : r;
}
