// What launches in device code call: the queue of a device, in its memory. The runtime sets
// irgl_launches when it has loaded the module, and drains the queue when a grid has ended
// (internal/cudart/runtime/launches.h has the same structs). Without the runtime it is null.

struct irgl_launch_slot {
	unsigned long grid, block; // of the thread that launches
	unsigned long stream;
	unsigned int module, kernel; // the kernel's place in the module's table
	unsigned int size[6];        // of the grid, and of a block
	unsigned int shared, pad;
};

struct irgl_launch_error {
	unsigned long grid, thread;
	unsigned int code, pad;
};

struct irgl_launch_queue {
	unsigned int count;    // slots that were asked for
	unsigned int errors;   // errors that were met
	unsigned int streams;  // streams that were created
	unsigned int capacity; // slots
	unsigned int stride;   // bytes from slot to slot; arguments are behind the slot
	unsigned int depth;    // of the grids that run
	unsigned int deepest;  // that a grid may be
	unsigned int device;
	char *slots;
	struct irgl_launch_error list[IRGL_ERRORS];
};

struct irgl_launch_module {
	struct irgl_launch_queue *queue;
	unsigned int number, pad;
};

__device__ struct irgl_launch_module irgl_launches;

static __device__ struct irgl_launch_queue *irgl_launch_open(void) {
	if (irgl_launches.queue == 0) {
		__trap();
	}
	return irgl_launches.queue;
}

static __device__ unsigned long irgl_launch_grid(void) {
	unsigned long id;
	asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
	return id;
}

static __device__ unsigned long irgl_launch_block(void) {
	return ((unsigned long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

static __device__ unsigned long irgl_launch_thread(void) {
	unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	return irgl_launch_block() * (blockDim.x * blockDim.y * blockDim.z) + thread;
}

// irgl_launch_failed notes an error of the thread for cudaGetLastError.
static __device__ __noinline__ void irgl_launch_failed(struct irgl_launch_queue *q, unsigned int code) {
	unsigned int n = atomicAdd(&q->errors, 1u);
	if (n < IRGL_ERRORS) {
		atomicExch((unsigned long long *)&q->list[n].grid, irgl_launch_grid());
		atomicExch((unsigned long long *)&q->list[n].thread, irgl_launch_thread());
		__threadfence();
		atomicExch(&q->list[n].code, code);
	}
}

// irgl_launch_error returns the last error of the thread, and forgets its errors if take is not 0.
static __device__ __noinline__ int irgl_launch_error(int take) {
	struct irgl_launch_queue *q = irgl_launch_open();
	unsigned int n = atomicAdd(&q->errors, 0u);
	unsigned int found = 0;
	for (unsigned int i = n < IRGL_ERRORS ? n : IRGL_ERRORS; i > 0; i--) {
		struct irgl_launch_error *e = &q->list[i - 1];
		unsigned int code = atomicAdd(&e->code, 0u);
		__threadfence();
		if (code != 0 && atomicAdd((unsigned long long *)&e->thread, 0ull) == irgl_launch_thread() &&
		    atomicAdd((unsigned long long *)&e->grid, 0ull) == irgl_launch_grid()) {
			found = found == 0 ? code : found;
			if (take) {
				atomicExch(&e->code, 0u);
			}
		}
	}
	return found;
}

// irgl_launch_stream returns a stream that no other thread of a grid that runs has.
static __device__ unsigned long irgl_launch_stream(void) {
	return 16ul + atomicAdd(&irgl_launch_open()->streams, 1u);
}

static __device__ int irgl_launch_device(void) { return irgl_launch_open()->device; }

// irgl_launch takes a slot of the queue, and returns where its arguments go; null on an error.
static __device__ void *irgl_launch(unsigned int kernel, dim3 grid, dim3 block, unsigned long shared, cudaStream_t stream) {
	struct irgl_launch_queue *q = irgl_launch_open();
	if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535 || block.x == 0 ||
	    block.y == 0 || block.z == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 || block.x * block.y * block.z > 1024 ||
	    shared > 0x7fffffff) {
		irgl_launch_failed(q, 9); // cudaErrorInvalidConfiguration
		return 0;
	}
	if (q->depth >= q->deepest && stream != (cudaStream_t)3) { // a tail launch has its parent's depth
		irgl_launch_failed(q, 65); // cudaErrorLaunchMaxDepthExceeded
		return 0;
	}
	unsigned int n = atomicAdd(&q->count, 1u);
	if (n >= q->capacity) {
		irgl_launch_failed(q, 69); // cudaErrorLaunchPendingCountExceeded
		return 0;
	}
	struct irgl_launch_slot *s = (struct irgl_launch_slot *)(q->slots + (unsigned long)n * q->stride);
	s->grid = irgl_launch_grid();
	s->block = irgl_launch_block();
	s->stream = (unsigned long)stream;
	s->module = irgl_launches.number;
	s->kernel = kernel;
	s->size[0] = grid.x;
	s->size[1] = grid.y;
	s->size[2] = grid.z;
	s->size[3] = block.x;
	s->size[4] = block.y;
	s->size[5] = block.z;
	s->shared = shared;
	return s + 1;
}
