// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 16 bits with the 8 bits of exponent of a float: __nv_bfloat16, and
// __nv_bfloat162, a pair. They are the upper halves of floats: what devices have no
// instruction for is computed in float and rounded, which gives the same for sums, products,
// quotients and roots.
#pragma once

#include <irgl/half.h>

inline __host__ __device__ float irgl_bf16_to_float(unsigned short h) { return irgl_bits_float((unsigned int)h << 16); }

// Rounds away from zero where up says so, or to the nearest.
inline __host__ __device__ unsigned short irgl_bf16_round(float f, bool nearest, bool up) {
	unsigned int u = irgl_float_bits(f);
	if ((u & 0x7fffffffu) > 0x7f800000u) {
		return 0x7fff;
	}
	if (nearest) {
		u += 0x7fff + (u >> 16 & 1);
	} else if (up) {
		u += 0xffff;
	}
	return (unsigned short)(u >> 16);
}

inline __host__ __device__ unsigned short irgl_bf16_from_float_rn(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned short h;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
#else
	return irgl_bf16_round(f, true, false);
#endif
}

// An infinity has no bits below, which rounding up would add to.
inline __host__ __device__ unsigned short irgl_bf16_from_float_rz(float f) { return irgl_bf16_round(f, false, false); }
inline __host__ __device__ unsigned short irgl_bf16_from_float_rd(float f) { return irgl_bf16_round(f, false, f < 0.0f); }
inline __host__ __device__ unsigned short irgl_bf16_from_float_ru(float f) { return irgl_bf16_round(f, false, f > 0.0f); }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define IRGL_OP(name, ptx, value)                                                                                  \
	inline __host__ __device__ unsigned short irgl_bf16_##name(unsigned short a, unsigned short b) {           \
		unsigned short r;                                                                                  \
		asm(ptx ".bf16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));                                           \
		return r;                                                                                          \
	}                                                                                                          \
	inline __host__ __device__ unsigned int irgl_bf16_##name##2(unsigned int a, unsigned int b) {              \
		unsigned int r;                                                                                    \
		asm(ptx ".bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                         \
		return r;                                                                                          \
	}
#else
#define IRGL_OP(name, ptx, value)                                                                                  \
	inline __host__ __device__ unsigned short irgl_bf16_##name(unsigned short x, unsigned short y) {           \
		float a = irgl_bf16_to_float(x), b = irgl_bf16_to_float(y);                                        \
		return irgl_bf16_from_float_rn(value);                                                             \
	}                                                                                                          \
	inline __host__ __device__ unsigned int irgl_bf16_##name##2(unsigned int a, unsigned int b) {              \
		return irgl_bf16_##name((unsigned short)a, (unsigned short)b) | (unsigned int)irgl_bf16_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) << 16; \
	}
#endif
IRGL_OP(add, "add.rn", a + b)
IRGL_OP(sub, "sub.rn", a - b)
IRGL_OP(mul, "mul.rn", a * b)
#undef IRGL_OP

inline __host__ __device__ unsigned short irgl_bf16_fma(unsigned short a, unsigned short b, unsigned short c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned short r;
	asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));
	return r;
#elif defined(__CUDA_ARCH__)
	// Rounded to odd in float: where rounding up and down differ, the last bit is set.
	float x = irgl_bf16_to_float(a), y = irgl_bf16_to_float(b), z = irgl_bf16_to_float(c);
	float down = __fmaf_rd(x, y, z), up = __fmaf_ru(x, y, z), odd = __fmaf_rz(x, y, z);
	return irgl_bf16_from_float_rn(down == up || odd != odd ? __fmaf_rn(x, y, z) : irgl_bits_float(irgl_float_bits(odd) | 1));
#else
	return irgl_bf16_from_float_rn(irgl_odd_double((double)irgl_bf16_to_float(a) * irgl_bf16_to_float(b) + irgl_bf16_to_float(c)));
#endif
}

inline __host__ __device__ unsigned int irgl_bf16_fma2(unsigned int a, unsigned int b, unsigned int c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned int r;
	asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
#else
	return irgl_bf16_fma((unsigned short)a, (unsigned short)b, (unsigned short)c) |
		(unsigned int)irgl_bf16_fma((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)) << 16;
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline __device__ unsigned short irgl_bf16_atomic_add(unsigned short *p, unsigned short v) {
	unsigned short r;
	asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v) : "memory");
	return r;
}

inline __device__ unsigned int irgl_bf16_atomic_add2(unsigned int *p, unsigned int v) {
	unsigned int r;
	// The pair is put together of its halves: of one out of a register of 64 bits, ptxas 13.0 adds the wrong half in shared memory.
	asm volatile("{ .reg .b16 lower, upper; .reg .b32 pair; mov.b32 {lower, upper}, %2; mov.b32 pair, {lower, upper}; "
		"atom.add.noftz.bf16x2 %0, [%1], pair; }" : "=r"(r) : "l"(p), "r"(v) : "memory");
	return r;
}
#elif defined(__CUDA_ARCH__)
inline __device__ unsigned short irgl_bf16_atomic_add(unsigned short *p, unsigned short v) {
	unsigned short old = atomicCAS(p, (unsigned short)0, (unsigned short)0), seen;
	do {
		seen = old;
		old = atomicCAS(p, seen, irgl_bf16_add(seen, v));
	} while (old != seen);
	return old;
}

inline __device__ unsigned int irgl_bf16_atomic_add2(unsigned int *p, unsigned int v) {
	unsigned int old = atomicCAS(p, 0u, 0u), seen;
	do {
		seen = old;
		old = atomicCAS(p, seen, irgl_bf16_add2(seen, v));
	} while (old != seen);
	return old;
}
#endif

struct __nv_bfloat16_raw { unsigned short x; };
struct __align__(4) __nv_bfloat162_raw { unsigned short x, y; };

struct __align__(2) __nv_bfloat16 {
	unsigned short __x;

	__nv_bfloat16() = default;
	__host__ __device__ __nv_bfloat16(irgl_half_bits b) : __x(b.bits) {}
	__host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
	__host__ __device__ __nv_bfloat16(float f) : __x(irgl_bf16_from_float_rn(f)) {}
	__host__ __device__ __nv_bfloat16(double f) : __x(irgl_bf16_from_float_rn(irgl_odd_double(f))) {}
	__host__ __device__ __nv_bfloat16(short v) : __x(irgl_bf16_from_float_rn((float)v)) {}
	__host__ __device__ __nv_bfloat16(unsigned short v) : __x(irgl_bf16_from_float_rn((float)v)) {}
	__host__ __device__ __nv_bfloat16(int v) : __x(irgl_bf16_from_float_rn(irgl_odd_long(v))) {}
	__host__ __device__ __nv_bfloat16(unsigned int v) : __x(irgl_bf16_from_float_rn(irgl_odd_ulong(v))) {}
	__host__ __device__ __nv_bfloat16(long v) : __x(irgl_bf16_from_float_rn(irgl_odd_long(v))) {}
	__host__ __device__ __nv_bfloat16(unsigned long v) : __x(irgl_bf16_from_float_rn(irgl_odd_ulong(v))) {}
	__host__ __device__ __nv_bfloat16(long long v) : __x(irgl_bf16_from_float_rn(irgl_odd_long(v))) {}
	__host__ __device__ __nv_bfloat16(unsigned long long v) : __x(irgl_bf16_from_float_rn(irgl_odd_ulong(v))) {}
	__host__ __device__ __nv_bfloat16 &operator=(float f) { __x = irgl_bf16_from_float_rn(f); return *this; }
	__host__ __device__ __nv_bfloat16 &operator=(double f) { __x = irgl_bf16_from_float_rn(irgl_odd_double(f)); return *this; }
	__host__ __device__ __nv_bfloat16 &operator=(short v) { return *this = __nv_bfloat16(v); }
	__host__ __device__ __nv_bfloat16 &operator=(unsigned short v) { return *this = __nv_bfloat16(v); }
	__host__ __device__ __nv_bfloat16 &operator=(int v) { return *this = __nv_bfloat16(v); }
	__host__ __device__ __nv_bfloat16 &operator=(unsigned int v) { return *this = __nv_bfloat16(v); }
	__host__ __device__ __nv_bfloat16 &operator=(long long v) { return *this = __nv_bfloat16(v); }
	__host__ __device__ __nv_bfloat16 &operator=(unsigned long long v) { return *this = __nv_bfloat16(v); }
	__host__ __device__ operator float() const { return irgl_bf16_to_float(__x); }
	__host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
	__host__ __device__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
	__host__ __device__ explicit operator int() const { return irgl_to_integer<int>(irgl_bf16_to_float(__x), -2147483647 - 1, 2147483647); }
	__host__ __device__ explicit operator unsigned int() const { return irgl_to_integer<unsigned int>(irgl_bf16_to_float(__x), 0, 4294967295u); }
};

struct __align__(4) __nv_bfloat162 {
	__nv_bfloat16 x, y;

	__nv_bfloat162() = default;
	__host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
	__host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &r) : x(irgl_half_bits{r.x}), y(irgl_half_bits{r.y}) {}
	__host__ __device__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};

#define IRGL_H __nv_bfloat16
#define IRGL_H2 __nv_bfloat162
#define IRGL_N(a, b) a##bfloat16##b
#define IRGL_TWICE __bfloat162bfloat162
#define IRGL_BITS(f) irgl_bf16_##f
#if defined(__CUDA_ARCH__) && !defined(IRGL_WHOLE)
#include <irgl/bf16_functions.h>
#else
#include <irgl/half_functions.h>
#endif
#undef IRGL_H
#undef IRGL_H2
#undef IRGL_N
#undef IRGL_TWICE
#undef IRGL_BITS

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
