// Unpadding of a matrix in place: columns of padding are dropped. Items move down; a kernel
// loads the items of its tile, launches itself for the next tile, and stores.
#include "tiles.cuh"

#define PAD 1

__device__ __forceinline__ void upd_load(const int *data, int columns, int n, int first, int *item) {
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i + i / columns * PAD] : 0;
	}
}

__device__ __forceinline__ void upd_store(int *data, int n, int first, const int *item) {
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		if (i < n) data[i] = item[k];
	}
}

#ifndef NO_DP

__global__ void __launch_bounds__(THREADS) upd_tile(int *data, int columns, int n, int tile) {
	int item[ITEMS];
	int first = tile * TILE;
	upd_load(data, columns, n, first, item);
	__syncthreads();
	klap_overlap();
	if (threadIdx.x == 0 && first + TILE < n) {
		LAUNCH(upd_tile, 1, THREADS, data, columns, n, tile + 1);
	}
	upd_store(data, n, first, item);
}

#else

__global__ void __launch_bounds__(THREADS) upd_tiles(int *data, int columns, int n, int *tickets, int *loaded) {
	int item[ITEMS];
	int tile = take_ticket(tickets);
	int first = tile * TILE;
	upd_load(data, columns, n, first, item);
	publish_loaded(loaded, tile);
	int from = max(0, first - (first / (columns + PAD) + 1) * PAD) / TILE; // what was at first is of this tile
	await_loaded(loaded, from, tile - 1);
	upd_store(data, n, first, item);
}

#endif

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int rows = o.pick(150, 120, 450, 4600), columns = rows, n = rows * columns, tiles = blocksFor(n, TILE);
	Random random(o.seed);
	std::vector<int> start((size_t)rows * (columns + PAD));
	for (int &x : start) x = 1 + random.below(1000000);
	Buffer<int> data(start.size());

#ifndef NO_DP
	measure(o, [&] { data.put(start); }, [&] { upd_tile<<<1, THREADS>>>(data.data, columns, n, 0); });
#else
	Buffer<int> tickets(1), loaded(tiles);
	measure(o, [&] { data.put(start); }, [&] {
		tickets.set(0);
		loaded.set(0);
		upd_tiles<<<tiles, THREADS>>>(data.data, columns, n, tickets.data, loaded.data);
	});
#endif

	printLaunches(1, tiles - 1);
	std::vector<int> got = data.get();
	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < columns; c++) {
			int want = start[(size_t)r * (columns + PAD) + c], have = got[r * columns + c];
			if (have != want) return verdict(text("row %d, column %d is %d, want %d", r, c, have, want));
		}
	}
	return verdict("");
}
