// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as vectors of two.
#pragma once

#include <cmath>

#include <vector_functions.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define IRGL_COMPLEX(T, C, suffix, make)                                                           \
  __host__ __device__ static inline C make(T r, T i) { return C{r, i}; }                           \
  __host__ __device__ static inline T cuCreal##suffix(C x) { return x.x; }                         \
  __host__ __device__ static inline T cuCimag##suffix(C x) { return x.y; }                         \
  __host__ __device__ static inline C cuConj##suffix(C x) { return C{x.x, -x.y}; }                 \
  __host__ __device__ static inline C cuCadd##suffix(C x, C y) { return C{x.x + y.x, x.y + y.y}; } \
  __host__ __device__ static inline C cuCsub##suffix(C x, C y) { return C{x.x - y.x, x.y - y.y}; } \
  __host__ __device__ static inline C cuCmul##suffix(C x, C y) {                                   \
    return C{x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                                        \
  }                                                                                                \
  __host__ __device__ static inline C cuCdiv##suffix(C x, C y) {                                   \
    const T s = T(1) / (std::fabs(y.x) + std::fabs(y.y));                                          \
    const C a = C{x.x * s, x.y * s}, b = C{y.x * s, y.y * s};                                      \
    const T n = T(1) / (b.x * b.x + b.y * b.y);                                                    \
    return C{(a.x * b.x + a.y * b.y) * n, (a.y * b.x - a.x * b.y) * n};                            \
  }                                                                                                \
  __host__ __device__ static inline T cuCabs##suffix(C x) { return std::hypot(x.x, x.y); }

IRGL_COMPLEX(float, cuFloatComplex, f, make_cuFloatComplex)
IRGL_COMPLEX(double, cuDoubleComplex, , make_cuDoubleComplex)
#undef IRGL_COMPLEX

__host__ __device__ static inline cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
__host__ __device__ static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
__host__ __device__ static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }
__host__ __device__ static inline cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d) { return cuCaddf(cuCmulf(x, y), d); }
__host__ __device__ static inline cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) { return cuCadd(cuCmul(x, y), d); }
