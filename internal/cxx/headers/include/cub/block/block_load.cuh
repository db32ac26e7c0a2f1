// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::BlockLoad: a block's items from memory.
#pragma once

#include <cub/block/block_exchange.cuh>

namespace cub {
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };

// The transposing algorithms load striped, so that lanes read neighbours, and exchange.
template <typename T, int x, int n, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1, int z = 1, int arch = 0> class BlockLoad {
	static constexpr int threads = x * y * z;
	static constexpr bool exchanges = algorithm >= BLOCK_LOAD_TRANSPOSE;
	typedef BlockExchange<T, x, n, false, y, z> Exchange;

public:
	struct TempStorage {
		__irgl_room<T, exchanges ? threads * n : 1> items;
	};

private:
	TempStorage &room;
	__device__ static TempStorage &own() {
		__shared__ TempStorage s;
		return s;
	}
	__device__ static int at(int i) {
		int thread = __irgl_thread<x, y, z>();
		return exchanges || algorithm == BLOCK_LOAD_STRIPED ? i * threads + thread : thread * n + i;
	}
	__device__ void exchange(T (&items)[n]) {
		if constexpr (exchanges) Exchange(*(typename Exchange::TempStorage *)&room).StripedToBlocked(items);
	}

public:
	__device__ BlockLoad() : room(own()) {}
	__device__ BlockLoad(TempStorage &t) : room(t) {}
	template <typename I> __device__ void Load(I from, T (&items)[n]) {
		for (int i = 0; i < n; i++) items[i] = from[at(i)];
		exchange(items);
	}
	// The items of the others than the first valid ones stay.
	template <typename I> __device__ void Load(I from, T (&items)[n], int valid) {
		if constexpr (exchanges) {
			// What stays has to be where the exchange takes it from.
			Exchange(*(typename Exchange::TempStorage *)&room).BlockedToStriped(items);
			__syncthreads();
		}
		for (int i = 0; i < n; i++)
			if (at(i) < valid) items[i] = from[at(i)];
		exchange(items);
	}
	template <typename I, typename D> __device__ void Load(I from, T (&items)[n], int valid, D other) {
		for (int i = 0; i < n; i++) items[i] = at(i) < valid ? (T)from[at(i)] : (T)other;
		exchange(items);
	}
};
}
