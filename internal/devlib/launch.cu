// The part of the device library for control kernels that launch kernels (dynamic parallelism): the sizes
// of grids, as host.cu computes them for launches of the host.

// The number of blocks for n items, one item a thread where they all fit; most is that of a launch.
static __device__ int irgl_child_blocks(int most, int n, int threads) {
  int blocks = min((n - 1) / threads + 1, most);
  return blocks < 1 ? 1 : blocks;
}

// The blocks and the threads of a launch whose items may conflict.
static __device__ int irgl_child_retry_blocks(struct irgl_pipe *pipe, int blocks) {
  return pipe->narrow > 0 ? 1 : blocks;
}

static __device__ int irgl_child_retry_threads(struct irgl_pipe *pipe, int threads) {
  return pipe->narrow > 1 ? 1 : threads;
}
