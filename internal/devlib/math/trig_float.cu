// Trigonometric functions of float.

// x less a multiple of pi/2, and that multiple. Up to 2^15 pi/2 in three parts
// of 24 bits is enough, since the first difference is exact.
static __device__ __forceinline__ float irgl_reducef(float x, int *quarter) {
  float t = irgl_nearestf(x, 0x1.45f306p-1f, quarter);
  float r = fmaf(t, -0x1.921fb6p+0f, x);
  r = fmaf(t, -(-0x1.777a5cp-25f), r);
  r = fmaf(t, -(-0x1.ee59dap-50f), r);
  if (fabsf(x) >= 0x1p15f) {
    r = NAN;
    if (fabsf(x) < INFINITY) {
      unsigned long long both = irgl_reduce_largef(x);
      r = __uint_as_float((unsigned int)both);
      *quarter = (int)(both >> 32);
    }
  }
  return r;
}

// sin and cos for |r| up to pi/4; low is what r lacks.
static __device__ __forceinline__ float irgl_sin_partf(float r, float low) {
  float z = r * r;
  // (sin(r) - r) / r^3 of z = r^2 <= (pi/4)^2, to 2^-28.1 of the whole
  float p = -0x1.994e3cp-13f;
  p = fmaf(p, z, 0x1.11075ep-7f);
  p = fmaf(p, z, -0x1.555546p-3f);
  return r + fmaf(z * r, p, low);
}

static __device__ __forceinline__ float irgl_cos_partf(float r) {
  float z = r * r;
  // (cos(r) - 1 + r^2/2) / r^4 of z = r^2 <= (pi/4)^2, to 2^-33.3 of the whole
  float p = 0x1.9a01bp-16f;
  p = fmaf(p, z, -0x1.6c0c8ap-10f);
  p = fmaf(p, z, 0x1.55554ap-5f);
  return fmaf(z, fmaf(z, p, -0.5f), 1.0f);
}

// sin of r and a number of quarters of a turn.
static __device__ __forceinline__ float irgl_sin_quarterf(float r, float low, int quarter) {
  float s = (quarter & 1) != 0 ? irgl_cos_partf(r) : irgl_sin_partf(r, low);
  return (quarter & 2) != 0 ? -s : s;
}

static __device__ __forceinline__ float irgl_sinf(float x) {
  int q;
  float r = irgl_reducef(x, &q);
  r = irgl_sin_quarterf(r, 0.0f, q);
  return x == 0.0f ? x : r;
}

static __device__ __forceinline__ float irgl_cosf(float x) {
  int q;
  float r = irgl_reducef(x, &q);
  return irgl_sin_quarterf(r, 0.0f, q + 1);
}

static __device__ __forceinline__ void irgl_sincosf(float x, float *s, float *c) {
  int q;
  float r = irgl_reducef(x, &q);
  float sine = irgl_sin_partf(r, 0.0f), cosine = irgl_cos_partf(r);
  float a = (q & 1) != 0 ? cosine : sine, b = (q & 1) != 0 ? sine : cosine;
  a = (q & 2) != 0 ? -a : a;
  *s = x == 0.0f ? x : a;
  *c = (q + 1 & 2) != 0 ? -b : b;
}

static __device__ __forceinline__ float irgl_tanf(float x) {
  int q;
  float r = irgl_reducef(x, &q);
  float z = r * r;
  // (tan(r) - r) / r^3 of z = r^2 <= (pi/4)^2, to 2^-25.6 of the whole
  float p = 0x1.36476ap-7f;
  p = fmaf(p, z, 0x1.8526e6p-9f);
  p = fmaf(p, z, 0x1.91ec28p-6f);
  p = fmaf(p, z, 0x1.b54b08p-5f);
  p = fmaf(p, z, 0x1.112fdcp-3f);
  p = fmaf(p, z, 0x1.5554d4p-2f);
  float t = fmaf(z * r, p, r);
  t = (q & 1) != 0 ? -__frcp_rn(t) : t;
  return x == 0.0f ? x : t;
}

// x in halves of a turn: the reduction is exact, and pi times the rest is a
// float and its error.
static __device__ __forceinline__ float irgl_reduce_pif(float x, float *low, int *quarter) {
  x = fabsf(x) < 0x1p24f ? x : x * 0.0f; // even numbers all, or NaN
  float t = rintf(2.0f * x);
  float f = fmaf(t, -0.5f, x);
  float r = __fmul_rn(f, 0x1.921fb6p+1f);
  *low = fmaf(f, (-0x1.777a5cp-24f), fmaf(f, 0x1.921fb6p+1f, -r));
  *quarter = (int)t;
  return r;
}

static __device__ __forceinline__ float irgl_sinpif(float x) {
  int q;
  float low, r = irgl_reduce_pif(x, &low, &q);
  r = irgl_sin_quarterf(r, low, q);
  return r == 0.0f ? x * 0.0f : r; // a whole number gives a zero of its sign
}

static __device__ __forceinline__ float irgl_cospif(float x) {
  int q;
  float low, r = irgl_reduce_pif(x, &low, &q);
  return irgl_sin_quarterf(r, low, q + 1) + 0.0f;
}

static __device__ __forceinline__ void irgl_sincospif(float x, float *s, float *c) {
  *s = irgl_sinpif(x);
  *c = irgl_cospif(x);
}

// asin(x) - x over x^3.
static __device__ __forceinline__ float irgl_asin_partf(float z) {
  // (asin(s) - s) / s^3 of z = s^2 <= 0.31, to 2^-29.1 of the whole
  float p = 0x1.80aa02p-5f;
  p = fmaf(p, z, 0x1.d6b926p-8f);
  p = fmaf(p, z, 0x1.15836cp-5f);
  p = fmaf(p, z, 0x1.6a8016p-5f);
  p = fmaf(p, z, 0x1.334816p-4f);
  p = fmaf(p, z, 0x1.555528p-3f);
  return p;
}

// Above 1/2, asin(x) = pi/2 - 2 asin(sqrt((1-x)/2)).
static __device__ __forceinline__ float irgl_asinf(float x) {
  float a = fabsf(x);
  bool large = a > 0.5f;
  float z = large ? fmaf(-0.5f, a, 0.5f) : a * a;
  float s = large ? sqrtf(z) : a;
  float r = fmaf(s * z, irgl_asin_partf(z), s);
  if (large) {
    r = fmaf(-2.0f, r, 0x1.921fb6p+0f);
  }
  return copysignf(r, x);
}

static __device__ __forceinline__ float irgl_acosf(float x) {
  float a = fabsf(x);
  bool large = a > 0.5f;
  float z = large ? fmaf(-0.5f, a, 0.5f) : a * a;
  float s = large ? sqrtf(z) : x;
  float p = irgl_asin_partf(z);
  float r = fmaf(s * z, p, s);
  if (large) {
    return x > 0.0f ? 2.0f * r : x != x ? x : fmaf(-2.0f, r, 0x1.921fb6p+1f);
  }
  return 0x1.921fb6p+0f - (s + fmaf(s * z, p, -(-0x1.777a5cp-25f)));
}

// atan of 0 to 1.
static __device__ __forceinline__ float irgl_atan_partf(float y) {
  float z = y * y;
  // (atan(y) - y) / y^3 of z = y^2 <= 1, to 2^-26.0 of the whole
  float p = 0x1.85d6fep-9f;
  p = fmaf(p, z, -0x1.0fa53ap-6f);
  p = fmaf(p, z, 0x1.64c69cp-5f);
  p = fmaf(p, z, -0x1.367ecap-4f);
  p = fmaf(p, z, 0x1.b56852p-4f);
  p = fmaf(p, z, -0x1.231b5ap-3f);
  p = fmaf(p, z, 0x1.997adcp-3f);
  p = fmaf(p, z, -0x1.5554e6p-2f);
  return fmaf(z * y, p, y);
}

static __device__ __forceinline__ float irgl_atanf(float x) {
  float a = fabsf(x);
  float r = irgl_atan_partf(a > 1.0f ? __frcp_rn(a) : a);
  r = a > 1.0f ? 0x1.921fb6p+0f - r : r;
  return copysignf(r, x);
}

static __device__ __forceinline__ float irgl_atan2f(float y, float x) {
  float a = fabsf(x), b = fabsf(y);
  float most = fmaxf(a, b), least = fminf(a, b);
  float q = most == 0.0f ? 0.0f : least == INFINITY ? 1.0f : least / most;
  float r = irgl_atan_partf(q);
  r = b > a ? 0x1.921fb6p+0f - r : r;
  r = __float_as_int(x) < 0 ? 0x1.921fb6p+1f - (r - (-0x1.777a5cp-24f)) : r;
  return x != x || y != y ? x + y : copysignf(r, y);
}
