// Made by irgl from tri.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	unsigned long *larger;
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

static __device__ inline unsigned long bit(int n) {
	return (unsigned long)1 << ((unsigned int)n * 2654435769u >> 26);
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.larger[id] = 0;
	}
}

extern "C" __global__ void sign(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		unsigned long larger = 0;
		for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			if (n < e_dst) {
				larger |= bit(e_dst);
			}
		}
		graph.larger[n] = larger;
	}
}

extern "C" __global__ void count(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		for (irgl_index e = graph.row[u], e_end = graph.row[u + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			int v = e_dst;
			if (u < v && (graph.larger[u] & graph.larger[v]) != 0) {
				int few = v;
				int many = u;
				if (irgl_degree(graph, u) < irgl_degree(graph, v)) {
					few = u;
					many = v;
				}
				unsigned long may = graph.larger[many];
				int found = 0;
				int low = 0;
				for (irgl_index f = graph.row[few], f_end = graph.row[few + 1]; f < f_end; f++) {
					int f_dst = graph.dst[f];
					int w = f_dst;
					if (w > v && (may & bit(w)) != 0) {
						int high = irgl_degree(graph, many);
						while (low < high) {
							int middle = (low + high) / 2;
							if (graph.dst[graph.row[many] + middle] < w) {
								low = middle + 1;
							} else {
								high = middle;
							}
						}
						if (low == irgl_degree(graph, many)) {
							break;
						}
						if (graph.dst[graph.row[many] + low] == w) {
							found++;
						}
					}
				}
				if (found > 0) {
					atomicAdd((unsigned long long *)(&parts[u % 1024]), (unsigned long long)((long)found));
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

static void irgl_invoke_sign(struct irgl_graph graph) {
	sign<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
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
}

static void tri(struct irgl_graph graph) {
	irgl_invoke_sign(graph);
	irgl_invoke_count(graph);
	irgl_invoke_add(graph);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	tri(graph);
}
