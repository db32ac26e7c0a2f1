// Graph colouring in rounds: all nodes of a list choose a colour that no neighbour has kept,
// and those that have chosen as a neighbour with a smaller number choose again. Conflicts are
// found by a thread of the parent for each node, which launches a child with a thread for
// each neighbour with a smaller number: those in front of middle in its row.
#include "common.cuh"

#define PARENT 256
#define CHILD 64

// gc_choose gives node v a colour; the threads of a warp call it together. asked has the last
// round in which a node chooses: neighbours that choose, too, have no colour yet.
__device__ __forceinline__ void gc_choose(const int *row, const int *col, int *color, const int *asked, int round, int v) {
	int lane = threadIdx.x % 32;
	int start = row[v];
	int end = row[v + 1];
	for (int base = 1;; base += 32) {
		unsigned int used = 0;
		for (int i = start + lane; i < end; i += 32) {
			int u = col[i];
			if (asked[u] != round) {
				int c = color[u] - base;
				if (c >= 0 && c < 32) used |= 1u << c;
			}
		}
		for (int d = 16; d > 0; d /= 2) used |= __shfl_xor_sync(0xffffffff, used, d);
		if (used != 0xffffffff) {
			// Neighbours begin at different colours, which makes conflicts rare.
			unsigned int begin = ((unsigned int)v + 977u * round) * 2654435761u >> 27;
			unsigned int high = ~used & (0xffffffffu << begin);
			if (lane == 0) color[v] = base + __ffs(high ? high : ~used) - 1;
			return;
		}
	}
}

#ifndef NO_DP

// sizes has those of the lists of this round and of the next one, and a zero for the one after.
__global__ void gc_assign(const int *row, const int *col, int *color, const int *asked, int round, const int *list, int *sizes) {
	int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	if (i < sizes[round % 3]) gc_choose(row, col, color, asked, round, list[i]);
	if (blockIdx.x == 0 && threadIdx.x == 0) sizes[(round + 2) % 3] = 0;
}

__global__ void gc_child(const int *col, const int *color, int *asked, int round, int *next, int *count, int v, int own, int start, int degree) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < degree && color[col[start + i]] == own && atomicExch(&asked[v], round + 1) == round) next[atomicAdd(count, 1)] = v;
}

// The list is spread over the warps of the grid: a short one has few nodes in each.
__global__ void gc_parent(const int *row, const int *middle, const int *col, const int *color, int *asked, int round, const int *list, int *next, int *sizes) {
	int warps = gridDim.x * (PARENT / 32);
	int i = threadIdx.x % 32 * warps + threadIdx.x / 32 * gridDim.x + blockIdx.x;
	if (i < sizes[round % 3]) {
		int v = list[i];
		int start = row[v];
		int degree = middle[v] - start;
		if (degree > 0) {
			LAUNCH(gc_child, (degree + CHILD - 1) / CHILD, CHILD, col, color, asked, round, next, &sizes[(round + 1) % 3], v, color[v], start, degree);
		}
	}
}

#else

#include <cooperative_groups.h>

#define THREADS 256

// gc_rounds does all rounds in one cooperative launch, with a warp for a node.
__global__ void __launch_bounds__(THREADS) gc_rounds(const int *row, const int *middle, const int *col, int *color, int *asked, int *lists, int *sizes, int nodes) {
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	int warps = gridDim.x * (THREADS / 32);
	int warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
	int lane = threadIdx.x % 32;
	for (int round = 0;; round++) {
		int size = ((volatile int *)sizes)[round % 3];
		if (size == 0) break;
		if (blockIdx.x == 0 && threadIdx.x == 0) ((volatile int *)sizes)[(round + 2) % 3] = 0;
		const int *list = lists + (round % 2) * nodes;
		int *next = lists + ((round + 1) % 2) * nodes;
		for (int i = warp; i < size; i += warps) gc_choose(row, col, color, asked, round, list[i]);
		grid.sync();
		for (int i = warp; i < size; i += warps) {
			int v = list[i];
			int own = color[v];
			int end = middle[v];
			bool conflict = false;
			for (int k = row[v]; k < end && !conflict; k += 32) {
				conflict = __any_sync(0xffffffff, k + lane < end && color[col[k + lane]] == own);
			}
			if (lane == 0 && conflict) {
				asked[v] = round + 1;
				next[atomicAdd(&sizes[(round + 1) % 3], 1)] = v;
			}
		}
		grid.sync();
	}
}

#endif

// banded returns a graph like that of a stiffness matrix: neighbours have near numbers.
static Graph banded(int nodes, int degree, unsigned long seed) {
	Random random(seed);
	std::vector<Arc> arcs;
	for (int v = 0; v < nodes; v++) {
		for (int i = 0; i < degree / 2; i++) {
			int u = v + 1 + random.below(degree * 2);
			if (u < nodes) arcs.push_back({v, u, 1});
		}
	}
	return symmetric(nodes, arcs);
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	Graph g = o.input.empty() ? banded(o.pick(100, 500, 1000, 2003), o.pick(24, 42, 42, 42), o.seed) : mirrored(readGraph(o.input));
	std::vector<int> firsts; // of each node: the first arc to a node with a larger number
	for (int v = 0; v < g.nodes; v++) {
		auto arcs = g.col.begin();
		firsts.push_back((int)(std::lower_bound(arcs + g.row[v], arcs + g.row[v + 1], v) - arcs));
	}
	Buffer<int> row(g.row), middle(firsts), col(g.col), color(g.nodes), asked(g.nodes), lists(2 * (size_t)g.nodes);
	std::vector<int> all(g.nodes);
	for (int v = 0; v < g.nodes; v++) all[v] = v;
	allowLaunches(o, g.nodes);
	int launches = 1;
	Buffer<int> sizes(3);
	auto reset = [&] {
		color.set(0);
		asked.set(0);
		lists.put(all);
		sizes.put({g.nodes, 0, 0});
	};

#ifndef NO_DP
	measure(o, reset, [&] {
		int round = 0;
		std::vector<int> size;
		do {
			for (int i = 0; i < BATCH; i++, round++) {
				int *list = lists.data + round % 2 * g.nodes, *next = lists.data + (round + 1) % 2 * g.nodes;
				gc_assign<<<blocksFor(32L * g.nodes, PARENT), PARENT>>>(row.data, col.data, color.data, asked.data, round, list, sizes.data);
				ROUND(gc_parent<<<blocksFor(g.nodes, PARENT), PARENT>>>(row.data, middle.data, col.data, color.data, asked.data, round, list, next, sizes.data));
			}
			size = sizes.get();
		} while (size[round % 3] > 0);
		launches = 2 * round;
	});
#else
	int blocks = residentBlocks(gc_rounds, THREADS, 32L * g.nodes);
	measure(o, reset, [&] {
		void *args[] = {&row.data, &middle.data, &col.data, &color.data, &asked.data, &lists.data, &sizes.data, &g.nodes};
		CUDA(cudaLaunchCooperativeKernel((const void *)gc_rounds, blocks, THREADS, args, 0, nullptr));
	});
#endif

	std::vector<int> got = color.get();
	int most = 0;
	for (int v = 0; v < g.nodes; v++) {
		if (got[v] < 1) return verdict(text("node %d has no colour", v));
		most = std::max(most, got[v]);
		for (int i = g.row[v]; i < g.row[v + 1]; i++) {
			if (got[v] == got[g.col[i]]) return verdict(text("nodes %d and %d have colour %d", v, g.col[i], got[v]));
		}
	}
	printLaunches(launches, -1);
	printf("colours: %d\n", most);
	return verdict("");
}
