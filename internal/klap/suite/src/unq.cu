// Unique: of equal neighbours the first one is kept. A kernel does one tile and
// launches itself for the next one with the place of its output and the last item that it has
// seen. It works in place.
#include "tiles.cuh"

// unq_load loads a tile and returns which items differ from those in front of them in the
// tile; the first item of the tile counts as different.
__device__ __forceinline__ unsigned int unq_load(const int *data, int n, int first, int *item, int *last) {
	__shared__ int ends[ITEMS][THREADS / 32]; // the last item of each warp
	int lane = threadIdx.x % 32;
	int warp = threadIdx.x / 32;
	for (int k = 0; k < ITEMS; k++) {
		int i = first + k * THREADS + threadIdx.x;
		item[k] = i < n ? data[i] : 0;
		if (lane == 31) ends[k][warp] = item[k];
	}
	__syncthreads();
	unsigned int keep = 0;
	for (int k = 0; k < ITEMS; k++) {
		int before = __shfl_up_sync(0xffffffff, item[k], 1);
		if (lane == 0 && warp > 0) before = ends[k][warp - 1];
		if (lane == 0 && warp == 0 && k > 0) before = ends[k - 1][THREADS / 32 - 1];
		bool start = k == 0 && threadIdx.x == 0;
		if (first + k * THREADS + (int)threadIdx.x < n && (start || item[k] != before)) keep |= 1u << k;
	}
	*last = ends[ITEMS - 1][THREADS / 32 - 1]; // of a full tile
	return keep;
}

#ifndef NO_DP

__global__ void __launch_bounds__(THREADS) unq_tile(int *data, int n, int *total, int tile, int offset, int previous) {
	__shared__ int skip; // the first item equals the last one of the tile in front
	int item[ITEMS], rank[ITEMS], last;
	int first = tile * TILE;
	unsigned int keep = unq_load(data, n, first, item, &last);
	int count = tile_ranks(keep, rank);
	klap_overlap();
	if (threadIdx.x == 0) {
		skip = tile > 0 && item[0] == previous;
		if (first + TILE < n) {
			LAUNCH(unq_tile, 1, THREADS, data, n, total, tile + 1, offset + count - skip, last);
		} else {
			*total = offset + count - skip;
		}
	}
	__syncthreads();
	for (int k = 0; k < ITEMS; k++) {
		if ((keep >> k & 1) && rank[k] >= skip) data[offset + rank[k] - skip] = item[k];
	}
}

#else

// unq_tiles has an array of its own for the output, so that a tile can read the item in front.
__global__ void __launch_bounds__(THREADS) unq_tiles(const int *data, int *out, int n, int *total, int *tickets, unsigned long long *state) {
	int item[ITEMS], rank[ITEMS], last;
	int tile = take_ticket(tickets);
	int first = tile * TILE;
	unsigned int keep = unq_load(data, n, first, item, &last);
	if (threadIdx.x == 0 && tile > 0 && item[0] == data[first - 1]) keep &= ~1u;
	int count = tile_ranks(keep, rank);
	int offset = look_back_block(state, tile, count, false);
	if (threadIdx.x == 0 && first + TILE >= n) *total = offset + count;
	for (int k = 0; k < ITEMS; k++) {
		if (keep >> k & 1) out[offset + rank[k]] = item[k];
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
	measure(o, [&] { data.put(start); total.set(-1); }, [&] { unq_tile<<<1, THREADS>>>(data.data, n, total.data, 0, 0, 0); });
	std::vector<int> got = data.get();
#else
	Buffer<int> tickets(1), out(n);
	Buffer<unsigned long long> state(tiles);
	measure(o, [&] { data.put(start); total.set(-1); }, [&] {
		tickets.set(0);
		state.set(0);
		unq_tiles<<<tiles, THREADS>>>(data.data, out.data, n, total.data, tickets.data, state.data);
	});
	std::vector<int> got(want.size());
	CUDA(cudaMemcpy(got.data(), out.data, want.size() * sizeof(int), cudaMemcpyDeviceToHost));
#endif

	printLaunches(1, tiles - 1);
	if (total.first() != (int)want.size()) return verdict(text("%d items are kept, want %zu", total.first(), want.size()));
	for (size_t i = 0; i < want.size(); i++) {
		if (got[i] != want[i]) return verdict(text("item %zu is %d, want %d", i, got[i], want[i]));
	}
	return verdict("");
}
