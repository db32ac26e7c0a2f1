// Made by irgl from tri_or.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int irgl_index;

struct irgl_graph {
	int nnodes;
	long nedges;
	const irgl_index *row;
	const int *dst;
	int *kept;
	int *filled;
	int *reach;
	int *at;
	int *list;
	unsigned long *word;
	int *value;
	int *owner;
};

int irgl_max_blocks = 1024;

__device__ long triangles = 0;
__device__ int parts = 0;
__device__ long sums[1024];

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

static __device__ inline int several(struct irgl_graph graph, int u) {
	int kept = graph.kept[u];
	return kept > 1 ? kept : 0;
}

static __device__ inline int there(int w, int size, unsigned long *words, int *values, int reach) {
	unsigned int bit = __umulhi(w * 2654435769u, 32 * size);
	unsigned long word = words[bit / 32];
	unsigned int bits = word;
	int found = 0;
	if ((bits >> bit % 32 & 1) != 0) {
		int first = word >> 32;
		int at = min(first + __popc(bits & (1u << bit % 32) - 1), size - 1 - reach);
		for (int i = at; i <= at + reach; i++) {
			found |= values[i] == w + 1 ? 1 : 0;
		}
	}
	return found;
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.kept[id] = 0;
		graph.filled[id] = 0;
		graph.reach[id] = 0;
		graph.at[id] = 0;
	}
}

extern "C" __global__ void irgl_init_edges(struct irgl_graph graph) {
	for (long id = irgl_thread(); id < graph.nedges; id += irgl_threads()) {
		graph.list[id] = 0;
		graph.word[id] = 0;
		graph.value[id] = 0;
		graph.owner[id] = 0;
	}
}

extern "C" __global__ void orient(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		int degree = irgl_degree(graph, u);
		for (irgl_index e = graph.row[u], e_end = graph.row[u + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			int v = e_dst;
			int other = irgl_degree(graph, v);
			if (degree < other || degree == other && u < v) {
				graph.list[graph.row[u] + atomicAdd(&graph.kept[u], 1)] = v;
			}
		}
	}
}

extern "C" __global__ void mark(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		int kept = several(graph, u);
		if (kept > 0) {
			int count = (kept - 1) / 16 + 1;
			int at = atomicAdd(&parts, count);
			graph.at[u] = at;
			{
				int k_high = count;
				for (int k = 0; k < k_high; k++) {
					long e = at + k;
					graph.owner[e] = u;
				}
			}
			{
				int k_high_ = kept;
				for (int k = 0; k < k_high_; k++) {
					unsigned int bit = __umulhi(graph.list[graph.row[u] + k] * 2654435769u, 32 * kept);
					long e = (long)(graph.row[u] + (bit / 32));
					atomicOr((unsigned long long *)(&graph.word[e]), (unsigned long long)((unsigned long)(1u << bit % 32)));
					atomicAdd((unsigned long long *)(&graph.word[e]), (unsigned long long)((unsigned long)1 << 32));
				}
			}
		}
	}
}

extern "C" __global__ void reserve(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		{
			int k_high = several(graph, u);
			for (int k = 0; k < k_high; k++) {
				long e = (long)(graph.row[u] + k);
				unsigned long word = graph.word[e];
				int count = word >> 32;
				if (count > 0) {
					unsigned int bits = word;
					graph.word[e] = (unsigned long)atomicAdd(&graph.filled[u], count) << 32 | bits;
				}
			}
		}
	}
}

extern "C" __global__ void place(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		int kept = several(graph, u);
		{
			int k_high = kept;
			for (int k = 0; k < k_high; k++) {
				int v = graph.list[graph.row[u] + k];
				unsigned int bit = __umulhi(v * 2654435769u, 32 * kept);
				unsigned long word = graph.word[graph.row[u] + (bit / 32)];
				unsigned int bits = word;
				int first = (word >> 32) + __popc(bits & (1u << bit % 32) - 1);
				int i = first;
				while (atomicCAS(&graph.value[graph.row[u] + i], 0, v + 1) != 0) {
					i++;
				}
				if (i > first) {
					atomicMax(&graph.reach[u], i - first);
				}
			}
		}
	}
}

extern "C" __global__ void count(struct irgl_graph graph) {
	{
		int i_high = 32 * min(parts, 67108863);
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			int mine = i % 32;
			int found = 0;
			for (long part = i / 32; part < parts; part += 67108863) {
				long p = part;
				int u = graph.owner[p];
				int size = graph.kept[u];
				int reach = graph.reach[u];
				int first = (part - graph.at[u]) * 16;
				int *list = &graph.list[graph.row[u] + 0];
				unsigned long *words = &graph.word[graph.row[u] + 0];
				int *values = &graph.value[graph.row[u] + 0];
				for (int j = first; j < min(first + 16, size); j++) {
					int v = list[j];
					int kept = graph.kept[v];
					int k = 0;
					if (kept > 0) {
						int *others = &graph.list[graph.row[v] + 0];
						for (; k + 2 * 32 <= kept; k += 2 * 32) {
							int w = others[k + mine];
							int x = others[k + 32 + mine];
							found += there(w, size, words, values, reach) + there(x, size, words, values, reach);
						}
						for (; k < kept; k += 32) {
							if (k + mine < kept) {
								found += there(others[k + mine], size, words, values, reach);
							}
						}
					}
				}
			}
			if (found > 0) {
				atomicAdd((unsigned long long *)(&sums[i % 1024]), (unsigned long long)((long)found));
			}
		}
	}
}

extern "C" __global__ void add(struct irgl_graph graph) {
	for (long i_at = irgl_thread(); i_at < 1024; i_at += irgl_threads()) {
		int i = (int)i_at;
		atomicAdd((unsigned long long *)(&triangles), (unsigned long long)sums[i]);
	}
}

static void irgl_check(cudaError_t status) {
	if (status != cudaSuccess) {
		fprintf(stderr, "irgl: %s\n", cudaGetErrorString(status));
		exit(1);
	}
}

static int irgl_blocks(int n, int threads) {
	int blocks = (n - 1) / threads + 1;
	if (blocks > irgl_max_blocks) {
		blocks = irgl_max_blocks;
	}
	return blocks < 1 ? 1 : blocks;
}

static void irgl_invoke_orient(struct irgl_graph graph) {
	orient<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_mark(struct irgl_graph graph) {
	mark<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_reserve(struct irgl_graph graph) {
	reserve<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_place(struct irgl_graph graph) {
	place<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_count(struct irgl_graph graph) {
	count<<<irgl_max_blocks, 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_add(struct irgl_graph graph) {
	add<<<irgl_max_blocks, 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
	irgl_init_edges<<<irgl_max_blocks, 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void tri_or(struct irgl_graph graph) {
	irgl_invoke_orient(graph);
	irgl_invoke_mark(graph);
	irgl_invoke_reserve(graph);
	irgl_invoke_place(graph);
	irgl_invoke_count(graph);
	irgl_invoke_add(graph);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	tri_or(graph);
}
