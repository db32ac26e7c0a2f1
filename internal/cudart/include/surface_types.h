// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How surfaces are read and written beyond their edges.
#ifndef IRGL_SURFACE_TYPES_H
#define IRGL_SURFACE_TYPES_H

#include "driver_types.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

#endif
