// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision on the host: storage, conversions rounded to nearest even, and arithmetic by way
// of float, which rounds as half arithmetic does.
#ifndef IRGL_CUDA_FP16_H
#define IRGL_CUDA_FP16_H

#include <cstdint>
#include <cstring>

#include "irgl_small_floats.h"
#include "vector_types.h"

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct alignas(2) __half {
  unsigned short bits_;

  __half() = default;
  __half(const __half_raw &r) : bits_(r.x) {}
  __half(float f) : bits_(irgl::narrow<5, 10>(f)) {}
  __half(double f) : bits_(irgl::narrow<5, 10>(f)) {}
  __half(int v) : __half(static_cast<double>(v)) {}
  __half(unsigned v) : __half(static_cast<double>(v)) {}
  __half(short v) : __half(static_cast<double>(v)) {}
  __half(unsigned short v) : __half(static_cast<double>(v)) {}
  __half(long v) : __half(static_cast<double>(v)) {}
  __half(unsigned long v) : __half(static_cast<double>(v)) {}
  __half(long long v) : __half(static_cast<double>(v)) {}
  __half(unsigned long long v) : __half(static_cast<double>(v)) {}
  operator float() const { return irgl::widen<5, 10>(bits_); }
  operator __half_raw() const { return __half_raw{bits_}; }
  __half &operator+=(const __half &b) { return *this = __half(float(*this) + float(b)); }
  __half &operator-=(const __half &b) { return *this = __half(float(*this) - float(b)); }
  __half &operator*=(const __half &b) { return *this = __half(float(*this) * float(b)); }
  __half &operator/=(const __half &b) { return *this = __half(float(*this) / float(b)); }
};

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(const __half &a, const __half &b) : x(a), y(b) {}
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

inline __half operator+(const __half &a, const __half &b) { return __half(float(a) + float(b)); }
inline __half operator-(const __half &a, const __half &b) { return __half(float(a) - float(b)); }
inline __half operator*(const __half &a, const __half &b) { return __half(float(a) * float(b)); }
inline __half operator/(const __half &a, const __half &b) { return __half(float(a) / float(b)); }
inline __half operator-(const __half &a) { return __half(-float(a)); }
inline bool operator==(const __half &a, const __half &b) { return float(a) == float(b); }
inline bool operator!=(const __half &a, const __half &b) { return float(a) != float(b); }
inline bool operator<(const __half &a, const __half &b) { return float(a) < float(b); }
inline bool operator>(const __half &a, const __half &b) { return float(a) > float(b); }
inline bool operator<=(const __half &a, const __half &b) { return float(a) <= float(b); }
inline bool operator>=(const __half &a, const __half &b) { return float(a) >= float(b); }

inline __half __float2half(float f) { return __half(f); }
inline __half __float2half_rn(float f) { return __half(f); }
inline __half __double2half(double f) { return __half(f); }
inline float __half2float(__half h) { return float(h); }
inline __half2 __floats2half2_rn(float a, float b) { return __half2(a, b); }
inline __half2 __float2half2_rn(float a) { return __half2(a, a); }
inline __half2 __float22half2_rn(float2 v) { return __half2(v.x, v.y); }
inline float2 __half22float2(__half2 v) { return float2{float(v.x), float(v.y)}; }
inline float __low2float(__half2 v) { return v.x; }
inline float __high2float(__half2 v) { return v.y; }
inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
inline __half __ushort_as_half(unsigned short v) { return __half(__half_raw{v}); }
inline unsigned short __half_as_ushort(__half v) { return v.bits_; }

#endif
