// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::BlockExchange: items of a block in another arrangement.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
// Blocked: thread t has items t * n to t * n + n - 1. Striped: thread t has items t, t + threads and on.
// Warp-striped: each warp's items are striped among its lanes.
template <typename T, int x, int n, bool timeSlicing = false, int y = 1, int z = 1, int arch = 0> class BlockExchange {
	static constexpr int threads = x * y * z;

public:
	struct TempStorage {
		__irgl_room<T, threads * n> items;
	};

private:
	TempStorage &room;
	__device__ static TempStorage &own() {
		__shared__ TempStorage s;
		return s;
	}
	__device__ static int thread() { return __irgl_thread<x, y, z>(); }
	__device__ static int blocked(int i) { return thread() * n + i; }
	__device__ static int striped(int i) { return i * threads + thread(); }
	__device__ static int warpStriped(int i) {
		int warp = thread() / 32, lanes = __irgl_lanes<threads>(warp);
		return warp * 32 * n + i * lanes + thread() % 32;
	}

public:
	__device__ BlockExchange() : room(own()) {}
	__device__ BlockExchange(TempStorage &t) : room(t) {}

	template <typename U> __device__ void StripedToBlocked(const T (&in)[n], U (&out)[n]) {
		for (int i = 0; i < n; i++) room.items[striped(i)] = in[i];
		__syncthreads();
		for (int i = 0; i < n; i++) out[i] = room.items[blocked(i)];
	}
	template <typename U> __device__ void BlockedToStriped(const T (&in)[n], U (&out)[n]) {
		for (int i = 0; i < n; i++) room.items[blocked(i)] = in[i];
		__syncthreads();
		for (int i = 0; i < n; i++) out[i] = room.items[striped(i)];
	}
	template <typename U> __device__ void WarpStripedToBlocked(const T (&in)[n], U (&out)[n]) {
		for (int i = 0; i < n; i++) room.items[warpStriped(i)] = in[i];
		__syncthreads();
		for (int i = 0; i < n; i++) out[i] = room.items[blocked(i)];
	}
	template <typename U> __device__ void BlockedToWarpStriped(const T (&in)[n], U (&out)[n]) {
		for (int i = 0; i < n; i++) room.items[blocked(i)] = in[i];
		__syncthreads();
		for (int i = 0; i < n; i++) out[i] = room.items[warpStriped(i)];
	}
	template <typename U, typename R> __device__ void ScatterToBlocked(const T (&in)[n], U (&out)[n], R (&ranks)[n]) {
		for (int i = 0; i < n; i++) room.items[(int)ranks[i]] = in[i];
		__syncthreads();
		for (int i = 0; i < n; i++) out[i] = room.items[blocked(i)];
	}
	template <typename U, typename R> __device__ void ScatterToStriped(const T (&in)[n], U (&out)[n], R (&ranks)[n]) {
		for (int i = 0; i < n; i++) room.items[(int)ranks[i]] = in[i];
		__syncthreads();
		for (int i = 0; i < n; i++) out[i] = room.items[striped(i)];
	}
	__device__ void StripedToBlocked(T (&items)[n]) { StripedToBlocked(items, items); }
	__device__ void BlockedToStriped(T (&items)[n]) { BlockedToStriped(items, items); }
	__device__ void WarpStripedToBlocked(T (&items)[n]) { WarpStripedToBlocked(items, items); }
	__device__ void BlockedToWarpStriped(T (&items)[n]) { BlockedToWarpStriped(items, items); }
	template <typename R> __device__ void ScatterToBlocked(T (&items)[n], R (&ranks)[n]) { ScatterToBlocked(items, items, ranks); }
	template <typename R> __device__ void ScatterToStriped(T (&items)[n], R (&ranks)[n]) { ScatterToStriped(items, items, ranks); }
};
}
