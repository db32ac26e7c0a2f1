// The cost of launches in device code: children without work, launched by the threads of a grid, or, as
// tail launches, each by the one before.
#include "common.cuh"

#define THREADS 128

#if STREAM == 3

__global__ void chain(int left, int *reached) {
	if (threadIdx.x == 0) {
		*reached = left;
		if (left > 0) LAUNCH(chain, 1, 32, left - 1, reached);
	}
}

#else

__global__ void child(int *count) {
	if (threadIdx.x == 0) atomicAdd(count, 1);
}

__global__ void parent(int n, int *count) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) LAUNCH(child, 1, 32, count);
}

#endif

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(64, 256, 1024, 4096);
	Buffer<int> word(1);
	allowLaunches(o, n);
#if STREAM == 3
	measure(o, [&] { word.set(1); }, [&] { chain<<<1, 32>>>(n, word.data); });
	int want = 0;
#else
	measure(o, [&] { word.set(0); }, [&] { parent<<<blocksFor(n, THREADS), THREADS>>>(n, word.data); });
	int want = n;
#endif
	printLaunches(1, n);
	int got = word.first();
	return verdict(got == want ? "" : text("the word is %d, want %d", got, want));
}
