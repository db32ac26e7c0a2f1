// The part of the device library that host functions use.

// What the runtime sets before a run and reads after it.
int irgl_max_blocks = 1024;      // blocks of a launch at most
int irgl_capacity = 0;           // items a worklist holds; 0 for the program's choice
long irgl_iterations = 0;        // rounds run so far
int irgl_npoints = 0;            // points of the mesh
int irgl_nelements = 0;          // elements of the mesh
long irgl_launched = 0;          // grids that control kernels have launched so far

static void irgl_check(cudaError_t status) {
  if (status != cudaSuccess) {
    fprintf(stderr, "irgl: %s\n", cudaGetErrorString(status));
    exit(1);
  }
}

// Says that a worklist of the present capacity lost items and how many it
// needs. The runtime, which replaces this function, begins the run again with
// larger worklists.
static void irgl_overflow(int need) {
  fprintf(stderr, "irgl: a worklist overflowed: set irgl_capacity to at least %d\n", need);
  exit(3);
}

// Says that the step of a slice is 0 or less, which would never end. The runtime,
// which replaces this function, ends the run with an error.
static void irgl_bad_step(long step) {
  fprintf(stderr, "irgl: the step of a list must be positive, not %ld\n", step);
  exit(1);
}

// The step of a slice in the first items of a worklist.
static long irgl_step(long step) {
  if (step < 1) {
    irgl_bad_step(step);
  }
  return step;
}

// Says that no worklist has that size. The runtime, which replaces this function,
// ends the run with an error.
static void irgl_bad_size(long size) {
  fprintf(stderr, "irgl: the capacity of a worklist must be from 1 to %d items, not %ld\n", INT_MAX, size);
  exit(1);
}

// Says that host code accesses an element which an array does not have. The runtime,
// which replaces this function, ends the run with an error.
static void irgl_bad_element(const void *array, long at, long count) {
  fprintf(stderr, "irgl: index %ld is out of range: the array has %ld elements\n", at, count);
  exit(1);
}

// Says that a mesh has no room for what kernels added, and how many points and
// elements it needs room for. The runtime, which replaces this function, begins
// the run again with more room.
static void irgl_mesh_overflow(int points, int elements) {
  fprintf(stderr, "irgl: the mesh needs room for %d points and %d elements\n", points, elements);
  exit(3);
}

// Takes over the counts of a mesh to which a kernel has added.
static void irgl_mesh_counted(const int *counts, int point_room, int element_room) {
  int n[2];
  irgl_check(cudaMemcpy(n, counts, sizeof n, cudaMemcpyDeviceToHost));
  if (n[0] < 0 || n[0] > point_room || n[1] < 0 || n[1] > element_room) {
    irgl_mesh_overflow(n[0] < 0 ? INT_MAX : n[0], n[1] < 0 ? INT_MAX : n[1]);
  }
  irgl_npoints = n[0];
  irgl_nelements = n[1];
}

// The number of blocks of a kernel that the device holds at once, which is how
// many may wait for each other (report, section 3.4).
static int irgl_resident(const void *kernel, int threads) {
  int device;
  int blocks;
  int processors;
  irgl_check(cudaGetDevice(&device));
  irgl_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  irgl_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  return blocks * processors;
}

static int irgl_fewer(int a, int b) {
  return a < b ? a : b;
}

static int irgl_more(int a, int b) {
  return a > b ? a : b;
}

// The number of blocks for n items, one item a thread where they all fit.
static int irgl_blocks(int n, int threads) {
  int blocks = (n - 1) / threads + 1;
  if (blocks > irgl_max_blocks) {
    blocks = irgl_max_blocks;
  }
  return blocks < 1 ? 1 : blocks;
}

static void irgl_list_open(struct irgl_worklist *list, int capacity, size_t item, int *count) {
  list->capacity = capacity;
  list->size = 0;
  list->count = count;
  irgl_check(cudaMalloc((void **)&list->items, (size_t)capacity * item));
}

// The first items of a worklist, where an array gives some.
struct irgl_item_list {
  int *at;
  int count;
  int room;
};

static void irgl_items_open(struct irgl_item_list *list) {
  list->at = NULL;
  list->count = 0;
  list->room = 0;
}

static void irgl_items_add(struct irgl_item_list *list, int item) {
  if (list->count == list->room) {
    if (list->room > INT_MAX / 2 - 16) {
      irgl_overflow(INT_MAX);
    }
    int room = 2 * list->room + 16;
    int *more = (int *)malloc((size_t)room * sizeof(int));
    if (more == NULL) {
      fprintf(stderr, "irgl: there is no memory for the first items of a worklist\n");
      exit(1);
    }
    if (list->count > 0) {
      memcpy(more, list->at, (size_t)list->count * sizeof(int));
    }
    free(list->at);
    list->at = more;
    list->room = room;
  }
  list->at[list->count++] = item;
}

// The size of a worklist that the program asks for.
static int irgl_items_size(long n) {
  if (n < 1 || n > INT_MAX) {
    irgl_bad_size(n);
  }
  return (int)n;
}

// The counters of a pipe, each in a cache line of its own: five that go round
// among the lists of control kernels, then those for lists that the kernels of
// loops on the host push to, then those for what they retry. A loop takes one
// after the other, so that a round takes a launch and a copy back, and no reset (IrGL paper, section 4.4).
static int *irgl_counter(struct irgl_pipe *pipe, int number) {
  return pipe->counts + 32 * number;
}

// Returns the counter that follows the n already used, of the 64 from first on,
// with 0 in it: half of them are set back when they are about to come again. The
// list that is popped has its counter in the other half.
static int *irgl_next_counter(struct irgl_pipe *pipe, int first, int *n) {
  if (*n == 128) {
    *n = 64;
  }
  if (*n >= 64 && *n % 32 == 0) {
    irgl_check(cudaMemset(irgl_counter(pipe, first + *n % 64), 0, 32 * 128));
  }
  return irgl_counter(pipe, first + (*n)++ % 64);
}

// Returns one for the list that the next kernel pushes to.
static int *irgl_fresh(struct irgl_pipe *pipe) {
  return irgl_next_counter(pipe, 5, &pipe->pushed);
}

// Returns one for what it retries.
static int *irgl_fresh_retry(struct irgl_pipe *pipe) {
  return irgl_next_counter(pipe, 69, &pipe->retried);
}

// Called before a control kernel, and after it with what it gave back: its lists
// have the counters that go round, which are 0. Nothing has been pushed.
static void irgl_pipe_lend(struct irgl_pipe *pipe) {
  pipe->in.count = irgl_counter(pipe, 0);
  pipe->out.count = irgl_counter(pipe, 1);
  pipe->used = irgl_counter(pipe, 2);
  pipe->retry.count = irgl_counter(pipe, 3);
  pipe->zero = irgl_counter(pipe, 4);
}

static void irgl_pipe_back(struct irgl_pipe *pipe) {
  irgl_check(cudaMemset(pipe->counts, 0, 5 * 128));
  pipe->out.count = irgl_fresh(pipe);
  pipe->retry.count = irgl_fresh_retry(pipe);
}

// Opens a pipe with n items of a size in its first list, which come there later.
static void irgl_pipe_begin(struct irgl_pipe *pipe, int capacity, size_t item, int n) {
  if (irgl_capacity > 0) {
    capacity = irgl_capacity;
  }
  if (capacity < 1) {
    capacity = 1;
  }
  if (n > capacity) {
    irgl_overflow(n);
  }
  int *counts;
  irgl_check(cudaMalloc((void **)&counts, (5 + 64 + 64) * 128));
  irgl_check(cudaMemset(counts, 0, (5 + 64 + 64) * 128));
  pipe->counts = counts;
  pipe->used = counts;
  pipe->zero = counts;
  pipe->pushed = 0;
  pipe->retried = 0;
  irgl_list_open(&pipe->in, capacity, item, irgl_fresh(pipe));
  irgl_list_open(&pipe->out, capacity, item, irgl_fresh(pipe));
  pipe->in.size = n;
  pipe->size = n;
  pipe->narrow = 0;
  pipe->need = 0;
  if (n > 0) {
    irgl_check(cudaMemcpy(pipe->in.count, &n, sizeof(int), cudaMemcpyHostToDevice));
  }
}

// Opens a pipe with the given items in its first list.
static void irgl_pipe_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
  irgl_pipe_begin(pipe, capacity, sizeof(int), n);
  if (n > 0) {
    irgl_check(cudaMemcpy(pipe->in.items, items, (size_t)n * sizeof(int), cudaMemcpyHostToDevice));
  }
}

// The same for lists whose items have bounds (bounds.cu): these have none yet.
static void irgl_nodes_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
  irgl_pipe_begin(pipe, capacity, sizeof(struct irgl_item), n);
  if (n > 0) {
    struct irgl_item *bare = (struct irgl_item *)malloc((size_t)n * sizeof(struct irgl_item));
    if (bare == NULL) {
      fprintf(stderr, "irgl: there is no memory for the first items of a worklist\n");
      exit(1);
    }
    for (int i = 0; i < n; i++) {
      bare[i].id = items[i];
      bare[i].bare = 1;
      bare[i].first = 0;
      bare[i].end = 0;
    }
    irgl_check(cudaMemcpy(pipe->in.items, bare, (size_t)n * sizeof(struct irgl_item), cudaMemcpyHostToDevice));
    free(bare);
  }
}

// Makes what the last kernel pushed the list that the next one pops.
static void irgl_pipe_swap(struct irgl_pipe *pipe) {
  struct irgl_worklist pushed = pipe->out;
  irgl_check(cudaMemcpy(&pipe->size, pushed.count, sizeof(int), cudaMemcpyDeviceToHost));
  pipe->out = pipe->in;
  pipe->in = pushed;
  pipe->out.count = irgl_fresh(pipe);
  if (pipe->size < 0 || pipe->size > pipe->in.capacity) {
    irgl_overflow(pipe->size < 0 ? INT_MAX : pipe->size);
  }
  pipe->in.size = pipe->size;
}

static void irgl_pipe_close(struct irgl_pipe *pipe) {
  irgl_check(cudaFree(pipe->in.items));
  irgl_check(cudaFree(pipe->out.items));
  irgl_check(cudaFree(pipe->counts));
}

// Opens a pipe for kernels that retry items.
static void irgl_retry_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
  irgl_pipe_open(pipe, capacity, items, n);
  irgl_list_open(&pipe->retry, pipe->in.capacity, sizeof(int), irgl_fresh_retry(pipe));
}

static void irgl_nodes_retry_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
  irgl_nodes_open(pipe, capacity, items, n);
  irgl_list_open(&pipe->retry, pipe->in.capacity, sizeof(struct irgl_item), irgl_fresh_retry(pipe));
}

static void irgl_retry_close(struct irgl_pipe *pipe) {
  irgl_check(cudaFree(pipe->retry.items));
  irgl_pipe_close(pipe);
}

// Makes what the last run of a kernel retried the list that its next run pops;
// false if it retried nothing. Kernels go on pushing to the same list.
static bool irgl_respawn(struct irgl_pipe *pipe) {
  struct irgl_worklist again = pipe->retry;
  int n;
  irgl_check(cudaMemcpy(&n, again.count, sizeof(int), cudaMemcpyDeviceToHost));
  if (n == 0) {
    return false;
  }
  if (n < 0 || n > again.capacity) {
    irgl_overflow(n < 0 ? INT_MAX : n);
  }
  pipe->retry = pipe->in;
  again.size = n;
  pipe->in = again;
  pipe->size = n;
  pipe->retry.count = irgl_fresh_retry(pipe);
  return true;
}

// The same for a kernel whose items conflict. When as many are left as there
// were, the next run has one block, and the one after it one thread, which
// meets no other; all threads are back when fewer are left.
static bool irgl_retry(struct irgl_pipe *pipe) {
  int given = pipe->size;
  bool again = irgl_respawn(pipe);
  if (!again || pipe->size < given) {
    pipe->narrow = 0;
  } else if (pipe->narrow < 2) {
    pipe->narrow++;
  }
  return again;
}

// The blocks and the threads of a launch whose items may conflict.
static int irgl_retry_blocks(struct irgl_pipe *pipe, int blocks) {
  return pipe->narrow > 0 ? 1 : blocks;
}

static int irgl_retry_threads(struct irgl_pipe *pipe, int threads) {
  return pipe->narrow > 1 ? 1 : threads;
}

// The blocks of a control kernel: no more than the device holds at once, than
// what a multiprocessor should have, and than there is work for.
static int irgl_control_blocks(const void *kernel, int threads, int each, int useful) {
  int device;
  int blocks;
  int processors;
  irgl_check(cudaGetDevice(&device));
  irgl_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  irgl_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  blocks = irgl_fewer(irgl_fewer(blocks, each) * processors, irgl_fewer(useful, irgl_max_blocks));
  return blocks < 1 ? 1 : blocks;
}

// The same for a kernel whose blocks form clusters, as whole ones: a few blocks more,
// unless the device does not hold them; those of a cluster have to be neighbours.
static int irgl_control_clusters(const void *kernel, int threads, int each, int useful, int size) {
  int clusters;
  cudaLaunchConfig_t launch;
  launch.gridDim = dim3(size);
  launch.blockDim = dim3(threads);
  launch.dynamicSmemBytes = 0;
  launch.stream = 0;
  launch.attrs = 0;
  launch.numAttrs = 0;
  irgl_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  irgl_check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch));
  clusters = irgl_fewer(clusters, (irgl_control_blocks(kernel, threads, each, useful) + size - 1) / size);
  return (clusters < 1 ? 1 : clusters) * size;
}

// Begins a reduction: kernels reduce to what it returns.
static int *irgl_reduce_begin(void) {
  void *reduced;
  irgl_check(cudaGetSymbolAddress(&reduced, irgl_reduced));
  irgl_check(cudaMemset(reduced, 0, IRGL_REDUCTIONS * sizeof(int)));
  return (int *)reduced;
}

// Whether a thread has decided it.
static bool irgl_reduce_end(int *reduced) {
  int value;
  irgl_check(cudaMemcpy(&value, reduced, sizeof(int), cudaMemcpyDeviceToHost));
  return value != 0;
}

// Host access to single elements of device arrays. The first few accesses
// between two launches are copies of one element; from then on the whole array
// is mirrored on the host, and goes back before the next kernel that uses it.
struct irgl_mirror {
  char *device;
  char *host;
  size_t bytes;
  int accesses; // since the last kernel that wrote the array
  bool valid;   // host holds the array's values
  bool dirty;   // host is newer than device
};

struct irgl_mirror irgl_mirrors[IRGL_MIRRORS];
int irgl_mirror_count = 0;

static struct irgl_mirror *irgl_find_mirror(void *device) {
  for (int i = 0; i < irgl_mirror_count; i++) {
    if (irgl_mirrors[i].device == (char *)device) {
      return &irgl_mirrors[i];
    }
  }
  return NULL;
}

// Returns the mirror of an array, valid if it pays, or NULL if no more arrays
// can be mirrored.
static struct irgl_mirror *irgl_touch(void *device, size_t bytes) {
  struct irgl_mirror *m = irgl_find_mirror(device);
  if (m == NULL) {
    if (irgl_mirror_count == IRGL_MIRRORS) {
      return NULL;
    }
    m = &irgl_mirrors[irgl_mirror_count++];
    m->device = (char *)device;
    m->host = NULL;
    m->bytes = bytes;
    m->accesses = 0;
    m->valid = false;
    m->dirty = false;
  }
  m->accesses++;
  if (!m->valid && m->accesses > IRGL_MIRROR_AFTER) {
    if (m->host == NULL) {
      m->host = (char *)malloc(bytes);
      if (m->host == NULL) {
        return m;
      }
    }
    irgl_check(cudaMemcpy(m->host, device, bytes, cudaMemcpyDeviceToHost));
    m->valid = true;
  }
  return m;
}

static void irgl_read(void *device, size_t bytes, size_t offset, void *value, size_t size) {
  if (offset >= bytes) {
    irgl_bad_element(device, (long)offset / (long)size, (long)(bytes / size));
  }
  struct irgl_mirror *m = irgl_touch(device, bytes);
  if (m != NULL && m->valid) {
    memcpy(value, m->host + offset, size);
  } else {
    irgl_check(cudaMemcpy(value, (char *)device + offset, size, cudaMemcpyDeviceToHost));
  }
}

static void irgl_write(void *device, size_t bytes, size_t offset, const void *value, size_t size) {
  if (offset >= bytes) {
    irgl_bad_element(device, (long)offset / (long)size, (long)(bytes / size));
  }
  struct irgl_mirror *m = irgl_touch(device, bytes);
  if (m != NULL && m->valid) {
    memcpy(m->host + offset, value, size);
    m->dirty = true;
  } else {
    irgl_check(cudaMemcpy((char *)device + offset, value, size, cudaMemcpyHostToDevice));
  }
}

// Called before a kernel that uses the array: it sees what the host wrote.
static void irgl_flush(void *device) {
  struct irgl_mirror *m = irgl_find_mirror(device);
  if (m != NULL && m->dirty) {
    irgl_check(cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice));
    m->dirty = false;
  }
}

// Called after a kernel that writes the array: the host's copy is stale.
static void irgl_stale(void *device) {
  struct irgl_mirror *m = irgl_find_mirror(device);
  if (m != NULL) {
    m->valid = false;
    m->accesses = 0;
  }
}

// Called when the run ends: the device holds every array's values.
static void irgl_settle(void) {
  for (int i = 0; i < irgl_mirror_count; i++) {
    struct irgl_mirror *m = &irgl_mirrors[i];
    irgl_flush(m->device);
    free(m->host);
  }
  irgl_mirror_count = 0;
}

// Counts of bits, for host code: what nvcc has of them is for devices only.
static __host__ __device__ inline int irgl_popcll(unsigned long long x) {
  int n = 0;
  for (; x != 0; x &= x - 1) {
    n++;
  }
  return n;
}

static __host__ __device__ inline int irgl_clzll(long long x) {
  int n = 64;
  for (unsigned long long rest = (unsigned long long)x; rest != 0; rest >>= 1) {
    n--;
  }
  return n;
}

static __host__ __device__ inline int irgl_ffsll(long long x) {
  unsigned long long bits = (unsigned long long)x;
  return bits == 0 ? 0 : 64 - irgl_clzll((long long)(bits & (~bits + 1)));
}

static __host__ __device__ inline int irgl_popc(unsigned int x) {
  return irgl_popcll(x);
}

static __host__ __device__ inline int irgl_clz(int x) {
  return irgl_clzll((unsigned int)x) - 32;
}

static __host__ __device__ inline int irgl_ffs(int x) {
  return irgl_ffsll((unsigned int)x);
}
