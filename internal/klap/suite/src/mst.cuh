// Minimum spanning forests by Boruvka's algorithm: what mstf.cu and mstv.cu share. In each
// round a component finds its lightest edge to another one, and merges with that. Of equal
// weights the edge with the smaller ends is the lighter one, so that there are no cycles.
#pragma once

#include "common.cuh"

#define NONE 0xffffffffffffffffull // no edge
#define HEAVY 0x7fffffff

// An Mst is the state of a search, in device memory. An edge is its smaller end above 32 bits
// of its larger one.
struct Mst {
	const int *row, *col, *weight;
	int nodes;
	int *component;           // of a node: a node of it, its root
	int *lightest;            // of a node: the weight of its lightest edge to another component
	int *least;               // of a root: that of its component
	unsigned long long *edge; // of a root: the edge
	int *next;                // of a root: the root that it merges with
	int *changed;             // the last round that has merged components
	unsigned long long *total;
};

#ifndef NO_DP

#define PARENT 1024
#define CHILD 128

__device__ __forceinline__ unsigned long long mst_edge(int u, int v) {
	return (unsigned long long)min(u, v) << 32 | (unsigned int)max(u, v);
}

// mst_lightest finds the weights of the lightest edges, with a warp for a node.
__global__ void mst_lightest(Mst m) {
	int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	if (v < m.nodes) {
		int own = m.component[v];
		int end = m.row[v + 1];
		int least = HEAVY;
		for (int i = m.row[v] + lane; i < end; i += 32) {
			if (m.component[m.col[i]] != own) least = min(least, m.weight[i]);
		}
		for (int d = 16; d > 0; d /= 2) least = min(least, __shfl_xor_sync(0xffffffff, least, d));
		if (lane == 0) {
			m.next[v] = v;
			m.lightest[v] = least;
			if (least != HEAVY) atomicMin(&m.least[own], least);
		}
	}
}

// mst_flatten finds the new roots, and forgets what the components have found.
__global__ void mst_flatten(Mst m) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < m.nodes) {
		int root = m.component[v];
		while (m.next[root] != root) root = m.next[root];
		m.component[v] = root;
		m.least[v] = HEAVY;
		m.edge[v] = NONE;
	}
}

// mst_is_lightest reports whether an edge of node v may be the lightest of its component.
__device__ __forceinline__ bool mst_is_lightest(Mst m, int v) {
	return m.lightest[v] != HEAVY && m.lightest[v] == m.least[m.component[v]];
}

// mst_consider offers the arc i of node v to v's component, whose lightest edge has the weight.
__device__ __forceinline__ void mst_consider(Mst m, int v, int own, int weight, int i) {
	int u = m.col[i];
	if (m.weight[i] == weight && m.component[u] != own) atomicMin(&m.edge[own], mst_edge(u, v));
}

// mst_end returns the end of the component's edge that is in the component.
__device__ __forceinline__ int mst_end(Mst m, int root) {
	int u = (int)(m.edge[root] >> 32);
	return m.component[u] == root ? u : (int)(unsigned int)m.edge[root];
}

// mst_confirm merges the component of root with the one at the other end of its edge, if that is arc i of its node v. Of two
// that have chosen the same edge the smaller one stays.
__device__ __forceinline__ void mst_confirm(Mst m, int root, int v, int weight, int i, int round) {
	int u = m.col[i];
	if (m.weight[i] == weight && mst_edge(u, v) == m.edge[root]) {
		int other = m.component[u];
		if (m.edge[other] != m.edge[root] || root > other) {
			m.next[root] = other;
			atomicAdd(m.total, (unsigned long long)weight);
			*(volatile int *)m.changed = round;
		}
	}
}

// The phases that the two benchmarks do differently.
static void findEdges(const Mst &m);
static void verifyEdges(const Mst &m, int round);

// solve does all rounds and returns the number of launches by the host.
static int solve(const Mst &m) {
	int changed, round = 0;
	do {
		for (int i = 0; i < BATCH; i++) {
			mst_lightest<<<blocksFor(32L * m.nodes, 256), 256>>>(m);
			findEdges(m);
			verifyEdges(m, ++round);
			mst_flatten<<<blocksFor(m.nodes, 256), 256>>>(m);
		}
		CUDA(cudaMemcpy(&changed, m.changed, sizeof changed, cudaMemcpyDeviceToHost));
	} while (changed == round);
	return 4 * round;
}

#else

#include <cooperative_groups.h>

#define THREADS 256

// The form without launches works on a list of edges, which has those between different
// components: a thread for an edge, all rounds in one cooperative launch.
struct Edge {
	int from, to, weight, arc;
};

__device__ __forceinline__ int mst_root(volatile int *component, int v) {
	int root = v;
	for (int c = component[root]; c != root; c = component[root]) root = c;
	if (root != v) component[v] = root;
	return root;
}

// mst_push appends edges to a list; the threads of a warp call it together.
__device__ __forceinline__ void mst_push(Edge *list, int *size, Edge e, bool wanted) {
	unsigned int mask = __ballot_sync(0xffffffff, wanted);
	int lane = threadIdx.x % 32;
	int base = 0;
	if (lane == 0 && mask != 0) base = atomicAdd(size, __popc(mask));
	base = __shfl_sync(0xffffffff, base, 0);
	if (wanted) list[base + __popc(mask & ((1u << lane) - 1))] = e;
}

// best has the lightest edge of each component, by weight and arc, for even and odd rounds.
__global__ void __launch_bounds__(THREADS) mst_rounds(Mst m, Edge *lists, int capacity, int *sizes, unsigned long long *best) {
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	int thread = blockIdx.x * THREADS + threadIdx.x;
	int threads = gridDim.x * THREADS;
	for (int v = thread / 32; v < m.nodes; v += threads / 32) {
		int end = m.row[v + 1];
		for (int first = m.row[v]; first < end; first += 32) {
			int i = first + threadIdx.x % 32;
			Edge e = {v, 0, 0, i};
			if (i < end) {
				e.to = m.col[i];
				e.weight = m.weight[i];
			}
			mst_push(lists, &sizes[0], e, i < end && v < e.to);
		}
	}
	grid.sync();
	for (int round = 0;; round++) {
		int size = ((volatile int *)sizes)[round % 3];
		if (size == 0) break;
		int *left = &sizes[(round + 1) % 3];
		Edge *in = lists + (round % 2) * capacity;
		Edge *out = lists + ((round + 1) % 2) * capacity;
		unsigned long long *now = best + (round % 2) * m.nodes;
		unsigned long long *later = best + ((round + 1) % 2) * m.nodes;
		for (int k = thread; k - (int)threadIdx.x % 32 < size; k += threads) {
			Edge e = in[min(k, size - 1)];
			e.from = mst_root(m.component, e.from);
			e.to = mst_root(m.component, e.to);
			bool between = k < size && e.from != e.to;
			if (between) {
				unsigned long long key = (unsigned long long)e.weight << 32 | (unsigned int)e.arc;
				if (key < ((volatile unsigned long long *)now)[e.from]) atomicMin(&now[e.from], key);
				if (key < ((volatile unsigned long long *)now)[e.to]) atomicMin(&now[e.to], key);
			}
			mst_push(out, left, e, between);
		}
		grid.sync();
		size = *(volatile int *)left;
		if (thread == 0) ((volatile int *)sizes)[(round + 2) % 3] = 0;
		for (int k = thread; k < size; k += threads) {
			Edge e = out[k];
			unsigned long long key = (unsigned long long)e.weight << 32 | (unsigned int)e.arc;
			((volatile unsigned long long *)later)[e.from] = NONE;
			((volatile unsigned long long *)later)[e.to] = NONE;
			if (now[e.from] == key || now[e.to] == key) {
				atomicAdd(m.total, (unsigned long long)e.weight);
				int a = e.from;
				int b = e.to;
				do { // the larger root gets the smaller one as its parent
					a = mst_root(m.component, a);
					b = mst_root(m.component, b);
				} while (atomicCAS(&m.component[max(a, b)], max(a, b), min(a, b)) != max(a, b));
			}
		}
		grid.sync();
	}
}

#endif

static int rootOf(std::vector<int> &parent, int v) {
	while (parent[v] != v) v = parent[v] = parent[parent[v]];
	return v;
}

// weightOf returns the weight of a minimum spanning forest, by Kruskal's algorithm, and sets
// parent to its components.
static unsigned long long weightOf(const Graph &g, std::vector<int> &parent) {
	std::vector<Arc> edges;
	for (int v = 0; v < g.nodes; v++) {
		parent.push_back(v);
		for (int i = g.row[v]; i < g.row[v + 1]; i++) {
			if (v < g.col[i]) edges.push_back({v, g.col[i], g.weight[i]});
		}
	}
	std::sort(edges.begin(), edges.end(), [](const Arc &a, const Arc &b) { return a.weight < b.weight; });
	unsigned long long total = 0;
	for (const Arc &e : edges) {
		int a = rootOf(parent, e.from), b = rootOf(parent, e.to);
		if (a == b) continue;
		parent[a] = b;
		total += e.weight;
	}
	return total;
}

static int spanningForest(int argc, char **argv) {
	Options o = parse(argc, argv);
	int scale = o.pick(6, 10, 11, 12);
	Graph g = o.input.empty() ? rmatGraph(scale, 8 << scale, o.seed) : mirrored(readGraph(o.input));
	std::vector<int> each(g.nodes), want;
	for (int v = 0; v < g.nodes; v++) each[v] = v;
	Buffer<int> row(g.row), col(g.col), weight(g.weight), component(g.nodes), lightest(g.nodes), least(g.nodes), next(g.nodes), changed(1);
	Buffer<unsigned long long> edge(g.nodes), total(1);
	Mst m = {row.data, col.data, weight.data, g.nodes, component.data, lightest.data, least.data, edge.data, next.data, changed.data, total.data};
	allowLaunches(o, g.nodes);
	int launches = 1;

#ifndef NO_DP
	std::vector<int> heavy(g.nodes, HEAVY);
	auto reset = [&] {
		component.put(each);
		total.set(0);
		changed.set(0);
		least.put(heavy);
		edge.set(0xff);
	};
	measure(o, reset, [&] { launches = solve(m); });
#else
	int capacity = std::max(1, g.arcs() / 2);
	Buffer<Edge> lists(2 * (size_t)capacity);
	Buffer<int> sizes(3);
	Buffer<unsigned long long> best(2 * (size_t)g.nodes);
	int blocks = residentBlocks(mst_rounds, THREADS, capacity);
	auto reset = [&] {
		component.put(each);
		total.set(0);
		sizes.set(0);
		best.set(0xff);
	};
	measure(o, reset, [&] {
		void *args[] = {&m, &lists.data, &capacity, &sizes.data, &best.data};
		CUDA(cudaLaunchCooperativeKernel((const void *)mst_rounds, blocks, THREADS, args, 0, nullptr));
	});
#endif

	printLaunches(launches, -1);
	unsigned long long expected = weightOf(g, want);
	if (total.first() != expected) return verdict(text("the forest's weight is %llu, want %llu", total.first(), expected));
	std::vector<int> got = component.get();
	for (int v = 0; v < g.nodes; v++) {
		if (rootOf(want, rootOf(got, v)) != rootOf(want, v)) return verdict(text("node %d is in another component", v));
	}
	return verdict("");
}
