// Made by irgl from pr.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int irgl_index;

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
	double *rank;
	double *next;
};

__device__ int irgl_reduced[3];
int irgl_max_blocks = 1024;

struct irgl_mirror irgl_mirrors[64];
int irgl_mirror_count = 0;
__device__ double dangling = 0;
int rounds = 0;

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

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.rank[id] = 0;
		graph.next[id] = 0;
	}
}

extern "C" __global__ void start(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		graph.rank[n] = 1.0 / graph.nnodes;
	}
}

extern "C" __global__ void push(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (irgl_degree(graph, n) == 0) {
			atomicAdd(&dangling, graph.rank[n]);
		} else {
			double share = graph.rank[n] / irgl_degree(graph, n);
			for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
				int e_dst = graph.dst[e];
				atomicAdd(&graph.next[e_dst], share);
			}
		}
	}
}

extern "C" __global__ void update_any(struct irgl_graph graph, double damping, double lost, double tolerance, int *reduced) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		double r = (1 - damping) / graph.nnodes + damping * (graph.next[n] + lost / graph.nnodes);
		double change = fabs(r - graph.rank[n]);
		graph.rank[n] = r;
		graph.next[n] = 0;
		{
			irgl_any(reduced, change > tolerance);
			continue;
		}
	}
}

static void irgl_check(cudaError_t status) {
	if (status != cudaSuccess) {
		fprintf(stderr, "irgl: %s\n", cudaGetErrorString(status));
		exit(1);
	}
}

static void irgl_bad_element(const void *array, long at, long count) {
	fprintf(stderr, "irgl: index %ld is out of range: the array has %ld elements\n", at, count);
	exit(1);
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

static void irgl_read(void *device, size_t bytes, size_t offset, void *value, size_t size) {
	if (offset >= bytes) {
		irgl_bad_element(device, (long)offset / (long)size, (long)(bytes / size));
	}
	struct irgl_mirror *m = irgl_touch(device, bytes);
	if (m != NULL && m->valid) {
		memcpy(value, m->host + offset, size);
	} else {
		irgl_check(cudaMemcpy(value, (char *)device + offset, size, cudaMemcpyDeviceToHost));
	}
}

static void irgl_write(void *device, size_t bytes, size_t offset, const void *value, size_t size) {
	if (offset >= bytes) {
		irgl_bad_element(device, (long)offset / (long)size, (long)(bytes / size));
	}
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

static void *irgl_addr_var_dangling() {
	void *irgl_at;
	irgl_check(cudaGetSymbolAddress(&irgl_at, dangling));
	return irgl_at;
}

static inline double irgl_get_var_dangling(long i) {
	double value;
	irgl_read(irgl_addr_var_dangling(), 1 * sizeof(double), (size_t)i * sizeof(double), &value, sizeof(double));
	return value;
}

static inline double irgl_set_var_dangling(long i, double value) {
	irgl_write(irgl_addr_var_dangling(), 1 * sizeof(double), (size_t)i * sizeof(double), &value, sizeof(double));
	return value;
}

static void irgl_invoke_start(struct irgl_graph graph) {
	start<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_invoke_push(struct irgl_graph graph) {
	irgl_flush(irgl_addr_var_dangling());
	push<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
	irgl_stale(irgl_addr_var_dangling());
}

static bool irgl_invoke_update_any(struct irgl_graph graph, double irgl_1, double irgl_2, double irgl_3) {
	int *irgl_reduced_at = irgl_reduce_begin();
	update_any<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph, irgl_1, irgl_2, irgl_3, irgl_reduced_at);
	irgl_check(cudaGetLastError());
	return irgl_reduce_end(irgl_reduced_at);
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void pr(struct irgl_graph graph, double damping, double tolerance, int max_rounds) {
	irgl_invoke_start(graph);
	bool again = 1;
	while (again && rounds < max_rounds) {
		irgl_set_var_dangling(0, 0);
		irgl_invoke_push(graph);
		again = irgl_invoke_update_any(graph, damping, irgl_get_var_dangling(0), tolerance);
		rounds++;
	}
}

extern "C" void irgl_run(struct irgl_graph graph, double irgl_0, double irgl_1, int irgl_2) {
	irgl_init(graph);
	pr(graph, irgl_0, irgl_1, irgl_2);
	irgl_settle();
}
