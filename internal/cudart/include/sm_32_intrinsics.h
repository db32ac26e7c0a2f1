// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_runtime.h.
#ifndef IRGL_SM_32_INTRINSICS_H
#define IRGL_SM_32_INTRINSICS_H

#include "cuda_runtime.h"

#endif
