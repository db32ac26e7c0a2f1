// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::WarpReduce and cub::WarpScan.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
template <typename T, int width = 32, int arch = 0> class WarpReduce {
	static_assert(width > 0 && width <= 32 && (width & (width - 1)) == 0, "cub::WarpReduce is there for 1, 2, 4, 8, 16 and 32 lanes");
	__device__ static int first() { return __irgl_lane() & ~(width - 1); }
	__device__ static unsigned int mask() { return (width == 32 ? 0xffffffffu : (1u << (width & 31)) - 1) << first(); }

public:
	struct TempStorage {};
	__device__ WarpReduce(TempStorage &) {}
	template <typename F> __device__ T Reduce(T x, F op) { return __irgl_reduce_all(mask(), x, op, width); }
	template <typename F> __device__ T Reduce(T x, F op, int valid) { return __irgl_reduce(mask(), x, op, first() + valid, width); }
	__device__ T Sum(T x) { return Reduce(x, cub::Sum()); }
	__device__ T Sum(T x, int valid) { return Reduce(x, cub::Sum(), valid); }
};

template <typename T, int width = 32, int arch = 0> class WarpScan {
	static_assert(width > 0 && width <= 32 && (width & (width - 1)) == 0, "cub::WarpScan is there for 1, 2, 4, 8, 16 and 32 lanes");
	__device__ static int first() { return __irgl_lane() & ~(width - 1); }
	__device__ static unsigned int mask() { return (width == 32 ? 0xffffffffu : (1u << (width & 31)) - 1) << first(); }
	template <typename F> __device__ static T scan(T x, F op) { return __irgl_scan(mask(), x, op, first(), width); }
	__device__ static T last(T x) { return __irgl_from(mask(), x, first() + width - 1); }
	__device__ static T before(T x) { return __irgl_from(mask(), x, __irgl_lane() > first() ? __irgl_lane() - 1 : first()); }

public:
	struct TempStorage {};
	__device__ WarpScan(TempStorage &) {}
	template <typename F> __device__ void InclusiveScan(T in, T &out, F op) { out = scan(in, op); }
	template <typename F> __device__ void InclusiveScan(T in, T &out, F op, T &total) {
		out = scan(in, op);
		total = last(out);
	}
	template <typename F> __device__ void ExclusiveScan(T in, T &out, F op) { out = before(scan(in, op)); }
	template <typename F> __device__ void ExclusiveScan(T in, T &out, T initial, F op) {
		T prior = before(scan(in, op));
		out = __irgl_lane() > first() ? op(initial, prior) : initial;
	}
	template <typename F> __device__ void ExclusiveScan(T in, T &out, T initial, F op, T &total) {
		T sum = scan(in, op), prior = before(sum);
		total = last(sum);
		out = __irgl_lane() > first() ? op(initial, prior) : initial;
	}
	__device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
	__device__ void InclusiveSum(T in, T &out, T &total) { InclusiveScan(in, out, cub::Sum(), total); }
	__device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
	__device__ void ExclusiveSum(T in, T &out, T &total) { ExclusiveScan(in, out, T(0), cub::Sum(), total); }
	__device__ T Broadcast(T in, unsigned int lane) { return __irgl_from(mask(), in, first() + (int)lane); }
};
}
