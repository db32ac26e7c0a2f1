// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef IRGL_CUDA_PROFILER_API_H
#define IRGL_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
