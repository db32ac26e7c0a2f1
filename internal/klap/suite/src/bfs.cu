// Breadth-first search, level by level: a thread of the parent for each node, which
// launches a child with a thread for each arc.
#include "common.cuh"

#define PARENT 1024
#define CHILD 128
#define UNSEEN 0x7fffffff

// bfs_see gives a node the level next, unless it has one, and reports whether it did. Of two sets of bits one has the nodes
// that have been seen before the level, which saves most looks at levels: it is read only, and so in the cache. The other
// one is made for the next level.
__device__ __forceinline__ bool bfs_see(volatile int *level, const unsigned int *seen, unsigned int *later, int u, int next) {
	if (seen[u / 32] >> u % 32 & 1) return false;
	if (level[u] != UNSEEN || atomicCAS((int *)&level[u], UNSEEN, next) != UNSEEN) return false;
	atomicOr(&later[u / 32], 1u << u % 32);
	return true;
}

#ifndef NO_DP

// Children and parents race on levels, but no write changes what another thread sees in
// this level: hence volatile. changed is the last level with a node.
__global__ void bfs_child(volatile int *level, const unsigned int *seen, unsigned int *later, const int *col, volatile int *changed, int start, int degree, int next) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < degree && bfs_see(level, seen, later, col[start + i], next)) *changed = next;
}

__global__ void __launch_bounds__(PARENT) bfs_parent(volatile int *level, const unsigned int *seen, unsigned int *later, const int *row, const int *col, volatile int *changed, int nodes, int current) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < nodes && level[v] == current) {
		int start = row[v];
		int degree = row[v + 1] - start;
		atomicOr(&later[v / 32], 1u << v % 32);
		if (degree > 0) {
			LAUNCH(bfs_child, (degree + CHILD - 1) / CHILD, CHILD, level, seen, later, col, changed, start, degree, current + 1);
		}
	}
}

#else

#include <cooperative_groups.h>

#define THREADS 256

// bfs_levels does all levels in one cooperative launch. A frontier is a queue; its nodes
// are given to blocks while there are few, and then to warps.
__global__ void __launch_bounds__(THREADS) bfs_levels(volatile int *level, const int *row, const int *col, int *queue, int *sizes, unsigned int *bits, int nodes) {
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	for (int current = 0;; current++) {
		int size = ((volatile int *)sizes)[current % 3];
		if (size == 0) break;
		if (blockIdx.x == 0 && threadIdx.x == 0) ((volatile int *)sizes)[(current + 2) % 3] = 0;
		int *in = queue + (current % 2) * nodes;
		int *out = queue + ((current + 1) % 2) * nodes;
		unsigned int *seen = bits + (current % 2) * ((nodes + 31) / 32);
		unsigned int *later = bits + ((current + 1) % 2) * ((nodes + 31) / 32);
		int together = size < (int)gridDim.x * 4 ? THREADS : 32;
		int groups = gridDim.x * (THREADS / together);
		int group = threadIdx.x / together * gridDim.x + blockIdx.x;
		int rank = threadIdx.x % together;
		for (int q = group; q < size; q += groups) {
			int v = in[q];
			if (rank == 0) atomicOr(&later[v / 32], 1u << v % 32);
			int end = row[v + 1];
			for (int i = row[v] + rank; i < end; i += together) {
				int u = col[i];
				if (bfs_see(level, seen, later, u, current + 1)) out[atomicAdd(&sizes[(current + 1) % 3], 1)] = u;
			}
		}
		grid.sync();
	}
}

#endif

static std::vector<int> reference(const Graph &g, int source) {
	std::vector<int> level(g.nodes, UNSEEN), queue{source};
	level[source] = 0;
	for (size_t q = 0; q < queue.size(); q++) {
		int v = queue[q];
		for (int i = g.row[v]; i < g.row[v + 1]; i++) {
			if (level[g.col[i]] == UNSEEN) {
				level[g.col[i]] = level[v] + 1;
				queue.push_back(g.col[i]);
			}
		}
	}
	return level;
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	Graph g = o.input.empty() ? uniformGraph(o.pick(200, 1000, 4000, 10000), o.pick(20, 100, 400, 1000), o.seed) : readGraph(o.input);
	int source = o.input.empty() ? 0 : g.widest();
	Buffer<int> row(g.row), col(g.col), level(g.nodes);
	std::vector<int> start(g.nodes, UNSEEN);
	start[source] = 0;
	int words = blocksFor(g.nodes, 32);
	Buffer<unsigned int> bits(2 * words);
	int levels = 1; // that the host launches
	allowLaunches(o, g.nodes);

#ifndef NO_DP
	Buffer<int> flag(1);
	measure(o, [&] { level.put(start); flag.set(0); bits.set(0); }, [&] {
		levels = 0;
		do {
			for (int i = 0; i < BATCH; i++, levels++) {
				unsigned int *seen = bits.data + levels % 2 * words, *later = bits.data + (levels + 1) % 2 * words;
				ROUND(bfs_parent<<<blocksFor(g.nodes, PARENT), PARENT>>>(level.data, seen, later, row.data, col.data, flag.data, g.nodes, levels));
			}
		} while (flag.first() == levels);
	});
#else
	Buffer<int> queue(2 * (size_t)g.nodes), sizes(3);
	int blocks = residentBlocks(bfs_levels, THREADS, g.arcs());
	auto reset = [&] {
		level.put(start);
		queue.put({source});
		sizes.put({1, 0, 0});
		bits.set(0);
	};
	measure(o, reset, [&] {
		void *args[] = {&level.data, &row.data, &col.data, &queue.data, &sizes.data, &bits.data, &g.nodes};
		CUDA(cudaLaunchCooperativeKernel((const void *)bfs_levels, blocks, THREADS, args, 0, nullptr));
	});
#endif

	std::vector<int> got = level.get(), want = reference(g, source);
	std::string fault;
	long launches = 0;
	for (int v = 0; v < g.nodes; v++) {
		launches += got[v] != UNSEEN && g.degree(v) > 0;
		if (got[v] != want[v]) fault = text("level of node %d is %d, want %d", v, got[v], want[v]);
	}
	printLaunches(levels, launches);
	return verdict(fault);
}
