// The part of the device library that kernels use. Every function is small
// and meant to be inlined.

// A list of work items. Kernels pop from one list, of which they know the size,
// and push to another, where they count; a push beyond the capacity is counted
// but not stored, so that the host sees how large the list must be.
struct irgl_worklist {
  int *items;
  int *count;
  int capacity;
  int size; // of a list that is popped
};

// The context of a Pipe or Iterate (report, section 4.2): the list that
// kernels pop from, the list they push to, the list of what they retry, which
// exists only in programs that do, and the size of the first.
struct irgl_pipe {
  struct irgl_worklist in;
  struct irgl_worklist out;
  struct irgl_worklist retry;
  int *counts;
  int *used;   // a counter to be cleared while the next kernel runs
  int *zero;   // a counter that is 0, in programs that retry
  int pushed;  // counters of lists pushed to that loops on the host have used
  int retried; // counters of what was retried that they have used
  int size;
  int narrow; // the next launch has: 0 all its threads, 1 one block, 2 one thread
  int need;   // items that a list should have had room for, or 0
};

// The thread's number in the grid, and the number of threads in the grid.
static __device__ __forceinline__ int irgl_thread(void) {
  return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads(void) {
  return (int)(gridDim.x * blockDim.x);
}

// Items that conflict go to threads in an order of their own (IrGL paper, section
// 4.4): neighbours in a list are mostly neighbours in what they change, so those
// that are tried together are taken from all over the list. The thread's place
// in that order is counted warps first: few items have a warp each, and do not
// wait for the branches of others.
static __device__ __forceinline__ int irgl_place(void) {
  int lanes = blockDim.x % 32 == 0 ? 32 : 1;
  int within = (int)(threadIdx.x % lanes * (blockDim.x / lanes) + threadIdx.x / lanes);
  return within * (int)gridDim.x + (int)blockIdx.x;
}

// The item of n that a place has: the places go through all of them, since no n
// has the factor, which is a prime near the golden ratio of 2^32.
static __device__ __forceinline__ int irgl_scattered(long place, long n) {
  return (int)((unsigned long)place * 2654435761u % (unsigned long)n);
}

// How many of n items are tried at once, at most one in a few: all of the grid's
// threads, but for lists so short that the rest of it waits.
static __device__ __forceinline__ long irgl_together(long n, int few) {
  return min((n - 1) / few + 1, (long)irgl_threads());
}

// The same, but one by one in a list of at most tail items.
static __device__ __forceinline__ long irgl_together_tail(long n, int few, int tail) {
  return n <= tail ? 1 : irgl_together(n, few);
}

// How many consecutive items of n each thread has that has any, when they are
// distributed in blocks: at least so many, and all of a list of at most tail items.
static __device__ __forceinline__ long irgl_chunk(long n, int least, int tail) {
  return n <= tail ? n : max((n - 1) / irgl_threads() + 1, (long)least);
}

// Where the items of a thread begin, and those of the one before it end.
static __device__ __forceinline__ int irgl_chunk_at(long n, int least, int tail, int thread) {
  return (int)min(irgl_chunk(n, least, tail) * thread, n);
}

// What a thread wrote before its fence is there for one that reads, before a
// fence of its own, what the first wrote after it. __threadfence orders more, all
// such fences of the device in one sequence, and costs more.
static __device__ __forceinline__ void irgl_fence(void) {
  __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

// A barrier of all threads of the grid, which must all be resident. What any
// thread wrote before it is there for all threads after it. Every block adds to
// one counter, and the first block so much more that all together add 2^31: the
// barrier opens when the top bit turns over. So the counter is never set back,
// and grids of any size follow each other. The bit cannot turn before this block
// arrives: what it was is read while the block's threads still gather, so that a
// block waits for one access to memory after the last one has arrived, not two.
__device__ unsigned int irgl_arrived = 0;

// Whether the barrier has opened since its counter was before.
static __device__ __forceinline__ bool irgl_turned(unsigned int before) {
  return ((__nv_atomic_load_n(&irgl_arrived, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) ^ before) & 0x80000000u) != 0;
}

static __device__ void irgl_grid_barrier(void) {
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
      while (!irgl_turned(before)) {
      }
    }
    __syncthreads();
  }
}

// The same as a condition that always holds, for the conditions of loops.
static __device__ bool irgl_met(void) {
  irgl_grid_barrier();
  return true;
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

// Locks that are given in the order in which threads ask for them. The lower
// half of the word is the ticket that holds the lock, the upper half the next one
// to be given: the lock is free where they are equal, and 0 at first. Of 2^16
// tickets at most 2^15 wait at once; a thread that finds more waiting asks again later.
static __device__ __forceinline__ bool irgl_ticket_take(int *lock, unsigned int *ticket) {
  unsigned int word = *(volatile unsigned int *)lock;
  *ticket = word >> 16;
  if (((*ticket - word) & 0xffffu) >= 0x8000u) {
    return false;
  }
  return atomicCAS((unsigned int *)lock, word, word + 0x10000u) == word;
}

static __device__ __forceinline__ bool irgl_ticket_served(int *lock, unsigned int ticket) {
  return ((*(volatile unsigned int *)lock ^ ticket) & 0xffffu) == 0;
}

// Takes the lock if nobody has it or waits for it.
static __device__ __forceinline__ bool irgl_ticket_try(int *lock) {
  unsigned int word = *(volatile unsigned int *)lock;
  return ((word >> 16 ^ word) & 0xffffu) == 0 && atomicCAS((unsigned int *)lock, word, word + 0x10000u) == word;
}

// Gives the lock to the next ticket. Only its owner changes the lower half, which
// must not carry into the upper one.
static __device__ __forceinline__ void irgl_ticket_pass(int *lock) {
  bool last = (*(volatile unsigned int *)lock & 0xffffu) == 0xffffu;
  atomicAdd((unsigned int *)lock, last ? 1u - 0x10000u : 1u);
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
  return in.size;
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

// A push that shares its atomic with no other: the row warp-push leaves it.
static __device__ __forceinline__ void irgl_push_each(struct irgl_worklist out, int item) {
  irgl_push(out, item);
}

// The value of a kernel's reduction: 0 until a thread says what decides it,
// true of Any and false of All. The volatile reads keep all threads but the
// first few from the atomic. A control kernel goes from one value to the next,
// so that it need not wait between reading one and setting it back.
__device__ int irgl_reduced[IRGL_REDUCTIONS];

static __device__ __forceinline__ void irgl_any(int *reduced, bool value) {
  if (value && *(volatile int *)reduced == 0) {
    atomicOr(reduced, 1);
  }
}

static __device__ __forceinline__ void irgl_all(int *reduced, bool value) {
  irgl_any(reduced, !value);
}

// What follows is for control kernels: kernels of which each thread executes
// the host's code, and which call other kernels as functions (IrGL paper,
// section 4.1). Each thread has its own copy of the pipe.

// A run that is given up ends inside a control kernel, too. The host sets the
// first of these variables while it runs; a thread looks at it in one of 16 calls
// of kernels and tells the others by the second, with the barrier behind that
// call in between.
__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;

static __device__ __forceinline__ void irgl_look(int calls) {
  if (calls == 15 && irgl_thread() == 0) {
    irgl_stopped = *(volatile int *)&irgl_stop;
  }
}

// Called behind the barrier: counts the call, or sets the number to -1 for good.
static __device__ __forceinline__ void irgl_looked(int *calls) {
  if (*calls == 15 && *(volatile int *)&irgl_stopped != 0) {
    *calls = -1;
  } else if (*calls >= 0) {
    *calls = (*calls + 1) % 16;
  }
}

// Returns the value for the reduction of the next call. The one after it is
// cleared: all threads have read it, since a barrier came between.
static __device__ __forceinline__ int *irgl_next_reduced(int *slot) {
  int *reduced = &irgl_reduced[*slot];
  *slot = *slot == 2 ? 0 : *slot + 1;
  if (irgl_thread() == 0) {
    irgl_reduced[*slot] = 0;
  }
  return reduced;
}

// Called before a kernel that uses the worklists: clears the counter that will
// be the next one of the out list. It was that of the in list before the last
// barrier.
static __device__ __forceinline__ void irgl_pipe_clear(struct irgl_pipe *pipe) {
  if (irgl_thread() == 0) {
    *pipe->used = 0;
  }
}

// Notes that a list is too small for n items. The threads of the grid all find
// that, and leave.
static __device__ __forceinline__ void irgl_pipe_need(struct irgl_pipe *pipe, int n) {
  if (n < 0 || n > pipe->in.capacity) {
    pipe->need = n < 0 ? INT_MAX : n;
  }
}

// Whether a mesh has more points or elements than there is room for.
static __device__ __forceinline__ bool irgl_full(int count, int room) {
  return (unsigned int)count > (unsigned int)room;
}

// Called after the barrier behind a kernel: makes what it pushed the list that
// the next one pops. No thread waits for another, since nobody touches the
// counter of the in list before the next barrier but to read it.
static __device__ __forceinline__ void irgl_pipe_turn(struct irgl_pipe *pipe) {
  struct irgl_worklist pushed = pipe->out;
  pipe->out.items = pipe->in.items;
  pipe->out.count = pipe->used;
  pipe->used = pipe->in.count;
  pushed.size = *pushed.count;
  pipe->in = pushed;
  pipe->size = pushed.size;
  irgl_pipe_need(pipe, pushed.size);
}

// Called after the barrier behind a kernel that retries: makes what it retried
// the list that its next run pops; false if it retried nothing. The counter
// that has been read is left alone until the next barrier.
static __device__ __forceinline__ bool irgl_pipe_respawn(struct irgl_pipe *pipe) {
  struct irgl_worklist again = pipe->retry;
  int n = *again.count;
  if (n == 0) {
    pipe->retry.count = pipe->zero;
    pipe->zero = again.count;
    return false;
  }
  pipe->retry.items = pipe->in.items;
  pipe->retry.count = pipe->used;
  pipe->used = pipe->in.count;
  again.size = n;
  pipe->in = again;
  pipe->size = n;
  irgl_pipe_need(pipe, n);
  return pipe->need == 0;
}

// The same for a kernel whose items conflict. When as many are left as there
// were, one block alone works in the next run, and in the one after it a thread
// that meets no other; all are back when fewer are left.
static __device__ __forceinline__ bool irgl_pipe_retry(struct irgl_pipe *pipe) {
  int given = pipe->size;
  bool again = irgl_pipe_respawn(pipe);
  if (!again || pipe->size < given) {
    pipe->narrow = 0;
  } else if (pipe->narrow < 2) {
    pipe->narrow++;
  }
  return again;
}

static __device__ __forceinline__ bool irgl_works(struct irgl_pipe *pipe) {
  return pipe->narrow == 0 || blockIdx.x == 0 && (pipe->narrow == 1 || threadIdx.x == 0);
}

// Retries the items of a thread that does not work.
static __device__ void irgl_retry_all(struct irgl_pipe *pipe) {
  for (int i = irgl_thread(); i < pipe->size; i += irgl_threads()) {
    irgl_push(pipe->retry, irgl_pop(pipe->in, i));
  }
}

// The same where the items go to threads in a scattered order, or in blocks.
static __device__ void irgl_retry_scattered(struct irgl_pipe *pipe, int few, int tail) {
  long step = irgl_together_tail(pipe->size, few, tail);
  for (long at = irgl_place(); at < pipe->size && irgl_place() < step; at += step) {
    irgl_push(pipe->retry, irgl_pop(pipe->in, irgl_scattered(at, pipe->size)));
  }
}

static __device__ void irgl_retry_blocked(struct irgl_pipe *pipe, int least, int tail) {
  int end = irgl_chunk_at(pipe->size, least, tail, irgl_thread() + 1);
  for (int i = irgl_chunk_at(pipe->size, least, tail, irgl_thread()); i < end; i++) {
    irgl_push(pipe->retry, irgl_pop(pipe->in, i));
  }
}
