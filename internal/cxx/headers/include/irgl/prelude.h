// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every file includes: macros. The names that it has without an #include are in
// types.h, builtins.h and math.h of this folder.
#pragma once

#include <limits.h>
#include <irgl/intlimits.h>
#include <float.h>
#include <math.h>
#include <assert.h>

#define NULL 0
#define offsetof(type, member) __builtin_offsetof(type, member)
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
