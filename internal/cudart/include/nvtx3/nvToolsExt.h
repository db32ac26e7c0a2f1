// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX, by the name that it has since its version 3.
#ifndef IRGL_NVTX3_NVTOOLSEXT_H
#define IRGL_NVTX3_NVTOOLSEXT_H

#include "../nvToolsExt.h"

#endif
