// Made by irgl from pr_pull.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
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
	const irgl_index *in_row;
	const int *in_dst;
	double *rank;
	float *even;
	float *even_rest;
	float *odd;
	float *odd_rest;
	double *sum;
	int *at;
	int *owner;
};

struct irgl_frame_0 {
	int max_rounds;
	double damping;
	double tolerance;
	int rounds;
	long irgl_iterations;
};

__device__ unsigned int irgl_arrived = 0;

__device__ int irgl_reduced[3];

__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;
int irgl_max_blocks = 1024;

long irgl_iterations = 0;

__device__ int parts = 0;
__device__ double lost[3];
__device__ int bare = 0;
int rounds = 0;
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

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
	return (int)(graph.row[node + 1] - graph.row[node]);
}

static __device__ __forceinline__ int irgl_in_degree(struct irgl_graph graph, int node) {
	return (int)(graph.in_row[node + 1] - graph.in_row[node]);
}

static __device__ inline double part(struct irgl_graph graph, int n, int first, int last, float *values) {
	double sum = 0;

	#pragma unroll
	for (int k = 0; k < 4; k++) {
		bool there = first + k <= last;
		int from = graph.in_dst[graph.in_row[n] + min(first + k, last)];
		float x = values[there ? from : n];
		sum += there ? x : 0;
	}
	return sum;
}

extern "C" __global__ void irgl_init_nodes(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nnodes; id += irgl_threads()) {
		graph.rank[id] = 0;
		graph.even[id] = 0;
		graph.even_rest[id] = 0;
		graph.odd[id] = 0;
		graph.odd_rest[id] = 0;
		graph.sum[id] = 0;
		graph.at[id] = 0;
	}
}

extern "C" __global__ void irgl_init_edges(struct irgl_graph graph) {
	for (long id = irgl_thread(); id < graph.nedges; id += irgl_threads()) {
		graph.owner[id] = 0;
	}
}

static __device__ __forceinline__ void irgl_body_begin(struct irgl_graph graph) {
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		double rank = 1.0 / graph.nnodes;
		int in_degree = irgl_in_degree(graph, n);
		graph.rank[n] = rank;
		if (irgl_degree(graph, n) > 0) {
			double share = rank / irgl_degree(graph, n);
			graph.even[n] = share;
			graph.even_rest[n] = share - graph.even[n];
		} else {
			atomicAdd(&lost[0], rank);
			if (in_degree == 0) {
				atomicAdd(&bare, 1);
			}
		}
		if (in_degree > 20) {
			int count = (in_degree - 1) / 8 + 1;
			int at = atomicAdd(&parts, count);
			graph.at[n] = at;
			{
				int k_high = count;
				for (int k = 0; k < k_high; k++) {
					long e = at + k;
					graph.owner[e] = n;
				}
			}
		}
	}
}

static __device__ __forceinline__ void irgl_call_begin(struct irgl_graph graph, int *irgl_calls) {
	irgl_look(*irgl_calls);
	irgl_body_begin(graph);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_add(struct irgl_graph graph, bool exact, int round) {
	int zero = 0;
	bool even = round % 2 == 0;
	float *values = even ? &graph.even[zero] : &graph.odd[zero];
	float *rests = even ? &graph.even_rest[zero] : &graph.odd_rest[zero];
	{
		int i_high = parts;
		for (long i_at = irgl_thread(); i_at < i_high; i_at += irgl_threads()) {
			int i = (int)i_at;
			long e = i;
			int n = graph.owner[e];
			int first = (i - graph.at[n]) * 8;
			int last = irgl_in_degree(graph, n) - 1;
			double sum = part(graph, n, first, last, values) + part(graph, n, first + 4, last, values);
			if (exact) {
				sum += part(graph, n, first, last, rests) + part(graph, n, first + 4, last, rests);
			}
			atomicAdd(&graph.sum[n], sum);
		}
	}
}

static __device__ __forceinline__ void irgl_call_add(struct irgl_graph graph, int *irgl_calls, bool irgl_1, int irgl_2) {
	irgl_look(*irgl_calls);
	irgl_body_add(graph, irgl_1, irgl_2);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
}

static __device__ __forceinline__ void irgl_body_pull_any(struct irgl_graph graph, double damping, double tolerance, bool exact, int round, int *reduced) {
	int from = round % 3;
	int to = (round + 1) % 3;
	int later = (round + 2) % 3;
	double spread = lost[from] - (round == 0 ? 1 : 0);
	double all = damping * spread / graph.nnodes;
	bool even = round % 2 == 0;
	int zero = 0;
	float *values = even ? &graph.even[zero] : &graph.odd[zero];
	float *rests = even ? &graph.even_rest[zero] : &graph.odd_rest[zero];
	float *next = even ? &graph.odd[zero] : &graph.even[zero];
	float *next_rests = even ? &graph.odd_rest[zero] : &graph.even_rest[zero];
	for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
		int degree = irgl_degree(graph, n);
		double rank = graph.rank[n];
		float rest = rests[n];
		int last = irgl_in_degree(graph, n) - 1;
		double sum = 0;
		if (last >= 20) {
			sum = graph.sum[n];
			graph.sum[n] = 0;
		} else {
			for (int first = 0; first <= last; first += 4) {
				sum += part(graph, n, first, last, values);
				if (exact) {
					sum += part(graph, n, first, last, rests);
				}
			}
		}
		double change = all + damping * sum;
		graph.rank[n] = rank + change;
		if (degree > 0) {
			double share = change / degree + (exact ? 0 : rest);
			float value = share;
			next[n] = value;
			next_rests[n] = share - value;
		} else if (last >= 0) {
			atomicAdd(&lost[to], change);
		}
		if (n == 0) {
			lost[later] = 0;
			if (bare > 0) {
				atomicAdd(&lost[to], bare * all);
			}
		}
		{
			irgl_any(reduced, fabs(change) > tolerance);
			continue;
		}
	}
}

static __device__ __forceinline__ bool irgl_call_pull_any(struct irgl_graph graph, int *irgl_calls, int *irgl_flag, double irgl_1, double irgl_2, bool irgl_3, int irgl_4) {
	int *irgl_reduced_at = irgl_next_reduced(irgl_flag);
	irgl_look(*irgl_calls);
	irgl_body_pull_any(graph, irgl_1, irgl_2, irgl_3, irgl_4, irgl_reduced_at);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	return *irgl_reduced_at != 0;
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_0(struct irgl_graph graph, struct irgl_frame_0 irgl_frame) {
	int max_rounds = irgl_frame.max_rounds;
	double damping = irgl_frame.damping;
	double tolerance = irgl_frame.tolerance;
	int rounds = irgl_frame.rounds;
	long irgl_iterations = irgl_frame.irgl_iterations;
	int irgl_flag = 0;
	int irgl_calls = 0;
	{
		bool exact = graph.nnodes < 16384 || max_rounds < 64;
		irgl_call_begin(graph, &irgl_calls);
		if (irgl_calls < 0) {
			goto irgl_leave;
		}
		bool again = 1;
		while (again && rounds < max_rounds) {
			if (parts > 0) {
				irgl_call_add(graph, &irgl_calls, exact, rounds);
				if (irgl_calls < 0) {
					goto irgl_leave;
				}
			}
			again = irgl_call_pull_any(graph, &irgl_calls, &irgl_flag, damping, tolerance, exact, rounds);
			if (irgl_calls < 0) {
				goto irgl_leave;
			}
			rounds++;
		}
	}
irgl_leave:
	if (irgl_thread() == 0) {
		irgl_result_0.rounds = rounds;
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
	int irgl_b = irgl_control_blocks((const void *)irgl_control_0, 512, 2, irgl_max_blocks);
	void *irgl_args[] = {&graph, irgl_frame};
	irgl_check(cudaLaunchCooperativeKernel((const void *)irgl_control_0, (dim3)irgl_b, (dim3)512, irgl_args, 0, 0));
	irgl_check(cudaMemcpyFromSymbol(irgl_frame, irgl_result_0, sizeof(struct irgl_frame_0)));
	irgl_iterations = irgl_frame->irgl_iterations;
}

static void irgl_init(struct irgl_graph graph) {
	irgl_init_nodes<<<irgl_blocks(graph.nnodes, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
	irgl_init_edges<<<irgl_max_blocks, 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void pr_pull(struct irgl_graph graph, double damping, double tolerance, int max_rounds) {
	struct irgl_frame_0 irgl_frame;
	irgl_frame.max_rounds = max_rounds;
	irgl_frame.damping = damping;
	irgl_frame.tolerance = tolerance;
	irgl_frame.rounds = rounds;
	irgl_launch_0(graph, &irgl_frame);
	rounds = irgl_frame.rounds;
}

extern "C" void irgl_run(struct irgl_graph graph, double irgl_0, double irgl_1, int irgl_2) {
	irgl_init(graph);
	pr_pull(graph, irgl_0, irgl_1, irgl_2);
}
