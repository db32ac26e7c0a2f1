// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's qualifiers, as the host's compiler sees them. The driver has taken out the bodies of
// kernels and of functions for devices alone before.
#ifndef IRGL_HOST_DEFINES_H
#define IRGL_HOST_DEFINES_H

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
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI

#endif
