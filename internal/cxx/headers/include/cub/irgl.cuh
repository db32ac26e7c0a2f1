// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of cub share: operators, and shuffles of values of any type.
#pragma once

#include <string.h>
#include <type_traits>

namespace cub {
struct Sum {
	template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
	template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
	template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};

// A shuffle from a lane of the warp, or if behind is true from the one so many lanes behind this one in its group of width lanes; its
// own value if there is none.
template <bool behind, typename T> __device__ T __irgl_shuffle(unsigned int mask, T x, int lane, int width) {
	if constexpr (behind)
		return __shfl_down_sync(mask, x, lane, width);
	else
		return __shfl_sync(mask, x, lane);
}

// The value that such a lane has, of any type.
template <bool behind = false, typename T> __device__ T __irgl_from(unsigned int mask, T x, int lane, int width = 32) {
	if constexpr (!std::is_arithmetic<T>::value) {
		unsigned int words[(sizeof(T) + 3) / 4];
		memcpy(words, &x, sizeof(T));
		for (unsigned int i = 0; i < sizeof(T) / 4; i++) words[i] = __irgl_shuffle<behind>(mask, words[i], lane, width);
		if constexpr (sizeof(T) % 4 != 0) {
			unsigned int rest = 0, n = sizeof(T) / 4;
			memcpy(&rest, &words[n], sizeof(T) % 4);
			words[n] = __irgl_shuffle<behind>(mask, rest, lane, width);
		}
		memcpy(&x, words, sizeof(T));
		return x;
	} else if constexpr (sizeof(T) < 4)
		return (T)__irgl_shuffle<behind>(mask, (int)x, lane, width);
	else
		return __irgl_shuffle<behind>(mask, x, lane, width);
}

__device__ inline int __irgl_lane() {
	int lane;
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

// The reduction of lanes first to end - 1 of a warp, in lane first. All lanes of mask call it.
template <typename T, typename F> __device__ T __irgl_reduce(unsigned int mask, T x, F op, int end, int width) {
	int lane = __irgl_lane();
	for (int d = 1; d < width; d *= 2) { // in the order of the lanes: op need not commute
		bool has = lane + d < end;
		T y = __irgl_from(mask, x, has ? lane + d : lane);
		if (has) x = op(x, y);
	}
	return x;
}

// The reduction of all lanes of groups of width lanes, in the first of each. All lanes of mask, which are whole groups, call it.
template <typename T, typename F> __device__ T __irgl_reduce_all(unsigned int mask, T x, F op, int width) {
	for (int d = 1; d < width; d *= 2) x = op(x, __irgl_from<true>(mask, x, d, width));
	return x;
}

// The inclusive scan of lanes first and on of a warp. All lanes of mask call it.
template <typename T, typename F> __device__ T __irgl_scan(unsigned int mask, T x, F op, int first, int width) {
	int lane = __irgl_lane();
	for (int d = 1; d < width; d *= 2) {
		bool has = lane - d >= first;
		T y = __irgl_from(mask, x, has ? lane - d : lane);
		if (has) x = op(y, x);
	}
	return x;
}

// The number of this thread in its block of x by y by z threads.
template <int x, int y, int z> __device__ int __irgl_thread() {
	int n = (int)threadIdx.x;
	if constexpr (y > 1) n += x * (int)threadIdx.y;
	if constexpr (z > 1) n += x * y * (int)threadIdx.z;
	return n;
}

// How many lanes of a warp of a block of n threads have threads.
template <int n> __device__ int __irgl_lanes(int warp) {
	if constexpr (n % 32 == 0)
		return 32;
	else
		return n - warp * 32 < 32 ? n - warp * 32 : 32;
}

// Shared memory for n values, whose constructors are not called.
template <typename T, int n> struct __irgl_room {
	alignas(alignof(T)) unsigned char bytes[n * sizeof(T)];
	__device__ T &operator[](int i) { return ((T *)bytes)[i]; }
};
}
