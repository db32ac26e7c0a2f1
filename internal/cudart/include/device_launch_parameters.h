// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that kernels read their coordinates from. The host only declares them.
#ifndef IRGL_DEVICE_LAUNCH_PARAMETERS_H
#define IRGL_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

extern "C" {
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern const int warpSize;
}

#endif
