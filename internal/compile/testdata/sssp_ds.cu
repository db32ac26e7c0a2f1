// Made by irgl from sssp_ds.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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

struct irgl_mirror {
	char *device;
	char *host;
	size_t bytes;
	int accesses;
	bool valid;
	bool dirty;
};

struct irgl_graph {
	int nnodes;
	long nedges;
	const irgl_index *row;
	const int *dst;
	const int *weight;
	int *dist;
	int *done;
	int (*list)[2];
};

struct irgl_frame_1 {
	int delta;
	int busy;
	long irgl_iterations;
	struct irgl_pipe irgl_wl;
};

__device__ unsigned int irgl_arrived = 0;

__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;
int irgl_max_blocks = 1024;
int irgl_capacity = 0;
long irgl_iterations = 0;

struct irgl_mirror irgl_mirrors[64];
int irgl_mirror_count = 0;
__device__ long sampled = 0;
__device__ int waiting = 0;
__device__ int lowest = 2147483647;
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

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.dist[id] = 2147483647;
		graph.done[id] = 2147483647;
		for (int k0 = 0; k0 < 2; k0++) {
			graph.list[id][k0] = 0;
		}
	}
}

static __device__ __forceinline__ void irgl_body_weigh(struct irgl_graph graph) {
	{
		int i_high = graph.nedges > 0 ? 1024 : 0;
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			long e = i * graph.nedges / 1024;
			atomicAdd((unsigned long long *)(&sampled), (unsigned long long)((long)graph.weight[e]));
		}
	}
}

static __device__ __forceinline__ void irgl_call_weigh(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_weigh(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_relax(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, long bound, int first, int side, int every) {
	for (int wlidx = irgl_thread(), wlidx_end = irgl_size(in); wlidx < wlidx_end; wlidx += irgl_threads()) {
		int n = irgl_pop(in, wlidx);
		int here = graph.dist[n];
		if (here < graph.done[n]) {
			graph.done[n] = here;
			for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
				int e_dst = graph.dst[e];
				int d = here + graph.weight[e];
				if (d < graph.dist[e_dst]) {
					int before = atomicMin(&graph.dist[e_dst], d);
					if (d < before) {
						if (d < bound) {
							irgl_push(out, e_dst);
						} else {
							if (before == 2147483647) {
								graph.list[atomicAdd(&waiting, 1)][1 - side] = e_dst;
							}
							if (e_dst % every == 0) {
								atomicMin(&lowest, d);
							}
						}
					}
				}
			}
		}
	}
	{
		int i_high = first;
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			int n = graph.list[i][side];
			int here = graph.dist[n];
			if (here >= bound) {
				graph.list[atomicAdd(&waiting, 1)][1 - side] = n;
				if (n % every == 0) {
					atomicMin(&lowest, here);
				}
			} else if (here < graph.done[n]) {
				irgl_push(out, n);
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_relax(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl, long irgl_1, int irgl_2, int irgl_3, int irgl_4) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_relax(graph, irgl_wl->in, irgl_wl->out, irgl_1, irgl_2, irgl_3, irgl_4);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_1(struct irgl_graph graph, struct irgl_frame_1 irgl_frame) {
	int delta = irgl_frame.delta;
	int busy = irgl_frame.busy;
	long irgl_iterations = irgl_frame.irgl_iterations;
	struct irgl_pipe irgl_wl = irgl_frame.irgl_wl;
	int irgl_calls = 0;
	{
		{
			long least = delta;
			if (least <= 0) {
				irgl_call_weigh(graph, &irgl_calls);
				if (irgl_calls < 0) {
					goto irgl_leave;
				}
				double degree = (double)max(graph.nedges, 1L) / graph.nnodes;
				least = 1 + (long)(3 * (sampled / 1024) / degree);
			}
			int every = 1 + graph.nnodes / 1048576;
			int many = busy;
			long width = least;
			long bound = width;
			long relaxed = 0;
			int runs = 0;
			int first = 0;
			int side = 0;
			while (irgl_wl.size > 0 || first > 0) {
				relaxed += irgl_wl.size;
				runs++;
				irgl_call_relax(graph, &irgl_calls, &irgl_wl, bound, first, side, every);
				if (irgl_calls < 0 || irgl_wl.need != 0) {
					goto irgl_leave;
				}
				first = 0;

				if (irgl_wl.size <= busy / 16) {
					if (irgl_wl.size == 0 || waiting > busy) {
						first = waiting;
						if (first > graph.nnodes / 16) {
							many = max(busy, 262144);
						}
						if (relaxed < (long)runs * many && first < many) {
							width = min(2 * width, (long)2147483647);
						} else if (relaxed > 2L * runs * many) {
							width = max(width / 2, least);
						}
						bound = (lowest < 2147483647 ? lowest : bound) + width;
						side = 1 - side;
						irgl_grid_barrier();
						if (irgl_thread() == 0) {
							waiting = 0;
						}
						if (irgl_thread() == 0) {
							lowest = 2147483647;
						}
						relaxed = 0;
						runs = 0;
					}
					irgl_grid_barrier();
				}
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

static struct irgl_mirror *irgl_find_mirror(void *device) {
	for (int i = 0; i < irgl_mirror_count; i++) {
		if (irgl_mirrors[i].device == (char *)device) {
			return &irgl_mirrors[i];
		}
	}
	return NULL;
}

static struct irgl_mirror *irgl_touch(void *device, size_t bytes) {
	struct irgl_mirror *m = irgl_find_mirror(device);
	if (m == NULL) {
		if (irgl_mirror_count == 64) {
			return NULL;
		}
		m = &irgl_mirrors[irgl_mirror_count++];
		m->device = (char *)device;
		m->host = NULL;
		m->bytes = bytes;
		m->accesses = 0;
		m->valid = false;
		m->dirty = false;
	}
	m->accesses++;
	if (!m->valid && m->accesses > 16) {
		if (m->host == NULL) {
			m->host = (char *)malloc(bytes);
			if (m->host == NULL) {
				return m;
			}
		}
		irgl_check(cudaMemcpy(m->host, device, bytes, cudaMemcpyDeviceToHost));
		m->valid = true;
	}
	return m;
}

static void irgl_write(void *device, size_t bytes, size_t offset, const void *value, size_t size) {
	struct irgl_mirror *m = irgl_touch(device, bytes);
	if (m != NULL && m->valid) {
		memcpy(m->host + offset, value, size);
		m->dirty = true;
	} else {
		irgl_check(cudaMemcpy((char *)device + offset, value, size, cudaMemcpyHostToDevice));
	}
}

static void irgl_flush(void *device) {
	struct irgl_mirror *m = irgl_find_mirror(device);
	if (m != NULL && m->dirty) {
		irgl_check(cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice));
		m->dirty = false;
	}
}

static void irgl_stale(void *device) {
	struct irgl_mirror *m = irgl_find_mirror(device);
	if (m != NULL) {
		m->valid = false;
		m->accesses = 0;
	}
}

static void irgl_settle() {
	for (int i = 0; i < irgl_mirror_count; i++) {
		struct irgl_mirror *m = &irgl_mirrors[i];
		irgl_flush(m->device);
		free(m->host);
	}
	irgl_mirror_count = 0;
}

static inline int irgl_set_dist(struct irgl_graph graph, long i, int value) {
	irgl_write(graph.dist, (size_t)graph.nnodes * sizeof(int), (size_t)i * sizeof(int), &value, sizeof(int));
	return value;
}

static void irgl_launch_1(struct irgl_graph graph, struct irgl_frame_1 *irgl_frame, struct irgl_pipe *irgl_wl) {
	irgl_flush(graph.dist);
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
	irgl_stale(graph.dist);
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void sssp_ds(struct irgl_graph graph, int src, int delta, int busy) {
	irgl_set_dist(graph, src, 0);
	{
		struct irgl_pipe irgl_wl;
		int irgl_items[1] = {(int)src};
		irgl_pipe_open(&irgl_wl, graph.nnodes, irgl_items, 1);
		struct irgl_frame_1 irgl_frame;
		irgl_frame.delta = delta;
		irgl_frame.busy = busy;
		irgl_launch_1(graph, &irgl_frame, &irgl_wl);
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph, int irgl_0, int irgl_1, int irgl_2) {
	irgl_init(graph);
	sssp_ds(graph, irgl_0, irgl_1, irgl_2);
	irgl_settle();
}
