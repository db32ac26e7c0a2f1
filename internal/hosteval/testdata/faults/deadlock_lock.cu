// A lock that blocks of a grid take in two orders.
__device__ int lock[2];
__device__ int meet;
__global__ void k(int *p) {
	if (threadIdx.x) return;
#ifdef REPAIRED
	int first = 0;
#else
	int first = blockIdx.x;
#endif
	while (atomicCAS(&lock[first], 0, 1)) {
	}
#ifndef REPAIRED
	atomicAdd(&meet, 1);
	while (atomicAdd(&meet, 0) < 2) {
	}
#endif
	while (atomicCAS(&lock[1 - first], 0, 1)) { // FAULT deadlock
	}
	atomicAdd(p, 1);
	atomicExch(&lock[1 - first], 0);
	atomicExch(&lock[first], 0);
}
int main() {
	int *p;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	k<<<2, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
