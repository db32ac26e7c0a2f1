// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef long ssize_t;
typedef long off_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
