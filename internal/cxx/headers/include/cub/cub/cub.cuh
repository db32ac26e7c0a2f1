// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <cub/cub.cuh>, where a program has a copy of the repository below a folder cub.
#pragma once
#include <cub/cub.cuh>
