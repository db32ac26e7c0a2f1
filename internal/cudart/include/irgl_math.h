// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that CUDA's headers give the host besides those of the C library.
#ifndef IRGL_MATH_H
#define IRGL_MATH_H

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

namespace irgl {
template <class A, class B>
using arithmetic =
    typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value,
                            typename std::common_type<A, B>::type>::type;
}

template <class A, class B> constexpr irgl::arithmetic<A, B> min(A a, B b) {
  using T = irgl::arithmetic<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B> constexpr irgl::arithmetic<A, B> max(A a, B b) {
  using T = irgl::arithmetic<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }

#endif
