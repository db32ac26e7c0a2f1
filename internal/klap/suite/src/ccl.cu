// Connected components of the set pixels of frames, four neighbours each: a parent of two
// threads for a frame, each of which launches a child with a thread for each pixel of half of
// the frame. Between the phases a parent would wait for its children, which device code
// cannot do any more: the host launches the phases instead, each frame's in its stream.
#include "common.cuh"

#define PARENT 2
#define CHILD 256
#define STREAMS 4
#define NO_LABEL -1

// ccl_root follows labels to a pixel that is its own label.
__device__ __forceinline__ int ccl_root(volatile int *label, int p) {
	for (int l = label[p]; l != p; l = label[p]) p = l;
	return p;
}

// ccl_unite joins two components: the smaller root is the label of the larger one.
__device__ __forceinline__ void ccl_unite(int *label, int p, int q) {
	while (true) {
		p = ccl_root(label, p);
		q = ccl_root(label, q);
		if (p == q) return;
		int low = min(p, q);
		int high = max(p, q);
		if (atomicCAS(&label[high], high, low) == high) return;
	}
}

// ccl_runs labels the pixels up to end, 32 of them that follow each other by a warp, by the parts of the runs of their rows that
// are the warp's, so that only the beginnings of these are united.
__device__ __forceinline__ void ccl_runs(const unsigned char *pixel, int *label, int width, int p, int end) {
	int lane = threadIdx.x % 32;
	bool set = p < end && pixel[p];
	unsigned int row = __ballot_sync(0xffffffff, set);
	unsigned int edges = __ballot_sync(0xffffffff, p % width == 0);
	unsigned int starts = row & (~(row << 1) | edges | 1);
	if (set) label[p] = p - lane + 31 - __clz(starts & (0xffffffffu >> (31 - lane)));
	else if (p < end) label[p] = NO_LABEL;
}

// ccl_join unites a pixel of the row with those at its left and above that are set, unless others do.
__device__ __forceinline__ void ccl_join(const unsigned char *pixel, int *label, int width, int row, int p) {
	if (pixel[p]) {
		bool left = p % width > 0 && pixel[p - 1];
		if (left && threadIdx.x % 32 == 0) ccl_unite(label, p, p - 1);
		if (row > 0 && pixel[p - width] && !(left && pixel[p - width - 1])) ccl_unite(label, p, p - width);
	}
}

// ccl_finish labels a pixel by the root of its component.
__device__ __forceinline__ void ccl_finish(int *label, int p) {
	int own = ((volatile int *)label)[p];
	if (own != NO_LABEL) ((volatile int *)label)[p] = ccl_root(label, own);
}

#ifndef NO_DP

__global__ void ccl_begin(const unsigned char *pixel, int *label, int width, int first, int end) {
	ccl_runs(pixel, label, width, first + blockIdx.x * blockDim.x + threadIdx.x, end);
}

__global__ void ccl_merge(const unsigned char *pixel, int *label, int width, int first, int end) {
	int p = first + blockIdx.x * blockDim.x + threadIdx.x;
	if (p < end) ccl_join(pixel, label, width, p / width, p);
}

__global__ void ccl_flatten(int *label, int first, int end) {
	int p = first + blockIdx.x * blockDim.x + threadIdx.x;
	if (p < end) ccl_finish(label, p);
}

#define FIRST ((int)(size * (long)threadIdx.x / PARENT))
#define END ((int)(size * (long)(threadIdx.x + 1) / PARENT))

__global__ void ccl_parent_begin(const unsigned char *pixel, int *label, int width, long size) {
	LAUNCH(ccl_begin, (END - FIRST + CHILD - 1) / CHILD, CHILD, pixel, label, width, FIRST, END);
}

__global__ void ccl_parent_merge(const unsigned char *pixel, int *label, int width, long size) {
	LAUNCH(ccl_merge, (END - FIRST + CHILD - 1) / CHILD, CHILD, pixel, label, width, FIRST, END);
}

__global__ void ccl_parent_flatten(int *label, long size) {
	LAUNCH(ccl_flatten, (END - FIRST + CHILD - 1) / CHILD, CHILD, label, FIRST, END);
}

#else

// All frames are one image, of the frames above each other.
__global__ void ccl_begin(const unsigned char *pixel, int *label, int width, long size) {
	ccl_runs(pixel, label, width, blockIdx.x * blockDim.x + threadIdx.x, (int)size);
}

__global__ void ccl_merge(const unsigned char *pixel, int *label, int width, int height, long size) {
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p < size) ccl_join(pixel, label, width, p / width % height, p);
}

__global__ void ccl_flatten(int *label, long size) {
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p < size) ccl_finish(label, p);
}

#endif

// reference labels each component of a frame by its first pixel.
static std::vector<int> reference(const unsigned char *pixel, int width, int height) {
	std::vector<int> label(width * height, NO_LABEL), stack;
	for (int first = 0; first < width * height; first++) {
		if (!pixel[first] || label[first] != NO_LABEL) continue;
		label[first] = first;
		stack.push_back(first);
		while (!stack.empty()) {
			int p = stack.back(), x = p % width, y = p / width;
			stack.pop_back();
			int near[4] = {x > 0 ? p - 1 : p, x + 1 < width ? p + 1 : p, y > 0 ? p - width : p, y + 1 < height ? p + width : p};
			for (int q : near) {
				if (pixel[q] && label[q] == NO_LABEL) {
					label[q] = first;
					stack.push_back(q);
				}
			}
		}
	}
	return label;
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int frames = o.pick(3, 8, 8, 8), width = o.pick(40, 128, 256, 512), height = width, size = width * height;
	Random random(o.seed);
	std::vector<unsigned char> start((size_t)frames * size);
	for (int f = 0; f < frames; f++) { // discs, and noise
		unsigned char *frame = &start[(size_t)f * size];
		for (int d = 0; d < 40; d++) {
			int cx = random.below(width), cy = random.below(height), r = 1 + random.below(width / 8);
			for (int y = std::max(0, cy - r); y < std::min(height, cy + r); y++) {
				for (int x = std::max(0, cx - r); x < std::min(width, cx + r); x++) {
					if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r) frame[y * width + x] = d % 4 > 0;
				}
			}
		}
		for (int i = 0; i < size / 16; i++) frame[random.below(size)] ^= 1;
	}
	Buffer<unsigned char> pixel(start);
	Buffer<int> label(start.size());

#ifndef NO_DP
	cudaStream_t streams[STREAMS];
	for (cudaStream_t &s : streams) CUDA(cudaStreamCreate(&s));
	measure(o, [&] { label.set(0xff); }, [&] {
		for (int f = 0; f < frames; f++) {
			cudaStream_t s = streams[f % STREAMS];
			const unsigned char *p = pixel.data + (size_t)f * size;
			int *l = label.data + (size_t)f * size;
			ROUND(ccl_parent_begin<<<1, PARENT, 0, s>>>(p, l, width, size));
			ROUND(ccl_parent_merge<<<1, PARENT, 0, s>>>(p, l, width, size));
			ROUND(ccl_parent_flatten<<<1, PARENT, 0, s>>>(l, size));
		}
	});
	for (cudaStream_t &s : streams) CUDA(cudaStreamDestroy(s));
	printLaunches(3 * frames, 3 * frames * PARENT);
#else
	measure(o, [&] { label.set(0xff); }, [&] {
		long all = (long)frames * size;
		int blocks = blocksFor(all, CHILD);
		ccl_begin<<<blocks, CHILD>>>(pixel.data, label.data, width, all);
		ccl_merge<<<blocks, CHILD>>>(pixel.data, label.data, width, height, all);
		ccl_flatten<<<blocks, CHILD>>>(label.data, all);
	});
	printLaunches(3, 0);
#endif

	std::vector<int> got = label.get();
	long components = 0;
	for (int f = 0; f < frames; f++) {
		std::vector<int> want = reference(&start[(size_t)f * size], width, height);
		for (int p = 0; p < size; p++) {
			int have = got[(size_t)f * size + p];
#ifdef NO_DP
			if (have != NO_LABEL) have -= f * size;
#endif
			components += want[p] == p;
			if (have != want[p]) return verdict(text("label of pixel %d of frame %d is %d, want %d", p, f, have, want[p]));
		}
	}
	printf("components: %ld\n", components);
	return verdict("");
}
