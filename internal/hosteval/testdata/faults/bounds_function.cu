// The access is in a function that the kernel calls.
__device__ __noinline__ void put(int *p, int i, int v) {
	p[i] = v; // FAULT out-of-bounds
}
__global__ void k(int *p, int n) {
#ifdef REPAIRED
	if (threadIdx.x < n)
#endif
		put(p, threadIdx.x, 1);
}
int main() {
	int *p;
	cudaMalloc(&p, 20 * sizeof(int)); // ALSO
	k<<<1, 32>>>(p, 20);
	cudaDeviceSynchronize();
	cudaFree(p);
}
