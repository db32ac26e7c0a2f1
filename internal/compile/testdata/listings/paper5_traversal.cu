// Made by irgl from paper5_traversal.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int irgl_index;

struct irgl_worklist {
	int *items;
	int *count;
	int capacity;
	int size;
};

struct irgl_pipe {
	struct irgl_worklist in;
	struct irgl_worklist out;
	struct irgl_worklist retry;
	int *counts;
	int *used;
	int *zero;
	int size;
	int narrow;
	int need;
};

struct irgl_graph {
	int nnodes;
	long nedges;
	const irgl_index *row;
	const int *dst;
};

int irgl_max_blocks = 1024;
int irgl_capacity = 0;

__device__ int visited = 0;
__device__ long sum = 0;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_size(struct irgl_worklist in) {
	return in.size;
}

static __device__ __forceinline__ int irgl_pop(struct irgl_worklist in, int index) {
	return in.items[index];
}

static __device__ __forceinline__ void irgl_push(struct irgl_worklist out, int item) {
	int at = atomicAdd(out.count, 1);

	if ((unsigned int)at < (unsigned int)out.capacity) {
		out.items[at] = item;
	}
}

extern "C" __global__ void traverse(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			irgl_push(out, e_dst);
		}
	}
}

extern "C" __global__ void count(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out) {
	for (int wlidx = irgl_thread(), wlidx_end = irgl_size(in); wlidx < wlidx_end; wlidx += irgl_threads()) {
		atomicAdd(&visited, 1);
		atomicAdd((unsigned long long *)(&sum), (unsigned long long)((long)irgl_pop(in, wlidx)));
	}
}

static void irgl_check(cudaError_t status) {
	if (status != cudaSuccess) {
		fprintf(stderr, "irgl: %s\n", cudaGetErrorString(status));
		exit(1);
	}
}

static void irgl_overflow(int need) {
	fprintf(stderr, "irgl: a worklist overflowed: set irgl_capacity to at least %d\n", need);
	exit(3);
}

static int irgl_blocks(int n, int threads) {
	int blocks = (n - 1) / threads + 1;
	if (blocks > irgl_max_blocks) {
		blocks = irgl_max_blocks;
	}
	return blocks < 1 ? 1 : blocks;
}

static void irgl_list_open(struct irgl_worklist *list, int capacity, int *count) {
	list->capacity = capacity;
	list->size = 0;
	list->count = count;
	irgl_check(cudaMalloc((void **)&list->items, (size_t)capacity * sizeof(int)));
}

static void irgl_pipe_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
	if (irgl_capacity > 0) {
		capacity = irgl_capacity;
	}
	if (capacity < 1) {
		capacity = 1;
	}
	if (n > capacity) {
		irgl_overflow(n);
	}
	int *counts;
	irgl_check(cudaMalloc((void **)&counts, 5 * 128));
	irgl_check(cudaMemset(counts, 0, 5 * 128));
	pipe->counts = counts;
	irgl_list_open(&pipe->in, capacity, counts);
	irgl_list_open(&pipe->out, capacity, counts + 32);
	pipe->used = counts + 64;
	pipe->zero = counts + 128;
	pipe->in.size = n;
	pipe->size = n;
	pipe->narrow = 0;
	pipe->need = 0;
	if (n > 0) {
		irgl_check(cudaMemcpy(pipe->in.items, items, (size_t)n * sizeof(int), cudaMemcpyHostToDevice));
		irgl_check(cudaMemcpy(pipe->in.count, &n, sizeof(int), cudaMemcpyHostToDevice));
	}
}

static void irgl_pipe_swap(struct irgl_pipe *pipe) {
	struct irgl_worklist pushed = pipe->out;
	pipe->out = pipe->in;
	pipe->in = pushed;
	irgl_check(cudaMemset(pipe->out.count, 0, sizeof(int)));
	irgl_check(cudaMemcpy(&pipe->size, pipe->in.count, sizeof(int), cudaMemcpyDeviceToHost));
	if (pipe->size < 0 || pipe->size > pipe->in.capacity) {
		irgl_overflow(pipe->size < 0 ? INT_MAX : pipe->size);
	}
	pipe->in.size = pipe->size;
}

static void irgl_pipe_close(struct irgl_pipe *pipe) {
	irgl_check(cudaFree(pipe->in.items));
	irgl_check(cudaFree(pipe->out.items));
	irgl_check(cudaFree(pipe->counts));
}

static void irgl_invoke_traverse(struct irgl_graph graph, struct irgl_pipe *irgl_wl) {
	traverse<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph, irgl_wl->in, irgl_wl->out);
	irgl_check(cudaGetLastError());
	irgl_pipe_swap(irgl_wl);
}

static void irgl_invoke_count(struct irgl_graph graph, struct irgl_pipe *irgl_wl) {
	count<<<irgl_blocks(irgl_wl->size, 256), 256>>>(graph, irgl_wl->in, irgl_wl->out);
	irgl_check(cudaGetLastError());
	irgl_pipe_swap(irgl_wl);
}

static void main_(struct irgl_graph graph) {
	{
		struct irgl_pipe irgl_wl;
		irgl_pipe_open(&irgl_wl, graph.nnodes, NULL, 0);
		{
			irgl_invoke_traverse(graph, &irgl_wl);
			irgl_invoke_count(graph, &irgl_wl);
		}
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph) {
	main_(graph);
}
