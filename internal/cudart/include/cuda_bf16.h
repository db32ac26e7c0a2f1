// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bfloat16 on the host: storage, conversions rounded to nearest even, and arithmetic by way of
// float.
#ifndef IRGL_CUDA_BF16_H
#define IRGL_CUDA_BF16_H

#include "irgl_small_floats.h"
#include "vector_types.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct alignas(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct alignas(2) __nv_bfloat16 {
  unsigned short bits_;

  __nv_bfloat16() = default;
  __nv_bfloat16(const __nv_bfloat16_raw &r) : bits_(r.x) {}
  __nv_bfloat16(float f) : bits_(irgl::narrow<8, 7>(f)) {}
  __nv_bfloat16(double f) : bits_(irgl::narrow<8, 7>(f)) {}
  __nv_bfloat16(int v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(unsigned v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(long long v) : __nv_bfloat16(static_cast<double>(v)) {}
  __nv_bfloat16(unsigned long long v) : __nv_bfloat16(static_cast<double>(v)) {}
  operator float() const { return irgl::widen<8, 7>(bits_); }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{bits_}; }
  __nv_bfloat16 &operator+=(const __nv_bfloat16 &b) { return *this = __nv_bfloat16(float(*this) + float(b)); }
  __nv_bfloat16 &operator-=(const __nv_bfloat16 &b) { return *this = __nv_bfloat16(float(*this) - float(b)); }
  __nv_bfloat16 &operator*=(const __nv_bfloat16 &b) { return *this = __nv_bfloat16(float(*this) * float(b)); }
  __nv_bfloat16 &operator/=(const __nv_bfloat16 &b) { return *this = __nv_bfloat16(float(*this) / float(b)); }
};

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) + float(b); }
inline __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) - float(b); }
inline __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) * float(b); }
inline __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) / float(b); }
inline __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return -float(a); }
inline bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) == float(b); }
inline bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) != float(b); }
inline bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) < float(b); }
inline bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) > float(b); }
inline bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) <= float(b); }
inline bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return float(a) >= float(b); }

inline __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
inline __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
inline __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
inline float __bfloat162float(__nv_bfloat16 h) { return float(h); }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16(__nv_bfloat16_raw{v}); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 v) { return v.bits_; }

#endif
