// Made by irgl from report1_min_edge.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	int pushed;
	int retried;
	int size;
	int narrow;
	int need;
};

struct irgl_graph {
	int nnodes;
	long nedges;
	const irgl_index *row;
	const int *dst;
	const int *weight;
	int *components;
	int *component_locks;
	int *component_minwt;
	long *component_minedge;
	int *changes;
};

int irgl_max_blocks = 1024;
int irgl_capacity = 0;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ void irgl_fence() {
	__nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
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

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.components[id] = id;
		graph.component_locks[id] = 0;
		graph.component_minwt[id] = 2147483647;
		graph.component_minedge[id] = 0;
		graph.changes[id] = 0;
	}
}

extern "C" __global__ void all_nodes(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		irgl_push(out, n);
	}
}

extern "C" __global__ void find_min_edge(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out) {
	for (int nidx = irgl_thread(), nidx_end = irgl_size(in); nidx < nidx_end; nidx += irgl_threads()) {
		int n = irgl_pop(in, nidx);
		int n_component = graph.components[n];
		int minwt = 2147483647;
		long minedge = 0;

		for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];

			if (graph.components[e_dst] != n_component && graph.weight[e] < minwt) {
				minwt = graph.weight[e];
				minedge = (long)e;
			}
		}

		int component = n_component;
		{
			int *lock = &graph.component_locks[component];
			bool taken = false;
			while (!taken) {
				if (atomicCAS(lock, 0, 1) == 0) {
					irgl_fence();
					if (graph.component_minwt[component] > minwt) {
						graph.component_minwt[component] = minwt;
						graph.component_minedge[component] = minedge;
						graph.changes[component]++;
					}
					irgl_fence();
					atomicExch(lock, 0);
					taken = true;
				}
			}
		}

		if (minwt != 2147483647) {
			irgl_push(out, n);
		}
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

static void irgl_list_open(struct irgl_worklist *list, int capacity, size_t item, int *count) {
	list->capacity = capacity;
	list->size = 0;
	list->count = count;
	irgl_check(cudaMalloc((void **)&list->items, (size_t)capacity * item));
}

static int *irgl_counter(struct irgl_pipe *pipe, int number) {
	return pipe->counts + 32 * number;
}

static int *irgl_next_counter(struct irgl_pipe *pipe, int first, int *n) {
	if (*n == 128) {
		*n = 64;
	}
	if (*n >= 64 && *n % 32 == 0) {
		irgl_check(cudaMemset(irgl_counter(pipe, first + *n % 64), 0, 32 * 128));
	}
	return irgl_counter(pipe, first + (*n)++ % 64);
}

static int *irgl_fresh(struct irgl_pipe *pipe) {
	return irgl_next_counter(pipe, 5, &pipe->pushed);
}

static void irgl_pipe_begin(struct irgl_pipe *pipe, int capacity, size_t item, int n) {
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
	irgl_check(cudaMalloc((void **)&counts, (5 + 64 + 64) * 128));
	irgl_check(cudaMemset(counts, 0, (5 + 64 + 64) * 128));
	pipe->counts = counts;
	pipe->used = counts;
	pipe->zero = counts;
	pipe->pushed = 0;
	pipe->retried = 0;
	irgl_list_open(&pipe->in, capacity, item, irgl_fresh(pipe));
	irgl_list_open(&pipe->out, capacity, item, irgl_fresh(pipe));
	pipe->in.size = n;
	pipe->size = n;
	pipe->narrow = 0;
	pipe->need = 0;
	if (n > 0) {
		irgl_check(cudaMemcpy(pipe->in.count, &n, sizeof(int), cudaMemcpyHostToDevice));
	}
}

static void irgl_pipe_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
	irgl_pipe_begin(pipe, capacity, sizeof(int), n);
	if (n > 0) {
		irgl_check(cudaMemcpy(pipe->in.items, items, (size_t)n * sizeof(int), cudaMemcpyHostToDevice));
	}
}

static void irgl_pipe_swap(struct irgl_pipe *pipe) {
	struct irgl_worklist pushed = pipe->out;
	irgl_check(cudaMemcpy(&pipe->size, pushed.count, sizeof(int), cudaMemcpyDeviceToHost));
	pipe->out = pipe->in;
	pipe->in = pushed;
	pipe->out.count = irgl_fresh(pipe);
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

static void irgl_invoke_all_nodes(struct irgl_graph graph, struct irgl_pipe *irgl_wl) {
	all_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph, irgl_wl->in, irgl_wl->out);
	irgl_check(cudaGetLastError());
	irgl_pipe_swap(irgl_wl);
}

static void irgl_invoke_find_min_edge(struct irgl_graph graph, struct irgl_pipe *irgl_wl) {
	find_min_edge<<<irgl_blocks(irgl_wl->size, 256), 256>>>(graph, irgl_wl->in, irgl_wl->out);
	irgl_check(cudaGetLastError());
	irgl_pipe_swap(irgl_wl);
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void main_(struct irgl_graph graph) {
	{
		struct irgl_pipe irgl_wl;
		irgl_pipe_open(&irgl_wl, graph.nnodes, NULL, 0);
		{
			irgl_invoke_all_nodes(graph, &irgl_wl);
			irgl_invoke_find_min_edge(graph, &irgl_wl);
		}
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	main_(graph);
}
