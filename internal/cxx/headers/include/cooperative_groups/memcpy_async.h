// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that a group makes together, each call a batch.
#pragma once

#include <cooperative_groups.h>
#include <cuda/__irgl/copy>

namespace cooperative_groups {

template <typename Group, typename T, typename Size> inline __device__ void memcpy_async(const Group &g, T *to, const T *from, const Size &bytes) {
	(void)cuda::__irgl::copy(to, from, bytes, (unsigned long)g.thread_rank(), (unsigned long)g.size());
	__pipeline_commit();
}

// The sizes are numbers of elements; the smaller one counts.
template <typename Group, typename T, typename ToSize, typename FromSize>
inline __device__ void memcpy_async(const Group &g, T *to, const ToSize &room, const T *from, const FromSize &there) {
	unsigned long n = (unsigned long)room < (unsigned long)there ? (unsigned long)room : (unsigned long)there;
	memcpy_async(g, to, from, n * sizeof(T));
}

template <typename Group> inline __device__ void wait(const Group &g) {
	__pipeline_wait_prior(0);
	g.sync();
}

// The last N batches need not be done.
template <unsigned int N, typename Group> inline __device__ void wait_prior(const Group &g) {
	__pipeline_wait_prior(N);
	g.sync();
}

} // namespace cooperative_groups
