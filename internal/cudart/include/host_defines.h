// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's qualifiers, as the host's preprocessor sees them.
#ifndef IRGL_HOST_DEFINES_H
#define IRGL_HOST_DEFINES_H

#ifdef __CUDACC__
// The qualifiers stay in the preprocessed text, where the driver makes attributes of them or
// takes them out; they are macros, since programs ask whether they are defined.
#define __host__ __host__
#define __device__ __device__
#define __global__ __global__
#define __shared__ __shared__
#define __constant__ __constant__
#define __managed__ __managed__
#define __grid_constant__ __grid_constant__
#define __launch_bounds__ __launch_bounds__
#define __cluster_dims__ __cluster_dims__
#define __maxnreg__ __maxnreg__
#define __forceinline__ __forceinline__
#define __noinline__ __noinline__
#define __align__ __align__
#else
// In a file that is C++ alone they mean nothing.
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#endif

#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
// Default arguments of functions that C has too.
#ifdef __cplusplus
#define IRGL_DEFAULT(value) = value
#else
#define IRGL_DEFAULT(value)
#endif
#define CUDART_CB
#define CUDAAPI

#endif
