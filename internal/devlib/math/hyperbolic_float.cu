// Hyperbolic functions, the error function, roots and distances of float.

// e^a / 2 for a >= 0, which may be infinite.
static __device__ __forceinline__ float irgl_half_expf(float a) {
  return irgl_power_of_2f(a, 0x1.715476p+0f, 0x1.4ae0cp-26f, -1);
}

static __device__ __forceinline__ float irgl_sinhf(float x) {
  float a = fabsf(x);
  float z = a * a;
  // (sinh(a) - a) / a^3 of z = a^2 <= 1, to 2^-34.0 of the whole
  float p = 0x1.7a2678p-19f;
  p = fmaf(p, z, 0x1.9ffe12p-13f);
  p = fmaf(p, z, 0x1.111136p-7f);
  p = fmaf(p, z, 0x1.555556p-3f);
  float small = fmaf(z * a, p, a);
  float h = irgl_half_expf(a);
  float r = h - 0.25f * __irgl_rcp(h);
  return copysignf(a < 1.0f ? small : r, x);
}

static __device__ __forceinline__ float irgl_coshf(float x) {
  float h = irgl_half_expf(fabsf(x));
  return h + 0.25f * __irgl_rcp(h);
}

// 1 - 2/(e^2a + 1), where an error of the fraction counts for less than half.
static __device__ __forceinline__ float irgl_tanhf(float x) {
  float a = fabsf(x);
  float z = a * a;
  // (tanh(a) - a) / a^3 of z = a^2 <= 0.55^2, to 2^-29.9 of the whole
  float p = -0x1.9bafe4p-8f;
  p = fmaf(p, z, 0x1.5954e2p-6f);
  p = fmaf(p, z, -0x1.b92b8ep-5f);
  p = fmaf(p, z, 0x1.110d3ap-3f);
  p = fmaf(p, z, -0x1.55554cp-2f);
  float small = fmaf(z * a, p, a);
  float r = fmaf(-2.0f, __irgl_rcp(__irgl_ex2(a * 0x1.715476p+1f) + 1.0f), 1.0f);
  return x != x ? x : copysignf(a < 0.55f ? small : r, x);
}

static __device__ __forceinline__ float irgl_asinhf(float x) {
  float a = fabsf(x);
  float z = a * a;
  float b = fmaf(z, __irgl_rcp(1.0f + sqrtf(1.0f + z)), a);
  float r = a < 0x1p30f ? irgl_log1pf(b) : irgl_logf(a) + 0x1.62e43p-1f;
  return copysignf(r, x);
}

static __device__ __forceinline__ float irgl_acoshf(float x) {
  float t = x - 1.0f;
  float b = t + sqrtf(fmaf(t, t, 2.0f * t));
  float r = x < 0x1p30f ? irgl_log1pf(b) : irgl_logf(x) + 0x1.62e43p-1f;
  return x < 1.0f ? NAN : r;
}

static __device__ __forceinline__ float irgl_atanhf(float x) {
  float a = fabsf(x);
  float r = 0.5f * irgl_log1pf(2.0f * a / (1.0f - a));
  return copysignf(r, x);
}

// erf(x) for |x| up to 1.
static __device__ __forceinline__ float irgl_erf_smallf(float x) {
  float z = x * x;
  // erf(x) / x - 1 of z = x^2 <= 1, to 2^-29.6 of the whole
  float p = 0x1.4ac1a4p-14f;
  p = fmaf(p, z, -0x1.a479eap-11f);
  p = fmaf(p, z, 0x1.54187p-8f);
  p = fmaf(p, z, -0x1.b7fb88p-6f);
  p = fmaf(p, z, 0x1.ce2d1ep-4f);
  p = fmaf(p, z, -0x1.81273ep-2f);
  p = fmaf(p, z, 0x1.06eba8p-3f);
  return fmaf(x, p, x);
}

// Up to 1 a polynomial; beyond it 1 - 2^P, where 2^P is small enough that its
// own error does not count.
static __device__ __forceinline__ float irgl_erff(float x) {
  float a = fabsf(x);
  float small = irgl_erf_smallf(a);
  float b = fminf(a, 4.0f);
  // log2(erfc(b)) for 1 <= b <= 4, to 2^-26.4 of the whole
  float large = -0x1.7b19b2p-16f;
  large = fmaf(large, b, 0x1.0e317cp-11f);
  large = fmaf(large, b, -0x1.5f2f22p-8f);
  large = fmaf(large, b, 0x1.17b04p-5f);
  large = fmaf(large, b, -0x1.37fa7p-3f);
  large = fmaf(large, b, -0x1.d5f6e2p-1f);
  large = fmaf(large, b, -0x1.a08bc2p+0f);
  large = fmaf(large, b, -0x1.577f68p-12f);
  float r = 1.0f - __irgl_ex2(large);
  r = a < 1.0f ? small : r;
  return x != x ? x : copysignf(r, x);
}

// e^(-x^2) times a rational function: (1+2x) e^(x^2) erfc(x) is smooth in
// (x-4)/(x+4) (Shepherd and Laframboise 1981).
static __device__ __forceinline__ float irgl_erfcf(float x) {
  float a = fminf(fabsf(x), 10.1f);
  float d = a + 4.0f;
  float rd = __irgl_rcp(d);
  float t = __fmul_rn(a - 4.0f, rd);
  // the rest of the division makes up for the rounding of d, too
  float e = fmaf(-t, a, a - 4.0f);
  t = fmaf(fmaf(-4.0f, t, e), rd, t);
  // (1+2a) e^(a^2) erfc(a) of t = (a-4)/(a+4) for a <= 10.1, to 2^-30.3 of the whole
  float p = -0x1.505586p-11f;
  p = fmaf(p, t, -0x1.29c4dep-10f);
  p = fmaf(p, t, 0x1.4a7d9p-8f);
  p = fmaf(p, t, -0x1.068ff8p-6f);
  p = fmaf(p, t, 0x1.30eb9cp-5f);
  p = fmaf(p, t, -0x1.0fc978p-4f);
  p = fmaf(p, t, 0x1.7fe208p-4f);
  p = fmaf(p, t, -0x1.9dd9e2p-4f);
  p = fmaf(p, t, 0x1.16edbep-4f);
  p = fmaf(p, t, 0x1.f7f5b4p-7f);
  p = fmaf(p, t, -0x1.1df1aep-3f);
  p = fmaf(p, t, 0x1.3ba592p+0f);
  float q = fmaf(2.0f, a, 1.0f);
  float rq = __irgl_rcp(q);
  float c = p * rq;
  c = fmaf(fmaf(-c, q, p), rq, c);
  float h = __fmul_rn(a, a);
  float low = fmaf(a, a, -h);
  int n;
  float v = irgl_nearestf(h, -0x1.715476p+0f, &n);
  float f = fmaf(v, -0x1.62e4p-1f, -h);
  f = fmaf(v, -0x1.7f7d1cp-20f, f);
  // (e^f - 1 - f) / f^2 for |f| < 0.347, to 2^-28.3 of the whole
  float s = 0x1.6a2306p-10f;
  s = fmaf(s, f, 0x1.123a1ap-7f);
  s = fmaf(s, f, 0x1.5558f4p-5f);
  s = fmaf(s, f, 0x1.555492p-3f);
  s = fmaf(s, f, 0x1.fffffcp-2f);
  s = fmaf(s, f * f, f); // e^f - 1
  s = s - fmaf(low, s, low);
  float r = irgl_scalef(fmaf(c, s, c), n);
  r = x < 0.0f ? 2.0f - r : r;
  r = a < 0.5f ? 1.0f - irgl_erf_smallf(x) : r;
  return x != x ? x : r;
}

// A guess from the hardware's logarithm and power, and one step of Newton's
// method with the residue of t^3 to twice the precision. m is neither near
// overflow nor subnormal.
static __device__ __forceinline__ float irgl_cbrt_partf(float m) {
  float t = __irgl_ex2(__irgl_lg2(m) * 0x1.555556p-2f);
  float h = __fmul_rn(t, t);
  float hlow = fmaf(t, t, -h);
  float e = fmaf(-hlow, t, fmaf(-h, t, m));
  return fmaf(e, __irgl_rcp(3.0f * h), t);
}

// The power of 8 to scale by before, a power of 2 after.
static __device__ __forceinline__ float irgl_cbrt_scalef(float a) {
  return a < 0x1p-100f ? 0x1p24f : a > 0x1p100f ? 0x1p-24f : 1.0f;
}

static __device__ __forceinline__ float irgl_cbrtf(float x) {
  float a = fabsf(x), s = irgl_cbrt_scalef(a);
  float t = irgl_cbrt_partf(a * s);
  t = s == 1.0f ? t : s > 1.0f ? t * 0x1p-8f : t * 0x1p8f;
  return a == 0.0f || !(a < INFINITY) ? x + x : copysignf(t, x);
}

static __device__ __forceinline__ float irgl_rcbrtf(float x) {
  float a = fabsf(x), s = irgl_cbrt_scalef(a), m = a * s;
  float y = __irgl_ex2(__irgl_lg2(m) * -0x1.555556p-2f);
  // 1 - m y^3, with the errors of both products
  float p = __fmul_rn(m, y);
  float plow = fmaf(m, y, -p);
  float h = __fmul_rn(y, y);
  float hlow = fmaf(y, y, -h);
  float e = fmaf(-p, h, 1.0f) - fmaf(plow, h, p * hlow);
  y = fmaf(y * 0x1.555556p-2f, e, y);
  y = s == 1.0f ? y : s > 1.0f ? y * 0x1p8f : y * 0x1p-8f;
  y = a == 0.0f ? INFINITY : a == INFINITY ? 0.0f : y;
  return x != x ? x : copysignf(y, x);
}

// The sum of two squares scaled by a power of four to about 1, the root of
// which is 2^*e.
static __device__ __forceinline__ float irgl_squaresf(float x, float y, int *e) {
  float a = fmaxf(fabsf(x), fabsf(y)), b = fminf(fabsf(x), fabsf(y));
  int n = (int)(__float_as_uint(a) >> 23) - 127;
  n = n < -125 ? -125 : n > 125 ? 125 : n;
  float s = __int_as_float((127 - n) << 23);
  a = a * s;
  b = b * s;
  *e = n;
  return fmaf(a, a, b * b);
}

static __device__ __forceinline__ float irgl_hypotf(float x, float y) {
  int e;
  float s = irgl_squaresf(x, y, &e);
  float r = irgl_scalef(sqrtf(s), e);
  r = x != x || y != y ? x + y : r;
  return fabsf(x) == INFINITY || fabsf(y) == INFINITY ? INFINITY : r;
}

static __device__ __forceinline__ float irgl_rhypotf(float x, float y) {
  int e;
  float s = irgl_squaresf(x, y, &e);
  float r = rsqrtf(s);
  r = fmaf(0.5f * r, fmaf(-s * r, r, 1.0f), r);
  r = s > 0.0f ? irgl_scalef(r, -e) : INFINITY;
  r = x != x || y != y ? x + y : r;
  return fabsf(x) == INFINITY || fabsf(y) == INFINITY ? 0.0f : r;
}

// 1/sqrt(x) rounded once: of all floats only 0x403a18e3 times powers of 4 has a
// result within three units of double of the middle between two floats, and
// double decides that one rightly.
static __device__ __forceinline__ float irgl___frsqrt_rn(float x) {
  return (float)(1.0 / sqrt((double)x));
}
