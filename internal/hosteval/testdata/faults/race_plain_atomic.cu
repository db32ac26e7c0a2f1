// One thread reads plainly what others change by atomics.
__global__ void k(int *counter, int *seen) {
	atomicAdd(counter, 1); // FAULT race
#ifdef REPAIRED
	seen[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 0);
#else
	seen[blockIdx.x * blockDim.x + threadIdx.x] = *counter; // ALSO
#endif
}
int main() {
	int *counter, *seen;
	cudaMalloc(&counter, 4);
	cudaMalloc(&seen, 64 * sizeof(int));
	cudaMemset(counter, 0, 4);
	k<<<2, 32>>>(counter, seen);
	cudaDeviceSynchronize();
	cudaFree(counter);
	cudaFree(seen);
}
