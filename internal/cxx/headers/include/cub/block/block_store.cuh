// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::BlockStore: a block's items to memory.
#pragma once

#include <cub/block/block_exchange.cuh>

namespace cub {
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

// The transposing algorithms exchange, and store striped, so that lanes write neighbours.
template <typename T, int x, int n, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1, int z = 1, int arch = 0> class BlockStore {
	static constexpr int threads = x * y * z;
	static constexpr bool exchanges = algorithm >= BLOCK_STORE_TRANSPOSE;
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
		return exchanges || algorithm == BLOCK_STORE_STRIPED ? i * threads + thread : thread * n + i;
	}

public:
	__device__ BlockStore() : room(own()) {}
	__device__ BlockStore(TempStorage &t) : room(t) {}
	template <typename I> __device__ void Store(I to, T (&items)[n]) { Store(to, items, threads * n); }
	template <typename I> __device__ void Store(I to, T (&items)[n], int valid) {
		if constexpr (exchanges) Exchange(*(typename Exchange::TempStorage *)&room).BlockedToStriped(items);
		for (int i = 0; i < n; i++)
			if (at(i) < valid) to[at(i)] = items[i];
	}
};
}
