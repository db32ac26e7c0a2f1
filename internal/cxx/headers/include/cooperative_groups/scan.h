// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of cooperative groups of lanes, in the order of their ranks.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

namespace irgl {
template <typename Group, typename T, typename Op> inline __device__ T scan_lanes(const Group &g, T value, Op op) {
	unsigned int rank = g.thread_rank();
	for (unsigned int by = 1; by < g.size(); by *= 2) {
		T before = g.shfl_up(value, by);
		if (rank >= by) {
			value = op(before, value);
		}
	}
	return value;
}
} // namespace irgl

template <typename Group, typename T, typename Op> inline __device__ T inclusive_scan(const Group &g, T value, Op op) {
	return irgl::scan_lanes(g, value, op);
}

template <unsigned int Size, typename Parent, typename T, typename Op>
inline __device__ T inclusive_scan(const thread_block_tile<Size, Parent> &g, T value, Op op) {
	if constexpr (Size > 32) {
		T own = irgl::scan_lanes(irgl::lanes(g.__mask, 0, 1), value, op), before;
		return g.earlier(own, op, before) ? op(before, own) : own;
	} else {
		return irgl::scan_lanes(g, value, op);
	}
}

template <typename Group, typename T> inline __device__ T inclusive_scan(const Group &g, T value) {
	return inclusive_scan(g, value, plus<T>());
}

// The first rank gets a zero of its type.
template <typename Group, typename T, typename Op> inline __device__ T exclusive_scan(const Group &g, T value, Op op) {
	T before = g.shfl_up(irgl::scan_lanes(g, value, op), 1);
	return g.thread_rank() == 0 ? T() : before;
}

template <unsigned int Size, typename Parent, typename T, typename Op>
inline __device__ T exclusive_scan(const thread_block_tile<Size, Parent> &g, T value, Op op) {
	if constexpr (Size > 32) {
		coalesced_group warp = irgl::lanes(g.__mask, 0, 1);
		T own = irgl::scan_lanes(warp, value, op), before;
		bool later = g.earlier(own, op, before);
		T left = warp.shfl_up(own, 1);
		if (warp.thread_rank() == 0) {
			return later ? before : T();
		}
		return later ? op(before, left) : left;
	} else {
		T before = g.shfl_up(irgl::scan_lanes(g, value, op), 1);
		return g.thread_rank() == 0 ? T() : before;
	}
}

template <typename Group, typename T> inline __device__ T exclusive_scan(const Group &g, T value) {
	return exclusive_scan(g, value, plus<T>());
}

} // namespace cooperative_groups
