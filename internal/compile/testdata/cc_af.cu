// Made by irgl from cc_af.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	int *votes;
};

int irgl_max_blocks = 1024;

__device__ int components = 0;
__device__ int parts[1024];
__device__ long largest = 0;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

static __device__ inline void join(struct irgl_graph graph, int u, int v) {
	int a = graph.comp[u];
	int b = graph.comp[v];
	while (a != b) {
		int low = min(a, b);
		int high = max(a, b);
		int parent = graph.comp[high];
		if (parent == high) {
			parent = atomicCAS(&graph.comp[high], high, low);
			if (parent == high) {
				break;
			}
		}
		a = parent;
		b = low;
	}
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.comp[id] = id;
		graph.votes[id] = 0;
	}
}

extern "C" __global__ void start(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (irgl_degree(graph, n) > 0) {
			graph.comp[n] = min(n, graph.dst[graph.row[n] + 0]);
		}
	}
}

extern "C" __global__ void second(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (irgl_degree(graph, n) > 1) {
			join(graph, n, graph.dst[graph.row[n] + 1]);
		}
	}
}

extern "C" __global__ void compress(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		int up = graph.comp[n];
		while (up != graph.comp[up]) {
			up = graph.comp[up];
			graph.comp[n] = up;
		}
	}
}

extern "C" __global__ void vote(struct irgl_graph graph, int apart) {
	{
		int i_high = graph.nnodes / apart;
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			int n = (i * apart);
			atomicAdd(&graph.votes[graph.comp[n]], 1);
		}
	}
}

extern "C" __global__ void elect(struct irgl_graph graph, int apart) {
	{
		int i_high = graph.nnodes / apart;
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			int n = (i * apart);
			atomicMax((long long *)(&largest), (long long)(((long)graph.votes[graph.comp[n]] << 32) + graph.comp[n]));
		}
	}
}

extern "C" __global__ void rest(struct irgl_graph graph) {
	int skip = largest;
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.comp[n] != skip) {
			for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
				int e_dst = graph.dst[e];
				join(graph, n, e_dst);
			}
		}
	}
}

extern "C" __global__ void count(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.comp[n] == n) {
			atomicAdd(&parts[n % 1024], 1);
		}
	}
}

extern "C" __global__ void add(struct irgl_graph graph) {
	for (long i_at = irgl_thread(); i_at < 1024; i_at += irgl_threads()) {
		int i = (int)i_at;
		atomicAdd(&components, parts[i]);
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

static void irgl_invoke_start(struct irgl_graph graph) {
	start<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_second(struct irgl_graph graph) {
	second<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_compress(struct irgl_graph graph) {
	compress<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_vote(struct irgl_graph graph, int irgl_1) {
	vote<<<irgl_max_blocks, 256>>>(graph, irgl_1);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_elect(struct irgl_graph graph, int irgl_1) {
	elect<<<irgl_max_blocks, 256>>>(graph, irgl_1);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_rest(struct irgl_graph graph) {
	rest<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
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

static void cc_af(struct irgl_graph graph) {
	irgl_invoke_start(graph);
	irgl_invoke_compress(graph);
	irgl_invoke_second(graph);
	irgl_invoke_compress(graph);
	int apart = graph.nnodes / 1024 + 1;
	irgl_invoke_vote(graph, apart);
	irgl_invoke_elect(graph, apart);
	irgl_invoke_rest(graph);
	irgl_invoke_compress(graph);
	irgl_invoke_count(graph);
	irgl_invoke_add(graph);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	cc_af(graph);
}
