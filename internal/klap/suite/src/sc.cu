// Stream compaction in place: the positive numbers slide to the front, in order. A kernel
// compacts one tile and launches itself for the next one with the place of its output.
#include "tiles.cuh"

#ifndef NO_DP

__global__ void __launch_bounds__(THREADS) sc_tile(int *data, int n, int *total, int tile, int offset) {
	int item[ITEMS], rank[ITEMS];
	int first = tile * TILE;
	unsigned int keep = 0;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 0;
		if (item[k] > 0) keep |= 1u << k;
	}
	int count = tile_ranks(keep, rank);
	klap_overlap();
	if (threadIdx.x == 0) {
		if (first + TILE < n) {
			LAUNCH(sc_tile, 1, THREADS, data, n, total, tile + 1, offset + count);
		} else {
			*total = offset + count;
		}
	}
	for (int k = 0; k < ITEMS; k++) {
		if (keep >> k & 1) data[offset + rank[k]] = item[k];
	}
}

#else

__global__ void __launch_bounds__(THREADS) sc_tiles(int *data, int n, int *total, int *tickets, unsigned long long *state) {
	int item[ITEMS], rank[ITEMS];
	int tile = take_ticket(tickets);
	int first = tile * TILE;
	unsigned int keep = 0;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 0;
		if (item[k] > 0) keep |= 1u << k;
	}
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
	for (int &x : start) x = random.below(2000) - 999;
	for (int x : start) {
		if (x > 0) want.push_back(x);
	}
	Buffer<int> data(n), total(1);

#ifndef NO_DP
	measure(o, [&] { data.put(start); total.set(-1); }, [&] { sc_tile<<<1, THREADS>>>(data.data, n, total.data, 0, 0); });
#else
	Buffer<int> tickets(1);
	Buffer<unsigned long long> state(tiles);
	measure(o, [&] { data.put(start); total.set(-1); }, [&] {
		tickets.set(0);
		state.set(0);
		sc_tiles<<<tiles, THREADS>>>(data.data, n, total.data, tickets.data, state.data);
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
