// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minima and maxima of sums, of three, and with predicates (DPX). A line declares a name.
#pragma once

inline __device__ int __vimax3_s32(const int a, const int b, const int c) { return max(max(a, b), c); }
inline __device__ int __viaddmax_s32(const int a, const int b, const int c) { return max((int)((unsigned int)a + (unsigned int)b), c); }
inline __device__ int __vimax3_s32_relu(const int a, const int b, const int c) { return max(max(max(a, b), c), 0); }
inline __device__ int __viaddmax_s32_relu(const int a, const int b, const int c) { return max(max((int)((unsigned int)a + (unsigned int)b), c), 0); }
inline __device__ int __vimax_s32_relu(const int a, const int b) { return max(max(a, b), 0); }
inline __device__ int __vibmax_s32(const int a, const int b, bool *const p) { *p = a >= b; return max(a, b); }
inline __device__ int __vimin3_s32(const int a, const int b, const int c) { return min(min(a, b), c); }
inline __device__ int __viaddmin_s32(const int a, const int b, const int c) { return min((int)((unsigned int)a + (unsigned int)b), c); }
inline __device__ int __vimin3_s32_relu(const int a, const int b, const int c) { return max(min(min(a, b), c), 0); }
inline __device__ int __viaddmin_s32_relu(const int a, const int b, const int c) { return max(min((int)((unsigned int)a + (unsigned int)b), c), 0); }
inline __device__ int __vimin_s32_relu(const int a, const int b) { return max(min(a, b), 0); }
inline __device__ int __vibmin_s32(const int a, const int b, bool *const p) { *p = a <= b; return min(a, b); }
inline __device__ unsigned int __vimax3_u32(const unsigned int a, const unsigned int b, const unsigned int c) { return max(max(a, b), c); }
inline __device__ unsigned int __viaddmax_u32(const unsigned int a, const unsigned int b, const unsigned int c) { return max(a + b, c); }
inline __device__ unsigned int __vibmax_u32(const unsigned int a, const unsigned int b, bool *const p) { *p = a >= b; return max(a, b); }
inline __device__ unsigned int __vimin3_u32(const unsigned int a, const unsigned int b, const unsigned int c) { return min(min(a, b), c); }
inline __device__ unsigned int __viaddmin_u32(const unsigned int a, const unsigned int b, const unsigned int c) { return min(a + b, c); }
inline __device__ unsigned int __vibmin_u32(const unsigned int a, const unsigned int b, bool *const p) { *p = a <= b; return min(a, b); }
inline __device__ unsigned int __vimax3_s16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxs2(__vmaxs2(a, b), c); }
inline __device__ unsigned int __viaddmax_s16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxs2(__vadd2(a, b), c); }
inline __device__ unsigned int __vimax3_s16x2_relu(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxs2(__vmaxs2(__vmaxs2(a, b), c), 0u); }
inline __device__ unsigned int __viaddmax_s16x2_relu(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxs2(__vmaxs2(__vadd2(a, b), c), 0u); }
inline __device__ unsigned int __vimax_s16x2_relu(const unsigned int a, const unsigned int b) { return __vmaxs2(__vmaxs2(a, b), 0u); }
inline __device__ unsigned int __vibmax_s16x2(const unsigned int a, const unsigned int b, bool *const high, bool *const low) { const unsigned int p = __vcmpges2(a, b); *high = p >> 16 != 0; *low = (p & 0xffffu) != 0; return __vmaxs2(a, b); }
inline __device__ unsigned int __vimin3_s16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmins2(__vmins2(a, b), c); }
inline __device__ unsigned int __viaddmin_s16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmins2(__vadd2(a, b), c); }
inline __device__ unsigned int __vimin3_s16x2_relu(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxs2(__vmins2(__vmins2(a, b), c), 0u); }
inline __device__ unsigned int __viaddmin_s16x2_relu(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxs2(__vmins2(__vadd2(a, b), c), 0u); }
inline __device__ unsigned int __vimin_s16x2_relu(const unsigned int a, const unsigned int b) { return __vmaxs2(__vmins2(a, b), 0u); }
inline __device__ unsigned int __vibmin_s16x2(const unsigned int a, const unsigned int b, bool *const high, bool *const low) { const unsigned int p = __vcmples2(a, b); *high = p >> 16 != 0; *low = (p & 0xffffu) != 0; return __vmins2(a, b); }
inline __device__ unsigned int __vimax3_u16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxu2(__vmaxu2(a, b), c); }
inline __device__ unsigned int __viaddmax_u16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vmaxu2(__vadd2(a, b), c); }
inline __device__ unsigned int __vibmax_u16x2(const unsigned int a, const unsigned int b, bool *const high, bool *const low) { const unsigned int p = __vcmpgeu2(a, b); *high = p >> 16 != 0; *low = (p & 0xffffu) != 0; return __vmaxu2(a, b); }
inline __device__ unsigned int __vimin3_u16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vminu2(__vminu2(a, b), c); }
inline __device__ unsigned int __viaddmin_u16x2(const unsigned int a, const unsigned int b, const unsigned int c) { return __vminu2(__vadd2(a, b), c); }
inline __device__ unsigned int __vibmin_u16x2(const unsigned int a, const unsigned int b, bool *const high, bool *const low) { const unsigned int p = __vcmpleu2(a, b); *high = p >> 16 != 0; *low = (p & 0xffffu) != 0; return __vminu2(a, b); }
