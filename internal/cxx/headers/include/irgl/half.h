// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What <cuda_fp16.h> and <cuda_bf16.h> share: values on the way between floats, integers and
// 16-bit floats.
#pragma once

#include <math.h>

// The bits of a 16-bit float, from which one is made without a conversion.
struct irgl_half_bits { unsigned short bits; };

inline __host__ __device__ unsigned int irgl_float_bits(float f) {
#ifdef __CUDA_ARCH__
	return __float_as_uint(f);
#else
	unsigned int u;
	__builtin_memcpy(&u, &f, 4);
	return u;
#endif
}

inline __host__ __device__ float irgl_bits_float(unsigned int u) {
#ifdef __CUDA_ARCH__
	return __uint_as_float(u);
#else
	float f;
	__builtin_memcpy(&f, &u, 4);
	return f;
#endif
}

// A double, rounded to odd: to zero, with the last bit set if something was lost. Rounding
// that to 16 bits gives what rounding the double once gives.
inline __host__ __device__ float irgl_odd_double(double d) {
	float f = (float)d;
	unsigned int u = irgl_float_bits(f);
	if ((double)f == d || f != f || ((u & 1) != 0 && (u & 0x7fffffffu) != 0x7f800000u)) {
		return f;
	}
	double back = (double)f;
	if (d < 0.0 ? back < d : back > d) {
		u--; // it was rounded away from zero
	} else {
		u |= 1;
	}
	return irgl_bits_float(u | 1);
}

inline __host__ __device__ float irgl_odd_ulong(unsigned long long v) {
	int shift = 0;
	unsigned long long lost = 0;
	for (; v >> shift >= 1ull << 24; shift++) {
		lost |= v >> shift & 1;
	}
	float f = (float)(unsigned int)(v >> shift | lost);
	return f * (float)(1ull << shift);
}

inline __host__ __device__ float irgl_odd_long(long long v) {
	return v < 0 ? -irgl_odd_ulong(0ull - (unsigned long long)v) : irgl_odd_ulong((unsigned long long)v);
}

// An integer from a float with an integral value; NaN gives 0, and what is too large the
// nearest integer.
template <typename T> inline __host__ __device__ T irgl_to_integer(float f, T low, T high) {
	if (f != f) {
		return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
	}
	return f <= (float)low ? low : f >= (float)high ? high : (T)f;
}

inline __host__ __device__ float irgl_half_exp10(float f) { return exp2f(f * 3.3219280948873623f); }
inline __host__ __device__ float irgl_half_rsqrt(float f) { return 1.0f / sqrtf(f); }
inline __host__ __device__ float irgl_half_rcp(float f) { return 1.0f / f; }
