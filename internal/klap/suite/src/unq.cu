// Unique: of equal neighbours one is kept, the last one. A kernel does one tile and launches itself for the next one with
// the place of its output. It works in place.
#include "tiles.cuh"

// unq_load loads a tile and returns which items differ from those behind them.
__device__ __forceinline__ unsigned int unq_load(const int *data, int n, int first, int *item) {
	__shared__ int begins[TILE / 32 + 1]; // the first item of each warp, and of the next tile
	int lane = threadIdx.x % 32;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 0;
		if (lane == 0) begins[(k * THREADS + threadIdx.x) / 32] = item[k];
	}
	if (threadIdx.x == 0) begins[TILE / 32] = first + TILE < n ? data[first + TILE] : 0;
	__syncthreads();
	unsigned int keep = 0;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		int behind = __shfl_down_sync(0xffffffff, item[k], 1);
		if (lane == 31) behind = begins[(k * THREADS + threadIdx.x) / 32 + 1];
		if (i < n && (i == n - 1 || item[k] != behind)) keep |= 1u << k;
	}
	return keep;
}

#ifndef NO_DP

__global__ void __launch_bounds__(THREADS) unq_tile(int *data, int n, int *total, int tile, int offset) {
	int item[ITEMS], rank[ITEMS];
	int first = tile * TILE;
	unsigned int keep = unq_load(data, n, first, item);
	int count = tile_ranks(keep, rank);
	klap_overlap();
	if (threadIdx.x == 0) {
		if (first + TILE < n) {
			LAUNCH(unq_tile, 1, THREADS, data, n, total, tile + 1, offset + count);
		} else {
			*total = offset + count;
		}
	}
	for (int k = 0; k < ITEMS; k++) {
		if (keep >> k & 1) data[offset + rank[k]] = item[k];
	}
}

#else

__global__ void __launch_bounds__(THREADS) unq_tiles(int *data, int n, int *total, int *tickets, unsigned long long *state) {
	int item[ITEMS], rank[ITEMS];
	int tile = take_ticket(tickets);
	int first = tile * TILE;
	unsigned int keep = unq_load(data, n, first, item);
	int count = tile_ranks(keep, rank);
	int offset = look_back_block(state, tile, count, false);
	if (threadIdx.x == 0 && first + TILE >= n) *total = offset + count;
	for (int k = 0; k < ITEMS; k++) {
		if (keep >> k & 1) data[offset + rank[k]] = item[k];
	}
}

#endif

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(3 * TILE - 1000, 16384, 204800, 25174016), tiles = blocksFor(n, TILE);
	Random random(o.seed);
	std::vector<int> start(n), want;
	for (int i = 0; i < n; i++) start[i] = i > 0 && random.below(2) == 0 ? start[i - 1] : random.below(1000);
	for (int i = TILE; i < n; i += 2 * TILE) start[i] = start[i - 1]; // also from tile to tile
	for (int i = 0; i < n; i++) {
		if (i == 0 || start[i] != start[i - 1]) want.push_back(start[i]);
	}
	Buffer<int> data(n), total(1);

#ifndef NO_DP
	measure(o, [&] { data.put(start); total.set(-1); }, [&] { unq_tile<<<1, THREADS>>>(data.data, n, total.data, 0, 0); });
#else
	Buffer<int> tickets(1);
	Buffer<unsigned long long> state(tiles);
	measure(o, [&] { data.put(start); total.set(-1); }, [&] {
		tickets.set(0);
		state.set(0);
		unq_tiles<<<tiles, THREADS>>>(data.data, n, total.data, tickets.data, state.data);
	});
#endif

	printLaunches(1, tiles - 1);
	std::vector<int> got = data.get();
	if (total.first() != (int)want.size()) return verdict(text("%d items are kept, want %zu", total.first(), want.size()));
	for (size_t i = 0; i < want.size(); i++) {
		if (got[i] != want[i]) return verdict(text("item %zu is %d, want %d", i, got[i], want[i]));
	}
	return verdict("");
}
