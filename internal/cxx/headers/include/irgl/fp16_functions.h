// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions on the types of <cuda_fp16.h> in device code. Written from half_functions.h by a test.
#pragma once

inline __host__ __device__ __half __ushort_as_half(unsigned short bits) { return __half(irgl_half_bits{bits}); }
inline __host__ __device__ __half __short_as_half(short bits) { return __half(irgl_half_bits{(unsigned short)bits}); }
inline __host__ __device__ unsigned short __half_as_ushort(__half a) { return a.__x; }
inline __host__ __device__ short __half_as_short(__half a) { return (short)a.__x; }
inline __host__ __device__ float __half2float(__half a) { return irgl_f16_to_float(a.__x); }
inline __host__ __device__ __half __float2half(float a) { return __half(a); }
inline __host__ __device__ __half __float2half_rn(float a) { return __half(a); }
inline __host__ __device__ __half __float2half_rz(float a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(a)}); }
inline __host__ __device__ __half __float2half_rd(float a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(a)}); }
inline __host__ __device__ __half __float2half_ru(float a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(a)}); }
inline __host__ __device__ __half __double2half(double a) { return __half(a); }
inline __host__ __device__ __half __short2half_rn(short a) { return __half(irgl_half_bits{irgl_f16_from_float_rn(irgl_odd_long(a))}); }
inline __host__ __device__ __half __short2half_rz(short a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(irgl_odd_long(a))}); }
inline __host__ __device__ __half __short2half_rd(short a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(irgl_odd_long(a))}); }
inline __host__ __device__ __half __short2half_ru(short a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(irgl_odd_long(a))}); }
inline __host__ __device__ __half __ushort2half_rn(unsigned short a) { return __half(irgl_half_bits{irgl_f16_from_float_rn(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ushort2half_rz(unsigned short a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ushort2half_rd(unsigned short a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ushort2half_ru(unsigned short a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __int2half_rn(int a) { return __half(irgl_half_bits{irgl_f16_from_float_rn(irgl_odd_long(a))}); }
inline __host__ __device__ __half __int2half_rz(int a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(irgl_odd_long(a))}); }
inline __host__ __device__ __half __int2half_rd(int a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(irgl_odd_long(a))}); }
inline __host__ __device__ __half __int2half_ru(int a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(irgl_odd_long(a))}); }
inline __host__ __device__ __half __uint2half_rn(unsigned int a) { return __half(irgl_half_bits{irgl_f16_from_float_rn(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __uint2half_rz(unsigned int a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __uint2half_rd(unsigned int a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __uint2half_ru(unsigned int a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ll2half_rn(long long a) { return __half(irgl_half_bits{irgl_f16_from_float_rn(irgl_odd_long(a))}); }
inline __host__ __device__ __half __ll2half_rz(long long a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(irgl_odd_long(a))}); }
inline __host__ __device__ __half __ll2half_rd(long long a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(irgl_odd_long(a))}); }
inline __host__ __device__ __half __ll2half_ru(long long a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(irgl_odd_long(a))}); }
inline __host__ __device__ __half __ull2half_rn(unsigned long long a) { return __half(irgl_half_bits{irgl_f16_from_float_rn(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ull2half_rz(unsigned long long a) { return __half(irgl_half_bits{irgl_f16_from_float_rz(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ull2half_rd(unsigned long long a) { return __half(irgl_half_bits{irgl_f16_from_float_rd(irgl_odd_ulong(a))}); }
inline __host__ __device__ __half __ull2half_ru(unsigned long long a) { return __half(irgl_half_bits{irgl_f16_from_float_ru(irgl_odd_ulong(a))}); }
inline __host__ __device__ short __half2short_rn(__half a) { return irgl_to_integer<short>(rintf(__half2float(a)), -32768, 32767); }
inline __host__ __device__ short __half2short_rz(__half a) { return irgl_to_integer<short>(truncf(__half2float(a)), -32768, 32767); }
inline __host__ __device__ short __half2short_rd(__half a) { return irgl_to_integer<short>(floorf(__half2float(a)), -32768, 32767); }
inline __host__ __device__ short __half2short_ru(__half a) { return irgl_to_integer<short>(ceilf(__half2float(a)), -32768, 32767); }
inline __host__ __device__ unsigned short __half2ushort_rn(__half a) { return irgl_to_integer<unsigned short>(rintf(__half2float(a)), 0, 65535); }
inline __host__ __device__ unsigned short __half2ushort_rz(__half a) { return irgl_to_integer<unsigned short>(truncf(__half2float(a)), 0, 65535); }
inline __host__ __device__ unsigned short __half2ushort_rd(__half a) { return irgl_to_integer<unsigned short>(floorf(__half2float(a)), 0, 65535); }
inline __host__ __device__ unsigned short __half2ushort_ru(__half a) { return irgl_to_integer<unsigned short>(ceilf(__half2float(a)), 0, 65535); }
inline __host__ __device__ int __half2int_rn(__half a) { return irgl_to_integer<int>(rintf(__half2float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ int __half2int_rz(__half a) { return irgl_to_integer<int>(truncf(__half2float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ int __half2int_rd(__half a) { return irgl_to_integer<int>(floorf(__half2float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ int __half2int_ru(__half a) { return irgl_to_integer<int>(ceilf(__half2float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ unsigned int __half2uint_rn(__half a) { return irgl_to_integer<unsigned int>(rintf(__half2float(a)), 0, 4294967295u); }
inline __host__ __device__ unsigned int __half2uint_rz(__half a) { return irgl_to_integer<unsigned int>(truncf(__half2float(a)), 0, 4294967295u); }
inline __host__ __device__ unsigned int __half2uint_rd(__half a) { return irgl_to_integer<unsigned int>(floorf(__half2float(a)), 0, 4294967295u); }
inline __host__ __device__ unsigned int __half2uint_ru(__half a) { return irgl_to_integer<unsigned int>(ceilf(__half2float(a)), 0, 4294967295u); }
inline __host__ __device__ long long __half2ll_rn(__half a) { return irgl_to_integer<long long>(rintf(__half2float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ long long __half2ll_rz(__half a) { return irgl_to_integer<long long>(truncf(__half2float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ long long __half2ll_rd(__half a) { return irgl_to_integer<long long>(floorf(__half2float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ long long __half2ll_ru(__half a) { return irgl_to_integer<long long>(ceilf(__half2float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ unsigned long long __half2ull_rn(__half a) { return irgl_to_integer<unsigned long long>(rintf(__half2float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ unsigned long long __half2ull_rz(__half a) { return irgl_to_integer<unsigned long long>(truncf(__half2float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ unsigned long long __half2ull_rd(__half a) { return irgl_to_integer<unsigned long long>(floorf(__half2float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ unsigned long long __half2ull_ru(__half a) { return irgl_to_integer<unsigned long long>(ceilf(__half2float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ signed char __half2char_rz(__half a) { return irgl_to_integer<signed char>(truncf(__half2float(a)), -128, 127); }
inline __host__ __device__ unsigned char __half2uchar_rz(__half a) { return irgl_to_integer<unsigned char>(truncf(__half2float(a)), 0, 255); }
inline __host__ __device__ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
inline __host__ __device__ __half2 __half2half2(__half a) { return __half2(a, a); }
inline __host__ __device__ __half __low2half(__half2 a) { return a.x; }
inline __host__ __device__ __half __high2half(__half2 a) { return a.y; }
inline __host__ __device__ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
inline __host__ __device__ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
inline __host__ __device__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
inline __host__ __device__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
inline __host__ __device__ __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
inline __host__ __device__ float __low2float(__half2 a) { return (float)a.x; }
inline __host__ __device__ float __high2float(__half2 a) { return (float)a.y; }
inline __host__ __device__ __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
inline __host__ __device__ __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
inline __host__ __device__ __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
inline __host__ __device__ float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
inline __host__ __device__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
inline __host__ __device__ __half __hadd(__half a, __half b) { return __half(irgl_half_bits{irgl_f16_add(a.__x, b.__x)}); }
inline __host__ __device__ __half __hsub(__half a, __half b) { return __half(irgl_half_bits{irgl_f16_sub(a.__x, b.__x)}); }
inline __host__ __device__ __half __hmul(__half a, __half b) { return __half(irgl_half_bits{irgl_f16_mul(a.__x, b.__x)}); }
inline __host__ __device__ __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
inline __host__ __device__ __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
inline __host__ __device__ __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
inline __host__ __device__ __half __hfma(__half a, __half b, __half c) { return __half(irgl_half_bits{irgl_f16_fma(a.__x, b.__x, c.__x)}); }
inline __host__ __device__ __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
inline __host__ __device__ __half __hneg(__half a) { return __half(irgl_half_bits{(unsigned short)(a.__x ^ 0x8000)}); }
inline __host__ __device__ __half __habs(__half a) { return __half(irgl_half_bits{(unsigned short)(a.__x & 0x7fff)}); }
inline __host__ __device__ __half irgl_saturate(__half a) { return (float)a > 0.0f ? ((float)a > 1.0f ? __half(1.0f) : a) : __half(0.0f); }
inline __host__ __device__ __half irgl_relu(__half a) { return (float)a <= 0.0f ? __half(0.0f) : a; }
inline __host__ __device__ __half __hadd_sat(__half a, __half b) { return irgl_saturate(__hadd(a, b)); }
inline __host__ __device__ __half __hsub_sat(__half a, __half b) { return irgl_saturate(__hsub(a, b)); }
inline __host__ __device__ __half __hmul_sat(__half a, __half b) { return irgl_saturate(__hmul(a, b)); }
inline __host__ __device__ __half __hfma_sat(__half a, __half b, __half c) { return irgl_saturate(__hfma(a, b, c)); }
inline __host__ __device__ __half __hfma_relu(__half a, __half b, __half c) { return irgl_relu(__hfma(a, b, c)); }
inline __host__ __device__ __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
inline __host__ __device__ __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
inline __host__ __device__ bool __heq(__half a, __half b) { return (float)a == (float)b; }
inline __host__ __device__ bool __hne(__half a, __half b) { return (float)a < (float)b || (float)a > (float)b; }
inline __host__ __device__ bool __hlt(__half a, __half b) { return (float)a < (float)b; }
inline __host__ __device__ bool __hle(__half a, __half b) { return (float)a <= (float)b; }
inline __host__ __device__ bool __hgt(__half a, __half b) { return (float)a > (float)b; }
inline __host__ __device__ bool __hge(__half a, __half b) { return (float)a >= (float)b; }
inline __host__ __device__ bool __hequ(__half a, __half b) { return !__hne(a, b); }
inline __host__ __device__ bool __hneu(__half a, __half b) { return !__heq(a, b); }
inline __host__ __device__ bool __hltu(__half a, __half b) { return !__hge(a, b); }
inline __host__ __device__ bool __hleu(__half a, __half b) { return !__hgt(a, b); }
inline __host__ __device__ bool __hgtu(__half a, __half b) { return !__hle(a, b); }
inline __host__ __device__ bool __hgeu(__half a, __half b) { return !__hlt(a, b); }
inline __host__ __device__ bool __hisnan(__half a) { return (float)a != (float)a; }
inline __host__ __device__ int __hisinf(__half a) { return (float)a - (float)a == 0.0f || (float)a != (float)a ? 0 : (float)a < 0.0f ? -1 : 1; }
inline __host__ __device__ __half __hmax_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __half(irgl_half_bits{0x7fff}) : __hmax(a, b); }
inline __host__ __device__ __half __hmin_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __half(irgl_half_bits{0x7fff}) : __hmin(a, b); }
inline __host__ __device__ __half2 __heq2(__half2 a, __half2 b) { return __half2(__half(__heq(a.x, b.x) ? 1.0f : 0.0f), __half(__heq(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __heq2_mask(__half2 a, __half2 b) { return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
inline __host__ __device__ __half2 __hne2(__half2 a, __half2 b) { return __half2(__half(__hne(a.x, b.x) ? 1.0f : 0.0f), __half(__hne(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hne2_mask(__half2 a, __half2 b) { return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
inline __host__ __device__ __half2 __hlt2(__half2 a, __half2 b) { return __half2(__half(__hlt(a.x, b.x) ? 1.0f : 0.0f), __half(__hlt(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hlt2_mask(__half2 a, __half2 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
inline __host__ __device__ __half2 __hle2(__half2 a, __half2 b) { return __half2(__half(__hle(a.x, b.x) ? 1.0f : 0.0f), __half(__hle(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hle2_mask(__half2 a, __half2 b) { return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
inline __host__ __device__ __half2 __hgt2(__half2 a, __half2 b) { return __half2(__half(__hgt(a.x, b.x) ? 1.0f : 0.0f), __half(__hgt(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hgt2_mask(__half2 a, __half2 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
inline __host__ __device__ __half2 __hge2(__half2 a, __half2 b) { return __half2(__half(__hge(a.x, b.x) ? 1.0f : 0.0f), __half(__hge(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hge2_mask(__half2 a, __half2 b) { return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
inline __host__ __device__ __half2 __hequ2(__half2 a, __half2 b) { return __half2(__half(__hequ(a.x, b.x) ? 1.0f : 0.0f), __half(__hequ(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hequ2_mask(__half2 a, __half2 b) { return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbequ2(__half2 a, __half2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
inline __host__ __device__ __half2 __hneu2(__half2 a, __half2 b) { return __half2(__half(__hneu(a.x, b.x) ? 1.0f : 0.0f), __half(__hneu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hneu2_mask(__half2 a, __half2 b) { return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
inline __host__ __device__ __half2 __hltu2(__half2 a, __half2 b) { return __half2(__half(__hltu(a.x, b.x) ? 1.0f : 0.0f), __half(__hltu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hltu2_mask(__half2 a, __half2 b) { return (__hltu(a.x, b.x) ? 0xffffu : 0u) | (__hltu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbltu2(__half2 a, __half2 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
inline __host__ __device__ __half2 __hleu2(__half2 a, __half2 b) { return __half2(__half(__hleu(a.x, b.x) ? 1.0f : 0.0f), __half(__hleu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hleu2_mask(__half2 a, __half2 b) { return (__hleu(a.x, b.x) ? 0xffffu : 0u) | (__hleu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbleu2(__half2 a, __half2 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
inline __host__ __device__ __half2 __hgtu2(__half2 a, __half2 b) { return __half2(__half(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgtu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hgtu2_mask(__half2 a, __half2 b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0u) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbgtu2(__half2 a, __half2 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
inline __host__ __device__ __half2 __hgeu2(__half2 a, __half2 b) { return __half2(__half(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgeu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hgeu2_mask(__half2 a, __half2 b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0u) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbgeu2(__half2 a, __half2 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
inline __host__ __device__ __half2 __hisnan2(__half2 a) { return __hneu2(a, a); }
inline __host__ __device__ __half2 irgl_unpack(__half2, unsigned int v) { return __half2(__half(irgl_half_bits{(unsigned short)v}), __half(irgl_half_bits{(unsigned short)(v >> 16)})); }
inline __host__ __device__ unsigned int irgl_pack(__half2 a) { return (unsigned int)a.x.__x | (unsigned int)a.y.__x << 16; }
inline __host__ __device__ __half2 __hadd2(__half2 a, __half2 b) { return irgl_unpack(a, irgl_f16_add2(irgl_pack(a), irgl_pack(b))); }
inline __host__ __device__ __half2 __hsub2(__half2 a, __half2 b) { return irgl_unpack(a, irgl_f16_sub2(irgl_pack(a), irgl_pack(b))); }
inline __host__ __device__ __half2 __hmul2(__half2 a, __half2 b) { return irgl_unpack(a, irgl_f16_mul2(irgl_pack(a), irgl_pack(b))); }
inline __host__ __device__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return irgl_unpack(a, irgl_f16_fma2(irgl_pack(a), irgl_pack(b), irgl_pack(c))); }
inline __host__ __device__ __half2 __hadd2_rn(__half2 a, __half2 b) { return __hadd2(a, b); }
inline __host__ __device__ __half2 __hsub2_rn(__half2 a, __half2 b) { return __hsub2(a, b); }
inline __host__ __device__ __half2 __hmul2_rn(__half2 a, __half2 b) { return __hmul2(a, b); }
inline __host__ __device__ __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
inline __host__ __device__ __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
inline __host__ __device__ __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
inline __host__ __device__ __half2 __hadd2_sat(__half2 a, __half2 b) { return __half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
inline __host__ __device__ __half2 __hsub2_sat(__half2 a, __half2 b) { return __half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
inline __host__ __device__ __half2 __hmul2_sat(__half2 a, __half2 b) { return __half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
inline __host__ __device__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
inline __host__ __device__ __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
inline __host__ __device__ __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
inline __host__ __device__ __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
inline __host__ __device__ __half2 __hmax2_nan(__half2 a, __half2 b) { return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
inline __host__ __device__ __half2 __hmin2_nan(__half2 a, __half2 b) { return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
inline __host__ __device__ __half2 __hcmadd(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); }
inline __host__ __device__ __half hexp(__half a) { return __half(expf((float)a)); }
inline __host__ __device__ __half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
inline __host__ __device__ __half hexp2(__half a) { return __half(exp2f((float)a)); }
inline __host__ __device__ __half2 h2exp2(__half2 a) { return __half2(hexp2(a.x), hexp2(a.y)); }
inline __host__ __device__ __half hexp10(__half a) { return __half(irgl_half_exp10((float)a)); }
inline __host__ __device__ __half2 h2exp10(__half2 a) { return __half2(hexp10(a.x), hexp10(a.y)); }
inline __host__ __device__ __half hlog(__half a) { return __half(logf((float)a)); }
inline __host__ __device__ __half2 h2log(__half2 a) { return __half2(hlog(a.x), hlog(a.y)); }
inline __host__ __device__ __half hlog2(__half a) { return __half(log2f((float)a)); }
inline __host__ __device__ __half2 h2log2(__half2 a) { return __half2(hlog2(a.x), hlog2(a.y)); }
inline __host__ __device__ __half hlog10(__half a) { return __half(log10f((float)a)); }
inline __host__ __device__ __half2 h2log10(__half2 a) { return __half2(hlog10(a.x), hlog10(a.y)); }
inline __host__ __device__ __half hsqrt(__half a) { return __half(sqrtf((float)a)); }
inline __host__ __device__ __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
inline __host__ __device__ __half hrsqrt(__half a) { return __half(irgl_half_rsqrt((float)a)); }
inline __host__ __device__ __half2 h2rsqrt(__half2 a) { return __half2(hrsqrt(a.x), hrsqrt(a.y)); }
inline __host__ __device__ __half hrcp(__half a) { return __half(irgl_half_rcp((float)a)); }
inline __host__ __device__ __half2 h2rcp(__half2 a) { return __half2(hrcp(a.x), hrcp(a.y)); }
inline __host__ __device__ __half hsin(__half a) { return __half(sinf((float)a)); }
inline __host__ __device__ __half2 h2sin(__half2 a) { return __half2(hsin(a.x), hsin(a.y)); }
inline __host__ __device__ __half hcos(__half a) { return __half(cosf((float)a)); }
inline __host__ __device__ __half2 h2cos(__half2 a) { return __half2(hcos(a.x), hcos(a.y)); }
inline __host__ __device__ __half htanh(__half a) { return __half(tanhf((float)a)); }
inline __host__ __device__ __half2 h2tanh(__half2 a) { return __half2(htanh(a.x), htanh(a.y)); }
inline __host__ __device__ __half htanh_approx(__half a) { return __half(tanhf((float)a)); }
inline __host__ __device__ __half2 h2tanh_approx(__half2 a) { return __half2(htanh_approx(a.x), htanh_approx(a.y)); }
inline __host__ __device__ __half hfloor(__half a) { return __half(floorf((float)a)); }
inline __host__ __device__ __half2 h2floor(__half2 a) { return __half2(hfloor(a.x), hfloor(a.y)); }
inline __host__ __device__ __half hceil(__half a) { return __half(ceilf((float)a)); }
inline __host__ __device__ __half2 h2ceil(__half2 a) { return __half2(hceil(a.x), hceil(a.y)); }
inline __host__ __device__ __half htrunc(__half a) { return __half(truncf((float)a)); }
inline __host__ __device__ __half2 h2trunc(__half2 a) { return __half2(htrunc(a.x), htrunc(a.y)); }
inline __host__ __device__ __half hrint(__half a) { return __half(rintf((float)a)); }
inline __host__ __device__ __half2 h2rint(__half2 a) { return __half2(hrint(a.x), hrint(a.y)); }
inline __host__ __device__ __half operator+(const __half &a, const __half &b) { return __hadd(a, b); }
inline __host__ __device__ __half operator-(const __half &a, const __half &b) { return __hsub(a, b); }
inline __host__ __device__ __half operator*(const __half &a, const __half &b) { return __hmul(a, b); }
inline __host__ __device__ __half operator/(const __half &a, const __half &b) { return __hdiv(a, b); }
inline __host__ __device__ __half &operator+=(__half &a, const __half &b) { return a = __hadd(a, b); }
inline __host__ __device__ __half &operator-=(__half &a, const __half &b) { return a = __hsub(a, b); }
inline __host__ __device__ __half &operator*=(__half &a, const __half &b) { return a = __hmul(a, b); }
inline __host__ __device__ __half &operator/=(__half &a, const __half &b) { return a = __hdiv(a, b); }
inline __host__ __device__ __half &operator++(__half &a) { return a = __hadd(a, __half(1.0f)); }
inline __host__ __device__ __half &operator--(__half &a) { return a = __hsub(a, __half(1.0f)); }
inline __host__ __device__ __half operator++(__half &a, int) { __half old = a; ++a; return old; }
inline __host__ __device__ __half operator--(__half &a, int) { __half old = a; --a; return old; }
inline __host__ __device__ __half operator+(const __half &a) { return a; }
inline __host__ __device__ __half operator-(const __half &a) { return __hneg(a); }
inline __host__ __device__ bool operator==(const __half &a, const __half &b) { return __heq(a, b); }
inline __host__ __device__ bool operator!=(const __half &a, const __half &b) { return __hneu(a, b); }
inline __host__ __device__ bool operator<(const __half &a, const __half &b) { return __hlt(a, b); }
inline __host__ __device__ bool operator>(const __half &a, const __half &b) { return __hgt(a, b); }
inline __host__ __device__ bool operator<=(const __half &a, const __half &b) { return __hle(a, b); }
inline __host__ __device__ bool operator>=(const __half &a, const __half &b) { return __hge(a, b); }
inline __host__ __device__ __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
inline __host__ __device__ __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
inline __host__ __device__ __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
inline __host__ __device__ __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
inline __host__ __device__ __half2 &operator+=(__half2 &a, const __half2 &b) { return a = __hadd2(a, b); }
inline __host__ __device__ __half2 &operator-=(__half2 &a, const __half2 &b) { return a = __hsub2(a, b); }
inline __host__ __device__ __half2 &operator*=(__half2 &a, const __half2 &b) { return a = __hmul2(a, b); }
inline __host__ __device__ __half2 &operator/=(__half2 &a, const __half2 &b) { return a = __h2div(a, b); }
inline __host__ __device__ __half2 operator+(const __half2 &a) { return a; }
inline __host__ __device__ __half2 operator-(const __half2 &a) { return __hneg2(a); }
inline __host__ __device__ bool operator==(const __half2 &a, const __half2 &b) { return __hbeq2(a, b); }
inline __host__ __device__ bool operator!=(const __half2 &a, const __half2 &b) { return __hbneu2(a, b); }
inline __host__ __device__ bool operator<(const __half2 &a, const __half2 &b) { return __hblt2(a, b); }
inline __host__ __device__ bool operator>(const __half2 &a, const __half2 &b) { return __hbgt2(a, b); }
inline __host__ __device__ bool operator<=(const __half2 &a, const __half2 &b) { return __hble2(a, b); }
inline __host__ __device__ bool operator>=(const __half2 &a, const __half2 &b) { return __hbge2(a, b); }
inline __device__ __half __ldg(const __half *p) { return __half(irgl_half_bits{__ldg((const unsigned short *)p)}); }
inline __device__ __half2 __ldg(const __half2 *p) { return irgl_unpack(__half2(), __ldg((const unsigned int *)p)); }
inline __device__ __half __ldcg(const __half *p) { return __half(irgl_half_bits{__ldcg((const unsigned short *)p)}); }
inline __device__ __half2 __ldcg(const __half2 *p) { return irgl_unpack(__half2(), __ldcg((const unsigned int *)p)); }
inline __device__ __half __ldcs(const __half *p) { return __half(irgl_half_bits{__ldcs((const unsigned short *)p)}); }
inline __device__ __half2 __ldcs(const __half2 *p) { return irgl_unpack(__half2(), __ldcs((const unsigned int *)p)); }
inline __device__ __half2 __shfl_sync(unsigned int mask, __half2 v, int lane, int width = 32) { return irgl_unpack(v, __shfl_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __half __shfl_sync(unsigned int mask, __half v, int lane, int width = 32) { return __half(irgl_half_bits{(unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __half2 __shfl_up_sync(unsigned int mask, __half2 v, unsigned int lane, int width = 32) { return irgl_unpack(v, __shfl_up_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __half __shfl_up_sync(unsigned int mask, __half v, unsigned int lane, int width = 32) { return __half(irgl_half_bits{(unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __half2 __shfl_down_sync(unsigned int mask, __half2 v, unsigned int lane, int width = 32) { return irgl_unpack(v, __shfl_down_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __half __shfl_down_sync(unsigned int mask, __half v, unsigned int lane, int width = 32) { return __half(irgl_half_bits{(unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __half2 __shfl_xor_sync(unsigned int mask, __half2 v, int lane, int width = 32) { return irgl_unpack(v, __shfl_xor_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __half __shfl_xor_sync(unsigned int mask, __half v, int lane, int width = 32) { return __half(irgl_half_bits{(unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __half atomicAdd(__half *p, __half v) { return __half(irgl_half_bits{irgl_f16_atomic_add((unsigned short *)p, v.__x)}); }
inline __device__ __half2 atomicAdd(__half2 *p, __half2 v) { return irgl_unpack(v, irgl_f16_atomic_add2((unsigned int *)p, irgl_pack(v))); }
