// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of cub for blocks and warps: those that are there.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
