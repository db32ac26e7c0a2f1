// The launch gives less shared memory than the kernel uses.
extern __shared__ int room[];
__global__ void copy(int *p) {
	room[threadIdx.x] = p[threadIdx.x]; // FAULT out-of-bounds
	__syncthreads();
	p[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}
int main() {
	int *p;
	cudaMalloc(&p, 64 * sizeof(int));
	cudaMemset(p, 0, 64 * sizeof(int));
#ifdef REPAIRED
	copy<<<1, 64, 64 * sizeof(int)>>>(p);
#else
	copy<<<1, 64, 64>>>(p);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
