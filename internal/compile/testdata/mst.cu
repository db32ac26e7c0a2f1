// Made by irgl from mst.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	const int *src;
	bool *chosen;
	int *comp;
	long *best;
};

struct irgl_frame_1 {
	long irgl_iterations;
	struct irgl_pipe irgl_wl;
};

__device__ unsigned int irgl_arrived = 0;

__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;
int irgl_max_blocks = 1024;
int irgl_capacity = 0;
long irgl_iterations = 0;

__device__ long weight = 0;
__device__ int edges = 0;

__device__ long weights[1024];
__device__ int numbers[1024];
__device__ struct irgl_frame_1 irgl_result_1;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ void irgl_fence() {
	__nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

static __device__ __forceinline__ bool irgl_turned(unsigned int before) {
	return ((__nv_atomic_load_n(&irgl_arrived, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) ^ before) & 0x80000000u) != 0;
}

static __device__ void irgl_grid_barrier() {
	unsigned int before = 0;
	if (threadIdx.x == 0 && gridDim.x > 1) {
		before = *(volatile unsigned int *)&irgl_arrived;
	}
	__syncthreads();
	if (gridDim.x > 1) {
		if (threadIdx.x == 0) {
			unsigned int share = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
			irgl_fence();
			atomicAdd(&irgl_arrived, share);
			while (!irgl_turned(before)) {}
		}
		__syncthreads();
	}
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

static __device__ __forceinline__ void irgl_look(int calls) {
	if (calls == 15 && irgl_thread() == 0) {
		irgl_stopped = *(volatile int *)&irgl_stop;
	}
}

static __device__ __forceinline__ void irgl_looked(int *calls) {
	if (*calls == 15 && *(volatile int *)&irgl_stopped != 0) {
		*calls = -1;
	} else if (*calls >= 0) {
		*calls = (*calls + 1) % 16;
	}
}

static __device__ __forceinline__ void irgl_pipe_clear(struct irgl_pipe *pipe) {
	if (irgl_thread() == 0) {
		*pipe->used = 0;
	}
}

static __device__ __forceinline__ void irgl_pipe_need(struct irgl_pipe *pipe, int n) {
	if (n < 0 || n > pipe->in.capacity) {
		pipe->need = n < 0 ? INT_MAX : n;
	}
}

static __device__ __forceinline__ void irgl_pipe_turn(struct irgl_pipe *pipe) {
	struct irgl_worklist pushed = pipe->out;
	pipe->out.items = pipe->in.items;
	pipe->out.count = pipe->used;
	pipe->used = pipe->in.count;
	pushed.size = *pushed.count;
	pipe->in = pushed;
	pipe->size = pushed.size;
	irgl_pipe_need(pipe, pushed.size);
}

static __device__ inline void offer(struct irgl_graph graph, long e, int a, int b) {
	long key = ((long)graph.weight[e] << 32) + (unsigned int)e * 2654435769u;
	if (key < graph.best[a]) {
		atomicMin((long long *)(&graph.best[a]), (long long)key);
	}
	if (key < graph.best[b]) {
		atomicMin((long long *)(&graph.best[b]), (long long)key);
	}
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.comp[id] = id;
		graph.best[id] = 9223372036854775807L;
	}
}

extern "C" __global__ void irgl_init_edges(struct irgl_graph graph) {
	for (long id = irgl_thread(); id < graph.nedges; id += irgl_threads()) {
		graph.chosen[id] = 0;
	}
}

static __device__ __forceinline__ void irgl_body_first(struct irgl_graph graph) {
	for (long e = irgl_thread(); e < graph.nedges; e += irgl_threads()) {
		int e_dst = graph.dst[e];
		int e_src = graph.src[e];
		if (e_src < e_dst) {
			offer(graph, e, e_src, e_dst);
		}
	}
}

static __device__ __forceinline__ void irgl_call_first(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_first(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_second(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out) {
	for (long e = irgl_thread(); e < graph.nedges; e += irgl_threads()) {
		int e_dst = graph.dst[e];
		int e_src = graph.src[e];
		if (e_src < e_dst) {
			int a = graph.comp[e_src];
			int b = graph.comp[e_dst];
			if (a != b) {
				offer(graph, e, a, b);
				irgl_push(out, e);
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_second(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_second(graph, irgl_wl->in, irgl_wl->out);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

static __device__ __forceinline__ void irgl_body_find(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out) {
	for (int wlidx = irgl_thread(), wlidx_end = irgl_size(in); wlidx < wlidx_end; wlidx += irgl_threads()) {
		long e = irgl_pop(in, wlidx);
		int a = graph.comp[graph.src[e]];
		int b = graph.comp[graph.dst[e]];
		if (a != b) {
			offer(graph, e, a, b);
			irgl_push(out, e);
		}
	}
}

static __device__ __forceinline__ void irgl_call_find(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_find(graph, irgl_wl->in, irgl_wl->out);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

static __device__ __forceinline__ void irgl_body_hook(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		long key = graph.best[n];
		if (key != 9223372036854775807L) {
			long e = (unsigned int)key * 340573321u;
			int a = graph.comp[graph.src[e]];
			int b = graph.comp[graph.dst[e]];
			int other = a == n ? b : a;
			if (other != n && (graph.best[other] != key || other < n)) {
				graph.comp[n] = other;
				graph.chosen[e] = 1;
				atomicAdd((unsigned long long *)(&weights[n % 1024]), (unsigned long long)((long)graph.weight[e]));
				atomicAdd(&numbers[n % 1024], 1);
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_hook(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_hook(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_compress(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		int up = graph.comp[n];
		while (up != graph.comp[up]) {
			up = graph.comp[up];
			graph.comp[n] = up;
		}
		if (graph.best[n] != 9223372036854775807L) {
			graph.best[n] = 9223372036854775807L;
		}
	}
}

static __device__ __forceinline__ void irgl_call_compress(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_compress(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_add(struct irgl_graph graph) {
	for (long i_at = irgl_thread(); i_at < 1024; i_at += irgl_threads()) {
		int i = (int)i_at;
		atomicAdd((unsigned long long *)(&weight), (unsigned long long)weights[i]);
		atomicAdd(&edges, numbers[i]);
	}
}

static __device__ __forceinline__ void irgl_call_add(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_add(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_1(struct irgl_graph graph, struct irgl_frame_1 irgl_frame) {
	long irgl_iterations = irgl_frame.irgl_iterations;
	struct irgl_pipe irgl_wl = irgl_frame.irgl_wl;
	int irgl_calls = 0;
	{
		{
			irgl_call_first(graph, &irgl_calls);
			if (irgl_calls < 0) {
				goto irgl_leave;
			}
			irgl_call_hook(graph, &irgl_calls);
			if (irgl_calls < 0) {
				goto irgl_leave;
			}
			irgl_call_compress(graph, &irgl_calls);
			if (irgl_calls < 0) {
				goto irgl_leave;
			}
			irgl_call_second(graph, &irgl_calls, &irgl_wl);
			if (irgl_calls < 0 || irgl_wl.need != 0) {
				goto irgl_leave;
			}
			{
				while (irgl_wl.size > 0) {
					irgl_iterations++;
					irgl_call_hook(graph, &irgl_calls);
					if (irgl_calls < 0) {
						goto irgl_leave;
					}
					irgl_call_compress(graph, &irgl_calls);
					if (irgl_calls < 0) {
						goto irgl_leave;
					}
					irgl_call_find(graph, &irgl_calls, &irgl_wl);
					if (irgl_calls < 0 || irgl_wl.need != 0) {
						goto irgl_leave;
					}
				}
			}
			irgl_call_add(graph, &irgl_calls);
			if (irgl_calls < 0) {
				goto irgl_leave;
			}
		}
	}
irgl_leave:
	if (irgl_thread() == 0) {
		irgl_result_1.irgl_iterations = irgl_iterations;
		irgl_result_1.irgl_wl = irgl_wl;
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

static int irgl_fewer(int a, int b) {
	return a < b ? a : b;
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

static int *irgl_fresh_retry(struct irgl_pipe *pipe) {
	return irgl_next_counter(pipe, 69, &pipe->retried);
}

static void irgl_pipe_lend(struct irgl_pipe *pipe) {
	pipe->in.count = irgl_counter(pipe, 0);
	pipe->out.count = irgl_counter(pipe, 1);
	pipe->used = irgl_counter(pipe, 2);
	pipe->retry.count = irgl_counter(pipe, 3);
	pipe->zero = irgl_counter(pipe, 4);
}

static void irgl_pipe_back(struct irgl_pipe *pipe) {
	irgl_check(cudaMemset(pipe->counts, 0, 5 * 128));
	pipe->out.count = irgl_fresh(pipe);
	pipe->retry.count = irgl_fresh_retry(pipe);
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

static void irgl_pipe_close(struct irgl_pipe *pipe) {
	irgl_check(cudaFree(pipe->in.items));
	irgl_check(cudaFree(pipe->out.items));
	irgl_check(cudaFree(pipe->counts));
}

static int irgl_control_blocks(const void *kernel, int threads, int each, int useful) {
	int device;
	int blocks;
	int processors;
	irgl_check(cudaGetDevice(&device));
	irgl_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
	irgl_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
	blocks = irgl_fewer(irgl_fewer(blocks, each) * processors, irgl_fewer(useful, irgl_max_blocks));
	return blocks < 1 ? 1 : blocks;
}

static void irgl_launch_1(struct irgl_graph graph, struct irgl_frame_1 *irgl_frame, struct irgl_pipe *irgl_wl) {
	irgl_frame->irgl_iterations = irgl_iterations;
	irgl_pipe_lend(irgl_wl);
	irgl_frame->irgl_wl = *irgl_wl;
	int irgl_b = irgl_control_blocks((const void *)irgl_control_1, 512, 2, irgl_max_blocks);
	void *irgl_args[] = {&graph, irgl_frame};
	irgl_check(cudaLaunchCooperativeKernel((const void *)irgl_control_1, (dim3)irgl_b, (dim3)512, irgl_args, 0, 0));
	irgl_check(cudaMemcpyFromSymbol(irgl_frame, irgl_result_1, sizeof(struct irgl_frame_1)));
	*irgl_wl = irgl_frame->irgl_wl;
	irgl_pipe_back(irgl_wl);
	if (irgl_wl->need != 0) {
		irgl_overflow(irgl_wl->need);
	}
	irgl_iterations = irgl_frame->irgl_iterations;
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
	irgl_init_edges<<<irgl_max_blocks, 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void mst(struct irgl_graph graph) {
	{
		struct irgl_pipe irgl_wl;
		irgl_pipe_open(&irgl_wl, graph.nnodes, NULL, 0);
		struct irgl_frame_1 irgl_frame;
		irgl_launch_1(graph, &irgl_frame, &irgl_wl);
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	mst(graph);
}
