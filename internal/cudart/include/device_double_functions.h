// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_runtime.h.
#ifndef IRGL_DEVICE_DOUBLE_FUNCTIONS_H
#define IRGL_DEVICE_DOUBLE_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
