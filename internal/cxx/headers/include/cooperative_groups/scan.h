// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of cooperative groups of lanes, in the order of their ranks.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T, typename Op> inline __device__ T inclusive_scan(const Group &g, T value, Op op) {
	unsigned int rank = g.thread_rank();
	for (unsigned int by = 1; by < g.size(); by *= 2) {
		T before = g.shfl_up(value, by);
		if (rank >= by) {
			value = op(before, value);
		}
	}
	return value;
}

template <typename Group, typename T> inline __device__ T inclusive_scan(const Group &g, T value) {
	return inclusive_scan(g, value, plus<T>());
}

// The first rank gets a zero of its type.
template <typename Group, typename T, typename Op> inline __device__ T exclusive_scan(const Group &g, T value, Op op) {
	T before = g.shfl_up(inclusive_scan(g, value, op), 1);
	return g.thread_rank() == 0 ? T() : before;
}

template <typename Group, typename T> inline __device__ T exclusive_scan(const Group &g, T value) {
	return exclusive_scan(g, value, plus<T>());
}

} // namespace cooperative_groups
