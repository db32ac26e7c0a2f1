// Ranks pushed along edges by atomics, then made new ones, as IrGL is lowered.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row u32 n+1 rows deg
//bench buffer dst i32 n*deg uniform 0 n
//bench buffer rank f64 n uniform 0 1 out 1e-10
//bench buffer next f64 n zero scratch
//bench launch push grid n/256 block 256 args { i32:n i64:n*deg row dst rank next }
//bench launch update_any grid n/256 block 256 args { i32:n i64:n*deg row dst rank next } f64:0.85 f64:0.125 f64:1e-9
typedef unsigned int irgl_index;

struct irgl_graph {
  int nnodes;
  long nedges;
  const irgl_index *row;
  const int *dst;
  double *rank;
  double *next;
};

__device__ double dangling;
__device__ int irgl_reduced;

static __device__ __forceinline__ int irgl_thread() {
  return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
  return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ void irgl_any(bool value) {
  if (value && *(volatile int *)&irgl_reduced == 0) {
    atomicOr(&irgl_reduced, 1);
  }
}

static __device__ __forceinline__ int irgl_degree(struct irgl_graph graph, int node) {
  return (int)(graph.row[node + 1] - graph.row[node]);
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

extern "C" __global__ void update_any(struct irgl_graph graph, double damping, double lost, double tolerance) {
  for (int n = irgl_thread(); n < graph.nnodes; n += irgl_threads()) {
    double r = (1 - damping) / graph.nnodes + damping * (graph.next[n] + lost / graph.nnodes);
    double change = fabs(r - graph.rank[n]);
    graph.rank[n] = r;
    graph.next[n] = 0;
    {
      irgl_any(change > tolerance);
      continue;
    }
  }
}
