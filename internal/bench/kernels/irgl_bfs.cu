// A level of breadth-first search as IrGL is lowered: a worklist in, another out.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row u32 n+1 rows deg
//bench buffer dst i32 n*deg uniform 0 n
//bench buffer level i32 n const 2147483647 out
//bench buffer items i32 n/4 sorted n/4
//bench buffer count i32 1 const n/4
//bench buffer pushed i32 n*deg zero scratch
//bench buffer size i32 1 zero scratch
//bench launch BFS grid n/1024 block 256 args { i32:n i64:n*deg row dst level } { items count i32:n/4 } { pushed size i32:n*deg } i32:7
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
  int *level;
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

extern "C" __global__ void BFS(struct irgl_graph graph, struct irgl_worklist in, struct irgl_worklist out, int LEVEL) {
  for (int wlidx = irgl_thread(), wlidx_end = irgl_size(in); wlidx < wlidx_end; wlidx += irgl_threads()) {
    int n = irgl_pop(in, wlidx);
    int edges = n;
    for (irgl_index e = graph.row[edges], e_end = graph.row[edges + 1]; e < e_end; e++) {
      int e_dst = graph.dst[e];
      if (graph.level[e_dst] == 2147483647) {
        graph.level[e_dst] = LEVEL;
        irgl_push(out, e_dst);
      }
    }
  }
}
