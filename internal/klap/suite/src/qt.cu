// A quadtree of points: a block for each large node, or a warp for each small one, moves its points to four quadrants
// and launches four blocks for them, or one block of four warps if all are small. With -DDEVICE_MALLOC the children of
// a node are in memory that is allocated there.
#include "common.cuh"

#define BLOCK 128
#define WARPS (BLOCK / 32)
#define MAX_DEPTH 12
#define MIN_POINTS 1
#define LARGE 512 // points that a block moves together; fewer are a warp's

struct Point {
	float x, y;
	int id;
};

// A Node has the points from first to last, in the square with the least corner x, y.
struct Node {
	int first, last;
	float x, y, side;
	int depth;
};

// A Tree is the state of the build. Nodes of even depth have their points in a, others in b.
struct Tree {
	Point *a, *b;
	Node *nodes; // room for children
	int *used;   // nodes of it
	Node *leaves;
	int *leafCount;
};

__device__ __forceinline__ int qt_quadrant(const Node *n, const Point *p) {
	float half = n->side * 0.5f;
	return (p->x >= n->x + half ? 1 : 0) + (p->y >= n->y + half ? 2 : 0);
}

__device__ __forceinline__ bool qt_is_leaf(const Node *n) { return n->depth >= MAX_DEPTH || n->last - n->first <= MIN_POINTS; }

// qt_leaf notes a leaf, and leaves its points in a.
__device__ __forceinline__ void qt_leaf(Tree t, const Node *n, int rank, int threads) {
	if (n->depth % 2 == 1) {
		for (int i = n->first + rank; i < n->last; i += threads) t.a[i] = t.b[i];
	}
	if (rank == 0) t.leaves[atomicAdd(t.leafCount, 1)] = *n;
}

// qt_child returns child q of a node whose points up to the child's are begin and up to its end end.
__device__ __forceinline__ Node qt_child(const Node *n, int q, int begin, int end) {
	Node c;
	c.first = begin;
	c.last = end;
	c.side = n->side * 0.5f;
	c.x = n->x + (q % 2) * c.side;
	c.y = n->y + (q / 2) * c.side;
	c.depth = n->depth + 1;
	return c;
}

// qt_counts counts the points of each quadrant among those from begin to end; the threads of
// a warp call it together.
__device__ __forceinline__ void qt_counts(const Node *n, const Point *in, int begin, int end, int *counts) {
	int lane = threadIdx.x % 32;
	for (int q = 0; q < 4; q++) counts[q] = 0;
	for (int base = begin; base < end; base += 32) {
		int quadrant = base + lane < end ? qt_quadrant(n, &in[base + lane]) : 4;
		for (int q = 0; q < 4; q++) counts[q] += __popc(__ballot_sync(0xffffffff, quadrant == q));
	}
}

// qt_move moves them to out; at has the place for each quadrant.
__device__ __forceinline__ void qt_move(const Node *n, const Point *in, Point *out, int begin, int end, int *at) {
	int lane = threadIdx.x % 32;
	for (int base = begin; base < end; base += 32) {
		Point p;
		int quadrant = 4;
		if (base + lane < end) {
			p = in[base + lane];
			quadrant = qt_quadrant(n, &p);
		}
		for (int q = 0; q < 4; q++) {
			unsigned int same = __ballot_sync(0xffffffff, quadrant == q);
			if (quadrant == q) out[at[q] + __popc(same & ((1u << lane) - 1))] = p;
			at[q] += __popc(same);
		}
	}
}

// qt_split moves the points of a node to the quadrants' places in the other array, and sets
// ends to the ends of the quadrants. The threads of the block call it.
__device__ __forceinline__ void qt_split(Tree t, const Node *n, int *ends) {
	__shared__ int table[WARPS][4];
	const Point *in = n->depth % 2 == 0 ? t.a : t.b;
	Point *out = n->depth % 2 == 0 ? t.b : t.a;
	int warp = threadIdx.x / 32;
	int share = (n->last - n->first + WARPS - 1) / WARPS;
	int begin = min(n->first + warp * share, n->last);
	int end = min(begin + share, n->last);
	int counts[4], at[4];
	qt_counts(n, in, begin, end, counts);
	if (threadIdx.x % 32 == 0) {
		for (int q = 0; q < 4; q++) table[warp][q] = counts[q];
	}
	__syncthreads();
	int place = n->first;
	for (int q = 0; q < 4; q++) {
		for (int w = 0; w < WARPS; w++) {
			if (w == warp) at[q] = place;
			place += table[w][q];
		}
		ends[q] = place;
	}
	qt_move(n, in, out, begin, end, at);
	__syncthreads();
}

// qt_split_small does that for the threads of a warp.
__device__ __forceinline__ void qt_split_small(Tree t, const Node *n, int *ends) {
	const Point *in = n->depth % 2 == 0 ? t.a : t.b;
	Point *out = n->depth % 2 == 0 ? t.b : t.a;
	int counts[4];
	qt_counts(n, in, n->first, n->last, counts);
	int place = n->first;
	for (int q = 0; q < 4; q++) {
		ends[q] = place; // which the move brings to the end
		place += counts[q];
	}
	qt_move(n, in, out, n->first, n->last, ends);
}

#ifndef NO_DP

// qt_build builds some siblings, each with so many threads: those of a block or of a warp.
__global__ void __launch_bounds__(BLOCK) qt_build(Tree t, const Node *siblings, int threads) {
	Node n = siblings[(blockIdx.x * BLOCK + threadIdx.x) / threads];
	int rank = threadIdx.x % threads;
	if (qt_is_leaf(&n)) {
		qt_leaf(t, &n, rank, threads);
	} else {
		int ends[4];
		if (threads == BLOCK) qt_split(t, &n, ends);
		else qt_split_small(t, &n, ends);
		__syncwarp(); // the points are in their places
		if (rank == 0) {
#ifdef DEVICE_MALLOC
			Node *children = (Node *)malloc(4 * sizeof(Node));
#else
			Node *children = t.nodes + atomicAdd(t.used, 4);
#endif
			int most = 0;
			for (int q = 0; q < 4; q++) {
				children[q] = qt_child(&n, q, q == 0 ? n.first : ends[q - 1], ends[q]);
				most = max(most, children[q].last - children[q].first);
			}
			int next = most < LARGE ? 32 : BLOCK;
			LAUNCH(qt_build, 4 * next / BLOCK, BLOCK, t, children, next);
		}
	}
}

#else

// qt_level builds the nodes of one depth, and queues their children for the next one. Of
// list the large nodes are in front and the small ones at the end, to its capacity.
__global__ void __launch_bounds__(BLOCK) qt_level(Tree t, const Node *list, const int *sizes, Node *next, int *nextSizes, int capacity) {
	__shared__ Node shared;
	for (int i = blockIdx.x; i < sizes[0]; i += gridDim.x) {
		if (threadIdx.x == 0) shared = list[i];
		__syncthreads();
		Node n = shared;
		int ends[4];
		qt_split(t, &n, ends);
		if (threadIdx.x < 4) {
			int q = threadIdx.x;
			Node c = qt_child(&n, q, q == 0 ? n.first : ends[q - 1], ends[q]);
			bool large = c.last - c.first >= LARGE && !qt_is_leaf(&c);
			if (large) next[atomicAdd(&nextSizes[0], 1)] = c;
			else next[capacity - 1 - atomicAdd(&nextSizes[1], 1)] = c;
		}
	}
	int lane = threadIdx.x % 32;
	for (int i = threadIdx.x / 32 * gridDim.x + blockIdx.x; i < sizes[1]; i += gridDim.x * WARPS) {
		Node n = list[capacity - 1 - i];
		if (qt_is_leaf(&n)) {
			qt_leaf(t, &n, lane, 32);
			continue;
		}
		int ends[4];
		qt_split_small(t, &n, ends);
		if (lane < 4) {
			int begin = n.first;
			int end = ends[0];
			for (int q = 1; q <= lane; q++) {
				begin = end;
				end = ends[q];
			}
			next[capacity - 1 - atomicAdd(&nextSizes[1], 1)] = qt_child(&n, lane, begin, end);
		}
	}
}

#endif

// A Count has what a sequential build counts.
struct Count {
	long leaves = 0, inner = 0;
};

static void reference(std::vector<Point> points, Node n, Count *count) {
	if (n.depth >= MAX_DEPTH || points.size() <= MIN_POINTS) {
		count->leaves++;
		return;
	}
	count->inner++;
	float half = n.side * 0.5f;
	for (int q = 0; q < 4; q++) {
		Node c{0, 0, n.x + (q % 2) * half, n.y + (q / 2) * half, half, n.depth + 1};
		std::vector<Point> part;
		for (const Point &p : points) {
			if ((p.x >= n.x + half) == (q % 2 == 1) && (p.y >= n.y + half) == (q / 2 == 1)) part.push_back(p);
		}
		reference(part, c, count);
	}
}

// faultOf says what is wrong with the leaves: they must have all points, each in its square.
static std::string faultOf(const std::vector<Point> &start, const std::vector<Point> &points, std::vector<Node> leaves) {
	std::sort(leaves.begin(), leaves.end(), [](const Node &a, const Node &b) { return a.first != b.first ? a.first < b.first : a.last < b.last; });
	int at = 0;
	std::vector<bool> seen(points.size());
	for (const Node &n : leaves) {
		if (n.first != at || n.last < at) return text("a leaf begins at point %d, want %d", n.first, at);
		if (n.depth > MAX_DEPTH || (n.depth < MAX_DEPTH && n.last - n.first > MIN_POINTS)) return text("a leaf of depth %d has %d points", n.depth, n.last - n.first);
		for (at = n.first; at < n.last; at++) {
			const Point &p = points[at];
			if (p.id < 0 || p.id >= (int)start.size() || seen[p.id] || p.x != start[p.id].x || p.y != start[p.id].y) return text("point %d is not one of the input, or is there twice", at);
			seen[p.id] = true;
			if (p.x < n.x || p.y < n.y || p.x >= n.x + n.side || p.y >= n.y + n.side) return text("point %d is not in its leaf's square", at);
		}
	}
	return at == (int)points.size() ? "" : text("the leaves have %d points of %zu", at, points.size());
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(300, 4000, 20000, 40000);
	Random random(o.seed);
	std::vector<Point> start;
	for (int i = 0; i < n; i++) {
		float x = random.uniform(), y = random.uniform();
		start.push_back(i % 2 ? Point{x, y, i} : Point{x * x, y * y, i}); // denser at a corner
	}
	Node root{0, n, 0, 0, 1, 0};
	Count count;
	reference(start, root, &count);
	long nodes = 4 * count.inner + 1;
	Buffer<Point> a(start), b(n);
	Buffer<Node> room(nodes), leaves(nodes);
	Buffer<int> used(1), leafCount(1);
	Tree t{a.data, b.data, room.data, used.data, leaves.data, leafCount.data};
	allowLaunches(o, count.inner + 1);
#ifdef DEVICE_MALLOC
	CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::max<size_t>(8 << 20, (size_t)count.inner * 512 * (o.repeat + 1))));
#endif

#ifndef NO_DP
	measure(o, [&] { a.put(start); room.put({root}); used.put({1}); leafCount.set(0); }, [&] { ROUND(qt_build<<<1, BLOCK>>>(t, room.data, BLOCK)); });
	printLaunches(1, count.inner);
#else
	int capacity = (int)nodes, blocks = std::min(2048, blocksFor(nodes, WARPS));
	Buffer<Node> lists(2 * (size_t)capacity);
	Buffer<int> sizes(2 * (MAX_DEPTH + 2));
	measure(o, [&] { a.put(start); leafCount.set(0); sizes.set(0); }, [&] {
		bool large = n >= LARGE;
		int one = 1;
		CUDA(cudaMemcpyAsync(lists.data + (large ? 0 : capacity - 1), &root, sizeof root, cudaMemcpyHostToDevice));
		CUDA(cudaMemcpyAsync(sizes.data + (large ? 0 : 1), &one, sizeof one, cudaMemcpyHostToDevice));
		for (int depth = 0; depth <= MAX_DEPTH; depth++) {
			Node *in = lists.data + depth % 2 * capacity, *out = lists.data + (depth + 1) % 2 * capacity;
			qt_level<<<blocks, BLOCK>>>(t, in, sizes.data + 2 * depth, out, sizes.data + 2 * depth + 2, capacity);
		}
	});
	printLaunches(MAX_DEPTH + 1, 0);
#endif

	int made = leafCount.first();
	if (made != count.leaves) return verdict(text("there are %d leaves, want %ld", made, count.leaves));
	std::vector<Node> list = leaves.get();
	list.resize(made);
	printf("leaves: %d\n", made);
	return verdict(faultOf(start, a.get(), list));
}
