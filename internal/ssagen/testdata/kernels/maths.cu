// Every group of the mathematical library, and the intrinsics.

__global__ void floats(const float *x, const float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], b = y[i], s, c;
  sincosf(a, &s, &c);
  float r = expf(a) + exp2f(a) + exp10f(a) + expm1f(a) + logf(a) + log2f(a) + log10f(a) + log1pf(a);
  r += powf(a, b) + s * c + tanf(a) + sinpif(a) + cospif(b) + asinf(a) + acosf(a) + atanf(a) + atan2f(a, b);
  r += sinhf(a) + coshf(a) + tanhf(a) + asinhf(a) + acoshf(a) + atanhf(a) + erff(a) + erfcf(a);
  r += cbrtf(a) + rcbrtf(a) + hypotf(a, b) + rhypotf(a, b) + fmodf(a, b) + remainderf(a, b) + tgammaf(a) + lgammaf(a);
  int e, q;
  float w;
  r += frexpf(a, &e) + modff(b, &w) + remquof(a, b, &q) + ldexpf(a, e) + logbf(a) + (float)ilogbf(b) + nextafterf(a, b) + fdimf(a, b);
  z[i] = r + w + (float)(e + q) + (float)lroundf(a) + __expf(a) + __sinf(b) + __powf(a, b) + __fdividef(a, b) + __fadd_rz(a, b) + __frsqrt_rn(a);
}

__global__ void doubles(const double *x, const double *y, double *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = x[i], b = y[i], s, c;
  sincos(a, &s, &c);
  double r = exp(a) + exp2(a) + exp10(a) + expm1(a) + log(a) + log2(a) + log10(a) + log1p(a);
  r += pow(a, b) + s * c + tan(a) + sinpi(a) + cospi(b) + asin(a) + acos(a) + atan(a) + atan2(a, b);
  r += sinh(a) + cosh(a) + tanh(a) + asinh(a) + acosh(a) + atanh(a) + erf(a) + erfc(a);
  r += cbrt(a) + rcbrt(a) + hypot(a, b) + rhypot(a, b) + fmod(a, b) + remainder(a, b) + tgamma(a) + lgamma(a);
  int e, q;
  double w;
  r += frexp(a, &e) + modf(b, &w) + remquo(a, b, &q) + ldexp(a, e) + logb(a) + ilogb(b) + nextafter(a, b) + fdim(a, b);
  z[i] = r + w + e + q + (double)llrint(a) + __dadd_rz(a, b) + __fma_ru(a, b, r) + rsqrt(a);
}

__global__ void bits(const unsigned *x, unsigned *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = x[i], b = x[i + 1], c = x[i + 2];
  z[i] = __byte_perm(a, b, c) + __funnelshift_l(a, b, c) + __funnelshift_rc(a, b, c) + __sad((int)a, (int)b, c) + __usad(a, b, c) +
      __uhadd(a, b) + (unsigned)__rhadd((int)a, (int)b) + __umulhi(a, b) + __brev(c) + __dp4a(a, b, c) + __fns(a, 0u, (int)c);
}
