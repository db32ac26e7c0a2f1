// A recursion without an end.
__device__ __noinline__ int depth(int n, volatile int *p) {
#ifdef REPAIRED
	if (n > 20) return n;
#endif
	int more = depth(n + 1, p); // FAULT kernel-fault
	return more + *p;
}
__global__ void k(int *p) { p[1] = depth(0, p); }
int main() {
	int *p;
	cudaMalloc(&p, 8);
	cudaMemset(p, 0, 8);
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
