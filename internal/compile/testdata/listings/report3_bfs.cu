// Made by irgl from report3_bfs.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
};

struct irgl_pipe {
	struct irgl_worklist in;
	struct irgl_worklist out;
	struct irgl_worklist retry;
	int size;
	int narrow;
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
	int *level;
};

int irgl_max_blocks = 1024;
int irgl_capacity = 0;
long irgl_iterations = 0;

struct irgl_mirror irgl_mirrors[64];
int irgl_mirror_count = 0;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_size(struct irgl_worklist in) {
	return *in.count;
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
		graph.level[id] = 2147483647;
	}
}

extern "C" __global__ void BFS(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, int LEVEL) {
	for (int wldx = irgl_thread(), wldx_end = irgl_size(in); wldx < wldx_end; wldx += irgl_threads()) {
		int n = irgl_pop(in, wldx);
		for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
			int e_dst = graph.dst[e];
			if (graph.level[e_dst] == 2147483647) {
				graph.level[e_dst] = LEVEL;
				irgl_push(out, e_dst);
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

static void irgl_list_open(struct irgl_worklist *list, int capacity) {
	list->capacity = capacity;
	irgl_check(cudaMalloc((void **)&list->items, (size_t)capacity * sizeof(int)));
	irgl_check(cudaMalloc((void **)&list->count, sizeof(int)));
	irgl_check(cudaMemset(list->count, 0, sizeof(int)));
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
	irgl_list_open(&pipe->in, capacity);
	irgl_list_open(&pipe->out, capacity);
	pipe->size = n;
	pipe->narrow = 0;
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
}

static void irgl_pipe_close(struct irgl_pipe *pipe) {
	irgl_check(cudaFree(pipe->in.items));
	irgl_check(cudaFree(pipe->in.count));
	irgl_check(cudaFree(pipe->out.items));
	irgl_check(cudaFree(pipe->out.count));
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

static void irgl_invoke_BFS(struct irgl_graph graph, struct irgl_pipe *irgl_wl, int irgl_1) {
	irgl_flush(graph.level);
	BFS<<<irgl_blocks(irgl_wl->size, 256), 256>>>(graph, irgl_wl->in, irgl_wl->out, irgl_1);
	irgl_check(cudaGetLastError());
	irgl_stale(graph.level);
	irgl_pipe_swap(irgl_wl);
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void main_(struct irgl_graph graph, int src) {
	int LEVEL = 0;
	irgl_set_level(graph, src, LEVEL++);
	{
		struct irgl_pipe irgl_wl;
		int irgl_items[1] = {(int)src};
		irgl_pipe_open(&irgl_wl, graph.nnodes, irgl_items, 1);
		while (irgl_wl.size > 0) {
			irgl_invoke_BFS(graph, &irgl_wl, LEVEL);
			irgl_iterations++;
			LEVEL++;
		}
		irgl_pipe_close(&irgl_wl);
	}
	;
}

extern "C" void irgl_run(struct irgl_graph graph, int irgl_0) {
	irgl_init(graph);
	main_(graph, irgl_0);
	irgl_settle();
}
