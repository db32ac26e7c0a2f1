// The part of the device library for control kernels in which each thread loads
// the first item that it will pop while the count of the list is in flight: the
// one with its own number. A list that has fewer items has something else there,
// which nobody asks for.

static __device__ __forceinline__ int irgl_first(struct irgl_worklist list) {
  int at = irgl_thread();
  return list.items[at < list.capacity ? at : 0];
}

static __device__ __forceinline__ struct irgl_item irgl_first_node(struct irgl_worklist list) {
  int at = irgl_thread();
  return irgl_take_item(list, at < list.capacity ? at : 0);
}

// Gives those places of a list that have no item a value, once.
static __device__ __forceinline__ void irgl_first_clear(struct irgl_worklist list, int size) {
  int at = irgl_thread();
  if (at >= size && at < list.capacity) {
    list.items[at] = 0;
  }
}

static __device__ __forceinline__ void irgl_first_clear_node(struct irgl_worklist list, int size) {
  int at = irgl_thread();
  if (at >= size && at < list.capacity) {
    struct irgl_item none;
    none.id = 0;
    none.bare = 0;
    none.first = 0;
    none.end = 0;
    irgl_put_item(list, at, 0, none);
  }
}

// irgl_pop and its like by a thread that has the item of its own number already.
static __device__ __forceinline__ int irgl_pop_ahead(struct irgl_worklist in, int index, int ahead) {
  return index == irgl_thread() ? ahead : in.items[index];
}

static __device__ __forceinline__ int irgl_pop_id_ahead(struct irgl_worklist in, int index, struct irgl_item ahead) {
  return index == irgl_thread() ? ahead.id : irgl_pop_id(in, index);
}

static __device__ __forceinline__ int irgl_pop_node_ahead(struct irgl_worklist in, const irgl_index *row, int nodes, int index, struct irgl_item ahead, irgl_index *first, irgl_index *end) {
  struct irgl_item item = ahead;
  if (index != irgl_thread()) {
    item = irgl_take_item(in, index);
  }
  if (item.bare != 0) {
    item = irgl_item_of(row, nodes, item.id);
  }
  *first = item.first;
  *end = item.end;
  return item.id;
}

// The same for the next run of a kernel that respawns items, whose count is known:
// where it is 0, others may push to the list already. For the condition of a loop.
static __device__ __forceinline__ bool irgl_first_again(const struct irgl_pipe *pipe, int *ahead) {
  *ahead = irgl_first(pipe->in);
  return true;
}

static __device__ __forceinline__ bool irgl_first_again_node(const struct irgl_pipe *pipe, struct irgl_item *ahead) {
  *ahead = irgl_first_node(pipe->in);
  return true;
}
