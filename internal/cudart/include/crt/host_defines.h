// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// host_defines.h, where CUDA has it.
#ifndef IRGL_CRT_HOST_DEFINES_H
#define IRGL_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif
