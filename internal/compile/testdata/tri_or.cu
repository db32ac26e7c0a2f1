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
	int *list;
	unsigned int *bits;
	int (*table)[2];
};

int irgl_max_blocks = 1024;

__device__ long triangles = 0;
__device__ long parts[1024];

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

static __device__ inline int common(struct irgl_graph graph, int few, int many, int first) {
	int kept = graph.kept[few];
	unsigned int size = 2 * graph.kept[many];
	int *list = &graph.list[graph.row[few] + 0];
	unsigned int *bits = &graph.bits[graph.row[many] + 0];
	int *table = &graph.table[graph.row[many] + 0][0];
	int found = 0;
	for (int k = first; k < kept; k += 32) {
		int w = list[k];
		unsigned int bit = __umulhi(w * 2654435769u, 16 * size);
		if ((bits[bit / 32] >> bit % 32 & 1) != 0) {
			unsigned int i = bit / 16;
			while (table[i] != 0 && table[i] != w + 1) {
				i = i + 1 < size ? i + 1 : 0;
			}
			if (table[i] != 0) {
				found++;
			}
		}
	}
	return found;
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.kept[id] = 0;
	}
}

extern "C" __global__ void irgl_init_edges(struct irgl_graph graph) {
	for (long id = irgl_thread(); id < graph.nedges; id += irgl_threads()) {
		graph.list[id] = 0;
		graph.bits[id] = 0;
		for (int k0 = 0; k0 < 2; k0++) {
			graph.table[id][k0] = 0;
		}
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

extern "C" __global__ void fill(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		int kept = graph.kept[u];
		unsigned int size = 2 * kept;
		{
			int k_high = kept;
			for (int k = 0; k < k_high; k++) {
				int v = graph.list[graph.row[u] + k];
				unsigned int bit = __umulhi(v * 2654435769u, 16 * size);
				atomicOr(&graph.bits[graph.row[u] + (bit / 32)], 1u << bit % 32);
				unsigned int i = bit / 16;
				while (atomicCAS(&graph.table[graph.row[u] + (i / 2)][i % 2], 0, v + 1) != 0) {
					i = i + 1 < size ? i + 1 : 0;
				}
			}
		}
	}
}

extern "C" __global__ void count(struct irgl_graph graph) {
	{
		int i_high = 32 * min(graph.nnodes, 67108863);
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			int found = 0;
			for (long at = i / 32; at < graph.nnodes; at += 67108863) {
				int u = at;
				int kept = graph.kept[u];
				for (int j = 0; j < kept; j++) {
					int v = graph.list[graph.row[u] + j];
					int other = graph.kept[v];
					if (other > 0) {
						int few = other < kept ? v : u;
						int many = other < kept ? u : v;
						found += common(graph, few, many, i % 32);
					}
				}
			}
			if (found > 0) {
				atomicAdd((unsigned long long *)(&parts[i % 1024]), (unsigned long long)((long)found));
			}
		}
	}
}

extern "C" __global__ void add(struct irgl_graph graph) {
	for (long i_at = irgl_thread(); i_at < 1024; i_at += irgl_threads()) {
		int i = (int)i_at;
		atomicAdd((unsigned long long *)(&triangles), (unsigned long long)parts[i]);
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

static void irgl_invoke_fill(struct irgl_graph graph) {
	fill<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
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
	irgl_invoke_fill(graph);
	irgl_invoke_count(graph);
	irgl_invoke_add(graph);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	tri_or(graph);
}
