// The part of the device library that kernels use. Every function is small
// and meant to be inlined.

// A list of work items. Kernels pop from one list and push to another; a push
// beyond the capacity is counted but not stored, so that the host sees how
// large the list must be.
struct irgl_worklist {
  int *items;
  int *count;
  int capacity;
};

// The thread's number in the grid, and the number of threads in the grid.
static __device__ __forceinline__ int irgl_thread(void) {
  return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads(void) {
  return (int)(gridDim.x * blockDim.x);
}

// How far an iteration over a part of an array goes at a time: a step that is
// not positive would never end.
static __host__ __device__ inline long irgl_step(long step) {
  return step < 1 ? 1 : step;
}

// A barrier of all threads of the grid, which must all be resident: the last
// block that arrives begins the next generation, for which the others wait. What
// any thread wrote before it is there for all threads after it. The arrivals
// are back at zero behind every barrier, so that grids of any size follow each
// other.
__device__ unsigned int irgl_arrived = 0;
__device__ unsigned int irgl_generation = 0;

static __device__ void irgl_grid_barrier(void) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned int generation = *(volatile unsigned int *)&irgl_generation;
    __threadfence();
    if (atomicAdd(&irgl_arrived, 1) == gridDim.x - 1) {
      *(volatile unsigned int *)&irgl_arrived = 0;
      __threadfence();
      atomicAdd(&irgl_generation, 1);
    } else {
      while (*(volatile unsigned int *)&irgl_generation == generation) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

// Gives all threads of a block the value that its first one has.
static __device__ int irgl_block_value(int value) {
  __shared__ int first;
  __syncthreads();
  if (threadIdx.x == 0) {
    first = value;
  }
  __syncthreads();
  return first;
}

// The three phases of Exclusive, each for one number of a list (report, section
// 3.3). Negative numbers are passed over.
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
  return *in.count;
}

static __device__ __forceinline__ int irgl_pop(struct irgl_worklist in, int index) {
  return in.items[index];
}

static __device__ __forceinline__ void irgl_push(struct irgl_worklist out, int item) {
  int at = atomicAdd(out.count, 1);
  // A count that passes 2^31 must not come back as a place in the list.
  if ((unsigned int)at < (unsigned int)out.capacity) {
    out.items[at] = item;
  }
}

// The value of the kernel's reduction. The volatile reads keep all threads but
// the first few from the atomic.
__device__ int irgl_reduced;

static __device__ __forceinline__ void irgl_any(bool value) {
  if (value && *(volatile int *)&irgl_reduced == 0) {
    atomicOr(&irgl_reduced, 1);
  }
}

static __device__ __forceinline__ void irgl_all(bool value) {
  if (!value && *(volatile int *)&irgl_reduced != 0) {
    atomicAnd(&irgl_reduced, 0);
  }
}
