// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cub/block/block_adjacent_difference.cuh>
