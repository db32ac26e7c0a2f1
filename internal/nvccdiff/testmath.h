// Functions in place of those of <math.h>, whose results differ between compilers in the last
// place: the same arithmetic for all names, without the meaning of any. The macros rename what a program
// declares under these names, too, so that its overloads stay overloads.
#include <cmath>

#define TESTMATH_FN __host__ __device__ inline

TESTMATH_FN float testmath1(float x) { return x * (1.0f - x * 0.125f) / (1.0f + x * x) + 0.75f; }
TESTMATH_FN double testmath1(double x) { return x * (1.0 - x * 0.125) / (1.0 + x * x) + 0.75; }
TESTMATH_FN float testmath2(float x, float y) { return (x - y * 0.25f) / (1.0f + x * x + y * y) + 0.75f; }
TESTMATH_FN double testmath2(double x, double y) { return (x - y * 0.25) / (1.0 + x * x + y * y) + 0.75; }

// Of a name: float and double, other numbers as doubles, and the name for float alone.
#define TESTMATH1(name, n)                                                        \
  TESTMATH_FN float testmath_##name(float x) { return testmath1(x + n); }         \
  TESTMATH_FN double testmath_##name(double x) { return testmath1(x + n); }       \
  template <class T> TESTMATH_FN double testmath_##name(T x) { return testmath1(double(x) + n); } \
  TESTMATH_FN float testmath_##name##f(float x) { return testmath1(x + n); }      \
  namespace std {                                                                 \
  using ::testmath_##name;                                                        \
  using ::testmath_##name##f;                                                     \
  }
#define TESTMATH2(name, n)                                                                                                      \
  TESTMATH_FN float testmath_##name(float x, float y) { return testmath2(x, y + n); }                                           \
  TESTMATH_FN double testmath_##name(double x, double y) { return testmath2(x, y + n); }                                        \
  template <class T, class U> TESTMATH_FN double testmath_##name(T x, U y) { return testmath2(double(x), double(y) + n); }      \
  TESTMATH_FN float testmath_##name##f(float x, float y) { return testmath2(x, y + n); }                                        \
  namespace std {                                                                                                               \
  using ::testmath_##name;                                                                                                      \
  using ::testmath_##name##f;                                                                                                   \
  }

TESTMATH1(sin, 0)
TESTMATH1(cos, 1)
TESTMATH1(tan, 2)
TESTMATH1(asin, 3)
TESTMATH1(acos, 4)
TESTMATH1(atan, 5)
TESTMATH1(sinh, 6)
TESTMATH1(cosh, 7)
TESTMATH1(tanh, 8)
TESTMATH1(exp, 9)
TESTMATH1(exp2, 10)
TESTMATH1(exp10, 11)
TESTMATH1(expm1, 12)
TESTMATH1(log, 13)
TESTMATH1(log2, 14)
TESTMATH1(log10, 15)
TESTMATH1(log1p, 16)
TESTMATH1(erf, 17)
TESTMATH1(erfc, 18)
TESTMATH1(cbrt, 19)
TESTMATH1(rsqrt, 20)
TESTMATH1(tgamma, 21)
TESTMATH1(lgamma, 22)
TESTMATH1(sinpi, 23)
TESTMATH1(cospi, 24)
TESTMATH2(pow, 0)
TESTMATH2(atan2, 1)
TESTMATH2(hypot, 2)
TESTMATH2(fdivide, 3)
TESTMATH_FN void testmath_sincosf(float x, float *s, float *c) { *s = testmath_sinf(x), *c = testmath_cosf(x); }
TESTMATH_FN void testmath_sincos(double x, double *s, double *c) { *s = testmath_sin(x), *c = testmath_cos(x); }

#define sin testmath_sin
#define cos testmath_cos
#define tan testmath_tan
#define asin testmath_asin
#define acos testmath_acos
#define atan testmath_atan
#define sinh testmath_sinh
#define cosh testmath_cosh
#define tanh testmath_tanh
#define exp testmath_exp
#define exp2 testmath_exp2
#define exp10 testmath_exp10
#define expm1 testmath_expm1
#define log testmath_log
#define log2 testmath_log2
#define log10 testmath_log10
#define log1p testmath_log1p
#define erf testmath_erf
#define erfc testmath_erfc
#define cbrt testmath_cbrt
#define rsqrt testmath_rsqrt
#define tgamma testmath_tgamma
#define lgamma testmath_lgamma
#define sinpi testmath_sinpi
#define cospi testmath_cospi
#define pow testmath_pow
#define atan2 testmath_atan2
#define hypot testmath_hypot
#define sincos testmath_sincos
#define sinf testmath_sinf
#define cosf testmath_cosf
#define tanf testmath_tanf
#define asinf testmath_asinf
#define acosf testmath_acosf
#define atanf testmath_atanf
#define sinhf testmath_sinhf
#define coshf testmath_coshf
#define tanhf testmath_tanhf
#define expf testmath_expf
#define exp2f testmath_exp2f
#define exp10f testmath_exp10f
#define expm1f testmath_expm1f
#define logf testmath_logf
#define log2f testmath_log2f
#define log10f testmath_log10f
#define log1pf testmath_log1pf
#define erff testmath_erff
#define erfcf testmath_erfcf
#define cbrtf testmath_cbrtf
#define rsqrtf testmath_rsqrtf
#define tgammaf testmath_tgammaf
#define lgammaf testmath_lgammaf
#define sinpif testmath_sinpif
#define cospif testmath_cospif
#define powf testmath_powf
#define atan2f testmath_atan2f
#define hypotf testmath_hypotf
#define sincosf testmath_sincosf
#define __sinf testmath_sinf
#define __cosf testmath_cosf
#define __tanf testmath_tanf
#define __expf testmath_expf
#define __exp10f testmath_exp10f
#define __logf testmath_logf
#define __log2f testmath_log2f
#define __log10f testmath_log10f
#define __powf testmath_powf
#define __fdividef testmath_fdividef
