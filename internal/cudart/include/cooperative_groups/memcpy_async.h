// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host has nothing of it.
#ifndef IRGL_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define IRGL_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#endif
