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

struct irgl_frame_0 {
	long irgl_iterations;
};

__device__ unsigned int irgl_arrived = 0;

__device__ int irgl_reduced[3];

__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;
int irgl_max_blocks = 1024;

long irgl_iterations = 0;

__device__ int components = 0;
__device__ struct irgl_frame_0 irgl_result_0;

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

static __device__ __forceinline__ void irgl_any(int *reduced, bool value) {
	if (value && *(volatile int *)reduced == 0) {
		atomicOr(reduced, 1);
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

static __device__ __forceinline__ int *irgl_next_reduced(int *slot) {
	int *reduced = &irgl_reduced[*slot];
	*slot = *slot == 2 ? 0 : *slot + 1;
	if (irgl_thread() == 0) {
		irgl_reduced[*slot] = 0;
	}
	return reduced;
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.comp[id] = id;
	}
}

static __device__ __forceinline__ void irgl_body_hook_any(struct irgl_graph graph, int *reduced) {
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

static __device__ __forceinline__ bool irgl_call_hook_any(struct irgl_graph graph, int *irgl_calls, int *irgl_flag) {
	int *irgl_reduced_at = irgl_next_reduced(irgl_flag);
	irgl_look(*irgl_calls);
	irgl_body_hook_any(graph, irgl_reduced_at);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	return *irgl_reduced_at != 0;
}

static __device__ __forceinline__ void irgl_body_compress(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		int root = graph.comp[n];
		while (root != graph.comp[root]) {
			root = graph.comp[root];
		}
		graph.comp[n] = root;
	}
}

static __device__ __forceinline__ void irgl_call_compress(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_compress(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_count(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		if (graph.comp[n] == n) {
			atomicAdd(&components, 1);
		}
	}
}

static __device__ __forceinline__ void irgl_call_count(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_count(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_0(struct irgl_graph graph, struct irgl_frame_0 irgl_frame) {
	long irgl_iterations = irgl_frame.irgl_iterations;
	int irgl_flag = 0;
	int irgl_calls = 0;
	{
		{
			bool irgl_again = true;
			do {
				irgl_again = irgl_call_hook_any(graph, &irgl_calls, &irgl_flag);
				if (irgl_calls < 0) {
					goto irgl_leave;
				}
				irgl_iterations++;
				irgl_call_compress(graph, &irgl_calls);
				if (irgl_calls < 0) {
					goto irgl_leave;
				}
			} while (irgl_again);
		}
		irgl_call_count(graph, &irgl_calls);
		if (irgl_calls < 0) {
			goto irgl_leave;
		}
	}
irgl_leave:
	if (irgl_thread() == 0) {
		irgl_result_0.irgl_iterations = irgl_iterations;
	}
}

static void irgl_check(cudaError_t status) {
	if (status != cudaSuccess) {
		fprintf(stderr, "irgl: %s\n", cudaGetErrorString(status));
		exit(1);
	}
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

static int *irgl_reduce_begin() {
	void *reduced;
	irgl_check(cudaGetSymbolAddress(&reduced, irgl_reduced));
	irgl_check(cudaMemset(reduced, 0, 3 * sizeof(int)));
	return (int *)reduced;
}

static void irgl_launch_0(struct irgl_graph graph, struct irgl_frame_0 *irgl_frame) {
	irgl_frame->irgl_iterations = irgl_iterations;
	irgl_reduce_begin();
	int irgl_b = irgl_control_blocks((const void *)irgl_control_0, 512, 2, irgl_blocks(graph.nnodes, 512));
	void *irgl_args[] = {&graph, irgl_frame};
	irgl_check(cudaLaunchCooperativeKernel((const void *)irgl_control_0, (dim3)irgl_b, (dim3)512, irgl_args, 0, 0));
	irgl_check(cudaMemcpyFromSymbol(irgl_frame, irgl_result_0, sizeof(struct irgl_frame_0)));
	irgl_iterations = irgl_frame->irgl_iterations;
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void cc(struct irgl_graph graph) {
	struct irgl_frame_0 irgl_frame;
	irgl_launch_0(graph, &irgl_frame);
}

extern "C" void irgl_run(struct irgl_graph graph) {
	irgl_init(graph);
	cc(graph);
}
