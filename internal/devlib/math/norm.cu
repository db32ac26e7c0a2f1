// Lengths of vectors of more than two dimensions, and their inverses. All
// components are divided by a power of two near the largest, so that no square
// overflows and none that counts underflows; see irgl_squares.

// The power of two for a largest component m is 2^*e, and the factor its inverse.
static __device__ __forceinline__ float irgl_norm_scalef(float m, int *e) {
  int n = (int)(__float_as_uint(m) >> 23) - 127;
  n = n < -125 ? -125 : n > 125 ? 125 : n;
  *e = n;
  return __int_as_float((127 - n) << 23);
}

static __device__ __forceinline__ double irgl_norm_scale(double m, int *e) {
  int n = (__double2hiint(m) >> 20) - 1023;
  n = n < -1021 ? -1021 : n > 1021 ? 1021 : n;
  *e = n;
  return __hiloint2double((1023 - n) << 20, 0);
}

// The results for s = the sum of the scaled squares, the largest component and
// a sum of all, which is NaN if one is.
static __device__ __forceinline__ float irgl_norm_resultf(float s, int e, float m, float all) {
  float r = all != all ? all : irgl_scalef(sqrtf(s), e);
  return m == INFINITY ? INFINITY : r;
}

static __device__ __forceinline__ float irgl_rnorm_resultf(float s, int e, float m, float all) {
  float r = rsqrtf(s);
  r = fmaf(0.5f * r, fmaf(-s * r, r, 1.0f), r);
  r = s > 0.0f ? irgl_scalef(r, -e) : INFINITY;
  r = all != all ? all : r;
  return m == INFINITY ? 0.0f : r;
}

static __device__ __forceinline__ double irgl_norm_result(double s, double low, int e, double m, double all) {
  double r = all != all ? all : irgl_scale(sqrt(s + low), e);
  return m == INFINITY ? INFINITY : r;
}

static __device__ __forceinline__ double irgl_rnorm_result(double s, double low, int e, double m, double all) {
  double r = irgl_inverse_root(s, low, -e);
  r = all != all ? all : r;
  return m == INFINITY ? 0.0 : r;
}

// s + *low + a^2 as the result and *low.
static __device__ __forceinline__ double irgl_add_square(double s, double a, double *low) {
  double p = __dmul_rn(a, a);
  double h = __dadd_rn(s, p);
  double t = __dadd_rn(h, -s);
  *low = *low + ((s - __dadd_rn(h, -t)) + (p - t) + fma(a, a, -p));
  return h;
}

static __device__ __forceinline__ float irgl_squares4f(float a, float b, float c, float d, int *e, float *m, float *all) {
  *m = fmaxf(fmaxf(fabsf(a), fabsf(b)), fmaxf(fabsf(c), fabsf(d)));
  float f = irgl_norm_scalef(*m, e);
  a = a * f;
  b = b * f;
  c = c * f;
  d = d * f;
  *all = a + b + (c + d);
  return fmaf(a, a, b * b) + fmaf(c, c, d * d);
}

static __device__ float irgl_norm3df(float a, float b, float c) {
  int e;
  float m, all, s = irgl_squares4f(a, b, c, 0.0f, &e, &m, &all);
  return irgl_norm_resultf(s, e, m, all);
}

static __device__ float irgl_norm4df(float a, float b, float c, float d) {
  int e;
  float m, all, s = irgl_squares4f(a, b, c, d, &e, &m, &all);
  return irgl_norm_resultf(s, e, m, all);
}

static __device__ float irgl_rnorm3df(float a, float b, float c) {
  int e;
  float m, all, s = irgl_squares4f(a, b, c, 0.0f, &e, &m, &all);
  return irgl_rnorm_resultf(s, e, m, all);
}

static __device__ float irgl_rnorm4df(float a, float b, float c, float d) {
  int e;
  float m, all, s = irgl_squares4f(a, b, c, d, &e, &m, &all);
  return irgl_rnorm_resultf(s, e, m, all);
}

static __device__ __forceinline__ double irgl_squares4(double a, double b, double c, double d, int *e, double *low, double *m, double *all) {
  *m = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
  double f = irgl_norm_scale(*m, e), rest = 0.0;
  a = a * f;
  b = b * f;
  c = c * f;
  d = d * f;
  *all = a + b + (c + d);
  double s = irgl_add_square(0.0, a, &rest);
  s = irgl_add_square(s, b, &rest);
  s = irgl_add_square(s, c, &rest);
  s = irgl_add_square(s, d, &rest);
  *low = rest;
  return s;
}

static __device__ double irgl_norm3d(double a, double b, double c) {
  int e;
  double low, m, all, s = irgl_squares4(a, b, c, 0.0, &e, &low, &m, &all);
  return irgl_norm_result(s, low, e, m, all);
}

static __device__ double irgl_norm4d(double a, double b, double c, double d) {
  int e;
  double low, m, all, s = irgl_squares4(a, b, c, d, &e, &low, &m, &all);
  return irgl_norm_result(s, low, e, m, all);
}

static __device__ double irgl_rnorm3d(double a, double b, double c) {
  int e;
  double low, m, all, s = irgl_squares4(a, b, c, 0.0, &e, &low, &m, &all);
  return irgl_rnorm_result(s, low, e, m, all);
}

static __device__ double irgl_rnorm4d(double a, double b, double c, double d) {
  int e;
  double low, m, all, s = irgl_squares4(a, b, c, d, &e, &low, &m, &all);
  return irgl_rnorm_result(s, low, e, m, all);
}

// The same for n components in memory, which are read twice.
static __device__ __forceinline__ double irgl_squares_of(int n, const double *p, int *e, double *low, double *m, double *all) {
  double largest = 0.0, nan = 0.0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(p[i]));
    nan = p[i] != p[i] ? p[i] : nan;
  }
  double f = irgl_norm_scale(largest, e), s = 0.0, rest = 0.0;
  for (int i = 0; i < n; i++) {
    s = irgl_add_square(s, p[i] * f, &rest);
  }
  *low = rest;
  *m = largest;
  *all = nan;
  return s;
}

static __device__ double irgl_norm(int n, const double *p) {
  int e;
  double low, m, all, s = irgl_squares_of(n, p, &e, &low, &m, &all);
  return irgl_norm_result(s, low, e, m, all);
}

static __device__ double irgl_rnorm(int n, const double *p) {
  int e;
  double low, m, all, s = irgl_squares_of(n, p, &e, &low, &m, &all);
  return irgl_rnorm_result(s, low, e, m, all);
}

// Of float, in float with what each sum has lost: no vector is too long.
static __device__ __forceinline__ float irgl_squares_off(int n, const float *p, int *e, float *m, float *all) {
  float largest = 0.0f, nan = 0.0f;
  for (int i = 0; i < n; i++) {
    largest = fmaxf(largest, fabsf(p[i]));
    nan = p[i] != p[i] ? p[i] : nan;
  }
  float f = irgl_norm_scalef(largest, e), s = 0.0f, low = 0.0f;
  for (int i = 0; i < n; i++) {
    float a = p[i] * f;
    float add = fmaf(a, a, low);
    float h = __fadd_rn(s, add);
    low = __fadd_rn(add, -__fadd_rn(h, -s));
    s = h;
  }
  *m = largest;
  *all = nan;
  return s + low;
}

static __device__ float irgl_normf(int n, const float *p) {
  int e;
  float m, all, s = irgl_squares_off(n, p, &e, &m, &all);
  return irgl_norm_resultf(s, e, m, all);
}

static __device__ float irgl_rnormf(int n, const float *p) {
  int e;
  float m, all, s = irgl_squares_off(n, p, &e, &m, &all);
  return irgl_rnorm_resultf(s, e, m, all);
}
