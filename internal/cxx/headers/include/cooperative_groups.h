// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups: sets of threads that meet and exchange values.
#pragma once

#include <string.h>
#include <type_traits>

namespace cooperative_groups {

namespace irgl {

inline __device__ unsigned int rank_in_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline __device__ unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
inline __device__ unsigned int lane() { return rank_in_block() & 31; }

// The lanes of the warp that the block has, and those of them in the aligned tile of n lanes.
inline __device__ unsigned int tile_mask(unsigned int n) {
	unsigned int left = threads_of_block() - (rank_in_block() & ~31u);
	unsigned int all = left >= 32 ? 0xffffffffu : (1u << left) - 1;
	return n >= 32 ? all : (((1u << n) - 1) << (lane() & ~(n - 1))) & all;
}

inline __device__ unsigned int rank_in(unsigned int mask) { return (unsigned int)__popc(mask & ((1u << lane()) - 1)); }

// The lane that has a rank in a mask; the thread's own if there is none.
inline __device__ unsigned int lane_of(unsigned int mask, unsigned int rank) {
	if (rank >= (unsigned int)__popc(mask)) {
		return lane();
	}
	if (rank == 0) {
		return (unsigned int)__ffs((int)mask) - 1;
	}
	if (mask == 0xffffffffu) {
		return rank;
	}
	unsigned int at = 0;
	for (unsigned int half = 16; half > 0; half /= 2) { // the lane is below at + 2 * half
		unsigned int below = (unsigned int)__popc(mask >> at & ((1u << half) - 1));
		if (rank >= below) {
			rank -= below;
			at += half;
		}
	}
	return at;
}

// The bits of value at the places of mask, side by side.
inline __device__ unsigned int packed(unsigned int value, unsigned int mask) {
	unsigned int result = 0;
	for (int i = 0; mask != 0; i++, mask &= mask - 1) {
		result |= (value & mask & (0u - mask)) != 0 ? 1u << i : 0u;
	}
	return result;
}

// The value that another lane has. Values that no shuffle takes are moved word by word.
template <typename T> inline __device__ T from_lane(unsigned int mask, T value, unsigned int source) {
	if constexpr (std::is_arithmetic<T>::value && sizeof(T) >= 4) {
		return __shfl_sync(mask, value, (int)source);
	} else {
		int words[(sizeof(T) + 3) / 4] = {};
		memcpy(words, &value, sizeof(T));
		for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; i++) {
			words[i] = __shfl_sync(mask, words[i], (int)source);
		}
		memcpy(&value, words, sizeof(T));
		return value;
	}
}

// Barriers of the grid: the blocks that have arrived are counted in the low bits. The first
// block adds what makes the sum 2^31, so that the top bit changes when the last one arrives
// and the low bits are zero again. Grids that run at the same time have words of their own.
static __device__ unsigned int grid_barriers[64];

inline __device__ void grid_sync() {
	__syncthreads();
	if (rank_in_block() == 0) {
		unsigned long long grid;
		asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
		unsigned int *word = &grid_barriers[grid & 63];
		unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
		bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
		__threadfence();
		unsigned int before = atomicAdd(word, first ? 0x80000000u - (blocks - 1) : 1u), now;
		do {
			asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
		} while (((now ^ before) & 0x80000000u) == 0);
		__threadfence();
	}
	__syncthreads();
}

} // namespace irgl

// A group of any kind.
class thread_group {
public:
	enum irgl_kind { irgl_block, irgl_lanes, irgl_grid };
	irgl_kind __kind;
	unsigned int __mask; // of irgl_lanes

	__device__ void sync() const {
		if (__kind == irgl_block) {
			__syncthreads();
		} else if (__kind == irgl_lanes) {
			__syncwarp(__mask);
		} else {
			irgl::grid_sync();
		}
	}
	__device__ unsigned long long size() const {
		if (__kind == irgl_lanes) {
			return (unsigned long long)__popc(__mask);
		}
		unsigned long long n = irgl::threads_of_block();
		return __kind == irgl_block ? n : n * gridDim.x * gridDim.y * gridDim.z;
	}
	__device__ unsigned long long num_threads() const { return size(); }
	__device__ unsigned long long thread_rank() const {
		if (__kind == irgl_lanes) {
			return irgl::rank_in(__mask);
		}
		unsigned long long block = __kind == irgl_block ? 0 : blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
		return block * irgl::threads_of_block() + irgl::rank_in_block();
	}
	__device__ bool is_valid() const { return true; }
};

class thread_block : public thread_group {
public:
	// Unlike __syncthreads, it may be called by lanes of a warp that have diverged.
	static __device__ void sync() { asm volatile("barrier.sync 0;" ::: "memory"); }
	static __device__ unsigned int size() { return irgl::threads_of_block(); }
	static __device__ unsigned int num_threads() { return irgl::threads_of_block(); }
	static __device__ unsigned int thread_rank() { return irgl::rank_in_block(); }
	static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static __device__ dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }

	struct arrival_token {};
	static __device__ arrival_token barrier_arrive() { return arrival_token(); }
	static __device__ void barrier_wait(arrival_token) { __syncthreads(); }
};

inline __device__ thread_block this_thread_block() {
	thread_block b;
	b.__kind = thread_group::irgl_block;
	b.__mask = 0;
	return b;
}

class grid_group : public thread_group {
public:
	static __device__ void sync() { irgl::grid_sync(); }
	static __device__ bool is_valid() { return true; }
	static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	static __device__ unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
	static __device__ unsigned long long size() { return num_blocks() * irgl::threads_of_block(); }
	static __device__ unsigned long long num_threads() { return size(); }
	static __device__ unsigned long long thread_rank() { return block_rank() * irgl::threads_of_block() + irgl::rank_in_block(); }
	static __device__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static __device__ dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

inline __device__ grid_group this_grid() {
	grid_group g;
	g.__kind = thread_group::irgl_grid;
	g.__mask = 0;
	return g;
}

// The blocks of a cluster (compute capability 9.0 and later); without __cluster_dims__, each block is one.
class cluster_group {
public:
	struct arrival_token {};
	static __device__ void sync() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
	static __device__ arrival_token barrier_arrive() { __cluster_barrier_arrive(); return arrival_token(); }
	static __device__ void barrier_wait() { __cluster_barrier_wait(); }
	static __device__ void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
	static __device__ unsigned int num_blocks() { return __clusterSizeInBlocks(); }
	static __device__ unsigned int num_threads() { return num_blocks() * irgl::threads_of_block(); }
	static __device__ unsigned int size() { return num_threads(); }
	static __device__ unsigned int block_rank() { return __clusterRelativeBlockRank(); }
	static __device__ unsigned int thread_rank() { return block_rank() * irgl::threads_of_block() + irgl::rank_in_block(); }
	static __device__ dim3 block_index() { return __clusterRelativeBlockIdx(); }
	static __device__ dim3 thread_index() { dim3 b = block_index(); return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z); }
	static __device__ dim3 dim_blocks() { return __clusterDim(); }
	static __device__ dim3 dim_threads() { dim3 d = dim_blocks(); return dim3(d.x * blockDim.x, d.y * blockDim.y, d.z * blockDim.z); }

	template <typename T> static __device__ T *map_shared_rank(T *p, int) {
		static_assert(sizeof(T) == 0, "the shared memory of other blocks of a cluster is not supported: exchange values through global memory");
		return p;
	}
	template <typename T> static __device__ unsigned int query_shared_rank(const T *) {
		static_assert(sizeof(T) == 0, "the shared memory of other blocks of a cluster is not supported: exchange values through global memory");
		return 0;
	}
};

inline __device__ cluster_group this_cluster() { return cluster_group(); }

// Lanes of a warp that were together when the group was made, or that a partition chose.
class coalesced_group : public thread_group {
public:
	unsigned int __rank, __groups; // of the group among those of its partition

	__device__ void sync() const { __syncwarp(__mask); }
	__device__ unsigned int size() const { return (unsigned int)__popc(__mask); }
	__device__ unsigned int num_threads() const { return (unsigned int)__popc(__mask); }
	__device__ unsigned int thread_rank() const { return irgl::rank_in(__mask); }
	__device__ unsigned int meta_group_rank() const { return __rank; }
	__device__ unsigned int meta_group_size() const { return __groups; }
	template <typename T> __device__ T shfl(T v, unsigned int rank) const {
		return irgl::from_lane(__mask, v, irgl::lane_of(__mask, rank < size() ? rank : rank % size()));
	}
	template <typename T> __device__ T shfl_up(T v, unsigned int by) const {
		unsigned int rank = thread_rank();
		return irgl::from_lane(__mask, v, rank < by ? irgl::lane() : irgl::lane_of(__mask, rank - by));
	}
	template <typename T> __device__ T shfl_down(T v, unsigned int by) const {
		return irgl::from_lane(__mask, v, irgl::lane_of(__mask, thread_rank() + by));
	}
	__device__ int any(int p) const { return __any_sync(__mask, p); }
	__device__ int all(int p) const { return __all_sync(__mask, p); }
	__device__ unsigned int ballot(int p) const { return irgl::packed(__ballot_sync(__mask, p), __mask); }
	template <typename T> __device__ unsigned int match_any(T v) const { return irgl::packed(__match_any_sync(__mask, v), __mask); }
	template <typename T> __device__ unsigned int match_all(T v, int &p) const { return irgl::packed(__match_all_sync(__mask, v, &p), __mask); }
};

namespace irgl {
inline __device__ coalesced_group lanes(unsigned int mask, unsigned int rank, unsigned int groups) {
	coalesced_group g;
	g.__kind = thread_group::irgl_lanes;
	g.__mask = mask;
	g.__rank = rank;
	g.__groups = groups;
	return g;
}
} // namespace irgl

inline __device__ coalesced_group coalesced_threads() { return irgl::lanes(__activemask(), 0, 1); }

// Threads of several warps in a row, by which larger tiles meet and exchange values.
namespace irgl {
template <unsigned int Size> struct warps_memory {
	unsigned int arrived[32], phase[32];
	unsigned long long values[32][2];
};

// The shared memory of the tiles of one size, which the block makes together.
template <unsigned int Size> inline __device__ warps_memory<Size> &warps() {
	__shared__ warps_memory<Size> memory;
	return memory;
}

template <unsigned int Size> inline __device__ void make_warps() {
	__syncthreads();
	if (rank_in_block() < 32) {
		warps<Size>().arrived[rank_in_block()] = 0;
		warps<Size>().phase[rank_in_block()] = 0;
	}
	__syncthreads();
}

// The tile of a thread, and its warps.
template <unsigned int Size> class warps_tile : public thread_group {
	static __device__ unsigned int warps_here() {
		unsigned int left = threads_of_block() - rank_in_block() / Size * Size;
		return ((left < Size ? left : Size) + 31) / 32;
	}

public:
	// The last thread to arrive starts the next phase.
	static __device__ void sync() {
		warps_memory<Size> &m = warps<Size>();
		unsigned int tile = meta_group_rank(), left = threads_of_block() - tile * Size;
		unsigned int before = __nv_atomic_load_n(&m.phase[tile], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
		__threadfence_block();
		if (atomicAdd_block(&m.arrived[tile], 1u) == (left < Size ? left : Size) - 1) {
			atomicExch_block(&m.arrived[tile], 0u);
			__threadfence_block();
			atomicAdd_block(&m.phase[tile], 1u);
		} else {
			while (__nv_atomic_load_n(&m.phase[tile], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) == before) {}
		}
		__threadfence_block();
	}
	static constexpr __host__ __device__ unsigned int size() { return Size; }
	static constexpr __host__ __device__ unsigned int num_threads() { return Size; }
	static __device__ unsigned int thread_rank() { return rank_in_block() % Size; }
	static __device__ unsigned int meta_group_rank() { return rank_in_block() / Size; }
	static __device__ unsigned int meta_group_size() { return (threads_of_block() + Size - 1) / Size; }

	template <typename T> static __device__ T shfl(T v, unsigned int rank) {
		static_assert(sizeof(T) <= 16, "tiles of several warps exchange values of up to 16 bytes");
		T *at = (T *)&warps<Size>().values[meta_group_rank() * (Size / 32)];
		if (thread_rank() == rank % Size) *at = v;
		sync();
		v = *at;
		sync();
		return v;
	}
	// What op makes of the values of the warps, each of which has one in its first lane.
	template <typename T, typename Op> static __device__ T combine(T v, Op op) {
		static_assert(sizeof(T) <= 16, "tiles of several warps exchange values of up to 16 bytes");
		unsigned int first = meta_group_rank() * (Size / 32), n = warps_here();
		if (lane() == 0) *(T *)&warps<Size>().values[rank_in_block() / 32] = v;
		sync();
		v = *(T *)&warps<Size>().values[first];
		for (unsigned int i = 1; i < n; i++) v = op(v, *(T *)&warps<Size>().values[first + i]);
		sync();
		return v;
	}
	// Whether the tile has warps before this one, and what op makes of the values of their last lanes.
	template <typename T, typename Op> static __device__ bool earlier(T v, Op op, T &before) {
		static_assert(sizeof(T) <= 16, "tiles of several warps exchange values of up to 16 bytes");
		unsigned int first = meta_group_rank() * (Size / 32), own = rank_in_block() / 32;
		if (lane() + 1 == (unsigned int)__popc(tile_mask(32))) *(T *)&warps<Size>().values[own] = v;
		sync();
		if (own > first) before = *(T *)&warps<Size>().values[first];
		for (unsigned int i = first + 1; i < own; i++) before = op(before, *(T *)&warps<Size>().values[i]);
		sync();
		return own > first;
	}
	static __device__ int any(int p) {
		return combine(__any_sync(tile_mask(32), p), [](int a, int b) { return a | b; });
	}
	static __device__ int all(int p) {
		return combine(__all_sync(tile_mask(32), p), [](int a, int b) { return a & b; });
	}
};
} // namespace irgl

// Memory for tiles of more than 32 threads. It is a block's own; this is for programs that give it.
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
	unsigned char bytes[MaxBlockSize / 32 > 0 ? MaxBlockSize / 32 : 1];
};

template <unsigned int N> inline __device__ thread_block this_thread_block(block_tile_memory<N> &) { return this_thread_block(); }

// Size lanes in a row of a warp; Size is a power of two up to 32.
template <unsigned int Size, typename Parent = void> class thread_block_tile : public thread_group {
	static_assert(Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 || Size == 32, "a tile has a power of two of threads, up to 1024");

public:
	thread_block_tile() = default;
	// The tile without its parent's type.
	template <typename Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &t) {
		__kind = irgl_lanes;
		__mask = t.__mask;
	}
	__device__ void sync() const { __syncwarp(__mask); }
	static constexpr __host__ __device__ unsigned int size() { return Size; }
	static constexpr __host__ __device__ unsigned int num_threads() { return Size; }
	static __device__ unsigned int thread_rank() { return irgl::rank_in_block() & (Size - 1); }
	static __device__ unsigned int meta_group_rank() { return irgl::rank_in_block() / Size; }
	static __device__ unsigned int meta_group_size() { return (irgl::threads_of_block() + Size - 1) / Size; }
	template <typename T> __device__ T shfl(T v, unsigned int rank) const { return irgl::from_lane(__mask, v, irgl__first() + (rank & (Size - 1))); }
	template <typename T> __device__ T shfl_up(T v, unsigned int by) const {
		return irgl::from_lane(__mask, v, thread_rank() < by ? irgl::lane() : irgl::lane() - by);
	}
	template <typename T> __device__ T shfl_down(T v, unsigned int by) const {
		return irgl::from_lane(__mask, v, thread_rank() + by >= Size ? irgl::lane() : irgl::lane() + by);
	}
	template <typename T> __device__ T shfl_xor(T v, unsigned int with) const {
		return irgl::from_lane(__mask, v, (thread_rank() ^ with) >= Size ? irgl::lane() : irgl::lane() ^ with);
	}
	__device__ int any(int p) const { return __any_sync(__mask, p); }
	__device__ int all(int p) const { return __all_sync(__mask, p); }
	__device__ unsigned int ballot(int p) const { return __ballot_sync(__mask, p) >> irgl__first(); }
	template <typename T> __device__ unsigned int match_any(T v) const { return __match_any_sync(__mask, v) >> irgl__first(); }
	template <typename T> __device__ unsigned int match_all(T v, int &p) const { return __match_all_sync(__mask, v, &p) >> irgl__first(); }

private:
	static __device__ unsigned int irgl__first() { return irgl::lane() & ~(Size - 1); }
};

// Larger tiles.
template <typename Parent> class thread_block_tile<64, Parent> : public irgl::warps_tile<64> {};
template <typename Parent> class thread_block_tile<128, Parent> : public irgl::warps_tile<128> {};
template <typename Parent> class thread_block_tile<256, Parent> : public irgl::warps_tile<256> {};
template <typename Parent> class thread_block_tile<512, Parent> : public irgl::warps_tile<512> {};
template <typename Parent> class thread_block_tile<1024, Parent> : public irgl::warps_tile<1024> {};

template <unsigned int Size, typename Group> inline __device__ thread_block_tile<Size, Group> tiled_partition(const Group &) {
	thread_block_tile<Size, Group> t;
	t.__kind = thread_group::irgl_lanes;
	t.__mask = irgl::tile_mask(Size);
	if constexpr (Size > 32) {
		irgl::make_warps<Size>();
	}
	return t;
}

// Tiles of a size that is known when the program runs. In a coalesced group they are of lanes
// with consecutive ranks.
inline __device__ thread_group tiled_partition(const thread_group &parent, unsigned int size) {
	thread_group t;
	t.__kind = thread_group::irgl_lanes;
	t.__mask = irgl::tile_mask(size);
	if (parent.__kind == thread_group::irgl_lanes) {
		t.__mask &= parent.__mask;
	}
	return t;
}

inline __device__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
	unsigned int tile = parent.thread_rank() / size, mask = 0;
	for (unsigned int i = tile * size; i < (tile + 1) * size && i < parent.size(); i++) {
		mask |= 1u << irgl::lane_of(parent.__mask, i);
	}
	return irgl::lanes(mask, tile, (parent.size() + size - 1) / size);
}

// The threads of a group of lanes for which predicate is what it is for this one.
template <typename Group> inline __device__ coalesced_group binary_partition(const Group &g, bool predicate) {
	unsigned int with = __ballot_sync(g.__mask, predicate);
	return irgl::lanes(predicate ? with : g.__mask & ~with, predicate ? 1 : 0, 2);
}

// The threads of a group of lanes that have the same label. Groups are ranked by their first lanes.
template <typename Group, typename Label> inline __device__ coalesced_group labeled_partition(const Group &g, Label label) {
	unsigned int same = __match_any_sync(g.__mask, label);
	unsigned int leaders = __ballot_sync(g.__mask, (unsigned int)__ffs((int)same) - 1 == irgl::lane());
	unsigned int first = same & (0u - same);
	return irgl::lanes(same, (unsigned int)__popc(leaders & (first - 1)), (unsigned int)__popc(leaders));
}

template <typename Group> inline __device__ void sync(const Group &g) { g.sync(); }
template <typename Group> inline __device__ unsigned long long group_size(const Group &g) { return g.size(); }
template <typename Group> inline __device__ unsigned long long thread_rank(const Group &g) { return g.thread_rank(); }

// Operators of reductions and scans.
template <typename T> struct plus { __host__ __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { __host__ __device__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __host__ __device__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __host__ __device__ T operator()(T a, T b) const { return a ^ b; } };

} // namespace cooperative_groups
