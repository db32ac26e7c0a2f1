// What programs with aggregated launches call. A group of threads (a warp, a block, the blocks of a
// group) writes its launches to a chunk of the pool, and one of its threads launches the aggregated
// kernel with the list at the front of the chunk.

struct __klap_list {
	unsigned int left;    // items, or lists of items, whose blocks have not all read their arguments; warps that have not, if the items are flattened
	unsigned int holders; // what the last one of these gives back to the pool
	unsigned int pad[2];
};

// An aggregated kernel is passed what its blocks need of a list, so that they need not load it.
struct __klap_launch {
	struct __klap_list *list;
	const unsigned int *starts; // the exclusive scan of the items' blocks, or threads if they are flattened
	const void *items;          // the launches, or segments
	unsigned int n;             // items
	unsigned int each;          // blocks, or threads, of each item; 0 if they have different ones, KLAP_SEGMENTS if items are lists
};

// A list of a block of the group.
struct __klap_segment {
	struct __klap_list *list;
	unsigned int n, each;
};

struct __klap_sum {
	unsigned long long before, total; // launches << 40 | blocks, or threads of flattened launches: of the threads in front, and of all
	unsigned int each;                // blocks or threads of each launch; 0 if they have different numbers
	unsigned int threads, shared;     // the largest, where launches have different ones
};

// The built-in variables that a block has in the launch that it is of.
struct __klap_place {
	dim3 gridDim, blockDim;
	uint3 blockIdx, threadIdx;
};

static __device__ unsigned long long __klap_state; // holders of chunks << 36 | bytes used
static __device__ unsigned int __klap_exhausted;   // groups that found no room in the pool
static __device__ __align__(16) char __klap_pool[KLAP_POOL];

// __klap_fence orders what is in front of it and behind it for other threads of the device that do the same around atomics of
// one word. __threadfence is sequentially consistent, which nothing here needs and which takes longer.
static __device__ void __klap_fence(void) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }

// __klap_give subtracts holders, behind what the thread has done with a chunk. Without holders the
// pool is empty; a thread that takes a chunk in between leaves that to those that give it back.
// Bytes are not subtracted before: those of a chunk that was refused lie below one that fitted behind another's
// subtraction, and would be handed out twice. So that they need 36 bits, they stay a little above the pool's.
static __device__ void __klap_give(unsigned long long holders) {
	__klap_fence();
	unsigned long long left = atomicAdd(&__klap_state, 0ull - holders) - holders;
	unsigned long long bytes = left & 0xfffffffffull;
	if (left == bytes) {
		if (bytes != 0) {
			atomicCAS(&__klap_state, left, 0ull);
		}
	} else if (bytes > 2ull * KLAP_POOL) {
		atomicCAS(&__klap_state, left, left - bytes + KLAP_POOL + 16);
	}
}

// __klap_take returns a chunk of the pool; null if it is exhausted, which it is then until it is empty.
static __device__ char *__klap_take(unsigned long long bytes, unsigned long long holders) {
	if (bytes <= KLAP_POOL) {
		unsigned long long at = atomicAdd(&__klap_state, holders << 36 | bytes) & 0xfffffffffull;
		if (at + bytes <= KLAP_POOL) {
			__klap_fence();
			return __klap_pool + at;
		}
		__klap_give(holders << 36);
	}
	atomicAdd(&__klap_exhausted, 1u);
	return 0;
}

// __klap_valid reports whether a launch has a configuration that a device can run.
static __device__ int __klap_valid(dim3 grid, dim3 block) {
	return grid.x != 0 && grid.y != 0 && grid.z != 0 && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 && block.x != 0 && block.y != 0 &&
	       block.z != 0 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && block.x * block.y * block.z <= 1024;
}

// __klap_fits returns 1 for a launch that can be part of an aggregated one, and 2 or, if no device can run it, 3 for one
// that the thread does itself, with the error that it has then.
static __device__ unsigned int __klap_fits(dim3 grid, dim3 block, unsigned long shared, unsigned int threads, unsigned int bytes) {
	if (!__klap_valid(grid, block)) {
		return 3;
	}
	unsigned long long blocks = (unsigned long long)grid.x * grid.y;
	return blocks > 1 << 28 || blocks * grid.z > 1 << 28 || block.x * block.y * block.z > threads || shared > bytes ? 2 : 1;
}

// __klap_few reports whether a launch has at most so many threads in all, in a configuration that a device
// can run: a block has at most so many.
static __device__ int __klap_few(dim3 grid, dim3 block, unsigned int threads, unsigned int most) {
	unsigned long long n = (unsigned long long)grid.x * grid.y;
	if (n > threads || grid.z > threads || block.x > 1024 || block.y > 1024 || block.z > 64 || block.x * block.y * block.z > most) {
		return 0;
	}
	n = n * grid.z * (block.x * block.y * block.z);
	return n != 0 && n <= threads;
}

// Names of CUDA that are called in functions of a namespace, which may have functions of these names.
static __device__ unsigned int __klap_min(unsigned int a, unsigned int b) { return min(a, b); }
static __device__ unsigned int __klap_max(unsigned int a, unsigned int b) { return max(a, b); }

// __klap_asked returns so many threads for each of n, at most 0xffffffff.
static __device__ unsigned int __klap_asked(unsigned long long n, unsigned int threads) {
	return n > 0xffffffffu / threads ? 0xffffffffu : n * threads;
}

// __klap_blocks returns how many blocks do the blocks of a launch, if each does so many. What is no
// configuration remains none.
static __device__ unsigned int __klap_blocks(unsigned int blocks, unsigned int n) {
	return blocks > 0x7fffffff ? blocks : blocks / n + (blocks % n != 0);
}

static __device__ dim3 __klap_coarse(dim3 grid, unsigned int n) {
	grid.x = __klap_blocks(grid.x, n);
	return grid;
}

static __device__ unsigned int __klap_thread(void) {
	return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// __klap_now returns the device's time in nanoseconds.
static __device__ unsigned long __klap_now(void) {
	unsigned long now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	return now;
}

// __klap_spend adds the nanoseconds since begin to a sum, by the first thread of each warp.
static __device__ void __klap_spend(unsigned long long *sum, unsigned long begin) {
	if ((__klap_thread() & 31) == 0) {
		atomicAdd(sum, __klap_now() - begin);
	}
}

static __device__ unsigned int __klap_threads(void) { return blockDim.x * blockDim.y * blockDim.z; }

// __klap_mask returns the lanes of a thread's warp in a block of so many threads.
static __device__ unsigned int __klap_mask(unsigned int thread, unsigned int threads) {
	unsigned int lanes = threads - (thread & ~31u);
	return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
}

// __klap_warp_sum scans over a warp. Launches of the same size need no more than their number.
static __device__ struct __klap_sum __klap_warp_sum(unsigned long long mine, unsigned int thread, unsigned int threads) {
	unsigned int mask = __klap_mask(thread, threads), lane = thread & 31;
	unsigned int some = __ballot_sync(mask, mine != 0);
	unsigned long long first = __shfl_sync(mask, mine, some ? __ffs(some) - 1 : 0);
	struct __klap_sum s;
	s.each = 0;
	s.threads = 0;
	s.shared = 0;
	if (__all_sync(mask, mine == 0 || mine == first)) {
		s.before = __popc(some & ((1u << lane) - 1)) * first;
		s.total = __popc(some) * first;
		if (first >> 40 == 1) {
			s.each = first & 0xffffffffu;
		}
		return s;
	}
	s.before = mine;
	for (unsigned int d = 1; d < 32; d *= 2) {
		unsigned long long sum = __shfl_up_sync(mask, s.before, d);
		if (lane >= d) {
			s.before += sum;
		}
	}
	s.total = __shfl_sync(mask, s.before, __popc(mask) - 1);
	s.before -= mine;
	return s;
}

// __klap_block_sum scans over the threads of a block: its first warp scans the sums of the others.
static __device__ struct __klap_sum __klap_block_sum(unsigned long long mine, unsigned int thread, unsigned int threads) {
	__shared__ unsigned long long sums[32], all;
	__shared__ unsigned int sizes[32], size;
	struct __klap_sum s = __klap_warp_sum(mine, thread, threads);
	if (threads <= 32) {
		return s;
	}
	__syncthreads(); // an earlier scan has been read
	if ((thread & 31) == 0) {
		sums[thread / 32] = s.total;
		sizes[thread / 32] = s.each;
	}
	__syncthreads();
	if (thread < 32) {
		unsigned int n = (threads + 31) / 32;
		unsigned long long own = thread < n ? sums[thread] : 0, scan = own;
		for (unsigned int d = 1; d < n; d *= 2) {
			unsigned long long sum = __shfl_up_sync(0xffffffffu, scan, d);
			if (thread >= d) {
				scan += sum;
			}
		}
		unsigned int each = thread < n ? sizes[thread] : 0, some = __ballot_sync(0xffffffffu, own != 0);
		unsigned int first = __shfl_sync(0xffffffffu, each, some ? __ffs(some) - 1 : 0);
		int same = __all_sync(0xffffffffu, own == 0 || each == first);
		if (thread < n) {
			sums[thread] = scan - own;
		}
		if (thread == n - 1) {
			all = scan;
			size = same ? first : 0;
		}
	}
	__syncthreads();
	s.before += sums[thread / 32];
	s.total = all;
	s.each = size;
	return s;
}

// __klap_warp_max returns the largest value to the first lane of a warp.
static __device__ unsigned int __klap_warp_max(unsigned int v, unsigned int thread, unsigned int threads) {
	unsigned int mask = __klap_mask(thread, threads), lane = thread & 31, last = __popc(mask) - 1;
	for (unsigned int d = 1; d < 32; d *= 2) {
		v = max(v, __shfl_sync(mask, v, min(lane + d, last)));
	}
	return v;
}

// __klap_block_max returns the largest value to the first thread of a block.
static __device__ unsigned int __klap_block_max(unsigned int v, unsigned int thread, unsigned int threads) {
	__shared__ unsigned int most[32];
	v = __klap_warp_max(v, thread, threads);
	__syncthreads(); // an earlier one has been read
	if ((thread & 31) == 0) {
		most[thread / 32] = v;
	}
	__syncthreads();
	for (unsigned int i = 1; thread == 0 && i < (threads + 31) / 32; i++) {
		v = max(v, most[i]);
	}
	return v;
}

// __klap_many reports whether many is true or, to the first lane of a warp, whether the lanes together have more work than most.
static __device__ int __klap_many(int many, unsigned int work, unsigned int most, unsigned int thread, unsigned int threads) {
	unsigned int mask = __klap_mask(thread, threads), lane = thread & 31, lanes = __popc(mask);
	if (__ballot_sync(mask, work != 0) == 0) {
		return many;
	}
	for (unsigned int d = 16; d > 0; d /= 2) {
		unsigned int more = __shfl_sync(mask, work, min(lane + d, lanes - 1));
		work += lane + d < lanes ? more : 0;
	}
	return many || lane == 0 && work > most;
}

// __klap_ends returns the sum of n of the lanes up to the caller's.
static __device__ unsigned int __klap_ends(unsigned int n, unsigned int thread, unsigned int threads) {
	unsigned int mask = __klap_mask(thread, threads), lane = thread & 31;
	for (unsigned int d = 1; d < 32; d *= 2) {
		unsigned int before = __shfl_sync(mask, n, lane >= d ? lane - d : 0);
		n += lane >= d ? before : 0;
	}
	return n;
}

// __klap_owner returns the lane with an item, by the ends of the items of each lane; the last one's if there are fewer items.
static __device__ unsigned int __klap_owner(unsigned int end, unsigned int item, unsigned int mask, unsigned int lanes) {
	unsigned int from = 0;
	for (unsigned int d = 16; d > 0; d /= 2) {
		unsigned int to = __shfl_sync(mask, end, min(from + d, lanes) - 1);
		from += from + d < lanes && to <= item ? d : 0;
	}
	return from;
}

static __device__ int __klap_warp_any(int some, unsigned int thread, unsigned int threads) {
	return __ballot_sync(__klap_mask(thread, threads), some) != 0;
}

static __device__ char *__klap_warp_take(unsigned long long bytes, unsigned int holders, unsigned int thread, unsigned int threads) {
	unsigned long long chunk = 0;
	if ((thread & 31) == 0) {
		chunk = (unsigned long long)__klap_take(bytes, holders);
	}
	chunk = __shfl_sync(__klap_mask(thread, threads), chunk, 0);
	__syncwarp(__klap_mask(thread, threads)); // the others write behind the first lane's fence
	return (char *)chunk;
}

static __device__ char *__klap_block_take(unsigned long long bytes, unsigned int holders, unsigned int thread) {
	__shared__ char *chunk;
	if (thread == 0) {
		chunk = __klap_take(bytes, holders);
	}
	__syncthreads();
	return chunk;
}

// A thread that may launch more than once has a chain of its launches, each in a chunk.
struct __klap_node {
	struct __klap_node *next;
	unsigned int site, pad; // the launch is behind
};

struct __klap_chain {
	struct __klap_node *first, *last;
	cudaStream_t stream; // of launches by the thread itself
	unsigned int n, blocks;
};

static __device__ void __klap_flush(struct __klap_chain *chain);

// __klap_link returns the place of a launch at the end of the chain. If there is no room, the thread does its
// launches, and it returns null.
static __device__ void *__klap_link(struct __klap_chain *chain, unsigned int site, unsigned int size) {
	struct __klap_node *node = (struct __klap_node *)__klap_take(sizeof(struct __klap_node) + (size + 15) / 16 * 16, 1);
	if (!node) {
		__klap_flush(chain);
		return 0;
	}
	node->next = 0;
	node->site = site;
	if (chain->first) {
		chain->last->next = node;
	} else {
		chain->first = node;
	}
	chain->last = node;
	chain->n++;
	return node + 1;
}

// __klap_limit returns what __klap_fits has, but 2 for launches behind 8192 of a thread and for too many blocks, or threads of flattened launches.
static __device__ unsigned int __klap_limit(struct __klap_chain *chain, unsigned int pred, unsigned int blocks) {
	blocks = pred == 1 ? blocks : 0;
	if (chain->n > 8192 || chain->blocks + blocks > 1 << 29) {
		return 2;
	}
	chain->blocks += blocks;
	return pred;
}

// __klap_drop gives the chain back.
static __device__ void __klap_drop(struct __klap_chain *chain) {
	if (chain->n > 0) {
		__klap_give((unsigned long long)chain->n << 36);
	}
	chain->first = 0;
	chain->n = 0;
	chain->blocks = 0;
}

// __klap_bytes returns the size of a list of items with their ends.
static __device__ unsigned long long __klap_bytes(unsigned long long total, unsigned int size) {
	unsigned long long n = total >> 40;
	if ((total & 0xffffffffffull) > 0x7fffffff) {
		return 1ull << 40; // no grid has so many blocks, and no pool so many bytes
	}
	return n == 0 ? 0 : sizeof(struct __klap_list) + (n * 4 + 15) / 16 * 16 + (n * size + 15) / 16 * 16;
}

// __klap_list_at returns what an aggregated kernel is passed of a list of launches.
static __device__ struct __klap_launch __klap_list_at(struct __klap_list *list, unsigned int n, unsigned int each) {
	struct __klap_launch l;
	l.list = list;
	l.starts = (const unsigned int *)(list + 1);
	l.items = (const char *)(list + 1) + ((unsigned long)n * 4 + 15) / 16 * 16;
	l.n = n;
	l.each = each;
	return l;
}

// __klap_open writes the front of a list, by one thread.
static __device__ struct __klap_launch __klap_open(struct __klap_list *list, struct __klap_sum s) {
	list->left = s.total >> 40;
	list->holders = 1;
	return __klap_list_at(list, s.total >> 40, s.each);
}

// __klap_in_warps returns the sum of flattened launches in warps, each of 32 threads: the last one of a list may have fewer.
static __device__ struct __klap_sum __klap_in_warps(struct __klap_sum s) {
	unsigned long long threads = s.total & 0xffffffffffull;
	s.total += (threads + 31) / 32 - threads;
	return s;
}

// __klap_open_flat writes the front of a list of flattened launches, by its sum in warps, which count in it.
static __device__ struct __klap_launch __klap_open_flat(struct __klap_list *list, struct __klap_sum s) {
	struct __klap_launch l = __klap_open(list, s);
	list->left = s.total & 0xffffffffu;
	return l;
}

// __klap_put writes the start of a thread's item, and returns where the item goes.
static __device__ void *__klap_put(struct __klap_list *list, struct __klap_sum s, unsigned int size) {
	unsigned long long i = s.before >> 40;
	unsigned int *starts = (unsigned int *)(list + 1);
	starts[i] = s.before & 0xffffffffffull;
	return (char *)starts + ((s.total >> 40) * 4 + 15) / 16 * 16 + i * size;
}

// __klap_find returns the last of n items that starts at or before a block, and subtracts its start. All lanes of a
// warp search. A first look is where the item is if all have about as many blocks.
static __device__ unsigned int __klap_find(const unsigned int *starts, unsigned int n, unsigned int blocks, unsigned int *block) {
	unsigned int mask = __klap_mask(threadIdx.x, blockDim.x), lane = threadIdx.x & 31, lanes = __popc(mask);
	unsigned int lo = 0, hi = n, b = *block;
	if (n > lanes) {
		unsigned int guess = (unsigned int)((float)b * ((float)n / (float)blocks));
		guess = min(max(guess, lanes / 2) - lanes / 2, n - lanes);
		unsigned int in = __ballot_sync(mask, starts[guess + lane] <= b);
		if (in == mask) {
			lo = guess + lanes - 1;
		} else if (in) {
			lo = guess;
			hi = guess + lanes;
		} else {
			hi = guess;
		}
		while (hi - lo > lanes) {
			unsigned int step = (hi - lo - 1) / (lanes + 1) + 1;
			unsigned int at = lo + (lane + 1) * step;
			lo += __popc(__ballot_sync(mask, at < hi && starts[at] <= b)) * step;
			hi = min(hi, lo + step);
		}
	}
	unsigned int start = lo + lane < hi ? starts[lo + lane] : 0xffffffffu;
	int last = 31 - __clz(__ballot_sync(mask, start <= b));
	*block = b - __shfl_sync(mask, start, last);
	return lo + last;
}

// __klap_parent returns the launch that a block of an aggregated kernel is of, and sets the block's number in the
// launch.
static __device__ const void *__klap_parent(struct __klap_launch l, unsigned int size, unsigned int blocks, unsigned int *block) {
	unsigned int i = *block;
	if (l.each == 1) {
		*block = 0;
	} else if (l.each) {
		i /= l.each;
		*block -= i * l.each;
	} else {
		i = __klap_find(l.starts, l.n, blocks, block);
	}
	return (const char *)l.items + (unsigned long)i * size;
}

// __klap_own returns the list of a block of an aggregated kernel, the blocks of the list, and the block's number in it.
static __device__ struct __klap_launch __klap_own(struct __klap_launch l, unsigned int *blocks, unsigned int *block) {
	if (l.each != KLAP_SEGMENTS) {
		return l;
	}
	unsigned int i = __klap_find(l.starts, l.n, *blocks, block);
	*blocks = (i < l.n - 1 ? l.starts[i + 1] : *blocks) - l.starts[i];
	struct __klap_segment s = ((const struct __klap_segment *)l.items)[i];
	return __klap_list_at(s.list, s.n, s.each);
}

// __klap_lane returns the launch that a lane of a flattened list's warp is of, and sets the thread's number in the launch: behind its last one in the pad of
// the last warp. All lanes search.
static __device__ unsigned int __klap_lane(struct __klap_launch l, unsigned int warps, unsigned int warp, unsigned int *thread) {
	unsigned int lane = threadIdx.x & 31, own = warp * 32 + lane;
	if (l.each) {
		unsigned int i = min(own / l.each, l.n - 1);
		*thread = own - i * l.each;
		return i;
	}
	unsigned int in = warp * 32;
	unsigned int first = __klap_find(l.starts, l.n, warps * 32, &in);
	// No launch is empty, so that those of the other lanes are among the next 31.
	unsigned int next = first + 1 + lane < l.n ? l.starts[first + 1 + lane] : 0xffffffffu, further = 0;
	for (unsigned int d = 16; d > 0; d /= 2) {
		further += __shfl_sync(0xffffffffu, next, further + d - 1) <= own ? d : 0;
	}
	unsigned int start = __shfl_sync(0xffffffffu, next, further ? further - 1 : 0);
	*thread = further ? own - start : in + lane;
	return first + further;
}

// __klap_copy copies a launch but for its first word, by which blocks count. A warp does it.
static __device__ void __klap_copy(char *to, const void *item, unsigned int size) {
	unsigned int lanes = __popc(__klap_mask(threadIdx.x, blockDim.x));
	for (unsigned int i = threadIdx.x + 1; i < size / 4; i += lanes) {
		((unsigned int *)to)[i] = ((const unsigned int *)item)[i];
	}
}

// __klap_count adds to a word, behind what the thread has done: a release, which keeps the cache of the processor as it is.
static __device__ unsigned int __klap_count(unsigned int *at, unsigned int n) {
	unsigned int old;
	asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(n) : "memory");
	return old;
}

// __klap_read says that a block has read its arguments. One thread calls it behind a barrier. The blocks of a launch count
// in its first word, which is 1 before, and the last one counts in the list, so that not all blocks do at one address.
static __device__ int __klap_read(struct __klap_list *list, const void *item, unsigned int blocks) {
	if (blocks > 1) {
		if (__klap_count((unsigned int *)item, 1u) != blocks) {
			return 0;
		}
		__klap_fence();
	}
	if (__klap_count(&list->left, 0u - 1u) != 1) {
		return 0;
	}
	__klap_fence();
	return 1;
}

// __klap_done gives a list back that has been read.
static __device__ void __klap_done(struct __klap_list *list, const void *item, unsigned int blocks) {
	if (__klap_read(list, item, blocks)) {
		__klap_give((unsigned long long)list->holders << 36);
	}
}

// __klap_read_warps says that a warp of a flattened list has read its arguments. One lane calls it behind a barrier of the warp. The warps whose first thread is of a
// launch count in that, by its start and its threads, and the last one for all of them in the list.
static __device__ int __klap_read_warps(struct __klap_list *list, const void *item, unsigned int start, unsigned int n) {
	unsigned int warps = (start + n + 31) / 32 - (start + 31) / 32;
	if (warps > 1) {
		if (__klap_count((unsigned int *)item, 1u) != warps) {
			return 0;
		}
		__klap_fence();
	}
	if (__klap_count(&list->left, 0u - warps) != warps) {
		return 0;
	}
	__klap_fence();
	return 1;
}

// __klap_done_warps gives a flattened list back that has been read.
static __device__ void __klap_done_warps(struct __klap_list *list, const void *item, unsigned int start, unsigned int n) {
	if (__klap_read_warps(list, item, start, n)) {
		__klap_give((unsigned long long)list->holders << 36);
	}
}

// __klap_done_warps_of is __klap_done_warps for a list that may be one of several.
static __device__ void __klap_done_warps_of(struct __klap_list *own, struct __klap_list *list, const void *item, unsigned int start, unsigned int n) {
	if (__klap_read_warps(own, item, start, n) && (own == list || atomicSub(&list->left, 1u) == 1)) {
		__klap_give((unsigned long long)list->holders << 36);
	}
}

// __klap_done_of is __klap_done for a list that may be one of several.
static __device__ void __klap_done_of(struct __klap_list *own, struct __klap_list *list, const void *item, unsigned int blocks) {
	if (__klap_read(own, item, blocks) && (own == list || atomicSub(&list->left, 1u) == 1)) {
		__klap_give((unsigned long long)list->holders << 36);
	}
}

// The blocks of a group of blocks add their lists to the group's record, each behind those that came
// before, and the last one launches. The records of a grid's groups are one chunk; its blocks find
// it by the grid's number.

struct __klap_site {
	unsigned long long state;     // lists << 40 | blocks, or warps of flattened lists
	unsigned int threads, shared; // the largest
	unsigned int blocks;          // of all lists, when it is closed
	struct __klap_list list;      // of the lists
	struct __klap_launch launch;
};

struct __klap_group {
	unsigned int arrived, size; // blocks
	unsigned long long most;    // blocks of a group
	unsigned int *starts;       // of the lists of each site
	struct __klap_segment *lists;
};

// An entry is the only one of its number modulo KLAP_ENTRIES, or one of those behind the first KLAP_ENTRIES: of grids that have come
// when another one had their entry.
struct __klap_grid {
	unsigned long long number; // of the grid, plus 1, and __klap_crowded; 0 for a free entry
	unsigned long long groups; // the records; 0 before they are made, 1 if there was no room
	unsigned long long arrived;
};

// A device has at most 128 grids at a time.
static __device__ struct __klap_grid __klap_grids[KLAP_ENTRIES + 256];
static __device__ unsigned int __klap_lock; // of the entries behind the first

static __device__ unsigned long long __klap_number(void) {
	unsigned long id;
	asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
	return (id + 1) & 0x7fffffffffffffffull;
}

// __klap_crowded is set in an entry while other grids that would have it have entries behind the first.
static __device__ unsigned long long __klap_crowded(void) { return 1ull << 63; }

// __klap_relax clears that if there are none. The caller has the lock.
static __device__ void __klap_relax(unsigned long long number) {
	for (unsigned int i = KLAP_ENTRIES; i < KLAP_ENTRIES + 256; i++) {
		unsigned long long other = atomicAdd(&__klap_grids[i].number, 0ull);
		if (other && other % KLAP_ENTRIES == number % KLAP_ENTRIES) {
			return;
		}
	}
	atomicAnd(&__klap_grids[number % KLAP_ENTRIES].number, ~__klap_crowded());
}

// __klap_behind returns the entry of a grid whose own one was another grid's; null if all are in use.
static __device__ struct __klap_grid *__klap_behind(unsigned long long number, int *made) {
	struct __klap_grid *own = &__klap_grids[number % KLAP_ENTRIES], *found = 0, *free = 0;
	while (atomicCAS(&__klap_lock, 0u, 1u) != 0) {
	}
	__klap_fence();
	unsigned long long old = atomicOr(&own->number, __klap_crowded());
	if ((old & ~__klap_crowded()) == number) { // another block of the grid has it since
		found = own;
	}
	for (unsigned int i = KLAP_ENTRIES; i < KLAP_ENTRIES + 256 && !found; i++) {
		unsigned long long other = atomicAdd(&__klap_grids[i].number, 0ull);
		if (other == number) {
			found = &__klap_grids[i];
		} else if (other == 0 && !free) {
			free = &__klap_grids[i];
		}
	}
	if (!found && free) {
		atomicExch(&free->number, number);
		*made = 1;
		found = free;
	}
	__klap_relax(number);
	__klap_fence();
	atomicExch(&__klap_lock, 0u);
	return found;
}

// __klap_enter returns the entry of the grid, and whether it is made here, by one thread of a block.
static __device__ struct __klap_grid *__klap_enter(int *made) {
	unsigned long long number = __klap_number();
	struct __klap_grid *own = &__klap_grids[number % KLAP_ENTRIES];
	unsigned long long old = atomicCAS(&own->number, 0ull, number);
	*made = old == 0;
	if (old == 0 || (old & ~__klap_crowded()) == number) {
		return own;
	}
	struct __klap_grid *g = 0;
	while (!g) {
		g = __klap_behind(number, made);
	}
	return g;
}

// __klap_leave says that a block has no more use for the entry of its grid, and reports whether it is the last one.
static __device__ int __klap_leave(struct __klap_grid *g) {
	unsigned long long blocks = (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	if (atomicAdd(&g->arrived, 1ull) != blocks - 1) {
		return 0;
	}
	atomicExch(&g->arrived, 0ull);
	atomicExch(&g->groups, 0ull);
	__klap_fence();
	if (g < __klap_grids + KLAP_ENTRIES) {
		atomicAnd(&g->number, __klap_crowded());
		return 1;
	}
	while (atomicCAS(&__klap_lock, 0u, 1u) != 0) {
	}
	__klap_fence();
	unsigned long long number = atomicExch(&g->number, 0ull);
	__klap_relax(number);
	__klap_fence();
	atomicExch(&__klap_lock, 0u);
	return 1;
}

// __klap_group returns the record of the block's group, with sites and at most most blocks, to all threads
// of the block; null if there was no room.
static __device__ struct __klap_group *__klap_open_group(unsigned int sites, unsigned long long most, unsigned int thread, unsigned int threads, struct __klap_grid **grid) {
	__shared__ struct __klap_grid *entry;
	__shared__ unsigned long long records;
	__shared__ int made;
	unsigned long long blocks = (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	if (most == 0 || most > blocks) {
		most = blocks;
	}
	unsigned long long groups = (blocks + most - 1) / most;
	unsigned long long front = (sizeof(struct __klap_group) + sites * sizeof(struct __klap_site) + 15) / 16 * 16;
	unsigned long long size = front + (sites * most * 20 + 15) / 16 * 16;
	if (thread == 0) {
		entry = __klap_enter(&made);
		records = 0;
		if (made && size <= KLAP_POOL && groups <= KLAP_POOL) {
			records = (unsigned long long)__klap_take(size * groups, groups);
		}
	}
	__syncthreads();
	if (made) {
		for (unsigned long long i = thread; records && i < groups; i += threads) {
			struct __klap_group *g = (struct __klap_group *)(records + i * size);
			struct __klap_site *s = (struct __klap_site *)(g + 1);
			g->arrived = 0;
			g->most = most;
			g->size = i < groups - 1 ? most : blocks - i * most;
			g->lists = (struct __klap_segment *)((char *)g + front);
			g->starts = (unsigned int *)(g->lists + sites * most);
			for (unsigned int j = 0; j < sites; j++) {
				s[j].state = 0;
				s[j].threads = 0;
				s[j].shared = 0;
				s[j].blocks = 0;
			}
		}
		__syncthreads();
		if (thread == 0) {
			__klap_fence();
			atomicExch(&entry->groups, records ? records : 1ull);
		}
	} else if (thread == 0) {
		while ((records = atomicAdd(&entry->groups, 0ull)) == 0) {
		}
		__klap_fence();
		records = records == 1 ? 0 : records;
	}
	__syncthreads();
	*grid = entry;
	unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	return records ? (struct __klap_group *)(records + block / most * size) : 0;
}

// __klap_join adds a block's list of a site to the group.
static __device__ void __klap_join(struct __klap_group *g, unsigned int site, struct __klap_list *list, struct __klap_sum s) {
	struct __klap_site *at = (struct __klap_site *)(g + 1) + site;
	unsigned long long blocks = s.total & 0xffffffffffull;
	unsigned long long old = atomicAdd(&at->state, 1ull << 40 | blocks);
	unsigned long long i = site * g->most + (old >> 40);
	if (s.threads) {
		atomicMax(&at->threads, s.threads);
	}
	if (s.shared) {
		atomicMax(&at->shared, s.shared);
	}
	g->starts[i] = old & 0xffffffffffull;
	g->lists[i].list = list;
	g->lists[i].n = s.total >> 40;
	g->lists[i].each = s.each;
}

// __klap_arrive reports whether a block is the last one of its group.
static __device__ int __klap_arrive(struct __klap_group *g) {
	unsigned int last = g->size - 1; // behind its arrival the block reads no more
	__klap_fence();
	if (atomicAdd(&g->arrived, 1u) != last) {
		return 0;
	}
	__klap_fence();
	return 1;
}

// __klap_close makes the list of a site's lists, if there are several, and returns its record; null if there are none.
static __device__ struct __klap_site *__klap_close(struct __klap_group *g, unsigned int site) {
	struct __klap_site *at = (struct __klap_site *)(g + 1) + site;
	unsigned long long state = atomicAdd(&at->state, 0ull);
	if (state == 0) {
		return 0;
	}
	struct __klap_segment *lists = g->lists + site * g->most;
	if (state >> 40 == 1) {
		lists->list->holders = 2;
		at->launch = __klap_list_at(lists->list, lists->n, lists->each);
	} else {
		at->list.left = state >> 40;
		at->list.holders = (state >> 40) + 1;
		at->launch.list = &at->list;
		at->launch.starts = g->starts + site * g->most;
		at->launch.items = lists;
		at->launch.n = state >> 40;
		at->launch.each = KLAP_SEGMENTS;
	}
	at->blocks = state & 0xffffffffffull;
	at->threads = atomicMax(&at->threads, 0u);
	at->shared = atomicMax(&at->shared, 0u);
	return at;
}

// __klap_hold sets the holders of a group's records to those sites that have launches.
static __device__ void __klap_hold(unsigned int sites) {
	if (sites == 0) {
		__klap_give(1ull << 36);
	} else {
		atomicAdd(&__klap_state, (unsigned long long)(sites - 1) << 36);
	}
}
