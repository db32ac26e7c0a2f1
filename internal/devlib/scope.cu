// The part of the device library for control kernels in which one block goes
// through rounds alone while lists are short. What a round does to the grid is
// told how many blocks do it: all, or one. The first block is the one that works;
// its threads have the same numbers in both.

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

// What the blocks but the first do while that works alone: they are at the
// barrier of the grid at which it calls them back. One thread of each looks, and
// not so often that it is in the way.
static __device__ void irgl_sit_out(void) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    unsigned int before = atomicAdd(&irgl_arrived, 1u);
    while (((*(volatile unsigned int *)&irgl_arrived ^ before) & 0x80000000u) == 0) {
      long again = (long)clock64() + 256;
      while ((long)clock64() < again) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}
