// Atomics of a block's scope count in all blocks.
__global__ void k(int *counter) {
#ifdef REPAIRED
	atomicAdd(counter, 1);
#else
	atomicAdd_block(counter, 1); // FAULT race-of-scopes
#endif
}
int main() {
	int *counter;
	cudaMalloc(&counter, 4);
	cudaMemset(counter, 0, 4);
	k<<<2, 32>>>(counter);
	cudaDeviceSynchronize();
	cudaFree(counter);
}
