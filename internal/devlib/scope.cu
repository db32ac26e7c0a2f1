// The part of the device library for control kernels in which one block, or one
// cluster of blocks, executes rounds alone while lists are short. What a round
// does to the grid is told how many blocks do it: all, or those. They are the first
// ones; their threads have the same numbers in both.

static __device__ __forceinline__ int irgl_threads_of(int blocks) {
  return blocks * (int)blockDim.x;
}

static __device__ __forceinline__ int irgl_dealt_of(int blocks) {
  return (int)(threadIdx.x / 32) * blocks * 32 + irgl_lane();
}

// A barrier of the blocks that work.
static __device__ void irgl_barrier_of(int blocks) {
  if (blocks > 1) {
    irgl_grid_barrier();
  } else {
    __syncthreads();
  }
}

static __device__ bool irgl_met_of(int blocks) {
  irgl_barrier_of(blocks);
  return true;
}

// The same where a cluster works alone, whose size is given.
//
// Its barrier orders what its blocks wrote to global memory as that of the grid
// does: a thread that arrives releases to the cluster, one that has waited acquires from it. So
// a round finds what the last one wrote, with no fence besides. Order does not end
// there: what a block has acquired comes before what it later releases to others,
// whatever the scope of either (PTX ISA, section 8, causality order). When all work
// again, each block of the cluster arrives at the barrier of the grid for itself,
// behind the fence of its first thread for the whole device, and __syncthreads
// brings what its other threads wrote or acquired in front of that fence.
static __device__ void irgl_cluster_barrier_of(int blocks, int cluster) {
  if (blocks > cluster) {
    irgl_grid_barrier();
  } else {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
}

static __device__ bool irgl_cluster_met_of(int blocks, int cluster) {
  irgl_cluster_barrier_of(blocks, cluster);
  return true;
}

// What the other blocks do while some work alone: they are at the barrier of the
// grid at which they are called back. One thread of each looks, and
// not so often that it is in the way.
static __device__ void irgl_sit_out(void) {
  __syncthreads();
  if (threadIdx.x == 0) {
    irgl_fence();
    unsigned int before = atomicAdd(&irgl_arrived, 1u);
    while (!irgl_turned(before)) {
      long again = (long)clock64() + 256;
      while ((long)clock64() < again) {
      }
    }
  }
  __syncthreads();
}

// What rounds change of a pipe, and what the runs of a kernel that respawns items
// change besides: the first block hands it on, the others take it over.
struct irgl_lists {
  int *in;
  int *in_count;
  int *out;
  int *out_count;
  int *used;
  int size;
  int need;
};

struct irgl_runs {
  struct irgl_lists lists;
  int *retry;
  int *retry_count;
  int *zero;
};

static __device__ __forceinline__ void irgl_hand_on(struct irgl_lists *to, const struct irgl_pipe *pipe) {
  to->in = pipe->in.items;
  to->in_count = pipe->in.count;
  to->out = pipe->out.items;
  to->out_count = pipe->out.count;
  to->used = pipe->used;
  to->size = pipe->size;
  to->need = pipe->need;
}

static __device__ __forceinline__ void irgl_take_over(struct irgl_pipe *pipe, const struct irgl_lists *from) {
  pipe->in.items = from->in;
  pipe->in.count = from->in_count;
  pipe->in.size = from->size;
  pipe->out.items = from->out;
  pipe->out.count = from->out_count;
  pipe->used = from->used;
  pipe->size = from->size;
  pipe->need = from->need;
}

static __device__ __forceinline__ void irgl_hand_on_runs(struct irgl_runs *to, const struct irgl_pipe *pipe) {
  irgl_hand_on(&to->lists, pipe);
  to->retry = pipe->retry.items;
  to->retry_count = pipe->retry.count;
  to->zero = pipe->zero;
}

static __device__ __forceinline__ void irgl_take_over_runs(struct irgl_pipe *pipe, const struct irgl_runs *from) {
  irgl_take_over(pipe, &from->lists);
  pipe->retry.items = from->retry;
  pipe->retry.count = from->retry_count;
  pipe->zero = from->zero;
}
