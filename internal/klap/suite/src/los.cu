// Line of sight along a ray: a point is visible if its slope, seen from the first point, is
// larger than that of all points in front. A kernel does one tile and launches itself for the
// next one with the largest slope so far.
#include "tiles.cuh"

#define POINTS 256 // of a tile

// los_scan returns the largest slope of the threads in front, and sets *all to that of the block.
__device__ __forceinline__ float los_scan(float slope, float *all) {
	__shared__ float largest[POINTS / 32];
	int lane = threadIdx.x % 32;
	float most = slope;
	for (int d = 1; d < 32; d *= 2) {
		float below = __shfl_up_sync(0xffffffff, most, d);
		if (lane >= d) most = fmaxf(most, below);
	}
	float before = __shfl_up_sync(0xffffffff, most, 1);
	if (lane == 0) before = -INFINITY;
	if (lane == 31) largest[threadIdx.x / 32] = most;
	__syncthreads();
	*all = -INFINITY;
	for (int w = 0; w < POINTS / 32; w++) {
		if (w < (int)threadIdx.x / 32) before = fmaxf(before, largest[w]);
		*all = fmaxf(*all, largest[w]);
	}
	return before;
}

__device__ __forceinline__ float los_slope(const float *height, int i, int n) {
	if (i == 0 || i >= n) return -INFINITY;
	return (height[i] - height[0]) / (float)i;
}

#ifndef NO_DP

__global__ void __launch_bounds__(POINTS) los_tile(const float *height, int *visible, int n, int tile, float largest) {
	int i = tile * POINTS + threadIdx.x;
	float all;
	float slope = los_slope(height, i, n);
	float before = los_scan(slope, &all);
	klap_overlap();
	if (threadIdx.x == 0 && (tile + 1) * POINTS < n) {
		LAUNCH(los_tile, 1, POINTS, height, visible, n, tile + 1, fmaxf(largest, all));
	}
	if (i < n) visible[i] = i == 0 || slope > fmaxf(largest, before);
}

#else

// ordered maps floats to integers of the same order, and back.
__device__ __forceinline__ int ordered(int bits) { return bits >= 0 ? bits : bits ^ 0x7fffffff; }

__global__ void __launch_bounds__(POINTS) los_tiles(const float *height, int *visible, int n, int *tickets, unsigned long long *state) {
	int tile = take_ticket(tickets);
	int i = tile * POINTS + threadIdx.x;
	float all;
	float slope = los_slope(height, i, n);
	float before = los_scan(slope, &all);
	int most = look_back_block(state, tile, ordered(__float_as_int(all)), true);
	float largest = tile == 0 ? -INFINITY : __int_as_float(ordered(most));
	if (i < n) visible[i] = i == 0 || slope > fmaxf(largest, before);
}

#endif

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(1000, 511, 6399, 49407), tiles = blocksFor(n, POINTS);
	Random random(o.seed);
	std::vector<float> start(n);
	for (int i = 0; i < n; i++) start[i] = (float)i * (random.uniform() + sinf((float)i * 0.012f) + 2 * (float)i / (float)n); // hills, which grow with the distance
	Buffer<float> height(start);
	Buffer<int> visible(n);

#ifndef NO_DP
	measure(o, [&] { visible.set(-1); }, [&] { los_tile<<<1, POINTS>>>(height.data, visible.data, n, 0, -INFINITY); });
#else
	Buffer<int> tickets(1);
	Buffer<unsigned long long> state(tiles);
	measure(o, [&] { visible.set(-1); }, [&] {
		tickets.set(0);
		state.set(0);
		los_tiles<<<tiles, POINTS>>>(height.data, visible.data, n, tickets.data, state.data);
	});
#endif

	printLaunches(1, tiles - 1);
	std::vector<int> got = visible.get();
	float largest = -INFINITY;
	int seen = 0;
	for (int i = 0; i < n; i++) {
		float slope = i == 0 ? -INFINITY : (start[i] - start[0]) / (float)i;
		int want = i == 0 || slope > largest;
		largest = std::max(largest, slope);
		seen += want;
		if (got[i] != want) return verdict(text("visible of point %d is %d, want %d", i, got[i], want));
	}
	printf("visible: %d of %d\n", seen, n);
	return verdict("");
}
