// What programs with promoted launches call. A kernel that launches itself is a chain of instances.
// The instances behind the first one are the blocks of pools of descendants, which are launched
// before it is their turn. Each waits for its flags in a slot of its pool.

// A flag of a slot is 0 while nothing is known, 1 if the instance is launched, and 2 if it is not; above its 32 bits is the
// only argument that comes with it, if that is a word.
struct __klap_slot {
	unsigned long long begun;    // the launch condition, with the arguments that are known at the begin
	unsigned long long released; // the launch, with all arguments
};

// A pool of descendants. Its slots are behind it.
struct __klap_descendants {
	unsigned int taken, left; // blocks with an index; those that have not ended, and the one that launched the pool
	unsigned int n, size;     // slots, and the bytes of one
	unsigned int depth;       // launches in front of it, each by a grid of the one before
	unsigned int pad[3];
};

// What a block knows of its instance.
struct __klap_instance {
	struct __klap_descendants *pool, *made; // that it is of, and that it has launched; null for none
	struct __klap_slot *slot, *next;        // its own, and that of the instance behind it; null for none
	unsigned int index, depth, begun, released;
	unsigned int claimed;      // the program has launched the next instance
	unsigned int known, value; // the arguments that came with the flags
};

// irgl_launch_error returns the last error of the thread, and forgets it. The library of the launches has another one.
static __device__ int irgl_launch_error(int take) { return 0; }

// __klap_failed reports whether a launch of the thread has failed. In text for nvcc it asks cudaGetLastError.
static __device__ int __klap_failed(void) { return irgl_launch_error(1) != 0; }

static __device__ struct __klap_slot *__klap_slot_at(struct __klap_descendants *pool, unsigned int i) {
	return (struct __klap_slot *)((char *)(pool + 1) + (unsigned long)i * pool->size);
}

// __klap_await waits for a flag, and is an acquire at device scope. It does not sleep: one thread of a block polls, while
// the others wait at a barrier, and a load of its flag is under way nearly always.
static __device__ unsigned long long __klap_await(const unsigned long long *flag) {
	unsigned long long v;
	do {
		asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(flag) : "memory");
	} while (v == 0);
	return v;
}

// __klap_tell sets a flag with an argument, and is a release at device scope, also of what the thread has seen of other threads.
// An argument that is stored elsewhere takes longer: the release waits until it is there, and the instance loads it when it has the
// flag.
static __device__ void __klap_tell(unsigned long long *flag, unsigned int v, unsigned int value) {
	unsigned long long all = (unsigned long long)value << 32 | v;
	asm volatile("st.release.gpu.global.u64 [%0], %1;" : : "l"(flag), "l"(all) : "memory");
}

// __klap_say sets a flag without a release, which would wait for what is under way: what its reader reads besides was there before the
// launch of its pool.
static __device__ void __klap_say(unsigned long long *flag, unsigned int v, unsigned int value) {
	unsigned long long all = (unsigned long long)value << 32 | v;
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(flag), "l"(all) : "memory");
}

// __klap_first begins an instance that is no descendant. One thread calls it.
static __device__ void __klap_first(struct __klap_instance *at) {
	at->pool = 0;
	at->made = 0;
	at->slot = 0;
	at->next = 0;
	at->index = 0;
	at->depth = 0;
	at->begun = 1;
	at->released = 1;
	at->claimed = 0;
}

// __klap_leave_pool says that a block has no more use for its pool. One thread calls it.
static __device__ void __klap_leave_pool(struct __klap_descendants *pool) {
	if (pool) {
		if (__klap_count(&pool->left, 0u - 1u) == 1) {
			__klap_fence();
			__klap_give(1ull << 36);
		}
	}
}

// __klap_descendant begins an instance of a pool, and reports whether it is launched. Blocks take indices in
// the order in which they begin, so that the block in front of one is resident or has ended. One thread calls it.
static __device__ int __klap_descendant(struct __klap_instance *at, struct __klap_descendants *pool) {
	__klap_first(at);
	at->pool = pool;
	at->depth = pool->depth;
	at->index = atomicAdd(&pool->taken, 1u);
	at->slot = __klap_slot_at(pool, at->index);
	unsigned long long all = __klap_await(&at->slot->begun);
	at->known = all >> 32;
	at->begun = all & 0xffffffffu;
	if (at->begun != 1) {
		__klap_leave_pool(pool);
	}
	return at->begun == 1;
}

// __klap_acquire waits for the arguments, and reports whether the instance is launched. All threads of the block call it.
static __device__ int __klap_acquire(struct __klap_instance *at) {
	if (__klap_thread() == 0) {
		unsigned long long all = __klap_await(&at->slot->released);
		at->value = all >> 32;
		at->released = all & 0xffffffffu;
	}
	__syncthreads();
	return at->released == 1;
}

// __klap_next returns the slot of the next instance; null if there is no room for a pool. In at->made is a pool
// that is to be launched.
static __device__ struct __klap_slot *__klap_next(struct __klap_instance *at, unsigned int n, unsigned int size) {
	if (at->pool && at->index + 1 < at->pool->n) {
		at->next = __klap_slot_at(at->pool, at->index + 1);
		return at->next;
	}
	struct __klap_descendants *pool = (struct __klap_descendants *)__klap_take(sizeof(struct __klap_descendants) + ((unsigned long)n * size + 15) / 16 * 16, 1);
	if (pool) {
		pool->taken = 0;
		pool->left = n + 1;
		pool->n = n;
		pool->size = size;
		pool->depth = at->depth + 1;
		for (unsigned int i = 0; i < n; i++) {
			struct __klap_slot *s = __klap_slot_at(pool, i);
			s->begun = 0;
			s->released = 0;
		}
		at->made = pool;
		at->next = __klap_slot_at(pool, 0);
	}
	return at->next;
}

// __klap_deepest says that grids may not be deeper than the pool: those behind it are tail launches, as it is itself.
static __device__ void __klap_deepest(struct __klap_instance *at) { at->made->depth = 24; }

// __klap_unmake gives a pool back that could not be launched.
static __device__ struct __klap_slot *__klap_unmake(struct __klap_instance *at) {
	at->made = 0;
	at->next = 0;
	__klap_give(1ull << 36);
	return 0;
}

// __klap_stop ends the blocks of the pool that have no instance. One thread calls it. They read nothing but their flag, so that
// this is no release.
static __device__ void __klap_stop(struct __klap_instance *at) {
	struct __klap_descendants *pool = at->made ? at->made : at->pool;
	if (pool) {
		unsigned int n = pool->n;
		for (unsigned int i = at->made ? 0 : at->index + 1; i < n; i++) {
			__klap_say(&__klap_slot_at(pool, i)->begun, 2, 0);
		}
	}
}

// __klap_claim reports whether the launch of a thread is that of the instance that waits.
static __device__ int __klap_claim(struct __klap_instance *at) {
	return at->next && atomicExch(&at->claimed, 1u) == 0;
}

// __klap_finish ends an instance, by all threads of its block. The next one has begun or only waits: known says which. It is
// released here if late.
static __device__ void __klap_finish(struct __klap_instance *at, int known, int late) {
	__syncthreads();
	if (__klap_thread() == 0) {
		if (at->next) {
			if (!at->claimed && !known) {
				__klap_stop(at);
			} else if (!at->claimed || late) {
				__klap_tell(known ? &at->next->released : &at->next->begun, at->claimed ? 1 : 2, 0);
			}
		}
		__klap_leave_pool(at->made);
		__klap_leave_pool(at->pool);
	}
}
