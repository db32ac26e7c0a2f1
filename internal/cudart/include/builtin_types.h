// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of cuda_runtime.h.
#ifndef IRGL_BUILTIN_TYPES_H
#define IRGL_BUILTIN_TYPES_H

#include "cuda_runtime.h"

#endif
