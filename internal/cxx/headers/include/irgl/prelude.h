// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvcc declares in front of every file: CUDA's types and functions, and those of the
// C library that device code has.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <float.h>
#include <math.h>
#include <vector_types.h>

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long clock_t;
typedef long time_t;
typedef long ssize_t;

#include <irgl/builtins.h>
#include <irgl/math.h>
#include <irgl/runtime.h>
#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include <cstddef>
#include <new>
