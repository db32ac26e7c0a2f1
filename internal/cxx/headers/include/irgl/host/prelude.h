// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every file includes where irgl evaluates host code: macros, and the CUDA runtime as
// nvcc's cuda_runtime.h has it.
#pragma once

#define NULL 0l
#define offsetof(type, member) __builtin_offsetof(type, member)

#include <limits.h>
#include <float.h>
#include <math.h>
#include <assert.h>
#include <cuda_runtime.h>
#include <irgl/host/runtime.h>
