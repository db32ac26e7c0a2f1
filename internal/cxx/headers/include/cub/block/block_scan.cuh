// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::BlockScan.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// All algorithms are one here: warps scan by shuffles, and each thread adds the warps before its own.
template <typename T, int x, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int arch = 0> class BlockScan {
	static constexpr int threads = x * y * z, warps = (threads + 31) / 32;

public:
	struct TempStorage {
		__irgl_room<T, warps + 1> part;
	};

private:
	TempStorage &room;
	__device__ static TempStorage &own() {
		__shared__ TempStorage s;
		return s;
	}
	__device__ static int thread() { return __irgl_thread<x, y, z>(); }

	// The values of the threads before this one, for all but thread 0, whose prior is its own value.
	template <typename F> __device__ T before(T value, F op, T &total) {
		int warp = thread() / 32, lane = thread() % 32;
		int lanes = __irgl_lanes<threads>(warp);
		unsigned int mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
		T sum = __irgl_scan(mask, value, op, 0, 32);
		T prior = __irgl_from(mask, sum, lane > 0 ? lane - 1 : 0);
		if (lane == lanes - 1) room.part[warp] = sum;
		__syncthreads();
		T all = room.part[0];
		if (warp == 1) prior = lane > 0 ? op(all, prior) : all;
		for (int i = 1; i < warps; i++) {
			all = op(all, room.part[i]);
			if (warp == i + 1) prior = lane > 0 ? op(all, prior) : all;
		}
		total = all;
		return prior;
	}
	// What a prefix callback gives for the block: warp 0 calls it, and lane 0 has the result.
	template <typename P> __device__ T seed(P &callback, T total) {
		if (thread() < 32) {
			T s = callback(total);
			if (thread() == 0) room.part[warps] = s;
		}
		__syncthreads();
		return room.part[warps];
	}

public:
	__device__ BlockScan() : room(own()) {}
	__device__ BlockScan(TempStorage &t) : room(t) {}

	template <typename F> __device__ void InclusiveScan(T in, T &out, F op, T &total) {
		T prior = before(in, op, total);
		out = thread() > 0 ? op(prior, in) : in;
	}
	template <typename F> __device__ void InclusiveScan(T in, T &out, F op) {
		T total;
		InclusiveScan(in, out, op, total);
	}
	template <typename F, typename P> __device__ void InclusiveScan(T in, T &out, F op, P &callback) {
		T total;
		InclusiveScan(in, out, op, total);
		out = op(seed(callback, total), out);
	}
	template <typename F> __device__ void ExclusiveScan(T in, T &out, T initial, F op, T &total) {
		T prior = before(in, op, total);
		out = thread() > 0 ? op(initial, prior) : initial;
	}
	template <typename F> __device__ void ExclusiveScan(T in, T &out, T initial, F op) {
		T total;
		ExclusiveScan(in, out, initial, op, total);
	}
	template <typename F> __device__ void ExclusiveScan(T in, T &out, F op) {
		T total;
		out = before(in, op, total);
	}
	template <typename F> __device__ void ExclusiveScan(T in, T &out, F op, T &total) { out = before(in, op, total); }
	template <typename F, typename P> __device__ void ExclusiveScan(T in, T &out, F op, P &callback) {
		T total, prior = before(in, op, total), first = seed(callback, total);
		out = thread() > 0 ? op(first, prior) : first;
	}
	__device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
	__device__ void InclusiveSum(T in, T &out, T &total) { InclusiveScan(in, out, cub::Sum(), total); }
	template <typename P> __device__ void InclusiveSum(T in, T &out, P &callback) { InclusiveScan(in, out, cub::Sum(), callback); }
	__device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
	__device__ void ExclusiveSum(T in, T &out, T &total) { ExclusiveScan(in, out, T(0), cub::Sum(), total); }
	template <typename P> __device__ void ExclusiveSum(T in, T &out, P &callback) { ExclusiveScan(in, out, cub::Sum(), callback); }

	// Of n values that each thread has, in order.
	template <int n, typename F> __device__ void InclusiveScan(T (&in)[n], T (&out)[n], F op, T &total) {
		T own = in[0];
		for (int i = 1; i < n; i++) own = op(own, in[i]);
		T prior = before(own, op, total);
		for (int i = 0; i < n; i++) prior = out[i] = i == 0 && thread() == 0 ? in[0] : op(prior, in[i]);
	}
	template <int n, typename F> __device__ void ExclusiveScan(T (&in)[n], T (&out)[n], T initial, F op, T &total) {
		T own = in[0];
		for (int i = 1; i < n; i++) own = op(own, in[i]);
		T prior = before(own, op, total);
		prior = thread() > 0 ? op(initial, prior) : initial;
		for (int i = 0; i < n; i++) {
			T next = op(prior, in[i]);
			out[i] = prior;
			prior = next;
		}
	}
	template <int n, typename F> __device__ void InclusiveScan(T (&in)[n], T (&out)[n], F op) {
		T total;
		InclusiveScan(in, out, op, total);
	}
	template <int n, typename F> __device__ void ExclusiveScan(T (&in)[n], T (&out)[n], T initial, F op) {
		T total;
		ExclusiveScan(in, out, initial, op, total);
	}
	template <int n> __device__ void InclusiveSum(T (&in)[n], T (&out)[n]) { InclusiveScan(in, out, cub::Sum()); }
	template <int n> __device__ void InclusiveSum(T (&in)[n], T (&out)[n], T &total) { InclusiveScan(in, out, cub::Sum(), total); }
	template <int n> __device__ void ExclusiveSum(T (&in)[n], T (&out)[n]) { ExclusiveScan(in, out, T(0), cub::Sum()); }
	template <int n> __device__ void ExclusiveSum(T (&in)[n], T (&out)[n], T &total) { ExclusiveScan(in, out, T(0), cub::Sum(), total); }
};
}
