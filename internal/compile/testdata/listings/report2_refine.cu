// Made by irgl from report2_refine.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	int irgl_unused;
	long nedges;
	const irgl_index *row;
	const int *dst;
	int npoints;
	int nelements;
	int point_room;
	int element_room;
	int *mesh_count;
	int *element_locks;
	double *x;
	double *y;
	int (*points)[3];
	int (*neighbors)[3];
	bool *deleted;
};

struct irgl_frame_2 {
	long irgl_iterations;
	struct irgl_pipe irgl_wl;
};

__device__ unsigned int irgl_arrived = 0;

__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;
int irgl_max_blocks = 1024;
int irgl_capacity = 0;
long irgl_iterations = 0;
int irgl_npoints = 0;
int irgl_nelements = 0;

struct irgl_mirror irgl_mirrors[64];
int irgl_mirror_count = 0;
__device__ int bad = 0;
int done = 0;
__device__ struct irgl_frame_2 irgl_result_2;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_place() {
	int lanes = blockDim.x % 32 == 0 ? 32 : 1;
	int within = (int)(threadIdx.x % lanes * (blockDim.x / lanes) + threadIdx.x / lanes);
	return within * (int)gridDim.x + (int)blockIdx.x;
}

static __device__ __forceinline__ int irgl_scattered(long place, long n) {
	return (int)((unsigned long)place * 2654435761u % (unsigned long)n);
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

static __device__ __forceinline__ void irgl_claim(int *locks, long item) {
	if (item >= 0) {
		*(volatile int *)&locks[item] = irgl_thread();
	}
}

static __device__ __forceinline__ void irgl_prefer(int *locks, long item) {
	if (item >= 0 && *(volatile int *)&locks[item] > irgl_thread()) {
		atomicMin(&locks[item], irgl_thread());
	}
}

static __device__ __forceinline__ bool irgl_owns(int *locks, long item) {
	return item < 0 || *(volatile int *)&locks[item] == irgl_thread();
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

static __device__ __forceinline__ bool irgl_full(int count, int room) {
	return (unsigned int)count > (unsigned int)room;
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

static __device__ __forceinline__ int irgl_lane() {
	return (int)(threadIdx.x % 32);
}

static __device__ __forceinline__ unsigned int irgl_lanes_below() {
	return (1u << irgl_lane()) - 1;
}

static __device__ __forceinline__ int irgl_add_once(unsigned int mask, int *counter, unsigned int all, unsigned int before) {
	int leader = __ffs((int)mask) - 1;
	unsigned int start = 0;
	if (irgl_lane() == leader) {
		start = (unsigned int)atomicAdd(counter, (int)all);
	}
	return (int)(__shfl_sync(mask, start, leader) + before);
}

static __device__ __forceinline__ int irgl_add_same(int *counter, int n) {
	unsigned int mask = __activemask();
	unsigned int each = (unsigned int)n;
	return irgl_add_once(mask, counter, each * (unsigned int)__popc(mask), each * (unsigned int)__popc(mask & irgl_lanes_below()));
}

static __device__ int irgl_add_point(struct irgl_graph graph, double x, double y) {
	int id = irgl_add_same(&graph.mesh_count[0], 1);
	if ((unsigned int)id >= (unsigned int)graph.point_room) {
		id = graph.point_room;
	}
	graph.x[id] = x;
	graph.y[id] = y;
	return id;
}

static __device__ int irgl_add_element(struct irgl_graph graph, int a, int b, int c) {
	int id = irgl_add_same(&graph.mesh_count[1], 1);
	if ((unsigned int)id >= (unsigned int)graph.element_room) {
		id = graph.element_room;
	}
	graph.points[id][0] = a;
	graph.points[id][1] = b;
	graph.points[id][2] = c;
	graph.neighbors[id][0] = -1;
	graph.neighbors[id][1] = -1;
	graph.neighbors[id][2] = -1;
	graph.deleted[id] = false;
	return id;
}

static __device__ inline double area(struct irgl_graph mesh, int t) {
	int a = mesh.points[t][0];
	int b = mesh.points[t][1];
	int c = mesh.points[t][2];
	return ((mesh.x[b] - mesh.x[a]) * (mesh.y[c] - mesh.y[a]) - (mesh.y[b] - mesh.y[a]) * (mesh.x[c] - mesh.x[a])) / 2;
}

static __device__ inline bool is_bad(struct irgl_graph mesh, int t) {
	return mesh.points[t][2] >= 0 && area(mesh, t) > 5e-03;
}

static __device__ inline void build_cavity(struct irgl_graph mesh, int bad_triangle, int *cavity_size, int *cavity) {
	cavity[0] = bad_triangle;
	for (int k = 0; k < 3; k++) {
		cavity[k + 1] = mesh.neighbors[bad_triangle][k];
	}
	*cavity_size = 4;
}

static __device__ inline void replace(struct irgl_graph mesh, int o, int old, int t) {
	for (int k = 0; k < 3; k++) {
		if (mesh.neighbors[o][k] == old) {
			mesh.neighbors[o][k] = t;
		}
	}
}

extern "C" __global__ void identify_bad_triangles(struct irgl_graph mesh, struct irgl_worklist in, struct irgl_worklist out) {
	for (int t = irgl_thread(); t < mesh.nelements; t += irgl_threads()) {
		if (is_bad(mesh, t)) {
			atomicAdd(&bad, 1);
			irgl_push(out, t);
		}
	}
}

static __device__ __forceinline__ void irgl_body_refine(struct irgl_graph mesh, struct irgl_worklist in, struct irgl_worklist out) {
	for (long btidx_base = 0, btidx_end = irgl_size(in); btidx_base < btidx_end; btidx_base += irgl_threads()) {
		bool btidx_active = btidx_base + irgl_place() < btidx_end;
		int btidx = irgl_scattered(btidx_base + irgl_place(), btidx_end);
		int bad_triangle;
		int cavity_size;
		int cavity[4];
		if (btidx_active) {
			bad_triangle = irgl_pop(in, btidx);

			build_cavity(mesh, bad_triangle, &cavity_size, cavity);
		}

		{
			long to = btidx_active ? cavity_size : 0;
			for (long at = 0; at < to; at++) {
				irgl_claim(mesh.element_locks, cavity[at]);
			}
			irgl_grid_barrier();
			for (long at = 0; at < to; at++) {
				irgl_prefer(mesh.element_locks, cavity[at]);
			}
			irgl_grid_barrier();
			bool won = btidx_active;
			for (long at = 0; at < to; at++) {
				if (!irgl_owns(mesh.element_locks, cavity[at])) {
					won = false;
				}
			}
			if (won) {
				mesh.deleted[bad_triangle] = 1;

				int a = mesh.points[bad_triangle][0];
				int b = mesh.points[bad_triangle][1];
				int c = mesh.points[bad_triangle][2];
				int p = irgl_add_point(mesh, (mesh.x[a] + mesh.x[b] + mesh.x[c]) / 3, (mesh.y[a] + mesh.y[b] + mesh.y[c]) / 3);
				int fresh[3];
				fresh[0] = irgl_add_element(mesh, a, b, p);
				fresh[1] = irgl_add_element(mesh, b, c, p);
				fresh[2] = irgl_add_element(mesh, c, a, p);
				for (int k = 0; k < 3; k++) {
					int t = fresh[k];
					mesh.neighbors[t][0] = mesh.neighbors[bad_triangle][k];
					mesh.neighbors[t][1] = fresh[(k + 1) % 3];
					mesh.neighbors[t][2] = fresh[(k + 2) % 3];
					int o = mesh.neighbors[t][0];
					replace(mesh, o, bad_triangle, t);
					irgl_push(out, t);
				}
			} else if (btidx_active) {
				irgl_push(out, bad_triangle);
			}
		}

		irgl_grid_barrier();
	}
}

static __device__ __forceinline__ void irgl_call_refine(struct irgl_graph *graph, int *irgl_calls, struct irgl_pipe *irgl_wl) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_refine(*graph, irgl_wl->in, irgl_wl->out);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	graph->npoints = graph->mesh_count[0];
	graph->nelements = graph->mesh_count[1];
	irgl_grid_barrier();
	irgl_pipe_turn(irgl_wl);
}

static __device__ __forceinline__ void irgl_body_incremental_id_bad_triangles(struct irgl_graph mesh, struct irgl_worklist in, struct irgl_worklist out) {
	for (int wlidx = irgl_thread(), wlidx_end = irgl_size(in); wlidx < wlidx_end; wlidx += irgl_threads()) {
		int t = irgl_pop(in, wlidx);
		if (is_bad(mesh, t)) {
			irgl_push(out, t);
		}
	}
}

static __device__ __forceinline__ void irgl_call_incremental_id_bad_triangles(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_incremental_id_bad_triangles(graph, irgl_wl->in, irgl_wl->out);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

extern "C" __global__ void count_bad_triangles(struct irgl_graph mesh) {
	for (int t = irgl_thread(); t < mesh.nelements; t += irgl_threads()) {
		if (!mesh.deleted[t] && is_bad(mesh, t)) {
			atomicAdd(&bad, 1);
		}
	}
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_2(struct irgl_graph mesh, struct irgl_frame_2 irgl_frame) {
	long irgl_iterations = irgl_frame.irgl_iterations;
	struct irgl_pipe irgl_wl = irgl_frame.irgl_wl;
	int irgl_calls = 0;
	{
		while (irgl_wl.size > 0) {
			irgl_iterations++;
			irgl_call_refine(&mesh, &irgl_calls, &irgl_wl);
			if (irgl_calls < 0 || irgl_wl.need != 0 || irgl_full(mesh.npoints, mesh.point_room) || irgl_full(mesh.nelements, mesh.element_room)) {
				goto irgl_leave;
			}

			irgl_call_incremental_id_bad_triangles(mesh, &irgl_calls, &irgl_wl);
			if (irgl_calls < 0 || irgl_wl.need != 0) {
				goto irgl_leave;
			}
		}
	}
irgl_leave:
	if (irgl_thread() == 0) {
		irgl_result_2.irgl_iterations = irgl_iterations;
		irgl_result_2.irgl_wl = irgl_wl;
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

static void irgl_mesh_overflow(int points, int elements) {
	fprintf(stderr, "irgl: the mesh needs room for %d points and %d elements\n", points, elements);
	exit(3);
}

static void irgl_mesh_counted(const int *counts, int point_room, int element_room) {
	int n[2];
	irgl_check(cudaMemcpy(n, counts, sizeof n, cudaMemcpyDeviceToHost));
	if (n[0] < 0 || n[0] > point_room || n[1] < 0 || n[1] > element_room) {
		irgl_mesh_overflow(n[0] < 0 ? INT_MAX : n[0], n[1] < 0 ? INT_MAX : n[1]);
	}
	irgl_npoints = n[0];
	irgl_nelements = n[1];
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

static void irgl_read(void *device, size_t bytes, size_t offset, void *value, size_t size) {
	struct irgl_mirror *m = irgl_touch(device, bytes);
	if (m != NULL && m->valid) {
		memcpy(value, m->host + offset, size);
	} else {
		irgl_check(cudaMemcpy(value, (char *)device + offset, size, cudaMemcpyDeviceToHost));
	}
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

static void *irgl_addr_var_bad() {
	void *irgl_at;
	irgl_check(cudaGetSymbolAddress(&irgl_at, bad));
	return irgl_at;
}

static inline int irgl_get_var_bad(long i) {
	int value;
	irgl_read(irgl_addr_var_bad(), 1 * sizeof(int), (size_t)i * sizeof(int), &value, sizeof(int));
	return value;
}

static inline int irgl_set_var_bad(long i, int value) {
	irgl_write(irgl_addr_var_bad(), 1 * sizeof(int), (size_t)i * sizeof(int), &value, sizeof(int));
	return value;
}

static void irgl_invoke_identify_bad_triangles(struct irgl_graph graph, struct irgl_pipe *irgl_wl) {
	irgl_flush(irgl_addr_var_bad());
	graph.npoints = irgl_npoints;
	graph.nelements = irgl_nelements;
	identify_bad_triangles<<<irgl_blocks(graph.nelements, 256), 256>>>(graph, irgl_wl->in, irgl_wl->out);
	irgl_check(cudaGetLastError());
	irgl_stale(irgl_addr_var_bad());
	irgl_pipe_swap(irgl_wl);
}

static void irgl_invoke_count_bad_triangles(struct irgl_graph graph) {
	irgl_flush(irgl_addr_var_bad());
	graph.npoints = irgl_npoints;
	graph.nelements = irgl_nelements;
	count_bad_triangles<<<irgl_blocks(graph.nelements, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
	irgl_stale(irgl_addr_var_bad());
}

static void irgl_launch_2(struct irgl_graph graph, struct irgl_frame_2 *irgl_frame, struct irgl_pipe *irgl_wl) {
	graph.npoints = irgl_npoints;
	graph.nelements = irgl_nelements;
	irgl_frame->irgl_iterations = irgl_iterations;
	irgl_pipe_lend(irgl_wl);
	irgl_frame->irgl_wl = *irgl_wl;
	int irgl_b = irgl_control_blocks((const void *)irgl_control_2, 512, 2, irgl_blocks(irgl_wl->in.capacity, 512));
	void *irgl_args[] = {&graph, irgl_frame};
	irgl_check(cudaLaunchCooperativeKernel((const void *)irgl_control_2, (dim3)irgl_b, (dim3)512, irgl_args, 0, 0));
	irgl_check(cudaMemcpyFromSymbol(irgl_frame, irgl_result_2, sizeof(struct irgl_frame_2)));
	*irgl_wl = irgl_frame->irgl_wl;
	irgl_pipe_back(irgl_wl);
	if (irgl_wl->need != 0) {
		irgl_overflow(irgl_wl->need);
	}
	irgl_mesh_counted(graph.mesh_count, graph.point_room, graph.element_room);
	irgl_iterations = irgl_frame->irgl_iterations;
}

static void main_(struct irgl_graph mesh) {
	{
		struct irgl_pipe irgl_wl;
		irgl_pipe_open(&irgl_wl, irgl_npoints + irgl_nelements, NULL, 0);
		{
			irgl_invoke_identify_bad_triangles(mesh, &irgl_wl);
			printf("initial bad: %d\n", irgl_get_var_bad(0));

			{
				struct irgl_frame_2 irgl_frame;
				irgl_launch_2(mesh, &irgl_frame, &irgl_wl);
			}

			irgl_set_var_bad(0, 0);
			irgl_invoke_count_bad_triangles(mesh);
			printf("final bad: %d\n", irgl_get_var_bad(0));
			done = irgl_get_var_bad(0) == 0;
		}
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph) {
	main_(graph);
	irgl_settle();
}
