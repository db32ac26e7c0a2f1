// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::BlockReduce.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

// All algorithms are one here: warps reduce by shuffles, and thread 0 their results.
template <typename T, int x, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1, int arch = 0> class BlockReduce {
	static constexpr int threads = x * y * z, warps = (threads + 31) / 32;

public:
	struct TempStorage {
		__irgl_room<T, warps> part;
	};

private:
	TempStorage &room;
	__device__ static TempStorage &own() {
		__shared__ TempStorage s;
		return s;
	}

	template <bool all, typename F> __device__ T reduce(T value, F op, int valid) {
		int thread = __irgl_thread<x, y, z>(), warp = thread / 32;
		int lanes = __irgl_lanes<threads>(warp);
		unsigned int mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
		if constexpr (all && threads % 32 == 0)
			value = __irgl_reduce_all(mask, value, op, 32);
		else
			value = __irgl_reduce(mask, value, op, valid - warp * 32 < lanes ? valid - warp * 32 : lanes, 32);
		if constexpr (warps > 1) {
			if (thread % 32 == 0) room.part[warp] = value;
			__syncthreads();
			if (thread == 0)
				for (int i = 1; i < warps && i * 32 < valid; i++) value = op(value, room.part[i]);
		}
		return value;
	}

public:
	__device__ BlockReduce() : room(own()) {}
	__device__ BlockReduce(TempStorage &t) : room(t) {}

	// The result is thread 0's.
	template <typename F> __device__ T Reduce(T value, F op, int valid) { return reduce<false>(value, op, valid); }
	template <typename F> __device__ T Reduce(T value, F op) { return reduce<true>(value, op, threads); }
	template <int n, typename F> __device__ T Reduce(T (&values)[n], F op) {
		T value = values[0];
		for (int i = 1; i < n; i++) value = op(value, values[i]);
		return Reduce(value, op, threads);
	}
	__device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
	__device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
	template <int n> __device__ T Sum(T (&values)[n]) { return Reduce(values, cub::Sum()); }
};
}
