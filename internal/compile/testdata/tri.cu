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
};

int irgl_max_blocks = 1024;

__device__ long triangles = 0;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

extern "C" __global__ void count(struct irgl_graph graph) {
	for (int u = irgl_thread(); u < graph.nnodes; u += irgl_threads()) {
		for (irgl_index e = graph.row[u], e_end = graph.row[u + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			int v = e_dst;
			if (u < v) {
				int few = v;
				int many = u;
				if (irgl_degree(graph, u) < irgl_degree(graph, v)) {
					few = u;
					many = v;
				}
				int found = 0;
				int low = 0;
				for (irgl_index f = graph.row[few], f_end = graph.row[few + 1]; f < f_end; f++) {
					int f_dst = graph.dst[f];
					int w = f_dst;
					if (w > v) {
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
					atomicAdd((unsigned long long *)(&triangles), (unsigned long long)((long)found));
				}
			}
		}
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

static void irgl_invoke_count(struct irgl_graph graph) {
	count<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void tri(struct irgl_graph graph) {
	irgl_invoke_count(graph);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	tri(graph);
}
