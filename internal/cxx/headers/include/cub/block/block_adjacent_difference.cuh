// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::BlockAdjacentDifference and cub::BlockDiscontinuity: each item of a block, in the blocked arrangement, and
// its neighbour.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
template <typename T, int x, int y, int z> class __irgl_neighbours {
	static constexpr int threads = x * y * z;

public:
	struct TempStorage {
		__irgl_room<T, threads> first, last;
	};

protected:
	TempStorage &room;
	__device__ static TempStorage &own() {
		__shared__ TempStorage s;
		return s;
	}
	__device__ __irgl_neighbours(TempStorage &t) : room(t) {}
	__device__ static int thread() { return __irgl_thread<x, y, z>(); }
	__device__ void meet(const T &first, const T &last) {
		room.first[thread()] = first;
		room.last[thread()] = last;
		__syncthreads();
	}
	// The item in front of the thread's first, or behind its last.
	__device__ T before() { return room.last[thread() - 1]; }
	__device__ T after() { return room.first[thread() + 1]; }
	static constexpr int count = threads;
};

template <typename T, int x, int y = 1, int z = 1, int arch = 0> class BlockAdjacentDifference : public __irgl_neighbours<T, x, y, z> {
	typedef __irgl_neighbours<T, x, y, z> base;

	template <int n, typename O, typename F> __device__ void left(T (&in)[n], O (&out)[n], F op, int valid, const T *tile) {
		this->meet(in[0], in[n - 1]);
		int at = this->thread() * n;
		for (int i = n - 1; i >= 0; i--) {
			T item = in[i];
			if (at + i >= valid || at + i == 0 && !tile)
				out[i] = item;
			else {
				T next = i > 0 ? in[i - 1] : at > 0 ? this->before() : *tile;
				out[i] = op(item, next);
			}
		}
	}
	template <int n, typename O, typename F> __device__ void right(T (&in)[n], O (&out)[n], F op, int valid, const T *tile) {
		this->meet(in[0], in[n - 1]);
		int at = this->thread() * n;
		for (int i = 0; i < n; i++) {
			T item = in[i];
			if (at + i >= valid || at + i == valid - 1 && !tile)
				out[i] = item;
			else {
				T next = i < n - 1 ? in[i + 1] : this->thread() < base::count - 1 ? this->after() : *tile;
				out[i] = op(item, next);
			}
		}
	}

public:
	typedef typename base::TempStorage TempStorage;
	__device__ BlockAdjacentDifference() : base(base::own()) {}
	__device__ BlockAdjacentDifference(TempStorage &t) : base(t) {}

	// The first item of the block has no neighbour on its left, the last one none on its right, but the tile's.
	template <int n, typename O, typename F> __device__ void SubtractLeft(T (&in)[n], O (&out)[n], F op) { left(in, out, op, base::count * n, nullptr); }
	template <int n, typename O, typename F> __device__ void SubtractLeft(T (&in)[n], O (&out)[n], F op, T tile) { left(in, out, op, base::count * n, &tile); }
	template <int n, typename O, typename F> __device__ void SubtractLeftPartialTile(T (&in)[n], O (&out)[n], F op, int valid) { left(in, out, op, valid, nullptr); }
	template <int n, typename O, typename F> __device__ void SubtractRight(T (&in)[n], O (&out)[n], F op) { right(in, out, op, base::count * n, nullptr); }
	template <int n, typename O, typename F> __device__ void SubtractRight(T (&in)[n], O (&out)[n], F op, T tile) { right(in, out, op, base::count * n, &tile); }
	template <int n, typename O, typename F> __device__ void SubtractRightPartialTile(T (&in)[n], O (&out)[n], F op, int valid) { right(in, out, op, valid, nullptr); }
};

template <typename T, int x, int y = 1, int z = 1, int arch = 0> class BlockDiscontinuity : public __irgl_neighbours<T, x, y, z> {
	typedef __irgl_neighbours<T, x, y, z> base;

	template <int n, typename F, typename P> __device__ void heads(F (&flags)[n], T (&in)[n], P differ, const T *tile) {
		this->meet(in[0], in[n - 1]);
		bool none = this->thread() == 0 && !tile;
		flags[0] = none ? 1 : differ(this->thread() > 0 ? this->before() : *tile, in[0]);
		for (int i = 1; i < n; i++) flags[i] = differ(in[i - 1], in[i]);
	}
	template <int n, typename F, typename P> __device__ void tails(F (&flags)[n], T (&in)[n], P differ, const T *tile) {
		this->meet(in[0], in[n - 1]);
		bool last = this->thread() == base::count - 1;
		for (int i = 0; i < n - 1; i++) flags[i] = differ(in[i], in[i + 1]);
		flags[n - 1] = last && !tile ? 1 : differ(in[n - 1], last ? *tile : this->after());
	}

public:
	typedef typename base::TempStorage TempStorage;
	__device__ BlockDiscontinuity() : base(base::own()) {}
	__device__ BlockDiscontinuity(TempStorage &t) : base(t) {}

	template <int n, typename F, typename P> __device__ void FlagHeads(F (&flags)[n], T (&in)[n], P differ) { heads(flags, in, differ, nullptr); }
	template <int n, typename F, typename P> __device__ void FlagHeads(F (&flags)[n], T (&in)[n], P differ, T tile) { heads(flags, in, differ, &tile); }
	template <int n, typename F, typename P> __device__ void FlagTails(F (&flags)[n], T (&in)[n], P differ) { tails(flags, in, differ, nullptr); }
	template <int n, typename F, typename P> __device__ void FlagTails(F (&flags)[n], T (&in)[n], P differ, T tile) { tails(flags, in, differ, &tile); }
};
}
