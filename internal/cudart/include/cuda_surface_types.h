// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_runtime.h.
#ifndef IRGL_CUDA_SURFACE_TYPES_H
#define IRGL_CUDA_SURFACE_TYPES_H

#include "cuda_runtime.h"

#endif
