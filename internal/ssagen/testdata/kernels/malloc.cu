// The device's heap, accepted by NVIDIA's assembler.
__device__ __noinline__ void *get(size_t n) { return malloc(n); }

extern "C" __global__ void heap(int **out, int n) {
	int *p = (int *)get(n * sizeof(int)), *q = (int *)malloc(4);
	if (!p) __trap();
	*q = n;
	p[threadIdx.x] = *q;
	free(q);
	out[threadIdx.x] = p;
}
