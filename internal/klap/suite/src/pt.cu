// Stable partition: the even numbers go to the front, the odd ones behind them. A kernel does
// one tile and launches itself for the next one with the number of even items so far; even
// items slide in place, odd ones go to an array that is appended.
#include "tiles.cuh"

__device__ __forceinline__ unsigned int pt_load(const int *data, int n, int first, int *item) {
	unsigned int keep = 0;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 1;
		if (item[k] % 2 == 0) keep |= 1u << k;
	}
	return keep;
}

__device__ __forceinline__ void pt_store(int *data, int *odd, int n, int first, int offset, unsigned int keep, const int *item, const int *rank) {
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		int place = offset + rank[k];
		if (keep >> k & 1) {
			data[place] = item[k];
		} else if (i < n) {
			odd[i - place] = item[k];
		}
	}
}

#ifndef NO_DP

__global__ void __launch_bounds__(THREADS) pt_tile(int *data, int *odd, int n, int *total, int tile, int offset) {
	int item[ITEMS], rank[ITEMS];
	int first = tile * TILE;
	unsigned int keep = pt_load(data, n, first, item);
	int count = tile_ranks(keep, rank);
	klap_overlap();
	if (threadIdx.x == 0) {
		if (first + TILE < n) {
			LAUNCH(pt_tile, 1, THREADS, data, odd, n, total, tile + 1, offset + count);
		} else {
			*total = offset + count;
		}
	}
	pt_store(data, odd, n, first, offset, keep, item, rank);
}

#else

__global__ void __launch_bounds__(THREADS) pt_tiles(int *data, int *odd, int n, int *total, int *tickets, unsigned long long *state) {
	int item[ITEMS], rank[ITEMS];
	int tile = take_ticket(tickets);
	int first = tile * TILE;
	unsigned int keep = pt_load(data, n, first, item);
	int count = tile_ranks(keep, rank);
	int offset = look_back_block(state, tile, count, false);
	if (threadIdx.x == 0 && first + TILE >= n) *total = offset + count;
	pt_store(data, odd, n, first, offset, keep, item, rank);
}

#endif

__global__ void pt_append(int *data, const int *odd, int n, const int *total) {
	int even = *total;
	for (int i = even + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = odd[i - even];
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(3 * TILE - 1000, 16384, 204800, 25174016), tiles = blocksFor(n, TILE);
	Random random(o.seed);
	std::vector<int> start(n), want;
	for (int &x : start) x = random.below(1000000);
	for (int odd = 0; odd < 2; odd++) {
		for (int x : start) {
			if (x % 2 == odd) want.push_back(x);
		}
	}
	Buffer<int> data(n), odd(n), total(1);
	int blocks = std::min(1024, blocksFor(n, 2 * THREADS));

#ifndef NO_DP
	measure(o, [&] { data.put(start); total.set(0); }, [&] {
		pt_tile<<<1, THREADS>>>(data.data, odd.data, n, total.data, 0, 0);
		pt_append<<<blocks, THREADS>>>(data.data, odd.data, n, total.data);
	});
#else
	Buffer<int> tickets(1);
	Buffer<unsigned long long> state(tiles);
	measure(o, [&] { data.put(start); total.set(0); }, [&] {
		tickets.set(0);
		state.set(0);
		pt_tiles<<<tiles, THREADS>>>(data.data, odd.data, n, total.data, tickets.data, state.data);
		pt_append<<<blocks, THREADS>>>(data.data, odd.data, n, total.data);
	});
#endif

	printLaunches(2, tiles - 1);
	std::vector<int> got = data.get();
	for (int i = 0; i < n; i++) {
		if (got[i] != want[i]) return verdict(text("item %d is %d, want %d", i, got[i], want[i]));
	}
	return verdict("");
}
