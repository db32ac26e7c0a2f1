// Worklists of nodes whose items bring the bounds of the node's edges, so that
// a thread that pops a node need not wait for memory once more before it knows its edges.
// The lists are those of device.cu, but for the size of their items.
//
// Whoever pushes a node loads its bounds in front of the atomic that reserves
// room for it, and does not wait for them before it: what the one takes hides the
// other. A number that is no node's may be in a list, too: its range is empty.

struct __align__(16) irgl_item {
  int id;
  int bare; // 1 of an item that the host put there, without bounds
  irgl_index first;
  irgl_index end;
};

static __device__ __forceinline__ struct irgl_item irgl_item_of(const irgl_index *row, int nodes, int id) {
  struct irgl_item item;
  unsigned int at = min((unsigned int)id, (unsigned int)nodes);
  item.id = id;
  item.bare = 0;
  item.first = row[at];
  item.end = row[min(at + 1, (unsigned int)nodes)];
  return item;
}

static __device__ __forceinline__ struct irgl_item irgl_take_item(struct irgl_worklist in, int index) {
  return ((const struct irgl_item *)in.items)[index];
}

static __device__ __forceinline__ void irgl_put_item(struct irgl_worklist out, int start, int task, struct irgl_item item) {
  int at = (int)((unsigned int)start + (unsigned int)task);
  // A count that passes 2^31 must not come back as a place in the list.
  if ((unsigned int)at < (unsigned int)out.capacity) {
    ((struct irgl_item *)out.items)[at] = item;
  }
}

// A node and where its edges are.
static __device__ __forceinline__ int irgl_pop_node(struct irgl_worklist in, const irgl_index *row, int nodes, int index, irgl_index *first, irgl_index *end) {
  struct irgl_item item = irgl_take_item(in, index);
  if (item.bare != 0) {
    item = irgl_item_of(row, nodes, item.id);
  }
  *first = item.first;
  *end = item.end;
  return item.id;
}

// One whose edges do not matter.
static __device__ __forceinline__ int irgl_pop_id(struct irgl_worklist in, int index) {
  return ((const struct irgl_item *)in.items)[index].id;
}

static __device__ __forceinline__ void irgl_push_node(struct irgl_worklist out, const irgl_index *row, int nodes, int id) {
  struct irgl_item item = irgl_item_of(row, nodes, id);
  irgl_put_item(out, atomicAdd(out.count, 1), 0, item);
}

// @task(irgl_push_node)
static __device__ __forceinline__ void irgl_put_node(struct irgl_worklist out, const irgl_index *row, int nodes, int start, int task, int id) {
  irgl_put_item(out, start, task, irgl_item_of(row, nodes, id));
}

// @once(irgl_push_node)
static __device__ __forceinline__ void irgl_push_node_warp(struct irgl_worklist out, const irgl_index *row, int nodes, int id) {
  struct irgl_item item = irgl_item_of(row, nodes, id);
  irgl_put_item(out, irgl_add_same(out.count, 1), 0, item);
}

// A queue in shared memory has the nodes alone, which leaves room for more.
static __device__ __forceinline__ void irgl_queue_put_node(struct irgl_worklist out, const irgl_index *row, int nodes, int *queue, int room, int start, int task, int id) {
  int at = start + task;
  if ((unsigned int)at < (unsigned int)room) {
    queue[at] = id;
  } else {
    irgl_push_node_warp(out, row, nodes, id);
  }
}

static __device__ __forceinline__ void irgl_queue_push_node(struct irgl_worklist out, const irgl_index *row, int nodes, int *queue, int *queued, int room, int id) {
  irgl_queue_put_node(out, row, nodes, queue, room, irgl_add_same(queued, 1), 0, id);
}

// Moves a queue to its list as irgl_queue_flush does. The bounds of what each
// thread moves first are in flight while one of them reserves the room.
static __device__ bool irgl_queue_flush_node(struct irgl_worklist out, const irgl_index *row, int nodes, const int *queue, int *queued, int room, int over) {
  __shared__ int start;
  unsigned int all = *(volatile unsigned int *)queued;
  if (__syncthreads_or(all > (unsigned int)over) != 0) {
    int n = (int)min(*(volatile unsigned int *)queued, (unsigned int)room);
    struct irgl_item item = irgl_item_of(row, nodes, (int)threadIdx.x < n ? queue[threadIdx.x] : 0);
    if (threadIdx.x == 0) {
      start = irgl_reserve(out, n);
    }
    __syncthreads();
    if ((int)threadIdx.x < n) {
      irgl_put_item(out, start, (int)threadIdx.x, item);
    }
    for (int i = (int)(threadIdx.x + blockDim.x); i < n; i += (int)blockDim.x) {
      irgl_put_node(out, row, nodes, start, i, queue[i]);
    }
    if (threadIdx.x == 0) {
      *(volatile int *)queued = 0; // a thread that looks too early finds something to move, and then nothing
    }
    return true;
  }
  return false;
}

// Retries the items of a thread that does not work.
static __device__ void irgl_retry_nodes(struct irgl_pipe *pipe) {
  for (int i = irgl_thread(); i < pipe->size; i += irgl_threads()) {
    struct irgl_item item = irgl_take_item(pipe->in, i);
    irgl_put_item(pipe->retry, atomicAdd(pipe->retry.count, 1), 0, item);
  }
}

static __device__ void irgl_retry_nodes_scattered(struct irgl_pipe *pipe, int few, int tail) {
  long step = irgl_together_tail(pipe->size, few, tail);
  for (long at = irgl_place(); at < pipe->size && irgl_place() < step; at += step) {
    struct irgl_item item = irgl_take_item(pipe->in, irgl_scattered(at, pipe->size));
    irgl_put_item(pipe->retry, atomicAdd(pipe->retry.count, 1), 0, item);
  }
}

static __device__ void irgl_retry_nodes_blocked(struct irgl_pipe *pipe, int least, int tail) {
  int end = irgl_chunk_at(pipe->size, least, tail, irgl_thread() + 1);
  for (int i = irgl_chunk_at(pipe->size, least, tail, irgl_thread()); i < end; i++) {
    struct irgl_item item = irgl_take_item(pipe->in, i);
    irgl_put_item(pipe->retry, atomicAdd(pipe->retry.count, 1), 0, item);
  }
}
