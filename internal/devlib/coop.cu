// The part of the device library by which the threads of a warp or a block
// work together (IrGL paper, sections 4.2 and 4.3).
//
// The comments that begin with @ are read by package devlib (Listing 8): such a
// function is the form of the one named in brackets for a thread, a warp or a
// block that does it n times at once. What is named @task does one of them, at
// the place that the others return. @once is the form of a warp for one a thread.

static __device__ __forceinline__ int irgl_lane(void) {
  return (int)(threadIdx.x % 32);
}

// The lanes of the thread's warp that the block has: the last warp of a block
// whose size is no multiple of 32 is a part of one.
static __device__ __forceinline__ int irgl_lanes(void) {
  return min(32, (int)(blockDim.x - threadIdx.x / 32 * 32));
}

static __device__ __forceinline__ unsigned int irgl_warp_mask(void) {
  return 0xffffffffu >> (32 - irgl_lanes());
}

static __device__ __forceinline__ unsigned int irgl_lanes_below(void) {
  return (1u << irgl_lane()) - 1;
}

// How far the thread's iteration is from that of its block's first thread, when
// warps are dealt to the blocks in turn.
static __device__ __forceinline__ int irgl_dealt(void) {
  return (int)(threadIdx.x / 32 * gridDim.x * 32) + irgl_lane();
}

// A loop iterates over what is left of a range, step of it at a time: the place
// of one slot, which is the last of all where the range has no more, and what is
// left after the step.
static __device__ __forceinline__ irgl_index irgl_slot(irgl_index slot, irgl_index left) {
  return min(slot, left - 1);
}

static __device__ __forceinline__ irgl_index irgl_less(irgl_index left, irgl_index step) {
  return left - min(left, step);
}

// The sum of the values of the threads before this one in the block. All threads
// must come here, and there must be a barrier between this and the next time.
static __device__ int irgl_block_scan(int value) {
  __shared__ int sums[32];
  unsigned int mask = irgl_warp_mask();
  int lane = irgl_lane();
  int sum = value;

  // In a row, with a mask that is not known to be whole, NVIDIA's assembler makes
  // routines of the shuffles that bring the lanes together one by one.
  #pragma unroll 1
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(mask, sum, (unsigned int)step);
    if (lane >= step) {
      sum += other;
    }
  }
  int warp = (int)(threadIdx.x / 32);
  if (lane == irgl_lanes() - 1) {
    sums[warp] = sum;
  }
  __syncthreads();
  int before = sum - value;
  for (int w = 0; w < warp; w++) {
    before += sums[w];
  }
  return before;
}

// One step of the search for the thread that has the item at a place, of threads
// whose items begin at ascending places: it is the given one or a later one.
static __device__ __forceinline__ int irgl_later(const int *starts, int owner, int step, int place) {
  return owner + (int)(starts[owner + step] <= place) * step;
}

// @task(irgl_push)
static __device__ __forceinline__ void irgl_put(struct irgl_worklist out, int start, int task, int item) {
  int at = (int)((unsigned int)start + (unsigned int)task);
  // A count that passes 2^31 must not come back as a place in the list.
  if ((unsigned int)at < (unsigned int)out.capacity) {
    out.items[at] = item;
  }
}

// @thread(irgl_push)
static __device__ __forceinline__ int irgl_reserve(struct irgl_worklist out, int n) {
  return n > 0 ? atomicAdd(out.count, n) : 0;
}

// The product of a number of iterations and what each of them needs, at most 2^31: no list
// has so many items.
static __device__ __forceinline__ unsigned long irgl_product(unsigned long n, unsigned long each) {
  return min(min(n, 0x80000000ul) * min(each, 0x80000000ul), 0x80000000ul);
}

// A number of items as what a reservation takes. For more than any list has, the list's count
// becomes one that reports an overflow, and nothing is reserved.
static __device__ __forceinline__ int irgl_room(struct irgl_worklist out, unsigned long n) {
  if (n < 0x80000000ul) {
    return (int)n;
  }
  atomicMax((unsigned int *)out.count, 0x80000000u);
  return 0;
}

// The sum of what the lanes of a mask below this one have, and of what all have.
// Bit by bit: a sum over any set of lanes takes a ballot for each. Sums wrap, so
// that any numbers will do.
static __device__ __forceinline__ unsigned int irgl_warp_sums(unsigned int mask, unsigned int n, unsigned int *all) {
  unsigned int below = irgl_lanes_below();
  unsigned int before = 0;
  *all = 0;
  for (int bit = 0; __any_sync(mask, n != 0) != 0; bit++) {
    unsigned int with = __ballot_sync(mask, n & 1);
    before += (unsigned int)__popc(with & below) << bit;
    *all += (unsigned int)__popc(with) << bit;
    n >>= 1;
  }
  return before;
}

static __device__ __forceinline__ unsigned long irgl_warp_sums_long(unsigned int mask, unsigned long n, unsigned long *all) {
  unsigned int below = irgl_lanes_below();
  unsigned long before = 0;
  *all = 0;
  for (int bit = 0; __any_sync(mask, n != 0) != 0; bit++) {
    unsigned int with = __ballot_sync(mask, (n & 1) != 0);
    before += (unsigned long)__popc(with & below) << bit;
    *all += (unsigned long)__popc(with) << bit;
    n >>= 1;
  }
  return before;
}

// The first of the lanes of a mask adds to a counter what all of them have; each
// gets the place of its own part, behind what the lanes below it have.
static __device__ __forceinline__ int irgl_add_once(unsigned int mask, int *counter, unsigned int all, unsigned int before) {
  int leader = __ffs((int)mask) - 1;
  unsigned int start = 0;
  if (irgl_lane() == leader) {
    start = (unsigned int)atomicAdd(counter, (int)all);
  }
  return (int)(__shfl_sync(mask, start, leader) + before);
}

static __device__ __forceinline__ long irgl_add_once_long(unsigned int mask, long *counter, unsigned long all, unsigned long before) {
  int leader = __ffs((int)mask) - 1;
  unsigned long start = 0;
  if (irgl_lane() == leader) {
    start = (unsigned long)atomicAdd((unsigned long long *)counter, (unsigned long long)all);
  }
  return (long)(__shfl_sync(mask, start, leader) + before);
}

// An atomicAdd of the program, by the lanes that come to it together: each gets
// what it would have found if the lanes below it had been there just before. Which
// lanes these are is asked once; __shfl_sync then brings just them together again,
// so that it does not matter whether the lanes of the warp run in step.
// @once(atomicAdd)
static __device__ __forceinline__ int irgl_add(int *counter, int n) {
  unsigned int mask = __activemask();
  unsigned int all;
  unsigned int before = irgl_warp_sums(mask, (unsigned int)n, &all);
  return irgl_add_once(mask, counter, all, before);
}

static __device__ __forceinline__ long irgl_add_long(long *counter, long n) {
  unsigned int mask = __activemask();
  unsigned long all;
  unsigned long before = irgl_warp_sums_long(mask, (unsigned long)n, &all);
  return irgl_add_once_long(mask, counter, all, before);
}

// The same where all add as much.
static __device__ __forceinline__ int irgl_add_same(int *counter, int n) {
  unsigned int mask = __activemask();
  unsigned int each = (unsigned int)n;
  return irgl_add_once(mask, counter, each * (unsigned int)__popc(mask), each * (unsigned int)__popc(mask & irgl_lanes_below()));
}

static __device__ __forceinline__ long irgl_add_same_long(long *counter, long n) {
  unsigned int mask = __activemask();
  unsigned long each = (unsigned long)n;
  return irgl_add_once_long(mask, counter, each * (unsigned long)__popc(mask), each * (unsigned long)__popc(mask & irgl_lanes_below()));
}

// The same for a list's count, which is left alone where all have 0: there is no
// place then.
static __device__ __forceinline__ int irgl_warp_add(int *count, int n) {
  unsigned int mask = __activemask();
  unsigned int all;
  unsigned int before = irgl_warp_sums(mask, (unsigned int)n, &all);
  return all != 0 ? irgl_add_once(mask, count, all, before) : 0;
}

// @warp(irgl_push)
static __device__ __forceinline__ int irgl_reserve_warp(struct irgl_worklist out, int n) {
  return irgl_warp_add(out.count, n);
}

// @once(irgl_push)
static __device__ __forceinline__ void irgl_push_warp(struct irgl_worklist out, int item) {
  irgl_put(out, irgl_add_same(out.count, 1), 0, item);
}

// All threads of the block must come here.
// @threadblock(irgl_push)
static __device__ int irgl_reserve_block(struct irgl_worklist out, int n) {
  __shared__ int start;
  int before = irgl_block_scan(n);
  if (threadIdx.x == blockDim.x - 1) {
    start = irgl_reserve(out, before + n);
  }
  __syncthreads();
  int first = start;
  __syncthreads(); // before the next reservation
  return first + before;
}

// A queue in shared memory gathers what the threads of a block push, wherever
// they do; it goes to the list at the next place where all of them meet. What it
// has no room for goes to the list at once.

static __device__ __forceinline__ void irgl_queue_put(struct irgl_worklist out, int *queue, int room, int start, int task, int item) {
  int at = start + task;
  if ((unsigned int)at < (unsigned int)room) {
    queue[at] = item;
  } else {
    irgl_push_warp(out, item);
  }
}

static __device__ __forceinline__ void irgl_queue_push(struct irgl_worklist out, int *queue, int *queued, int room, int item) {
  irgl_queue_put(out, queue, room, irgl_add_same(queued, 1), 0, item);
}

// Moves a queue that holds more than so many to its list: one atomic of global
// memory for all of it. All threads of the block must come here. The last one to come
// sees what all have pushed, so that a queue that stays costs one barrier. One
// that was moved must meet another before more is pushed to it: true says so.
static __device__ bool irgl_queue_flush(struct irgl_worklist out, const int *queue, int *queued, int room, int over) {
  __shared__ int start;
  __shared__ int count;
  if (__syncthreads_or((unsigned int)*(volatile int *)queued > (unsigned int)over) != 0) {
    if (threadIdx.x == 0) {
      // What passes 2^31 has gone to the list already.
      int n = (int)min((unsigned int)*queued, (unsigned int)room);
      start = irgl_reserve(out, n);
      count = n;
      *queued = 0;
    }
    __syncthreads();
    int n = count;
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
      irgl_put(out, start, i, queue[i]);
    }
    return true;
  }
  return false;
}

// What the threads have gathered of a reduction, when each is done.
// @warp(irgl_any)
static __device__ __forceinline__ void irgl_any_warp(int *reduced, bool value) {
  unsigned int mask = __activemask();
  if (__any_sync(mask, value) != 0 && irgl_lane() == __ffs((int)mask) - 1) {
    irgl_any(reduced, true);
  }
}

// @warp(irgl_all)
static __device__ __forceinline__ void irgl_all_warp(int *reduced, bool value) {
  unsigned int mask = __activemask();
  if (__all_sync(mask, value) == 0 && irgl_lane() == __ffs((int)mask) - 1) {
    irgl_all(reduced, false);
  }
}

// @threadblock(irgl_any)
static __device__ void irgl_any_block(int *reduced, bool value) {
  if (__syncthreads_or(value) != 0 && threadIdx.x == 0) {
    irgl_any(reduced, true);
  }
}

// @threadblock(irgl_all)
static __device__ void irgl_all_block(int *reduced, bool value) {
  if (__syncthreads_and(value) == 0 && threadIdx.x == 0) {
    irgl_all(reduced, false);
  }
}

// Ranges that are too long for one block wait here for the end of the kernel's
// outermost loop, cut into tiles, which the blocks of the grid then deal out
// among themselves. What finds no room is left to its block. What a tile needs
// is stored by its number, so that one round of loads begins it.
struct irgl_hubs {
  int turn;     // 0 or 2: which two of the counters calls use; a call that has put
                // off something leaves the other two, at 0, to the next
  int lists[4]; // put off so far
  int tiles[4];
  irgl_index first[IRGL_HUB_TILES]; // of a tile
  int size[IRGL_HUB_TILES];         // 0 for a tile of no list
  int list[IRGL_HUB_TILES];
};

// Which counters a call uses: of the two, one by turns from barrier to barrier. A
// thread may ask for the tiles of a call, find none, and so not meet the others
// again, when they are in the next call already and put something off.
static __device__ int irgl_hub_turn(struct irgl_hubs *hubs) {
  int turn = hubs->turn;
  if (gridDim.x > 1) {
    turn += (int)(*(volatile unsigned int *)&irgl_arrived >> 31);
  }
  return turn;
}

// Puts off a range, in tiles of the given size, and returns its number; or -1,
// where there is no room.
static __device__ int irgl_hub_put(struct irgl_hubs *hubs, int turn, irgl_index first, irgl_index size, int tile) {
  irgl_index needed = (size - 1) / (irgl_index)tile + 1;
  if (needed > IRGL_HUB_TILES) {
    return -1;
  }
  int n = (int)needed;
  int list = atomicAdd(&hubs->lists[turn], 1);
  if ((unsigned int)list >= IRGL_HUB_LISTS) {
    return -1;
  }
  int start = atomicAdd(&hubs->tiles[turn], n);
  bool fits = start + n <= IRGL_HUB_TILES;
  for (int i = start; i < min(start + n, IRGL_HUB_TILES); i++) {
    hubs->first[i] = first;
    hubs->size[i] = fits ? (int)min(size, (irgl_index)tile) : 0;
    hubs->list[i] = list;
    first += (irgl_index)tile;
    size -= (irgl_index)tile;
  }
  return fits ? list : -1;
}

// How many tiles there are. All threads of the grid ask, once they have met
// behind the last range; the grid must meet again before more are put off.
static __device__ int irgl_hub_tiles(struct irgl_hubs *hubs, int turn) {
  int tiles = min(hubs->tiles[turn], IRGL_HUB_TILES);
  if (gridDim.x == 1) {
    __syncthreads(); // the barrier of one block does not count
  }
  if (tiles > 0 && irgl_thread() == 0) {
    int next = 2 - (turn & 2);
    hubs->lists[next] = 0;
    hubs->tiles[next] = 0;
    hubs->lists[next + 1] = 0;
    hubs->tiles[next + 1] = 0;
    hubs->turn = next;
  }
  return tiles;
}
