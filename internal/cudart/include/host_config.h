// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA checks the version of the host's compiler here.
#ifndef IRGL_HOST_CONFIG_H
#define IRGL_HOST_CONFIG_H

#include "host_defines.h"

#endif
