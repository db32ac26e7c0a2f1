// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers of 8 bits, for both sides: E4M3 (no infinities, NaN is 0x7f) and E5M2.
#pragma once

#include <string.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// Rounds to the nearest, ties to even. Without saturation, what is too large becomes NaN in E4M3, and infinite in E5M2.
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
	unsigned long long bits;
	memcpy(&bits, &x, sizeof bits);
	int mantissa = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
	unsigned int largest = kind == __NV_E4M3 ? 0x7e : 0x7b, over = kind == __NV_E4M3 ? 0x7f : 0x7c;
	unsigned char sign = (unsigned char)(bits >> 56 & 0x80);
	int exponent = (int)(bits >> 52 & 0x7ff);
	unsigned long long fraction = bits & 0xfffffffffffffull;
	if (exponent == 0x7ff && fraction != 0) return 0x7f;
	if (exponent == 0x7ff) return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? largest : over));
	if (exponent == 0) return sign; // far below the smallest number
	fraction |= 1ull << 52;
	int e = exponent - 1023 + bias, shift = 52 - mantissa;
	if (e < 1) {
		shift += 1 - e;
		e = 1;
	}
	if (shift > 54) return sign;
	unsigned long long kept = fraction >> shift, rest = fraction & ((1ull << shift) - 1), half = 1ull << (shift - 1);
	kept += rest > half || (rest == half && (kept & 1));
	// The leading bit of a normal number adds one to the exponent.
	unsigned long long code = ((unsigned long long)(e - 1) << mantissa) + kept;
	if (code > largest) code = saturate == __NV_SATFINITE ? largest : over;
	return (__nv_fp8_storage_t)(sign | code);
}

// Devices of compute capability 8.9 convert by one instruction.
#if __CUDA_ARCH__ >= 890
inline __device__ __nv_fp8x2_storage_t __irgl_to_fp8x2(float low, float high, __nv_fp8_interpretation_t kind) {
	__nv_fp8x2_storage_t v;
	if (kind == __NV_E4M3)
		asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(v) : "f"(high), "f"(low));
	else
		asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(v) : "f"(high), "f"(low));
	return v;
}
inline __device__ __half2_raw __irgl_from_fp8x2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
	unsigned int h;
	if (kind == __NV_E4M3)
		asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(h) : "h"(v));
	else
		asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(h) : "h"(v));
	return __half2_raw{(unsigned short)h, (unsigned short)(h >> 16)};
}
#endif

inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
#if __CUDA_ARCH__ >= 890
	if (saturate == __NV_SATFINITE) return (__nv_fp8_storage_t)__irgl_to_fp8x2(x, 0.0f, kind);
#endif
	return __nv_cvt_double_to_fp8((double)x, saturate, kind);
}

// The value of a number of 8 bits.
inline __host__ __device__ float __irgl_fp8_to_float(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
#if __CUDA_ARCH__ >= 890
	return __half2float(__half(__half_raw{__irgl_from_fp8x2(v, kind).x}));
#else
	int mantissa = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
	unsigned int magnitude = v & 0x7f, bits;
	unsigned int e = magnitude >> mantissa, fraction = magnitude & ((1u << mantissa) - 1);
	if (kind == __NV_E4M3 ? magnitude == 0x7f : magnitude > 0x7c) {
		bits = 0x7fc00000u;
	} else if (kind == __NV_E5M2 && magnitude == 0x7c) {
		bits = 0x7f800000u;
	} else if (e == 0) {
		// A multiple of the smallest number.
		float unit = kind == __NV_E4M3 ? 0x1p-9f : 0x1p-16f;
		return (v & 0x80 ? -1.0f : 1.0f) * (float)fraction * unit;
	} else {
		bits = (e - bias + 127) << 23 | fraction << (23 - mantissa);
	}
	bits |= (unsigned int)(v & 0x80) << 24;
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
#endif
}
inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
	return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) | __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
	return (__nv_fp8x2_storage_t)(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, kind) | __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, kind) << 8);
}
inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
	return (__nv_fp8x2_storage_t)(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate, kind) | __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, kind) << 8);
}
inline __host__ __device__ __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t kind) {
	return __float2half(__irgl_fp8_to_float(x, kind)); // exact
}
inline __host__ __device__ __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t kind) {
#if __CUDA_ARCH__ >= 890
	return __irgl_from_fp8x2(x, kind);
#else
	return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
#endif
}
inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind) {
#if __CUDA_ARCH__ >= 890
	if (saturate == __NV_SATFINITE) return __irgl_to_fp8x2(x.x, x.y, kind);
#endif
	return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) | __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}

// One, two and four numbers of a kind.
template <__nv_fp8_interpretation_t kind> struct __irgl_fp8 {
	__nv_fp8_storage_t __x;
	__irgl_fp8() = default;
	explicit __host__ __device__ __irgl_fp8(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}
	explicit __host__ __device__ __irgl_fp8(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {}
	explicit __host__ __device__ __irgl_fp8(int v) : __irgl_fp8((double)v) {}
	explicit __host__ __device__ __irgl_fp8(unsigned int v) : __irgl_fp8((double)v) {}
	explicit __host__ __device__ __irgl_fp8(__half v) : __irgl_fp8(__half2float(v)) {}
	explicit __host__ __device__ __irgl_fp8(__nv_bfloat16 v) : __irgl_fp8(__bfloat162float(v)) {}
	explicit __host__ __device__ operator float() const { return __irgl_fp8_to_float(__x, kind); }
	explicit __host__ __device__ operator double() const { return (double)__irgl_fp8_to_float(__x, kind); }
	explicit __host__ __device__ operator __half() const { return __float2half(__irgl_fp8_to_float(__x, kind)); }
	explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16(__irgl_fp8_to_float(__x, kind)); }
	explicit __host__ __device__ operator bool() const { return (__x & 0x7f) != 0; }
};
template <__nv_fp8_interpretation_t kind> struct alignas(2) __irgl_fp8x2 {
	__nv_fp8x2_storage_t __x;
	__irgl_fp8x2() = default;
	explicit __host__ __device__ __irgl_fp8x2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}
	explicit __host__ __device__ __irgl_fp8x2(__half2 v) : __irgl_fp8x2(__half22float2(v)) {}
	explicit __host__ __device__ __irgl_fp8x2(__nv_bfloat162 v) : __irgl_fp8x2(make_float2(__bfloat162float(v.x), __bfloat162float(v.y))) {}
	explicit __host__ __device__ operator float2() const {
		return make_float2(__irgl_fp8_to_float((__nv_fp8_storage_t)(__x & 0xff), kind), __irgl_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind));
	}
};
template <__nv_fp8_interpretation_t kind> struct alignas(4) __irgl_fp8x4 {
	__nv_fp8x4_storage_t __x;
	__irgl_fp8x4() = default;
	explicit __host__ __device__ __irgl_fp8x4(float4 v)
		: __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, kind) | (unsigned int)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, kind) << 16) {}
	__host__ __device__ __irgl_fp8x4(float2 a, float2 b) : __irgl_fp8x4(make_float4(a.x, a.y, b.x, b.y)) {}
	__host__ __device__ __irgl_fp8x4(__half2 a, __half2 b) : __irgl_fp8x4(__half22float2(a), __half22float2(b)) {}
	__host__ __device__ __irgl_fp8x4(__nv_bfloat162 a, __nv_bfloat162 b) : __irgl_fp8x4(make_float2(__bfloat162float(a.x), __bfloat162float(a.y)), make_float2(__bfloat162float(b.x), __bfloat162float(b.y))) {}
	explicit __host__ __device__ operator float4() const {
		return make_float4(__irgl_fp8_to_float((__nv_fp8_storage_t)(__x & 0xff), kind), __irgl_fp8_to_float((__nv_fp8_storage_t)(__x >> 8 & 0xff), kind),
			__irgl_fp8_to_float((__nv_fp8_storage_t)(__x >> 16 & 0xff), kind), __irgl_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), kind));
	}
};
typedef __irgl_fp8<__NV_E4M3> __nv_fp8_e4m3;
typedef __irgl_fp8<__NV_E5M2> __nv_fp8_e5m2;
typedef __irgl_fp8x2<__NV_E4M3> __nv_fp8x2_e4m3;
typedef __irgl_fp8x2<__NV_E5M2> __nv_fp8x2_e5m2;
typedef __irgl_fp8x4<__NV_E4M3> __nv_fp8x4_e4m3;
typedef __irgl_fp8x4<__NV_E5M2> __nv_fp8x4_e5m2;
