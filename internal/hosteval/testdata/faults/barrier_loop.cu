// Threads of a warp pass the barrier of a loop a different number of times.
__global__ void k(int *p, int n) {
	int i = threadIdx.x;
#ifdef REPAIRED
	for (int r = 0; r < n; r++) {
#else
	for (int r = 0; r < n + i % 2; r++) {
#endif
		p[i] += r;
		__syncthreads(); // FAULT divergent-barrier
	}
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	k<<<1, 32>>>(p, 3);
	cudaDeviceSynchronize();
	cudaFree(p);
}
