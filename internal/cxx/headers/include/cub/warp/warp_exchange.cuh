// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::WarpExchange: items of a warp, or of lanes in a row of it, in another arrangement.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

// Both algorithms use shared memory.
template <typename T, int n, int lanes = 32, int arch = 0, WarpExchangeAlgorithm algorithm = WARP_EXCHANGE_SMEM> class WarpExchange {
public:
	struct TempStorage {
		__irgl_room<T, lanes * n> items;
	};

private:
	TempStorage &room;
	__device__ static int lane() { return __irgl_lane() % lanes; }
	__device__ static void meet() {
		unsigned int all = lanes == 32 ? 0xffffffffu : (1u << (lanes % 32)) - 1;
		__syncwarp(all << (__irgl_lane() / lanes * lanes));
	}

public:
	__device__ WarpExchange(TempStorage &t) : room(t) {}

	template <typename U> __device__ void BlockedToStriped(const T (&in)[n], U (&out)[n]) {
		for (int i = 0; i < n; i++) room.items[lane() * n + i] = in[i];
		meet();
		for (int i = 0; i < n; i++) out[i] = room.items[i * lanes + lane()];
	}
	template <typename U> __device__ void StripedToBlocked(const T (&in)[n], U (&out)[n]) {
		for (int i = 0; i < n; i++) room.items[i * lanes + lane()] = in[i];
		meet();
		for (int i = 0; i < n; i++) out[i] = room.items[lane() * n + i];
	}
	template <typename U, typename R> __device__ void ScatterToStriped(const T (&in)[n], U (&out)[n], R (&ranks)[n]) {
		for (int i = 0; i < n; i++) room.items[(int)ranks[i]] = in[i];
		meet();
		for (int i = 0; i < n; i++) out[i] = room.items[i * lanes + lane()];
	}
	template <typename R> __device__ void ScatterToStriped(T (&items)[n], R (&ranks)[n]) { ScatterToStriped(items, items, ranks); }
};
}
