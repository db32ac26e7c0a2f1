// Single-source shortest paths by relaxation: a thread of the parent for each node, which
// launches a child with a thread for each arc if the node's distance has become less.
#include "common.cuh"

#define PARENT 512
#define CHILD 128
#define INFINITE 0x7fffffff

// sssp_relax reports whether a distance becomes less. A look in front saves most atomic operations.
__device__ __forceinline__ bool sssp_relax(int *distance, int u, int to) {
	return to < ((volatile int *)distance)[u] && to < atomicMin(&distance[u], to);
}

#ifndef NO_DP

__global__ void sssp_child(int *distance, const int *col, const int *weight, volatile int *changed, int round, int start, int degree, int from) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < degree) {
		if (sssp_relax(distance, col[start + i], from + weight[start + i])) *changed = round;
	}
}

// changed is the last round that has changed a distance; relaxed has the distance with which the arcs of a node have been relaxed.
__global__ void __launch_bounds__(PARENT) sssp_parent(int *distance, int *relaxed, const int *row, const int *col, const int *weight, volatile int *changed, int round, int nodes) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < nodes) {
		int from = ((volatile int *)distance)[v];
		if (from < relaxed[v]) {
			relaxed[v] = from;
			int start = row[v];
			int degree = row[v + 1] - start;
			if (degree > 0) {
				LAUNCH(sssp_child, (degree + CHILD - 1) / CHILD, CHILD, distance, col, weight, changed, round, start, degree, from);
			}
		}
	}
}

#else

#include <cooperative_groups.h>

#define THREADS 256

// sssp_rounds does all rounds in one cooperative launch: a warp relaxes the arcs of a node
// of the queue. A node is queued once a round.
__global__ void __launch_bounds__(THREADS) sssp_rounds(int *distance, int *queued, const int *row, const int *col, const int *weight, int *queue, int *sizes, int nodes) {
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	for (int round = 0;; round++) {
		int size = ((volatile int *)sizes)[round % 3];
		if (size == 0) break;
		if (blockIdx.x == 0 && threadIdx.x == 0) ((volatile int *)sizes)[(round + 2) % 3] = 0;
		int *in = queue + (round % 2) * nodes;
		int *out = queue + ((round + 1) % 2) * nodes;
		int warps = gridDim.x * (THREADS / 32);
		int lane = threadIdx.x % 32;
		for (int q = threadIdx.x / 32 * gridDim.x + blockIdx.x; q < size; q += warps) {
			int v = in[q];
			int from = ((volatile int *)distance)[v];
			int end = row[v + 1];
			for (int i = row[v] + lane; i < end; i += 32) {
				int u = col[i];
				if (sssp_relax(distance, u, from + weight[i]) && atomicExch(&queued[u], round + 1) != round + 1) {
					out[atomicAdd(&sizes[(round + 1) % 3], 1)] = u;
				}
			}
		}
		grid.sync();
	}
}

#endif

// reference is Dijkstra's algorithm.
static std::vector<int> reference(const Graph &g, int source) {
	std::vector<int> distance(g.nodes, INFINITE);
	std::vector<std::pair<int, int>> heap{{0, source}}; // of negative distances
	distance[source] = 0;
	while (!heap.empty()) {
		std::pop_heap(heap.begin(), heap.end());
		int from = -heap.back().first, v = heap.back().second;
		heap.pop_back();
		if (from > distance[v]) continue;
		for (int i = g.row[v]; i < g.row[v + 1]; i++) {
			int to = from + g.weight[i];
			if (to < distance[g.col[i]]) {
				distance[g.col[i]] = to;
				heap.push_back({-to, g.col[i]});
				std::push_heap(heap.begin(), heap.end());
			}
		}
	}
	return distance;
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int scale = o.pick(7, 10, 11, 12);
	Graph g = o.input.empty() ? rmatGraph(scale, 8 << scale, o.seed) : readGraph(o.input);
	int source = g.widest();
	Buffer<int> row(g.row), col(g.col), weight(g.weight), distance(g.nodes), relaxed(g.nodes);
	std::vector<int> start(g.nodes, INFINITE);
	start[source] = 0;
	int rounds = 0;
	allowLaunches(o, g.nodes);

#ifndef NO_DP
	Buffer<int> flag(1);
	std::vector<int> none(g.nodes, INFINITE);
	measure(o, [&] { distance.put(start); relaxed.put(none); flag.set(0); }, [&] {
		rounds = 0;
		int batch = BATCH / 2;
		do {
			batch *= 2; // the longer it takes, the less often the host looks
			for (int i = 0; i < batch; i++) {
				ROUND(sssp_parent<<<blocksFor(g.nodes, PARENT), PARENT>>>(distance.data, relaxed.data, row.data, col.data, weight.data, flag.data, ++rounds, g.nodes));
			}
		} while (flag.first() == rounds);
	});
#else
	Buffer<int> queue(2 * (size_t)g.nodes), sizes(3);
	int blocks = residentBlocks(sssp_rounds, THREADS, 2L * g.arcs());
	measure(o, [&] { distance.put(start); relaxed.set(0); queue.put({source}); sizes.put({1, 0, 0}); }, [&] {
		void *args[] = {&distance.data, &relaxed.data, &row.data, &col.data, &weight.data, &queue.data, &sizes.data, &g.nodes};
		CUDA(cudaLaunchCooperativeKernel((const void *)sssp_rounds, blocks, THREADS, args, 0, nullptr));
	});
	rounds = 1;
#endif

	std::vector<int> got = distance.get(), want = reference(g, source);
	std::string fault;
	for (int v = 0; v < g.nodes; v++) {
		if (got[v] != want[v]) fault = text("distance of node %d is %d, want %d", v, got[v], want[v]);
	}
	printLaunches(rounds, -1);
	return verdict(fault);
}
