// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 16 bits with 5 bits of exponent (IEEE binary16): __half, and __half2, a pair.
#pragma once

#include <irgl/half.h>

inline __host__ __device__ float irgl_f16_to_float(unsigned short h) {
#ifdef __CUDA_ARCH__
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
#else
	unsigned int sign = (unsigned int)(h & 0x8000) << 16, rest = h & 0x7fff;
	if (rest >= 0x7c00) {
		return irgl_bits_float(sign | 0x7f800000u | (rest & 0x3ff) << 13);
	}
	// The bits of the exponent are those of a float that is 2^112 times as small.
	float f = irgl_bits_float(rest << 13) * 0x1p112f;
	return irgl_bits_float(sign | irgl_float_bits(f));
#endif
}

#ifndef __CUDA_ARCH__
// Rounds the magnitude: up says that what is not exact is rounded up, nearest that it is
// rounded to the nearest.
inline unsigned short irgl_f16_round(float f, bool nearest, bool up) {
	unsigned int u = irgl_float_bits(f), sign = u >> 16 & 0x8000, rest = u & 0x7fffffffu;
	if (rest > 0x7f800000u) {
		return 0x7fff;
	}
	if (rest == 0x7f800000u) {
		return (unsigned short)(sign | 0x7c00);
	}
	int exponent = (int)(rest >> 23) - 127;
	unsigned int digits = exponent == -127 ? 0 : (rest & 0x7fffffu) | 0x800000u;
	int shift = exponent < -14 ? 13 + (-14 - exponent) : 13;
	unsigned int kept, lost;
	if (shift > 25) {
		kept = 0;
		lost = rest != 0; // less than half of the smallest number
		shift = 2;
	} else {
		kept = digits >> shift;
		lost = digits & ((1u << shift) - 1);
	}
	if (exponent >= -14) {
		kept += (unsigned int)(exponent + 14) << 10;
	}
	unsigned int half = 1u << (shift - 1);
	if (nearest ? lost > half || (lost == half && (kept & 1) != 0) : up && lost != 0) {
		kept++;
	}
	if (kept >= 0x7c00) {
		kept = nearest || up ? 0x7c00 : 0x7bff;
	}
	return (unsigned short)(sign | kept);
}
#endif

#ifdef __CUDA_ARCH__
#define IRGL_CONVERT(mode, ptx, nearest, up)                                           \
	inline __host__ __device__ unsigned short irgl_f16_from_float_##mode(float f) { \
		unsigned short h;                                                       \
		asm("cvt." ptx ".f16.f32 %0, %1;" : "=h"(h) : "f"(f));                  \
		return h;                                                               \
	}
#else
#define IRGL_CONVERT(mode, ptx, nearest, up) \
	inline __host__ __device__ unsigned short irgl_f16_from_float_##mode(float f) { return irgl_f16_round(f, nearest, up); }
#endif
IRGL_CONVERT(rn, "rn", true, false)
IRGL_CONVERT(rz, "rz", false, false)
IRGL_CONVERT(rd, "rm", false, f < 0)
IRGL_CONVERT(ru, "rp", false, f > 0)
#undef IRGL_CONVERT

#ifdef __CUDA_ARCH__
#define IRGL_OP(name, op, value)                                                                                   \
	inline __host__ __device__ unsigned short irgl_f16_##name(unsigned short a, unsigned short b) {            \
		unsigned short r;                                                                                  \
		asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));                                             \
		return r;                                                                                          \
	}                                                                                                          \
	inline __host__ __device__ unsigned int irgl_f16_##name##2(unsigned int a, unsigned int b) {               \
		unsigned int r;                                                                                    \
		asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                           \
		return r;                                                                                          \
	}
#else
#define IRGL_OP(name, op, value)                                                                                   \
	inline __host__ __device__ unsigned short irgl_f16_##name(unsigned short x, unsigned short y) {            \
		float a = irgl_f16_to_float(x), b = irgl_f16_to_float(y);                                          \
		return irgl_f16_from_float_rn(value);                                                              \
	}                                                                                                          \
	inline __host__ __device__ unsigned int irgl_f16_##name##2(unsigned int a, unsigned int b) {               \
		return irgl_f16_##name((unsigned short)a, (unsigned short)b) | (unsigned int)irgl_f16_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16; \
	}
#endif
IRGL_OP(add, "add.rn", a + b)
IRGL_OP(sub, "sub.rn", a - b)
IRGL_OP(mul, "mul.rn", a * b)
#undef IRGL_OP

inline __host__ __device__ unsigned short irgl_f16_fma(unsigned short a, unsigned short b, unsigned short c) {
#ifdef __CUDA_ARCH__
	unsigned short r;
	asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));
	return r;
#else
	return irgl_f16_from_float_rn(irgl_odd_double((double)irgl_f16_to_float(a) * irgl_f16_to_float(b) + irgl_f16_to_float(c)));
#endif
}

inline __host__ __device__ unsigned int irgl_f16_fma2(unsigned int a, unsigned int b, unsigned int c) {
#ifdef __CUDA_ARCH__
	unsigned int r;
	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
#else
	return irgl_f16_fma((unsigned short)a, (unsigned short)b, (unsigned short)c) |
		(unsigned int)irgl_f16_fma((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)) << 16;
#endif
}

#ifdef __CUDA_ARCH__
inline __device__ unsigned short irgl_f16_atomic_add(unsigned short *p, unsigned short v) {
	unsigned short r;
	asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v) : "memory");
	return r;
}

inline __device__ unsigned int irgl_f16_atomic_add2(unsigned int *p, unsigned int v) {
	unsigned int r;
	// The pair is put together of its halves: of one out of a register of 64 bits, ptxas 13.0 adds the wrong half in shared memory.
	asm volatile("{ .reg .b16 lower, upper; .reg .b32 pair; mov.b32 {lower, upper}, %2; mov.b32 pair, {lower, upper}; "
		"atom.add.noftz.f16x2 %0, [%1], pair; }" : "=r"(r) : "l"(p), "r"(v) : "memory");
	return r;
}
#endif

struct __half_raw { unsigned short x; };
struct __align__(4) __half2_raw { unsigned short x, y; };

struct __align__(2) __half {
	unsigned short __x;

	__half() = default;
	__host__ __device__ __half(irgl_half_bits b) : __x(b.bits) {}
	__host__ __device__ __half(const __half_raw &r) : __x(r.x) {}
	__host__ __device__ __half(float f) : __x(irgl_f16_from_float_rn(f)) {}
	__host__ __device__ __half(double f) : __x(irgl_f16_from_float_rn(irgl_odd_double(f))) {}
	__host__ __device__ __half(short v) : __x(irgl_f16_from_float_rn((float)v)) {}
	__host__ __device__ __half(unsigned short v) : __x(irgl_f16_from_float_rn((float)v)) {}
	__host__ __device__ __half(int v) : __x(irgl_f16_from_float_rn(irgl_odd_long(v))) {}
	__host__ __device__ __half(unsigned int v) : __x(irgl_f16_from_float_rn(irgl_odd_ulong(v))) {}
	__host__ __device__ __half(long v) : __x(irgl_f16_from_float_rn(irgl_odd_long(v))) {}
	__host__ __device__ __half(unsigned long v) : __x(irgl_f16_from_float_rn(irgl_odd_ulong(v))) {}
	__host__ __device__ __half(long long v) : __x(irgl_f16_from_float_rn(irgl_odd_long(v))) {}
	__host__ __device__ __half(unsigned long long v) : __x(irgl_f16_from_float_rn(irgl_odd_ulong(v))) {}
	__host__ __device__ __half &operator=(float f) { __x = irgl_f16_from_float_rn(f); return *this; }
	__host__ __device__ __half &operator=(double f) { __x = irgl_f16_from_float_rn(irgl_odd_double(f)); return *this; }
	__host__ __device__ __half &operator=(short v) { return *this = __half(v); }
	__host__ __device__ __half &operator=(unsigned short v) { return *this = __half(v); }
	__host__ __device__ __half &operator=(int v) { return *this = __half(v); }
	__host__ __device__ __half &operator=(unsigned int v) { return *this = __half(v); }
	__host__ __device__ __half &operator=(long long v) { return *this = __half(v); }
	__host__ __device__ __half &operator=(unsigned long long v) { return *this = __half(v); }
	__host__ __device__ operator float() const { return irgl_f16_to_float(__x); }
	__host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
	__host__ __device__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
	__host__ __device__ explicit operator signed char() const { return (signed char)irgl_to_integer<int>(irgl_f16_to_float(__x), -128, 127); }
	__host__ __device__ explicit operator unsigned char() const { return (unsigned char)irgl_to_integer<int>(irgl_f16_to_float(__x), 0, 255); }
	__host__ __device__ explicit operator short() const { return (short)irgl_to_integer<int>(irgl_f16_to_float(__x), -32768, 32767); }
	__host__ __device__ explicit operator unsigned short() const { return (unsigned short)irgl_to_integer<int>(irgl_f16_to_float(__x), 0, 65535); }
	__host__ __device__ explicit operator int() const { return irgl_to_integer<int>(irgl_f16_to_float(__x), -2147483647 - 1, 2147483647); }
	__host__ __device__ explicit operator unsigned int() const { return irgl_to_integer<unsigned int>(irgl_f16_to_float(__x), 0, 4294967295u); }
};

struct __align__(4) __half2 {
	__half x, y;

	__half2() = default;
	__host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
	__host__ __device__ __half2(const __half2_raw &r) : x(irgl_half_bits{r.x}), y(irgl_half_bits{r.y}) {}
	__host__ __device__ operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

#define IRGL_H __half
#define IRGL_H2 __half2
#define IRGL_N(a, b) a##half##b
#define IRGL_TWICE __half2half2
#define IRGL_BITS(f) irgl_f16_##f
#if defined(__CUDA_ARCH__) && !defined(IRGL_WHOLE)
#include <irgl/fp16_functions.h>
#else
#include <irgl/half_functions.h>
#endif
#undef IRGL_H
#undef IRGL_H2
#undef IRGL_N
#undef IRGL_TWICE
#undef IRGL_BITS

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
