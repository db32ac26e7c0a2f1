// Made by irgl from bfs_do.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	const irgl_index *in_row;
	const int *in_dst;
	int *level;
};

struct irgl_frame_1 {
	int LEVEL;
	int every;
	long before;
	bool pulling;
	int gamma;
	int alpha;
	int beta;
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
__device__ long seen = 0;
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

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

static __device__ __forceinline__ int irgl_in_degree(struct irgl_graph graph, int node) {
	return (int)(graph.in_row[node + 1] - graph.in_row[node]);
}

static __device__ inline bool follows(struct irgl_graph graph, int n, int LEVEL) {
	int last = irgl_in_degree(graph, n) - 1;
	for (int first = 0; first <= last; first += 4) {
		bool found = 0;

		#pragma unroll
		for (int k = 0; k < 4; k++) {
			found |= graph.level[graph.in_dst[graph.in_row[n] + min(first + k, last)]] == LEVEL - 1;
		}
		if (found) {
			return 1;
		}
	}
	return 0;
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.level[id] = 2147483647;
	}
}

static __device__ __forceinline__ void irgl_body_push(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, int LEVEL, int every) {
	for (int i = irgl_thread(), i_end = irgl_size(in); i < i_end; i += irgl_threads()) {
		int n = irgl_pop(in, i);
		for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			if (graph.level[e_dst] == 2147483647 && atomicCAS(&graph.level[e_dst], 2147483647, LEVEL) == 2147483647) {
				irgl_push(out, e_dst);
				if (e_dst % every == 0) {
					atomicAdd((unsigned long long *)(&seen), (unsigned long long)irgl_degree(graph, e_dst));
				}
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_push(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl, int irgl_1, int irgl_2) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_push(graph, irgl_wl->in, irgl_wl->out, irgl_1, irgl_2);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

static __device__ __forceinline__ void irgl_body_sweep(struct irgl_graph graph, int LEVEL) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.level[n] == LEVEL - 1) {
			for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
				int e_dst = graph.dst[e];
				if (graph.level[e_dst] == 2147483647) {
					graph.level[e_dst] = LEVEL;
				}
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_sweep(struct irgl_graph graph, int *irgl_calls, int irgl_1) {
	irgl_look(*irgl_calls);
	irgl_body_sweep(graph, irgl_1);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_collect(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, int LEVEL, int every) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.level[n] == LEVEL) {
			irgl_push(out, n);
			if (n % every == 0) {
				atomicAdd((unsigned long long *)(&seen), (unsigned long long)irgl_degree(graph, n));
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_collect(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl, int irgl_1, int irgl_2) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_collect(graph, irgl_wl->in, irgl_wl->out, irgl_1, irgl_2);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

static __device__ __forceinline__ void irgl_body_pull(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, int LEVEL, int every) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.level[n] == 2147483647) {
			if (follows(graph, n, LEVEL)) {
				graph.level[n] = LEVEL;
				irgl_push(out, n);
				if (n % every == 0) {
					atomicAdd((unsigned long long *)(&seen), (unsigned long long)irgl_degree(graph, n));
				}
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_pull(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl, int irgl_1, int irgl_2) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_pull(graph, irgl_wl->in, irgl_wl->out, irgl_1, irgl_2);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_1(struct irgl_graph graph, struct irgl_frame_1 irgl_frame) {
	int LEVEL = irgl_frame.LEVEL;
	int every = irgl_frame.every;
	long before = irgl_frame.before;
	bool pulling = irgl_frame.pulling;
	int gamma = irgl_frame.gamma;
	int alpha = irgl_frame.alpha;
	int beta = irgl_frame.beta;
	long irgl_iterations = irgl_frame.irgl_iterations;
	struct irgl_pipe irgl_wl = irgl_frame.irgl_wl;
	int irgl_calls = 0;
	{
		while (irgl_wl.size > 0) {
			irgl_iterations++;
			int size = irgl_wl.size;
			if (pulling) {
				irgl_call_pull(graph, &irgl_calls, &irgl_wl, LEVEL, every);
				if (irgl_calls < 0 || irgl_wl.need != 0) {
					goto irgl_leave;
				}
			} else if ((long)size * gamma > graph.nnodes) {
				irgl_call_sweep(graph, &irgl_calls, LEVEL);
				if (irgl_calls < 0) {
					goto irgl_leave;
				}
				irgl_call_collect(graph, &irgl_calls, &irgl_wl, LEVEL, every);
				if (irgl_calls < 0 || irgl_wl.need != 0) {
					goto irgl_leave;
				}
			} else {
				irgl_call_push(graph, &irgl_calls, &irgl_wl, LEVEL, every);
				if (irgl_calls < 0 || irgl_wl.need != 0) {
					goto irgl_leave;
				}
			}
			LEVEL++;
			if (pulling || (long)irgl_wl.size * 256 > graph.nnodes) {
				long now = seen * every;
				long work = (now - before) * alpha;
				before = now;
				if (pulling) {
					pulling = irgl_wl.size > size || (long)irgl_wl.size * beta > graph.nnodes;
				} else {
					pulling = work > graph.nedges - now && work > graph.nnodes;
				}
				irgl_grid_barrier();
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

static int irgl_more(int a, int b) {
	return a > b ? a : b;
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

static inline int irgl_set_level(struct irgl_graph graph, long i, int value) {
	irgl_write(graph.level, (size_t)graph.nnodes * sizeof(int), (size_t)i * sizeof(int), &value, sizeof(int));
	return value;
}

static void irgl_launch_1(struct irgl_graph graph, struct irgl_frame_1 *irgl_frame, struct irgl_pipe *irgl_wl) {
	irgl_flush(graph.level);
	irgl_frame->irgl_iterations = irgl_iterations;
	irgl_pipe_lend(irgl_wl);
	irgl_frame->irgl_wl = *irgl_wl;
	int irgl_b = irgl_control_blocks((const void *)irgl_control_1, 512, 2, irgl_blocks(irgl_more(graph.nnodes, irgl_wl->in.capacity), 512));
	void *irgl_args[] = {&graph, irgl_frame};
	irgl_check(cudaLaunchCooperativeKernel((const void *)irgl_control_1, (dim3)irgl_b, (dim3)512, irgl_args, 0, 0));
	irgl_check(cudaMemcpyFromSymbol(irgl_frame, irgl_result_1, sizeof(struct irgl_frame_1)));
	*irgl_wl = irgl_frame->irgl_wl;
	irgl_pipe_back(irgl_wl);
	if (irgl_wl->need != 0) {
		irgl_overflow(irgl_wl->need);
	}
	irgl_iterations = irgl_frame->irgl_iterations;
	irgl_stale(graph.level);
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void bfs_do(struct irgl_graph graph, int src, int alpha, int beta, int gamma) {
	irgl_set_level(graph, src, 0);
	int LEVEL = 1;
	int every = 1 + graph.nnodes / 65536;
	long before = 0;
	bool pulling = 0;
	{
		struct irgl_pipe irgl_wl;
		int irgl_items[1] = {(int)src};
		irgl_pipe_open(&irgl_wl, graph.nnodes, irgl_items, 1);
		struct irgl_frame_1 irgl_frame;
		irgl_frame.LEVEL = LEVEL;
		irgl_frame.every = every;
		irgl_frame.before = before;
		irgl_frame.pulling = pulling;
		irgl_frame.gamma = gamma;
		irgl_frame.alpha = alpha;
		irgl_frame.beta = beta;
		irgl_launch_1(graph, &irgl_frame, &irgl_wl);
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph, int irgl_0, int irgl_1, int irgl_2, int irgl_3) {
	irgl_init(graph);
	bfs_do(graph, irgl_0, irgl_1, irgl_2, irgl_3);
	irgl_settle();
}
