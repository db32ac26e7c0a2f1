// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that a group makes together. They are done when the call returns; wait makes them
// visible to the group.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename Group, typename T> inline __device__ void memcpy_async(const Group &g, T *to, const T *from, unsigned long bytes) {
	unsigned long step = (unsigned long)g.size(), first = (unsigned long)g.thread_rank();
	if ((((unsigned long)to | (unsigned long)from | bytes) & 3) == 0) {
		for (unsigned long i = first; i < bytes / 4; i += step) {
			((unsigned int *)to)[i] = ((const unsigned int *)from)[i];
		}
		return;
	}
	for (unsigned long i = first; i < bytes; i += step) {
		((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
	}
}

template <typename Group> inline __device__ void wait(const Group &g) { g.sync(); }
template <unsigned int N, typename Group> inline __device__ void wait_prior(const Group &g) { g.sync(); }

} // namespace cooperative_groups
