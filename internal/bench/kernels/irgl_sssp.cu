// Relaxation of the edges of a worklist's nodes, as IrGL is lowered.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row u32 n+1 rows deg
//bench buffer dst i32 n*deg uniform n/4 n
//bench buffer weight i32 n*deg uniform 1 100
//bench buffer dist i32 n uniform 0 1000 out
//bench buffer seen i32 n zero out
//bench buffer items i32 n/4 sorted n/4
//bench buffer count i32 1 const n/4
//bench buffer pushed i32 n zero scratch
//bench buffer size i32 1 zero out
//bench launch relax grid n/1024 block 256 args { i32:n i64:n*deg row dst weight dist seen } { items count i32:n/4 } { pushed size i32:n } i32:3
typedef unsigned int irgl_index;

struct irgl_worklist {
  int *items;
  int *count;
  int capacity;
};

struct irgl_graph {
  int nnodes;
  long nedges;
  const irgl_index *row;
  const int *dst;
  const int *weight;
  int *dist;
  int *seen;
};

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

extern "C" __global__ void relax(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, int ROUND) {
  for (int wlidx = irgl_thread(), wlidx_end = irgl_size(in); wlidx < wlidx_end; wlidx += irgl_threads()) {
    int n = irgl_pop(in, wlidx);
    int near = graph.dist[n];
    for (irgl_index e = graph.row[n], e_end = graph.row[n + 1]; e < e_end; e++) {
      int e_dst = graph.dst[e];
      int d = near + graph.weight[e];
      if (d < graph.dist[e_dst] && d < atomicMin(&graph.dist[e_dst], d)) {
        if (atomicExch(&graph.seen[e_dst], ROUND) != ROUND) {
          irgl_push(out, e_dst);
        }
      }
    }
  }
}
