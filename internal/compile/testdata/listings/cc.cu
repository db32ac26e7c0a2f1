// Made by irgl from cc.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	int *comp;
};

__device__ int irgl_reduced[3];
int irgl_max_blocks = 1024;

long irgl_iterations = 0;

__device__ int components = 0;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ void irgl_any(int *reduced, bool value) {
	if (value && *(volatile int *)reduced == 0) {
		atomicOr(reduced, 1);
	}
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.comp[id] = id;
	}
}

extern "C" __global__ void hook_any(struct irgl_graph graph, int *reduced) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			int a = graph.comp[n];
			int b = graph.comp[e_dst];
			if (a != b) {
				atomicMin(&graph.comp[max(a, b)], min(a, b));
				{
					irgl_any(reduced, 1);
					continue;
				}
			}
		}
	}
}

extern "C" __global__ void compress(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		int root = graph.comp[n];
		while (root != graph.comp[root]) {
			root = graph.comp[root];
		}
		graph.comp[n] = root;
	}
}

extern "C" __global__ void count(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.comp[n] == n) {
			atomicAdd(&components, 1);
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

static int *irgl_reduce_begin() {
	void *reduced;
	irgl_check(cudaGetSymbolAddress(&reduced, irgl_reduced));
	irgl_check(cudaMemset(reduced, 0, 3 * sizeof(int)));
	return (int *)reduced;
}

static bool irgl_reduce_end(int *reduced) {
	int value;
	irgl_check(cudaMemcpy(&value, reduced, sizeof(int), cudaMemcpyDeviceToHost));
	return value != 0;
}

static bool irgl_invoke_hook_any(struct irgl_graph graph) {
	int *irgl_reduced_at = irgl_reduce_begin();
	hook_any<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph, irgl_reduced_at);
	irgl_check(cudaGetLastError());
	return irgl_reduce_end(irgl_reduced_at);
}

static void irgl_invoke_compress(struct irgl_graph graph) {
	compress<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_count(struct irgl_graph graph) {
	count<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void cc(struct irgl_graph graph) {
	{
		bool irgl_again = true;
		do {
			irgl_again = irgl_invoke_hook_any(graph);
			irgl_iterations++;
			irgl_invoke_compress(graph);
		} while (irgl_again);
	}
	irgl_invoke_count(graph);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	cc(graph);
}
