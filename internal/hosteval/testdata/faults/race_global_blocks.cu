// Blocks add to one word without an atomic.
__global__ void k(int *sum) {
	if (threadIdx.x == 0)
#ifdef REPAIRED
		atomicAdd(sum, 1);
#else
		*sum += 1; // FAULT race
#endif
}
int main() {
	int *sum;
	cudaMalloc(&sum, 4);
	cudaMemset(sum, 0, 4);
	k<<<8, 32>>>(sum);
	cudaDeviceSynchronize();
	cudaFree(sum);
}
