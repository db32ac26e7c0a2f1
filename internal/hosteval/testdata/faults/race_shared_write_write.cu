// All threads of a block write one word of shared memory.
__global__ void k(int *p) {
	__shared__ int last;
#ifdef REPAIRED
	if (threadIdx.x == 63)
#endif
		last = p[threadIdx.x]; // FAULT race
	__syncthreads();
	p[threadIdx.x] = last;
}
int main() {
	int *p;
	cudaMalloc(&p, 256);
	cudaMemset(p, 0, 256);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
