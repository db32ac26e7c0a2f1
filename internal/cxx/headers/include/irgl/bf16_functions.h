// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions on the types of <cuda_bf16.h> in device code. Written from half_functions.h by a test.
#pragma once

inline __host__ __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(irgl_half_bits{bits}); }
inline __host__ __device__ __nv_bfloat16 __short_as_bfloat16(short bits) { return __nv_bfloat16(irgl_half_bits{(unsigned short)bits}); }
inline __host__ __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
inline __host__ __device__ short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
inline __host__ __device__ float __bfloat162float(__nv_bfloat16 a) { return irgl_bf16_to_float(a.__x); }
inline __host__ __device__ __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __host__ __device__ __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline __host__ __device__ __nv_bfloat16 __float2bfloat16_rz(float a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(a)}); }
inline __host__ __device__ __nv_bfloat16 __float2bfloat16_rd(float a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(a)}); }
inline __host__ __device__ __nv_bfloat16 __float2bfloat16_ru(float a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(a)}); }
inline __host__ __device__ __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
inline __host__ __device__ __nv_bfloat16 __short2bfloat16_rn(short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rn(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __short2bfloat16_rz(short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __short2bfloat16_rd(short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __short2bfloat16_ru(short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rn(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ushort2bfloat16_rz(unsigned short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ushort2bfloat16_rd(unsigned short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ushort2bfloat16_ru(unsigned short a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rn(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __int2bfloat16_rz(int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __int2bfloat16_rd(int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __int2bfloat16_ru(int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __uint2bfloat16_rn(unsigned int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rn(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __uint2bfloat16_rz(unsigned int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __uint2bfloat16_rd(unsigned int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __uint2bfloat16_ru(unsigned int a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ll2bfloat16_rn(long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rn(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __ll2bfloat16_rz(long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __ll2bfloat16_rd(long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __ll2bfloat16_ru(long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(irgl_odd_long(a))}); }
inline __host__ __device__ __nv_bfloat16 __ull2bfloat16_rn(unsigned long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rn(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ull2bfloat16_rz(unsigned long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rz(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ull2bfloat16_rd(unsigned long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_rd(irgl_odd_ulong(a))}); }
inline __host__ __device__ __nv_bfloat16 __ull2bfloat16_ru(unsigned long long a) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_from_float_ru(irgl_odd_ulong(a))}); }
inline __host__ __device__ short __bfloat162short_rn(__nv_bfloat16 a) { return irgl_to_integer<short>(rintf(__bfloat162float(a)), -32768, 32767); }
inline __host__ __device__ short __bfloat162short_rz(__nv_bfloat16 a) { return irgl_to_integer<short>(truncf(__bfloat162float(a)), -32768, 32767); }
inline __host__ __device__ short __bfloat162short_rd(__nv_bfloat16 a) { return irgl_to_integer<short>(floorf(__bfloat162float(a)), -32768, 32767); }
inline __host__ __device__ short __bfloat162short_ru(__nv_bfloat16 a) { return irgl_to_integer<short>(ceilf(__bfloat162float(a)), -32768, 32767); }
inline __host__ __device__ unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { return irgl_to_integer<unsigned short>(rintf(__bfloat162float(a)), 0, 65535); }
inline __host__ __device__ unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { return irgl_to_integer<unsigned short>(truncf(__bfloat162float(a)), 0, 65535); }
inline __host__ __device__ unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) { return irgl_to_integer<unsigned short>(floorf(__bfloat162float(a)), 0, 65535); }
inline __host__ __device__ unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) { return irgl_to_integer<unsigned short>(ceilf(__bfloat162float(a)), 0, 65535); }
inline __host__ __device__ int __bfloat162int_rn(__nv_bfloat16 a) { return irgl_to_integer<int>(rintf(__bfloat162float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ int __bfloat162int_rz(__nv_bfloat16 a) { return irgl_to_integer<int>(truncf(__bfloat162float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ int __bfloat162int_rd(__nv_bfloat16 a) { return irgl_to_integer<int>(floorf(__bfloat162float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ int __bfloat162int_ru(__nv_bfloat16 a) { return irgl_to_integer<int>(ceilf(__bfloat162float(a)), -2147483647 - 1, 2147483647); }
inline __host__ __device__ unsigned int __bfloat162uint_rn(__nv_bfloat16 a) { return irgl_to_integer<unsigned int>(rintf(__bfloat162float(a)), 0, 4294967295u); }
inline __host__ __device__ unsigned int __bfloat162uint_rz(__nv_bfloat16 a) { return irgl_to_integer<unsigned int>(truncf(__bfloat162float(a)), 0, 4294967295u); }
inline __host__ __device__ unsigned int __bfloat162uint_rd(__nv_bfloat16 a) { return irgl_to_integer<unsigned int>(floorf(__bfloat162float(a)), 0, 4294967295u); }
inline __host__ __device__ unsigned int __bfloat162uint_ru(__nv_bfloat16 a) { return irgl_to_integer<unsigned int>(ceilf(__bfloat162float(a)), 0, 4294967295u); }
inline __host__ __device__ long long __bfloat162ll_rn(__nv_bfloat16 a) { return irgl_to_integer<long long>(rintf(__bfloat162float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ long long __bfloat162ll_rz(__nv_bfloat16 a) { return irgl_to_integer<long long>(truncf(__bfloat162float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ long long __bfloat162ll_rd(__nv_bfloat16 a) { return irgl_to_integer<long long>(floorf(__bfloat162float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ long long __bfloat162ll_ru(__nv_bfloat16 a) { return irgl_to_integer<long long>(ceilf(__bfloat162float(a)), -9223372036854775807LL - 1, 9223372036854775807LL); }
inline __host__ __device__ unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) { return irgl_to_integer<unsigned long long>(rintf(__bfloat162float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) { return irgl_to_integer<unsigned long long>(truncf(__bfloat162float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) { return irgl_to_integer<unsigned long long>(floorf(__bfloat162float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) { return irgl_to_integer<unsigned long long>(ceilf(__bfloat162float(a)), 0, 18446744073709551615ULL); }
inline __host__ __device__ signed char __bfloat162char_rz(__nv_bfloat16 a) { return irgl_to_integer<signed char>(truncf(__bfloat162float(a)), -128, 127); }
inline __host__ __device__ unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) { return irgl_to_integer<unsigned char>(truncf(__bfloat162float(a)), 0, 255); }
inline __host__ __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
inline __host__ __device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
inline __host__ __device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __host__ __device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __host__ __device__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
inline __host__ __device__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
inline __host__ __device__ __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
inline __host__ __device__ __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
inline __host__ __device__ float __low2float(__nv_bfloat162 a) { return (float)a.x; }
inline __host__ __device__ float __high2float(__nv_bfloat162 a) { return (float)a.y; }
inline __host__ __device__ __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
inline __host__ __device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
inline __host__ __device__ __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y)); }
inline __host__ __device__ float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
inline __host__ __device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
inline __host__ __device__ __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_add(a.__x, b.__x)}); }
inline __host__ __device__ __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_sub(a.__x, b.__x)}); }
inline __host__ __device__ __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_mul(a.__x, b.__x)}); }
inline __host__ __device__ __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
inline __host__ __device__ __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
inline __host__ __device__ __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
inline __host__ __device__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_fma(a.__x, b.__x, c.__x)}); }
inline __host__ __device__ __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
inline __host__ __device__ __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __nv_bfloat16(irgl_half_bits{(unsigned short)(a.__x ^ 0x8000)}); }
inline __host__ __device__ __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16(irgl_half_bits{(unsigned short)(a.__x & 0x7fff)}); }
inline __host__ __device__ __nv_bfloat16 irgl_saturate(__nv_bfloat16 a) { return (float)a > 0.0f ? ((float)a > 1.0f ? __nv_bfloat16(1.0f) : a) : __nv_bfloat16(0.0f); }
inline __host__ __device__ __nv_bfloat16 irgl_relu(__nv_bfloat16 a) { return (float)a <= 0.0f ? __nv_bfloat16(0.0f) : a; }
inline __host__ __device__ __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return irgl_saturate(__hadd(a, b)); }
inline __host__ __device__ __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return irgl_saturate(__hsub(a, b)); }
inline __host__ __device__ __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return irgl_saturate(__hmul(a, b)); }
inline __host__ __device__ __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return irgl_saturate(__hfma(a, b, c)); }
inline __host__ __device__ __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return irgl_relu(__hfma(a, b, c)); }
inline __host__ __device__ __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fmaxf((float)a, (float)b)); }
inline __host__ __device__ __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(fminf((float)a, (float)b)); }
inline __host__ __device__ bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }
inline __host__ __device__ bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b || (float)a > (float)b; }
inline __host__ __device__ bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
inline __host__ __device__ bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a <= (float)b; }
inline __host__ __device__ bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
inline __host__ __device__ bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a >= (float)b; }
inline __host__ __device__ bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) { return !__hne(a, b); }
inline __host__ __device__ bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) { return !__heq(a, b); }
inline __host__ __device__ bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) { return !__hge(a, b); }
inline __host__ __device__ bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) { return !__hgt(a, b); }
inline __host__ __device__ bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) { return !__hle(a, b); }
inline __host__ __device__ bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) { return !__hlt(a, b); }
inline __host__ __device__ bool __hisnan(__nv_bfloat16 a) { return (float)a != (float)a; }
inline __host__ __device__ int __hisinf(__nv_bfloat16 a) { return (float)a - (float)a == 0.0f || (float)a != (float)a ? 0 : (float)a < 0.0f ? -1 : 1; }
inline __host__ __device__ __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || __hisnan(b) ? __nv_bfloat16(irgl_half_bits{0x7fff}) : __hmax(a, b); }
inline __host__ __device__ __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || __hisnan(b) ? __nv_bfloat16(irgl_half_bits{0x7fff}) : __hmin(a, b); }
inline __host__ __device__ __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__heq(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__heq(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __heq2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hne(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hne(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hne2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hlt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hlt(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hlt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hle(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hle(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hle2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hgt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgt(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hgt2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hge(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hge(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hge2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hequ(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hequ(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hequ2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hneu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hneu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hneu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hltu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hltu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hltu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hltu(a.x, b.x) ? 0xffffu : 0u) | (__hltu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hleu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hleu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hleu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hleu(a.x, b.x) ? 0xffffu : 0u) | (__hleu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgtu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hgtu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgtu(a.x, b.x) ? 0xffffu : 0u) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgeu(a.y, b.y) ? 1.0f : 0.0f)); }
inline __host__ __device__ unsigned int __hgeu2_mask(__nv_bfloat162 a, __nv_bfloat162 b) { return (__hgeu(a.x, b.x) ? 0xffffu : 0u) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0u); }
inline __host__ __device__ bool __hbgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
inline __host__ __device__ __nv_bfloat162 __hisnan2(__nv_bfloat162 a) { return __hneu2(a, a); }
inline __host__ __device__ __nv_bfloat162 irgl_unpack(__nv_bfloat162, unsigned int v) { return __nv_bfloat162(__nv_bfloat16(irgl_half_bits{(unsigned short)v}), __nv_bfloat16(irgl_half_bits{(unsigned short)(v >> 16)})); }
inline __host__ __device__ unsigned int irgl_pack(__nv_bfloat162 a) { return (unsigned int)a.x.__x | (unsigned int)a.y.__x << 16; }
inline __host__ __device__ __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return irgl_unpack(a, irgl_bf16_add2(irgl_pack(a), irgl_pack(b))); }
inline __host__ __device__ __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return irgl_unpack(a, irgl_bf16_sub2(irgl_pack(a), irgl_pack(b))); }
inline __host__ __device__ __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return irgl_unpack(a, irgl_bf16_mul2(irgl_pack(a), irgl_pack(b))); }
inline __host__ __device__ __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return irgl_unpack(a, irgl_bf16_fma2(irgl_pack(a), irgl_pack(b), irgl_pack(c))); }
inline __host__ __device__ __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
inline __host__ __device__ __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
inline __host__ __device__ __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
inline __host__ __device__ __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
inline __host__ __device__ __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }
inline __host__ __device__ __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
inline __host__ __device__ __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
inline __host__ __device__ __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
inline __host__ __device__ __nv_bfloat162 __hcmadd(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); }
inline __host__ __device__ __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2exp(__nv_bfloat162 a) { return __nv_bfloat162(hexp(a.x), hexp(a.y)); }
inline __host__ __device__ __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __nv_bfloat16(exp2f((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return __nv_bfloat162(hexp2(a.x), hexp2(a.y)); }
inline __host__ __device__ __nv_bfloat16 hexp10(__nv_bfloat16 a) { return __nv_bfloat16(irgl_half_exp10((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return __nv_bfloat162(hexp10(a.x), hexp10(a.y)); }
inline __host__ __device__ __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2log(__nv_bfloat162 a) { return __nv_bfloat162(hlog(a.x), hlog(a.y)); }
inline __host__ __device__ __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __nv_bfloat16(log2f((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2log2(__nv_bfloat162 a) { return __nv_bfloat162(hlog2(a.x), hlog2(a.y)); }
inline __host__ __device__ __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __nv_bfloat16(log10f((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2log10(__nv_bfloat162 a) { return __nv_bfloat162(hlog10(a.x), hlog10(a.y)); }
inline __host__ __device__ __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y)); }
inline __host__ __device__ __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(irgl_half_rsqrt((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y)); }
inline __host__ __device__ __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16(irgl_half_rcp((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return __nv_bfloat162(hrcp(a.x), hrcp(a.y)); }
inline __host__ __device__ __nv_bfloat16 hsin(__nv_bfloat16 a) { return __nv_bfloat16(sinf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2sin(__nv_bfloat162 a) { return __nv_bfloat162(hsin(a.x), hsin(a.y)); }
inline __host__ __device__ __nv_bfloat16 hcos(__nv_bfloat16 a) { return __nv_bfloat16(cosf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2cos(__nv_bfloat162 a) { return __nv_bfloat162(hcos(a.x), hcos(a.y)); }
inline __host__ __device__ __nv_bfloat16 htanh(__nv_bfloat16 a) { return __nv_bfloat16(tanhf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return __nv_bfloat162(htanh(a.x), htanh(a.y)); }
inline __host__ __device__ __nv_bfloat16 htanh_approx(__nv_bfloat16 a) { return __nv_bfloat16(tanhf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2tanh_approx(__nv_bfloat162 a) { return __nv_bfloat162(htanh_approx(a.x), htanh_approx(a.y)); }
inline __host__ __device__ __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __nv_bfloat16(floorf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2floor(__nv_bfloat162 a) { return __nv_bfloat162(hfloor(a.x), hfloor(a.y)); }
inline __host__ __device__ __nv_bfloat16 hceil(__nv_bfloat16 a) { return __nv_bfloat16(ceilf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return __nv_bfloat162(hceil(a.x), hceil(a.y)); }
inline __host__ __device__ __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __nv_bfloat16(truncf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return __nv_bfloat162(htrunc(a.x), htrunc(a.y)); }
inline __host__ __device__ __nv_bfloat16 hrint(__nv_bfloat16 a) { return __nv_bfloat16(rintf((float)a)); }
inline __host__ __device__ __nv_bfloat162 h2rint(__nv_bfloat162 a) { return __nv_bfloat162(hrint(a.x), hrint(a.y)); }
inline __host__ __device__ __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hadd(a, b); }
inline __host__ __device__ __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hsub(a, b); }
inline __host__ __device__ __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hmul(a, b); }
inline __host__ __device__ __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hdiv(a, b); }
inline __host__ __device__ __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hadd(a, b); }
inline __host__ __device__ __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hsub(a, b); }
inline __host__ __device__ __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hmul(a, b); }
inline __host__ __device__ __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = __hdiv(a, b); }
inline __host__ __device__ __nv_bfloat16 &operator++(__nv_bfloat16 &a) { return a = __hadd(a, __nv_bfloat16(1.0f)); }
inline __host__ __device__ __nv_bfloat16 &operator--(__nv_bfloat16 &a) { return a = __hsub(a, __nv_bfloat16(1.0f)); }
inline __host__ __device__ __nv_bfloat16 operator++(__nv_bfloat16 &a, int) { __nv_bfloat16 old = a; ++a; return old; }
inline __host__ __device__ __nv_bfloat16 operator--(__nv_bfloat16 &a, int) { __nv_bfloat16 old = a; --a; return old; }
inline __host__ __device__ __nv_bfloat16 operator+(const __nv_bfloat16 &a) { return a; }
inline __host__ __device__ __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
inline __host__ __device__ bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __heq(a, b); }
inline __host__ __device__ bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hneu(a, b); }
inline __host__ __device__ bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hlt(a, b); }
inline __host__ __device__ bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hgt(a, b); }
inline __host__ __device__ bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hle(a, b); }
inline __host__ __device__ bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hge(a, b); }
inline __host__ __device__ __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hadd2(a, b); }
inline __host__ __device__ __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hsub2(a, b); }
inline __host__ __device__ __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hmul2(a, b); }
inline __host__ __device__ __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __h2div(a, b); }
inline __host__ __device__ __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __hadd2(a, b); }
inline __host__ __device__ __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __hsub2(a, b); }
inline __host__ __device__ __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __hmul2(a, b); }
inline __host__ __device__ __nv_bfloat162 &operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = __h2div(a, b); }
inline __host__ __device__ __nv_bfloat162 operator+(const __nv_bfloat162 &a) { return a; }
inline __host__ __device__ __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
inline __host__ __device__ bool operator==(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbeq2(a, b); }
inline __host__ __device__ bool operator!=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbneu2(a, b); }
inline __host__ __device__ bool operator<(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hblt2(a, b); }
inline __host__ __device__ bool operator>(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbgt2(a, b); }
inline __host__ __device__ bool operator<=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hble2(a, b); }
inline __host__ __device__ bool operator>=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbge2(a, b); }
inline __device__ __nv_bfloat16 __ldg(const __nv_bfloat16 *p) { return __nv_bfloat16(irgl_half_bits{__ldg((const unsigned short *)p)}); }
inline __device__ __nv_bfloat162 __ldg(const __nv_bfloat162 *p) { return irgl_unpack(__nv_bfloat162(), __ldg((const unsigned int *)p)); }
inline __device__ __nv_bfloat16 __ldcg(const __nv_bfloat16 *p) { return __nv_bfloat16(irgl_half_bits{__ldcg((const unsigned short *)p)}); }
inline __device__ __nv_bfloat162 __ldcg(const __nv_bfloat162 *p) { return irgl_unpack(__nv_bfloat162(), __ldcg((const unsigned int *)p)); }
inline __device__ __nv_bfloat16 __ldcs(const __nv_bfloat16 *p) { return __nv_bfloat16(irgl_half_bits{__ldcs((const unsigned short *)p)}); }
inline __device__ __nv_bfloat162 __ldcs(const __nv_bfloat162 *p) { return irgl_unpack(__nv_bfloat162(), __ldcs((const unsigned int *)p)); }
inline __device__ __nv_bfloat162 __shfl_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32) { return irgl_unpack(v, __shfl_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __nv_bfloat16 __shfl_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32) { return __nv_bfloat16(irgl_half_bits{(unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __nv_bfloat162 __shfl_up_sync(unsigned int mask, __nv_bfloat162 v, unsigned int lane, int width = 32) { return irgl_unpack(v, __shfl_up_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __nv_bfloat16 __shfl_up_sync(unsigned int mask, __nv_bfloat16 v, unsigned int lane, int width = 32) { return __nv_bfloat16(irgl_half_bits{(unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __nv_bfloat162 __shfl_down_sync(unsigned int mask, __nv_bfloat162 v, unsigned int lane, int width = 32) { return irgl_unpack(v, __shfl_down_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __nv_bfloat16 __shfl_down_sync(unsigned int mask, __nv_bfloat16 v, unsigned int lane, int width = 32) { return __nv_bfloat16(irgl_half_bits{(unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __nv_bfloat162 __shfl_xor_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32) { return irgl_unpack(v, __shfl_xor_sync(mask, irgl_pack(v), lane, width)); }
inline __device__ __nv_bfloat16 __shfl_xor_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32) { return __nv_bfloat16(irgl_half_bits{(unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width)}); }
inline __device__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) { return __nv_bfloat16(irgl_half_bits{irgl_bf16_atomic_add((unsigned short *)p, v.__x)}); }
inline __device__ __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) { return irgl_unpack(v, irgl_bf16_atomic_add2((unsigned int *)p, irgl_pack(v))); }
