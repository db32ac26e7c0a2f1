// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions on one type of 16-bit floats and its pairs. <cuda_fp16.h> and <cuda_bf16.h>
// include this file, each with these macros:
//
//	IRGL_H, IRGL_H2   the types
//	IRGL_N(a, b)      a name: a, then half or bfloat16, then b
//	IRGL_TWICE        the name of the function that makes a pair of one number
//	IRGL_BITS(f)      the function f on bits of the type
//
// It has no guard: each includes it once. By itself it is empty.
#ifdef IRGL_H

#define IRGL_FN inline __host__ __device__

IRGL_FN IRGL_H IRGL_N(__ushort_as_, )(unsigned short bits) { return IRGL_H(irgl_half_bits{bits}); }
IRGL_FN IRGL_H IRGL_N(__short_as_, )(short bits) { return IRGL_H(irgl_half_bits{(unsigned short)bits}); }
IRGL_FN unsigned short IRGL_N(__, _as_ushort)(IRGL_H a) { return a.__x; }
IRGL_FN short IRGL_N(__, _as_short)(IRGL_H a) { return (short)a.__x; }

// Conversions from and to float and double.
IRGL_FN float IRGL_N(__, 2float)(IRGL_H a) { return IRGL_BITS(to_float)(a.__x); }
IRGL_FN IRGL_H IRGL_N(__float2, )(float a) { return IRGL_H(a); }
IRGL_FN IRGL_H IRGL_N(__float2, _rn)(float a) { return IRGL_H(a); }
IRGL_FN IRGL_H IRGL_N(__float2, _rz)(float a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_rz)(a)}); }
IRGL_FN IRGL_H IRGL_N(__float2, _rd)(float a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_rd)(a)}); }
IRGL_FN IRGL_H IRGL_N(__float2, _ru)(float a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_ru)(a)}); }
IRGL_FN IRGL_H IRGL_N(__double2, )(double a) { return IRGL_H(a); }

// Conversions from and to integers. An integer is first rounded to odd, to a float: rounding
// that again is exact.
#define IRGL_FROM_INT(word, type, odd)                                                                                                        \
	IRGL_FN IRGL_H IRGL_N(__##word##2, _rn)(type a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_rn)(odd(a))}); } \
	IRGL_FN IRGL_H IRGL_N(__##word##2, _rz)(type a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_rz)(odd(a))}); } \
	IRGL_FN IRGL_H IRGL_N(__##word##2, _rd)(type a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_rd)(odd(a))}); } \
	IRGL_FN IRGL_H IRGL_N(__##word##2, _ru)(type a) { return IRGL_H(irgl_half_bits{IRGL_BITS(from_float_ru)(odd(a))}); }
IRGL_FROM_INT(short, short, irgl_odd_long)
IRGL_FROM_INT(ushort, unsigned short, irgl_odd_ulong)
IRGL_FROM_INT(int, int, irgl_odd_long)
IRGL_FROM_INT(uint, unsigned int, irgl_odd_ulong)
IRGL_FROM_INT(ll, long long, irgl_odd_long)
IRGL_FROM_INT(ull, unsigned long long, irgl_odd_ulong)
#undef IRGL_FROM_INT

#define IRGL_TO_INT(word, type, low, high)                                                                                                  \
	IRGL_FN type IRGL_N(__, 2##word##_rn)(IRGL_H a) { return irgl_to_integer<type>(rintf(IRGL_N(__, 2float)(a)), low, high); }  \
	IRGL_FN type IRGL_N(__, 2##word##_rz)(IRGL_H a) { return irgl_to_integer<type>(truncf(IRGL_N(__, 2float)(a)), low, high); } \
	IRGL_FN type IRGL_N(__, 2##word##_rd)(IRGL_H a) { return irgl_to_integer<type>(floorf(IRGL_N(__, 2float)(a)), low, high); } \
	IRGL_FN type IRGL_N(__, 2##word##_ru)(IRGL_H a) { return irgl_to_integer<type>(ceilf(IRGL_N(__, 2float)(a)), low, high); }
IRGL_TO_INT(short, short, -32768, 32767)
IRGL_TO_INT(ushort, unsigned short, 0, 65535)
IRGL_TO_INT(int, int, -2147483647 - 1, 2147483647)
IRGL_TO_INT(uint, unsigned int, 0, 4294967295u)
IRGL_TO_INT(ll, long long, -9223372036854775807LL - 1, 9223372036854775807LL)
IRGL_TO_INT(ull, unsigned long long, 0, 18446744073709551615ULL)
#undef IRGL_TO_INT
IRGL_FN signed char IRGL_N(__, 2char_rz)(IRGL_H a) { return irgl_to_integer<signed char>(truncf(IRGL_N(__, 2float)(a)), -128, 127); }
IRGL_FN unsigned char IRGL_N(__, 2uchar_rz)(IRGL_H a) { return irgl_to_integer<unsigned char>(truncf(IRGL_N(__, 2float)(a)), 0, 255); }

// Pairs.
IRGL_FN IRGL_H2 IRGL_N(__halves2, 2)(IRGL_H a, IRGL_H b) { return IRGL_H2(a, b); }
IRGL_FN IRGL_H2 IRGL_TWICE(IRGL_H a) { return IRGL_H2(a, a); }
IRGL_FN IRGL_H IRGL_N(__low2, )(IRGL_H2 a) { return a.x; }
IRGL_FN IRGL_H IRGL_N(__high2, )(IRGL_H2 a) { return a.y; }
IRGL_FN IRGL_H2 IRGL_N(__low2, 2)(IRGL_H2 a) { return IRGL_H2(a.x, a.x); }
IRGL_FN IRGL_H2 IRGL_N(__high2, 2)(IRGL_H2 a) { return IRGL_H2(a.y, a.y); }
IRGL_FN IRGL_H2 IRGL_N(__lows2, 2)(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(a.x, b.x); }
IRGL_FN IRGL_H2 IRGL_N(__highs2, 2)(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(a.y, b.y); }
IRGL_FN IRGL_H2 __lowhigh2highlow(IRGL_H2 a) { return IRGL_H2(a.y, a.x); }
IRGL_FN float __low2float(IRGL_H2 a) { return (float)a.x; }
IRGL_FN float __high2float(IRGL_H2 a) { return (float)a.y; }
IRGL_FN IRGL_H2 IRGL_N(__float2, 2_rn)(float a) { return IRGL_H2(IRGL_H(a), IRGL_H(a)); }
IRGL_FN IRGL_H2 IRGL_N(__floats2, 2_rn)(float a, float b) { return IRGL_H2(IRGL_H(a), IRGL_H(b)); }
IRGL_FN IRGL_H2 IRGL_N(__float22, 2_rn)(float2 a) { return IRGL_H2(IRGL_H(a.x), IRGL_H(a.y)); }
IRGL_FN float2 IRGL_N(__, 22float2)(IRGL_H2 a) { return make_float2((float)a.x, (float)a.y); }
IRGL_FN IRGL_H2 IRGL_N(make_, 2)(IRGL_H a, IRGL_H b) { return IRGL_H2(a, b); }

// Arithmetic.
IRGL_FN IRGL_H __hadd(IRGL_H a, IRGL_H b) { return IRGL_H(irgl_half_bits{IRGL_BITS(add)(a.__x, b.__x)}); }
IRGL_FN IRGL_H __hsub(IRGL_H a, IRGL_H b) { return IRGL_H(irgl_half_bits{IRGL_BITS(sub)(a.__x, b.__x)}); }
IRGL_FN IRGL_H __hmul(IRGL_H a, IRGL_H b) { return IRGL_H(irgl_half_bits{IRGL_BITS(mul)(a.__x, b.__x)}); }
IRGL_FN IRGL_H __hadd_rn(IRGL_H a, IRGL_H b) { return __hadd(a, b); }
IRGL_FN IRGL_H __hsub_rn(IRGL_H a, IRGL_H b) { return __hsub(a, b); }
IRGL_FN IRGL_H __hmul_rn(IRGL_H a, IRGL_H b) { return __hmul(a, b); }
IRGL_FN IRGL_H __hfma(IRGL_H a, IRGL_H b, IRGL_H c) { return IRGL_H(irgl_half_bits{IRGL_BITS(fma)(a.__x, b.__x, c.__x)}); }
IRGL_FN IRGL_H __hdiv(IRGL_H a, IRGL_H b) { return IRGL_H((float)a / (float)b); }
IRGL_FN IRGL_H __hneg(IRGL_H a) { return IRGL_H(irgl_half_bits{(unsigned short)(a.__x ^ 0x8000)}); }
IRGL_FN IRGL_H __habs(IRGL_H a) { return IRGL_H(irgl_half_bits{(unsigned short)(a.__x & 0x7fff)}); }
IRGL_FN IRGL_H irgl_saturate(IRGL_H a) { return (float)a > 0.0f ? ((float)a > 1.0f ? IRGL_H(1.0f) : a) : IRGL_H(0.0f); }
IRGL_FN IRGL_H irgl_relu(IRGL_H a) { return (float)a <= 0.0f ? IRGL_H(0.0f) : a; }
IRGL_FN IRGL_H __hadd_sat(IRGL_H a, IRGL_H b) { return irgl_saturate(__hadd(a, b)); }
IRGL_FN IRGL_H __hsub_sat(IRGL_H a, IRGL_H b) { return irgl_saturate(__hsub(a, b)); }
IRGL_FN IRGL_H __hmul_sat(IRGL_H a, IRGL_H b) { return irgl_saturate(__hmul(a, b)); }
IRGL_FN IRGL_H __hfma_sat(IRGL_H a, IRGL_H b, IRGL_H c) { return irgl_saturate(__hfma(a, b, c)); }
IRGL_FN IRGL_H __hfma_relu(IRGL_H a, IRGL_H b, IRGL_H c) { return irgl_relu(__hfma(a, b, c)); }
IRGL_FN IRGL_H __hmax(IRGL_H a, IRGL_H b) { return IRGL_H(fmaxf((float)a, (float)b)); }
IRGL_FN IRGL_H __hmin(IRGL_H a, IRGL_H b) { return IRGL_H(fminf((float)a, (float)b)); }

// Comparisons. Those that end in u hold for NaN, too.
IRGL_FN bool __heq(IRGL_H a, IRGL_H b) { return (float)a == (float)b; }
IRGL_FN bool __hne(IRGL_H a, IRGL_H b) { return (float)a < (float)b || (float)a > (float)b; }
IRGL_FN bool __hlt(IRGL_H a, IRGL_H b) { return (float)a < (float)b; }
IRGL_FN bool __hle(IRGL_H a, IRGL_H b) { return (float)a <= (float)b; }
IRGL_FN bool __hgt(IRGL_H a, IRGL_H b) { return (float)a > (float)b; }
IRGL_FN bool __hge(IRGL_H a, IRGL_H b) { return (float)a >= (float)b; }
IRGL_FN bool __hequ(IRGL_H a, IRGL_H b) { return !__hne(a, b); }
IRGL_FN bool __hneu(IRGL_H a, IRGL_H b) { return !__heq(a, b); }
IRGL_FN bool __hltu(IRGL_H a, IRGL_H b) { return !__hge(a, b); }
IRGL_FN bool __hleu(IRGL_H a, IRGL_H b) { return !__hgt(a, b); }
IRGL_FN bool __hgtu(IRGL_H a, IRGL_H b) { return !__hle(a, b); }
IRGL_FN bool __hgeu(IRGL_H a, IRGL_H b) { return !__hlt(a, b); }
IRGL_FN bool __hisnan(IRGL_H a) { return (float)a != (float)a; }
IRGL_FN int __hisinf(IRGL_H a) { return (float)a - (float)a == 0.0f || (float)a != (float)a ? 0 : (float)a < 0.0f ? -1 : 1; }
IRGL_FN IRGL_H __hmax_nan(IRGL_H a, IRGL_H b) { return __hisnan(a) || __hisnan(b) ? IRGL_H(irgl_half_bits{0x7fff}) : __hmax(a, b); }
IRGL_FN IRGL_H __hmin_nan(IRGL_H a, IRGL_H b) { return __hisnan(a) || __hisnan(b) ? IRGL_H(irgl_half_bits{0x7fff}) : __hmin(a, b); }

#define IRGL_COMPARE2(op)                                                                                                                        \
	IRGL_FN IRGL_H2 __h##op##2(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(IRGL_H(__h##op(a.x, b.x) ? 1.0f : 0.0f), IRGL_H(__h##op(a.y, b.y) ? 1.0f : 0.0f)); } \
	IRGL_FN unsigned int __h##op##2_mask(IRGL_H2 a, IRGL_H2 b) { return (__h##op(a.x, b.x) ? 0xffffu : 0u) | (__h##op(a.y, b.y) ? 0xffff0000u : 0u); }     \
	IRGL_FN bool __hb##op##2(IRGL_H2 a, IRGL_H2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }
IRGL_COMPARE2(eq)
IRGL_COMPARE2(ne)
IRGL_COMPARE2(lt)
IRGL_COMPARE2(le)
IRGL_COMPARE2(gt)
IRGL_COMPARE2(ge)
IRGL_COMPARE2(equ)
IRGL_COMPARE2(neu)
IRGL_COMPARE2(ltu)
IRGL_COMPARE2(leu)
IRGL_COMPARE2(gtu)
IRGL_COMPARE2(geu)
#undef IRGL_COMPARE2
IRGL_FN IRGL_H2 __hisnan2(IRGL_H2 a) { return __hneu2(a, a); }

// Arithmetic of pairs.
IRGL_FN IRGL_H2 irgl_unpack(IRGL_H2, unsigned int v) { return IRGL_H2(IRGL_H(irgl_half_bits{(unsigned short)v}), IRGL_H(irgl_half_bits{(unsigned short)(v >> 16)})); }
IRGL_FN unsigned int irgl_pack(IRGL_H2 a) { return (unsigned int)a.x.__x | (unsigned int)a.y.__x << 16; }
IRGL_FN IRGL_H2 __hadd2(IRGL_H2 a, IRGL_H2 b) { return irgl_unpack(a, IRGL_BITS(add2)(irgl_pack(a), irgl_pack(b))); }
IRGL_FN IRGL_H2 __hsub2(IRGL_H2 a, IRGL_H2 b) { return irgl_unpack(a, IRGL_BITS(sub2)(irgl_pack(a), irgl_pack(b))); }
IRGL_FN IRGL_H2 __hmul2(IRGL_H2 a, IRGL_H2 b) { return irgl_unpack(a, IRGL_BITS(mul2)(irgl_pack(a), irgl_pack(b))); }
IRGL_FN IRGL_H2 __hfma2(IRGL_H2 a, IRGL_H2 b, IRGL_H2 c) { return irgl_unpack(a, IRGL_BITS(fma2)(irgl_pack(a), irgl_pack(b), irgl_pack(c))); }
IRGL_FN IRGL_H2 __hadd2_rn(IRGL_H2 a, IRGL_H2 b) { return __hadd2(a, b); }
IRGL_FN IRGL_H2 __hsub2_rn(IRGL_H2 a, IRGL_H2 b) { return __hsub2(a, b); }
IRGL_FN IRGL_H2 __hmul2_rn(IRGL_H2 a, IRGL_H2 b) { return __hmul2(a, b); }
IRGL_FN IRGL_H2 __h2div(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
IRGL_FN IRGL_H2 __hneg2(IRGL_H2 a) { return IRGL_H2(__hneg(a.x), __hneg(a.y)); }
IRGL_FN IRGL_H2 __habs2(IRGL_H2 a) { return IRGL_H2(__habs(a.x), __habs(a.y)); }
IRGL_FN IRGL_H2 __hadd2_sat(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
IRGL_FN IRGL_H2 __hsub2_sat(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
IRGL_FN IRGL_H2 __hmul2_sat(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
IRGL_FN IRGL_H2 __hfma2_sat(IRGL_H2 a, IRGL_H2 b, IRGL_H2 c) { return IRGL_H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
IRGL_FN IRGL_H2 __hfma2_relu(IRGL_H2 a, IRGL_H2 b, IRGL_H2 c) { return IRGL_H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
IRGL_FN IRGL_H2 __hmax2(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
IRGL_FN IRGL_H2 __hmin2(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
IRGL_FN IRGL_H2 __hmax2_nan(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
IRGL_FN IRGL_H2 __hmin2_nan(IRGL_H2 a, IRGL_H2 b) { return IRGL_H2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
// The product of complex numbers, plus one: x is the real part.
IRGL_FN IRGL_H2 __hcmadd(IRGL_H2 a, IRGL_H2 b, IRGL_H2 c) {
	return IRGL_H2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// Mathematical functions, computed in float and rounded once more.
#define IRGL_MATH(name, f)                                                          \
	IRGL_FN IRGL_H h##name(IRGL_H a) { return IRGL_H(f((float)a)); }            \
	IRGL_FN IRGL_H2 h2##name(IRGL_H2 a) { return IRGL_H2(h##name(a.x), h##name(a.y)); }
IRGL_MATH(exp, expf)
IRGL_MATH(exp2, exp2f)
IRGL_MATH(exp10, irgl_half_exp10)
IRGL_MATH(log, logf)
IRGL_MATH(log2, log2f)
IRGL_MATH(log10, log10f)
IRGL_MATH(sqrt, sqrtf)
IRGL_MATH(rsqrt, irgl_half_rsqrt)
IRGL_MATH(rcp, irgl_half_rcp)
IRGL_MATH(sin, sinf)
IRGL_MATH(cos, cosf)
IRGL_MATH(tanh, tanhf)
IRGL_MATH(tanh_approx, tanhf)
IRGL_MATH(floor, floorf)
IRGL_MATH(ceil, ceilf)
IRGL_MATH(trunc, truncf)
IRGL_MATH(rint, rintf)
#undef IRGL_MATH

// Operators.
IRGL_FN IRGL_H operator+(const IRGL_H &a, const IRGL_H &b) { return __hadd(a, b); }
IRGL_FN IRGL_H operator-(const IRGL_H &a, const IRGL_H &b) { return __hsub(a, b); }
IRGL_FN IRGL_H operator*(const IRGL_H &a, const IRGL_H &b) { return __hmul(a, b); }
IRGL_FN IRGL_H operator/(const IRGL_H &a, const IRGL_H &b) { return __hdiv(a, b); }
IRGL_FN IRGL_H &operator+=(IRGL_H &a, const IRGL_H &b) { return a = __hadd(a, b); }
IRGL_FN IRGL_H &operator-=(IRGL_H &a, const IRGL_H &b) { return a = __hsub(a, b); }
IRGL_FN IRGL_H &operator*=(IRGL_H &a, const IRGL_H &b) { return a = __hmul(a, b); }
IRGL_FN IRGL_H &operator/=(IRGL_H &a, const IRGL_H &b) { return a = __hdiv(a, b); }
IRGL_FN IRGL_H &operator++(IRGL_H &a) { return a = __hadd(a, IRGL_H(1.0f)); }
IRGL_FN IRGL_H &operator--(IRGL_H &a) { return a = __hsub(a, IRGL_H(1.0f)); }
IRGL_FN IRGL_H operator++(IRGL_H &a, int) { IRGL_H old = a; ++a; return old; }
IRGL_FN IRGL_H operator--(IRGL_H &a, int) { IRGL_H old = a; --a; return old; }
IRGL_FN IRGL_H operator+(const IRGL_H &a) { return a; }
IRGL_FN IRGL_H operator-(const IRGL_H &a) { return __hneg(a); }
IRGL_FN bool operator==(const IRGL_H &a, const IRGL_H &b) { return __heq(a, b); }
IRGL_FN bool operator!=(const IRGL_H &a, const IRGL_H &b) { return __hneu(a, b); }
IRGL_FN bool operator<(const IRGL_H &a, const IRGL_H &b) { return __hlt(a, b); }
IRGL_FN bool operator>(const IRGL_H &a, const IRGL_H &b) { return __hgt(a, b); }
IRGL_FN bool operator<=(const IRGL_H &a, const IRGL_H &b) { return __hle(a, b); }
IRGL_FN bool operator>=(const IRGL_H &a, const IRGL_H &b) { return __hge(a, b); }
IRGL_FN IRGL_H2 operator+(const IRGL_H2 &a, const IRGL_H2 &b) { return __hadd2(a, b); }
IRGL_FN IRGL_H2 operator-(const IRGL_H2 &a, const IRGL_H2 &b) { return __hsub2(a, b); }
IRGL_FN IRGL_H2 operator*(const IRGL_H2 &a, const IRGL_H2 &b) { return __hmul2(a, b); }
IRGL_FN IRGL_H2 operator/(const IRGL_H2 &a, const IRGL_H2 &b) { return __h2div(a, b); }
IRGL_FN IRGL_H2 &operator+=(IRGL_H2 &a, const IRGL_H2 &b) { return a = __hadd2(a, b); }
IRGL_FN IRGL_H2 &operator-=(IRGL_H2 &a, const IRGL_H2 &b) { return a = __hsub2(a, b); }
IRGL_FN IRGL_H2 &operator*=(IRGL_H2 &a, const IRGL_H2 &b) { return a = __hmul2(a, b); }
IRGL_FN IRGL_H2 &operator/=(IRGL_H2 &a, const IRGL_H2 &b) { return a = __h2div(a, b); }
IRGL_FN IRGL_H2 operator+(const IRGL_H2 &a) { return a; }
IRGL_FN IRGL_H2 operator-(const IRGL_H2 &a) { return __hneg2(a); }
IRGL_FN bool operator==(const IRGL_H2 &a, const IRGL_H2 &b) { return __hbeq2(a, b); }
IRGL_FN bool operator!=(const IRGL_H2 &a, const IRGL_H2 &b) { return __hbneu2(a, b); }
IRGL_FN bool operator<(const IRGL_H2 &a, const IRGL_H2 &b) { return __hblt2(a, b); }
IRGL_FN bool operator>(const IRGL_H2 &a, const IRGL_H2 &b) { return __hbgt2(a, b); }
IRGL_FN bool operator<=(const IRGL_H2 &a, const IRGL_H2 &b) { return __hble2(a, b); }
IRGL_FN bool operator>=(const IRGL_H2 &a, const IRGL_H2 &b) { return __hbge2(a, b); }

// Memory and warps: device code only.
#ifdef __CUDA_ARCH__
inline __device__ IRGL_H __ldg(const IRGL_H *p) { return IRGL_H(irgl_half_bits{__ldg((const unsigned short *)p)}); }
inline __device__ IRGL_H2 __ldg(const IRGL_H2 *p) { return irgl_unpack(IRGL_H2(), __ldg((const unsigned int *)p)); }
inline __device__ IRGL_H __ldcg(const IRGL_H *p) { return IRGL_H(irgl_half_bits{__ldcg((const unsigned short *)p)}); }
inline __device__ IRGL_H2 __ldcg(const IRGL_H2 *p) { return irgl_unpack(IRGL_H2(), __ldcg((const unsigned int *)p)); }
inline __device__ IRGL_H __ldcs(const IRGL_H *p) { return IRGL_H(irgl_half_bits{__ldcs((const unsigned short *)p)}); }
inline __device__ IRGL_H2 __ldcs(const IRGL_H2 *p) { return irgl_unpack(IRGL_H2(), __ldcs((const unsigned int *)p)); }

#define IRGL_SHUFFLE(name, type)                                                                                                                  \
	inline __device__ IRGL_H2 name(unsigned int mask, IRGL_H2 v, type lane, int width = 32) { return irgl_unpack(v, name(mask, irgl_pack(v), lane, width)); } \
	inline __device__ IRGL_H name(unsigned int mask, IRGL_H v, type lane, int width = 32) { return IRGL_H(irgl_half_bits{(unsigned short)name(mask, (unsigned int)v.__x, lane, width)}); }
IRGL_SHUFFLE(__shfl_sync, int)
IRGL_SHUFFLE(__shfl_up_sync, unsigned int)
IRGL_SHUFFLE(__shfl_down_sync, unsigned int)
IRGL_SHUFFLE(__shfl_xor_sync, int)
#undef IRGL_SHUFFLE

inline __device__ IRGL_H atomicAdd(IRGL_H *p, IRGL_H v) { return IRGL_H(irgl_half_bits{IRGL_BITS(atomic_add)((unsigned short *)p, v.__x)}); }
inline __device__ IRGL_H2 atomicAdd(IRGL_H2 *p, IRGL_H2 v) { return irgl_unpack(v, IRGL_BITS(atomic_add2)((unsigned int *)p, irgl_pack(v))); }
#endif

#undef IRGL_FN
#endif
