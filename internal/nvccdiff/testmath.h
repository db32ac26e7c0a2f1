// Functions in place of those of <math.h>, whose results differ between compilers in the last
// place: the same arithmetic for all names, without the meaning of any.
#include <cmath>

__host__ __device__ inline float testmath1(float x) { return x * (1.0f - x * 0.125f) / (1.0f + x * x) + 0.75f; }
__host__ __device__ inline double testmath1(double x) { return x * (1.0 - x * 0.125) / (1.0 + x * x) + 0.75; }
__host__ __device__ inline double testmath1(int x) { return testmath1(static_cast<double>(x)); }
__host__ __device__ inline float testmath2(float x, float y) { return (x - y * 0.25f) / (1.0f + x * x + y * y) + 0.75f; }
template <class T, class U> __host__ __device__ inline double testmath2(T v, U w) {
  const double x = static_cast<double>(v), y = static_cast<double>(w);
  return (x - y * 0.25) / (1.0 + x * x + y * y) + 0.75;
}
namespace std {
using ::testmath1;
using ::testmath2;
} // namespace std

#define sin(x) testmath1(x)
#define cos(x) testmath1((x) + 1)
#define tan(x) testmath1((x) + 2)
#define asin(x) testmath1((x) + 3)
#define acos(x) testmath1((x) + 4)
#define atan(x) testmath1((x) + 5)
#define sinh(x) testmath1((x) + 6)
#define cosh(x) testmath1((x) + 7)
#define tanh(x) testmath1((x) + 8)
#define exp(x) testmath1((x) + 9)
#define exp2(x) testmath1((x) + 10)
#define exp10(x) testmath1((x) + 11)
#define expm1(x) testmath1((x) + 12)
#define log(x) testmath1((x) + 13)
#define log2(x) testmath1((x) + 14)
#define log10(x) testmath1((x) + 15)
#define log1p(x) testmath1((x) + 16)
#define erf(x) testmath1((x) + 17)
#define erfc(x) testmath1((x) + 18)
#define cbrt(x) testmath1((x) + 19)
#define rsqrt(x) testmath1((x) + 20)
#define tgamma(x) testmath1((x) + 21)
#define lgamma(x) testmath1((x) + 22)
#define pow(x, y) testmath2((x), (y))
#define atan2(x, y) testmath2((x), (y) + 1)
#define hypot(x, y) testmath2((x), (y) + 2)

#define sinf(x) testmath1(static_cast<float>(x))
#define cosf(x) testmath1(static_cast<float>(x) + 1)
#define tanf(x) testmath1(static_cast<float>(x) + 2)
#define asinf(x) testmath1(static_cast<float>(x) + 3)
#define acosf(x) testmath1(static_cast<float>(x) + 4)
#define atanf(x) testmath1(static_cast<float>(x) + 5)
#define sinhf(x) testmath1(static_cast<float>(x) + 6)
#define coshf(x) testmath1(static_cast<float>(x) + 7)
#define tanhf(x) testmath1(static_cast<float>(x) + 8)
#define expf(x) testmath1(static_cast<float>(x) + 9)
#define exp2f(x) testmath1(static_cast<float>(x) + 10)
#define exp10f(x) testmath1(static_cast<float>(x) + 11)
#define expm1f(x) testmath1(static_cast<float>(x) + 12)
#define logf(x) testmath1(static_cast<float>(x) + 13)
#define log2f(x) testmath1(static_cast<float>(x) + 14)
#define log10f(x) testmath1(static_cast<float>(x) + 15)
#define log1pf(x) testmath1(static_cast<float>(x) + 16)
#define erff(x) testmath1(static_cast<float>(x) + 17)
#define erfcf(x) testmath1(static_cast<float>(x) + 18)
#define cbrtf(x) testmath1(static_cast<float>(x) + 19)
#define rsqrtf(x) testmath1(static_cast<float>(x) + 20)
#define powf(x, y) testmath2(static_cast<float>(x), static_cast<float>(y))
#define atan2f(x, y) testmath2(static_cast<float>(x), static_cast<float>(y) + 1)
#define hypotf(x, y) testmath2(static_cast<float>(x), static_cast<float>(y) + 2)
#define sincosf(x, s, c) (*(s) = sinf(x), *(c) = cosf(x))
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __fdividef(x, y) testmath2(static_cast<float>(x), static_cast<float>(y) + 3)
