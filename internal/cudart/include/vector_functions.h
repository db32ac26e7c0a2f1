// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that make values of CUDA's vector types.
#ifndef IRGL_VECTOR_FUNCTIONS_H
#define IRGL_VECTOR_FUNCTIONS_H

#include "vector_types.h"

static inline constexpr char1 make_char1(signed char x) { return {x}; }
static inline constexpr char2 make_char2(signed char x, signed char y) { return {x, y}; }
static inline constexpr char3 make_char3(signed char x, signed char y, signed char z) { return {x, y, z}; }
static inline constexpr char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return {x, y, z, w}; }
static inline constexpr uchar1 make_uchar1(unsigned char x) { return {x}; }
static inline constexpr uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
static inline constexpr uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return {x, y, z}; }
static inline constexpr uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }
static inline constexpr short1 make_short1(short x) { return {x}; }
static inline constexpr short2 make_short2(short x, short y) { return {x, y}; }
static inline constexpr short3 make_short3(short x, short y, short z) { return {x, y, z}; }
static inline constexpr short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
static inline constexpr ushort1 make_ushort1(unsigned short x) { return {x}; }
static inline constexpr ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
static inline constexpr ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { return {x, y, z}; }
static inline constexpr ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) { return {x, y, z, w}; }
static inline constexpr int1 make_int1(int x) { return {x}; }
static inline constexpr int2 make_int2(int x, int y) { return {x, y}; }
static inline constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
static inline constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static inline constexpr uint1 make_uint1(unsigned int x) { return {x}; }
static inline constexpr uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
static inline constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
static inline constexpr uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
static inline constexpr long1 make_long1(long x) { return {x}; }
static inline constexpr long2 make_long2(long x, long y) { return {x, y}; }
static inline constexpr long3 make_long3(long x, long y, long z) { return {x, y, z}; }
static inline constexpr long4 make_long4(long x, long y, long z, long w) { return {x, y, z, w}; }
static inline constexpr ulong1 make_ulong1(unsigned long x) { return {x}; }
static inline constexpr ulong2 make_ulong2(unsigned long x, unsigned long y) { return {x, y}; }
static inline constexpr ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { return {x, y, z}; }
static inline constexpr ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) { return {x, y, z, w}; }
static inline constexpr longlong1 make_longlong1(long long x) { return {x}; }
static inline constexpr longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
static inline constexpr longlong3 make_longlong3(long long x, long long y, long long z) { return {x, y, z}; }
static inline constexpr longlong4 make_longlong4(long long x, long long y, long long z, long long w) { return {x, y, z, w}; }
static inline constexpr ulonglong1 make_ulonglong1(unsigned long long x) { return {x}; }
static inline constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
static inline constexpr ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) { return {x, y, z}; }
static inline constexpr ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) { return {x, y, z, w}; }
static inline constexpr float1 make_float1(float x) { return {x}; }
static inline constexpr float2 make_float2(float x, float y) { return {x, y}; }
static inline constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static inline constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline constexpr double1 make_double1(double x) { return {x}; }
static inline constexpr double2 make_double2(double x, double y) { return {x, y}; }
static inline constexpr double3 make_double3(double x, double y, double z) { return {x, y, z}; }
static inline constexpr double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }

#endif
