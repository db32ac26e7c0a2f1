// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of cub for blocks, warps and threads: those that are there.
#pragma once

#include <cub/util_type.cuh>
#include <cub/util_macro.cuh>
#include <cub/util_debug.cuh>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_reduce.cuh>
