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
