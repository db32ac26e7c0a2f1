// Padding of a matrix in place: each row gets columns of zeros. Items move up, so that tiles
// are done from the last one to the first; a kernel loads its tile, launches itself for the
// tile in front, and stores.
#include "tiles.cuh"

#define PAD 1

// pd_store stores the items of a tile behind the padding of the rows in front.
__device__ __forceinline__ void pd_store(int *data, int columns, int n, int first, const int *item) {
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		if (i < n) {
			int row = i / columns;
			int to = i + row * PAD;
			data[to] = item[k];
			if (i - row * columns == columns - 1) {
				for (int p = 1; p <= PAD; p++) data[to + p] = 0;
			}
		}
	}
}

#ifndef NO_DP

__global__ void __launch_bounds__(THREADS) pd_tile(int *data, int columns, int n, int tile) {
	int item[ITEMS];
	int first = tile * TILE;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 0;
	}
	__syncthreads();
	klap_overlap();
	if (threadIdx.x == 0 && tile > 0) {
		LAUNCH(pd_tile, 1, THREADS, data, columns, n, tile - 1);
	}
	pd_store(data, columns, n, first, item);
}

#else

__global__ void __launch_bounds__(THREADS) pd_tiles(int *data, int columns, int n, int *tickets, int *loaded) {
	int item[ITEMS];
	int tile = gridDim.x - 1 - take_ticket(tickets);
	int first = tile * TILE;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 0;
	}
	publish_loaded(loaded, tile);
	int last = min(first + TILE, n) - 1;
	int from = max(tile + 1, (first + first / columns * PAD) / TILE);
	int to = min((int)gridDim.x - 1, (last + (last / columns + 1) * PAD) / TILE);
	await_loaded(loaded, from, to);
	pd_store(data, columns, n, first, item);
}

#endif

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int rows = o.pick(150, 120, 450, 4600), columns = rows, n = rows * columns, tiles = blocksFor(n, TILE);
	Random random(o.seed);
	std::vector<int> start(n), room((size_t)rows * (columns + PAD), -1);
	for (int &x : start) x = 1 + random.below(1000000);
	std::copy(start.begin(), start.end(), room.begin());
	Buffer<int> data(room.size());

#ifndef NO_DP
	measure(o, [&] { data.put(room); }, [&] { pd_tile<<<1, THREADS>>>(data.data, columns, n, tiles - 1); });
#else
	Buffer<int> tickets(1), loaded(tiles);
	measure(o, [&] { data.put(room); }, [&] {
		tickets.set(0);
		loaded.set(0);
		pd_tiles<<<tiles, THREADS>>>(data.data, columns, n, tickets.data, loaded.data);
	});
#endif

	printLaunches(1, tiles - 1);
	std::vector<int> got = data.get();
	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < columns + PAD; c++) {
			int want = c < columns ? start[r * columns + c] : 0, have = got[(size_t)r * (columns + PAD) + c];
			if (have != want) return verdict(text("row %d, column %d is %d, want %d", r, c, have, want));
		}
	}
	return verdict("");
}
