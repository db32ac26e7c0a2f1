// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of cooperative groups. All threads of the group get the result.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

// Each step makes a value that of twice as many ranks, from its own on; rank 0 has all.
template <typename T, typename Op> inline __device__ T reduce(const coalesced_group &g, T value, Op op) {
	unsigned int rank = g.thread_rank(), n = g.size();
	for (unsigned int by = 1; by < n; by *= 2) {
		T other = g.shfl_down(value, by);
		if (rank + by < n) {
			value = op(value, other);
		}
	}
	return g.shfl(value, 0);
}

template <unsigned int Size, typename Parent, typename T, typename Op>
inline __device__ T reduce(const thread_block_tile<Size, Parent> &g, T value, Op op) {
	if constexpr (Size > 32) {
		coalesced_group warp = irgl::lanes(g.__mask, 0, 1);
		return g.combine(reduce(warp, value, op), op);
	}
	if ((unsigned int)__popc(g.__mask) != Size) { // the end of a block
		return reduce(irgl::lanes(g.__mask, 0, 1), value, op);
	}
	if constexpr (Size <= 32) {
		for (unsigned int by = Size / 2; by > 0; by /= 2) {
			value = op(value, g.shfl_xor(value, by));
		}
	}
	return value;
}

} // namespace cooperative_groups
