// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that CUDA's headers give the host besides those of the C library.
#ifndef IRGL_MATH_H
#define IRGL_MATH_H

#include <math.h> // isnan and others without std::

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

namespace irgl {
template <class _Ap, class _Bp>
using arithmetic =
    typename std::enable_if<std::is_arithmetic<_Ap>::value && std::is_arithmetic<_Bp>::value,
                            typename std::common_type<_Ap, _Bp>::type>::type;
}

template <class _Ap, class _Bp> constexpr irgl::arithmetic<_Ap, _Bp> min(_Ap a, _Bp b) {
  using _Tp = irgl::arithmetic<_Ap, _Bp>;
  return static_cast<_Tp>(b) < static_cast<_Tp>(a) ? static_cast<_Tp>(b) : static_cast<_Tp>(a);
}
template <class _Ap, class _Bp> constexpr irgl::arithmetic<_Ap, _Bp> max(_Ap a, _Bp b) {
  using _Tp = irgl::arithmetic<_Ap, _Bp>;
  return static_cast<_Tp>(a) < static_cast<_Tp>(b) ? static_cast<_Tp>(b) : static_cast<_Tp>(a);
}

inline unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
inline unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return b < a ? b : a; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline double rhypot(double x, double y) { return 1.0 / std::hypot(x, y); }
inline float rhypotf(float x, float y) { return static_cast<float>(rhypot(x, y)); }

// e^(x^2) erfc(x); from 25 on, where erfc is subnormal, by its asymptotic series.
inline double erfcx(double x) {
  if (x >= 25.0) {
    const double z = 0.5 / (x * x);
    return 0.56418958354775629 / x * (1.0 - z * (1.0 - 3.0 * z * (1.0 - 5.0 * z * (1.0 - 7.0 * z))));
  }
  const double square = x * x, rest = std::isinf(square) ? 0.0 : std::fma(x, x, -square), e = std::exp(square);
  return std::erfc(x) * std::fma(e, rest, e);
}
inline float erfcxf(float x) { return static_cast<float>(erfcx(x)); }
inline float erfcx(float x) { return erfcxf(x); }

// Functions of x times pi: exact at multiples of 1/2.
inline double sinpi(double x) {
  double r = std::remainder(x, 2.0); // from -1 to 1
  if (r == std::trunc(r)) {
    return std::copysign(0.0, x);
  }
  if (r > 0.5) {
    r = 1.0 - r;
  } else if (r < -0.5) {
    r = -1.0 - r;
  }
  return std::sin(r * 3.141592653589793);
}
inline double cospi(double x) {
  double r = std::fabs(std::remainder(x, 2.0));
  return r <= 0.25 ? std::cos(r * 3.141592653589793) : sinpi(0.5 - r) + 0.0;
}
inline void sincospi(double x, double *s, double *c) {
  *s = sinpi(x);
  *c = cospi(x);
}
inline float sinpif(float x) { return static_cast<float>(sinpi(x)); }
inline float cospif(float x) { return static_cast<float>(cospi(x)); }
inline void sincospif(float x, float *s, float *c) {
  *s = sinpif(x);
  *c = cospif(x);
}

#endif
