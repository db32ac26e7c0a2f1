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

static __device__ inline int common(struct irgl_graph graph, int few, int many) {
	int kept = graph.kept[few];
	unsigned int size = 2 * graph.kept[many];
	int found = 0;
	for (int k = 0; k < kept; k++) {
		int w = graph.list[graph.row[few] + k];
		unsigned int i = __umulhi(w * 2654435769u, size);
		int there = graph.table[graph.row[many] + (i / 2)][i % 2];
		while (there != 0 && there != w + 1) {
			i = i + 1 < size ? i + 1 : 0;
			there = graph.table[graph.row[many] + (i / 2)][i % 2];
		}
		if (there != 0) {
			found++;
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
				unsigned int i = __umulhi(v * 2654435769u, size);
				while (atomicCAS(&graph.table[graph.row[u] + (i / 2)][i % 2], 0, v + 1) != 0) {
					i = i + 1 < size ? i + 1 : 0;
				}
			}
		}
	}
}

extern "C" __global__ void count(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		int kept = graph.kept[u];
		{
			int k_high = kept;
			for (int k = 0; k < k_high; k++) {
				int v = graph.list[graph.row[u] + k];
				long found = graph.kept[v] < kept ? common(graph, v, u) : common(graph, u, v);
				if (found > 0) {
					atomicAdd((unsigned long long *)(&parts[u % 1024]), (unsigned long long)found);
				}
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
	count<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
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
