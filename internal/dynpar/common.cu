// What both kinds of launches in device code share: what they know of the thread that launches, and
// the errors of launches, which the runtime reports when no thread has asked for them. A thread that asks for errors
// has its own in a variable of its kernel, which functions have a pointer to (state.go). The runtime sets
// irgl_launches when it has loaded the module (internal/cudart/runtime/launches.h has the same structs).

struct irgl_launch_slot {
	unsigned long grid, block; // of the thread that launches
	unsigned long stream;
	unsigned int module, kernel; // the kernel's place in the module's table
	unsigned int size[6];        // of the grid, and of a block
	unsigned int shared, site;   // the place of the launch in the module's table
};

struct irgl_launch_error {
	unsigned long grid, thread;
	unsigned int code, module, kernel, site;
	unsigned int size[6];
	unsigned int shared, others; // of the first entry: an error that found no room in the list
};

struct irgl_launch_queue {
	unsigned int count;    // slots that were asked for
	unsigned int errors;   // launches that failed, without those that threads have asked for
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

// What a thread knows of its launches that failed: the last error, and how many it has not asked for.
struct irgl_launch_state {
	int code;
	unsigned int count;
};

// irgl_launch_failed records a launch of the thread that failed, for the runtime, and returns the error.
static __device__ __noinline__ int irgl_launch_failed(int code, unsigned int kernel, unsigned int site, dim3 grid, dim3 block, unsigned long shared) {
	struct irgl_launch_queue *q = irgl_launches.queue;
	if (q == 0) {
		return code;
	}
	atomicAdd(&q->errors, 1u);
	for (unsigned int i = 0; i < IRGL_ERRORS; i++) {
		struct irgl_launch_error *e = &q->list[i];
		if (atomicCAS(&e->code, 0u, 0xffffffffu) != 0) {
			continue;
		}
		atomicExch((unsigned long long *)&e->grid, irgl_launch_grid());
		atomicExch((unsigned long long *)&e->thread, irgl_launch_thread());
		e->module = irgl_launches.number;
		e->kernel = kernel;
		e->site = site;
		e->size[0] = grid.x;
		e->size[1] = grid.y;
		e->size[2] = grid.z;
		e->size[3] = block.x;
		e->size[4] = block.y;
		e->size[5] = block.z;
		e->shared = shared > 0xffffffff ? 0xffffffff : shared;
		__threadfence();
		atomicExch(&e->code, (unsigned int)code);
		return code;
	}
	atomicExch(&q->list[0].others, (unsigned int)code);
	return code;
}

// irgl_launch_note has the thread know of an error; state is null if no thread asks.
static __device__ void irgl_launch_note(struct irgl_launch_state *state, int code) {
	if (state) {
		state->code = code;
		state->count++;
	}
}

// irgl_launch_recorded returns an error of the thread in the list, and forgets its errors, count of them or
// more, if take is not 0.
static __device__ __noinline__ int irgl_launch_recorded(unsigned int count, int take) {
	struct irgl_launch_queue *q = irgl_launches.queue;
	if (q == 0 || atomicAdd(&q->errors, 0u) == 0) {
		return 0;
	}
	unsigned int found = 0, n = 0;
	for (unsigned int i = IRGL_ERRORS; i > 0; i--) {
		struct irgl_launch_error *e = &q->list[i - 1];
		unsigned int code = atomicAdd(&e->code, 0u);
		__threadfence();
		if (code != 0 && code != 0xffffffff && atomicAdd((unsigned long long *)&e->thread, 0ull) == irgl_launch_thread() &&
		    atomicAdd((unsigned long long *)&e->grid, 0ull) == irgl_launch_grid()) {
			found = found == 0 ? code : found;
			if (take) {
				atomicExch(&e->code, 0u);
				n++;
			}
		}
	}
	if (take) {
		atomicSub(&q->errors, n > count ? n : count);
	}
	return found;
}

// irgl_launch_asked returns the last error of the thread, and forgets its errors if take is not 0. Functions that others
// call by pointers, or from other files, leave theirs in the list.
static __device__ int irgl_launch_asked(int take, struct irgl_launch_state *state) {
	int found = state->code;
	if (state->count != 0 || IRGL_SEARCHED) {
		int other = irgl_launch_recorded(state->count, take);
		found = found != 0 ? found : other;
	}
	if (take) {
		state->code = 0;
		state->count = 0;
	}
	return found;
}

// irgl_launch_possible reports whether a device can run a grid of the configuration.
static __device__ int irgl_launch_possible(dim3 grid, dim3 block, unsigned long shared) {
	return grid.x != 0 && grid.y != 0 && grid.z != 0 && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 && block.x != 0 &&
	       block.y != 0 && block.z != 0 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && block.x * block.y * block.z <= 1024 &&
	       shared <= 0x7fffffff;
}
