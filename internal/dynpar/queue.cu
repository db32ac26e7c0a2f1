// Launches that go into the queue of a device, in its memory, which the runtime drains when a grid
// has ended. Without the runtime the queue is null, and a launch traps.

static __device__ struct irgl_launch_queue *irgl_launch_open(void) {
	if (irgl_launches.queue == 0) {
		__trap();
	}
	return irgl_launches.queue;
}

static __device__ int irgl_launch_error(int take, struct irgl_launch_state *state) {
	irgl_launch_open();
	return irgl_launch_asked(take, state);
}

// irgl_launch_stream returns a stream that no other thread of a grid that runs has.
static __device__ int irgl_launch_stream(void **s) {
	*s = (void *)(16ul + atomicAdd(&irgl_launch_open()->streams, 1u));
	return 0;
}

static __device__ int irgl_launch_destroy(void *s) { return 0; }

static __device__ int irgl_launch_device(void) { return irgl_launch_open()->device; }

// irgl_launch_order returns the number of a stream in a slot: launches of one block with one number follow each other. A
// thread's own default stream has the thread's.
static __device__ unsigned long irgl_launch_order(cudaStream_t stream) {
	if (stream == (cudaStream_t)2 || IRGL_PER_THREAD && stream == 0) { // cudaStreamPerThread
		return 1ul << 63 | (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	}
	return (unsigned long)stream;
}

// irgl_launch takes a slot of the queue, and returns where its arguments go; null on an error.
static __device__ void *irgl_launch(unsigned int kernel, unsigned int site, dim3 grid, dim3 block, unsigned long shared, cudaStream_t stream, struct irgl_launch_state *state) {
	struct irgl_launch_queue *q = irgl_launch_open();
	if (!irgl_launch_possible(grid, block, shared)) {
		irgl_launch_note(state, irgl_launch_failed(9, kernel, site, grid, block, shared)); // cudaErrorInvalidConfiguration
		return 0;
	}
	if (q->depth >= q->deepest && stream != (cudaStream_t)3) { // a tail launch has its parent's depth
		irgl_launch_note(state, irgl_launch_failed(65, kernel, site, grid, block, shared)); // cudaErrorLaunchMaxDepthExceeded
		return 0;
	}
	unsigned int n = atomicAdd(&q->count, 1u);
	if (n >= q->capacity) {
		irgl_launch_note(state, irgl_launch_failed(69, kernel, site, grid, block, shared)); // cudaErrorLaunchPendingCountExceeded
		return 0;
	}
	struct irgl_launch_slot *s = (struct irgl_launch_slot *)(q->slots + (unsigned long)n * q->stride);
	s->grid = irgl_launch_grid();
	s->block = irgl_launch_block();
	s->stream = irgl_launch_order(stream);
	s->module = irgl_launches.number;
	s->kernel = kernel;
	s->site = site;
	s->size[0] = grid.x;
	s->size[1] = grid.y;
	s->size[2] = grid.z;
	s->size[3] = block.x;
	s->size[4] = block.y;
	s->size[5] = block.z;
	s->shared = shared;
	return s + 1;
}
