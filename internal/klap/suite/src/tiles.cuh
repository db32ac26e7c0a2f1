// What the benchmarks of promotion share: tiles of one array, which are worked on in order.
#pragma once

#include "common.cuh"

#define THREADS 512
#define ITEMS 16 // of a thread
#define TILE (THREADS * ITEMS)
#define COUNTERS (ITEMS * THREADS / 32) // a counter for each item of each warp

// tile_ranks sets rank[k] to the number of kept items in front of the thread's item k in the
// tile, where item k of thread t is item k * THREADS + t of the tile. Bit k of keep says that
// item k is kept. It returns the number of kept items. All threads of the block call it.
__device__ __forceinline__ int tile_ranks(unsigned int keep, int *rank) {
	__shared__ int counts[COUNTERS];
	__shared__ int sums[32];
	int lane = threadIdx.x % 32;
	int warp = threadIdx.x / 32;
	for (int k = 0; k < ITEMS; k++) {
		unsigned int kept = __ballot_sync(0xffffffff, keep >> k & 1);
		rank[k] = __popc(kept & ((1u << lane) - 1));
		if (lane == 0) counts[k * (THREADS / 32) + warp] = __popc(kept);
	}
	__syncthreads();
	int own = threadIdx.x < COUNTERS ? counts[threadIdx.x] : 0;
	int sum = own;
	for (int d = 1; d < 32; d *= 2) {
		int below = __shfl_up_sync(0xffffffff, sum, d);
		if (lane >= d) sum += below;
	}
	if (lane == 31) sums[warp] = sum;
	__syncthreads();
	int before = 0;
	int total = 0;
	for (int w = 0; w < COUNTERS / 32; w++) {
		if (w < warp) before += sums[w];
		total += sums[w];
	}
	if (threadIdx.x < COUNTERS) counts[threadIdx.x] = before + sum - own;
	__syncthreads();
	for (int k = 0; k < ITEMS; k++) rank[k] += counts[k * (THREADS / 32) + warp];
	return total;
}

#ifdef NO_DP

// The forms without launches are single-pass: blocks take tiles by tickets, so that what a
// tile waits for is under way.

// take_ticket returns the block's ticket to all of its threads.
__device__ __forceinline__ int take_ticket(int *tickets) {
	__shared__ int ticket;
	if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1);
	__syncthreads();
	return ticket;
}

#define PARTIAL (1ull << 32) // of the tile alone
#define COMPLETE (2ull << 32) // with all tiles in front

// look_back publishes the tile's value and returns the sum, or the maximum, of the values of
// all tiles in front: a decoupled look-back. The threads of one warp call it, behind a barrier
// that follows the tile's loads.
__device__ __forceinline__ int look_back(volatile unsigned long long *state, int tile, int value, bool maximum) {
	int lane = threadIdx.x % 32;
	int none = maximum ? (int)0x80000000 : 0;
	if (lane == 0) {
		__threadfence();
		state[tile] = (tile == 0 ? COMPLETE : PARTIAL) | (unsigned int)value;
	}
	int before = none;
	for (int base = tile - 1; base >= 0; base -= 32) {
		int i = base - lane;
		unsigned long long s = COMPLETE | (unsigned int)none;
		if (i >= 0) {
			do {
				s = state[i];
			} while (s < PARTIAL);
		}
		unsigned int complete = __ballot_sync(0xffffffff, s >= COMPLETE);
		int nearest = complete ? __ffs(complete) - 1 : 32;
		int part = lane <= nearest ? (int)(unsigned int)s : none;
		for (int d = 16; d > 0; d /= 2) {
			int other = __shfl_xor_sync(0xffffffff, part, d);
			part = maximum ? max(part, other) : part + other;
		}
		before = maximum ? max(before, part) : before + part;
		if (complete) break;
	}
	__threadfence();
	__syncwarp();
	if (lane == 0 && tile > 0) {
		__threadfence();
		state[tile] = COMPLETE | (unsigned int)(maximum ? max(before, value) : before + value);
	}
	return before;
}

// look_back_block is look_back for all threads of a block.
__device__ __forceinline__ int look_back_block(unsigned long long *state, int tile, int value, bool maximum) {
	__shared__ int shared;
	if (threadIdx.x < 32) {
		int before = look_back(state, tile, value, maximum);
		if (threadIdx.x == 0) shared = before;
	}
	__syncthreads();
	return shared;
}

// publish_loaded says that the tile's items are in registers. All threads of the block call it.
__device__ __forceinline__ void publish_loaded(int *loaded, int tile) {
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		((volatile int *)loaded)[tile] = 1;
	}
}

// await_loaded waits until the items of the tiles from first to last are in registers.
__device__ __forceinline__ void await_loaded(int *loaded, int first, int last) {
	for (int t = first + threadIdx.x; t <= last; t += blockDim.x) {
		while (((volatile int *)loaded)[t] == 0) {
		}
		__threadfence();
	}
	__syncthreads();
}

#endif
