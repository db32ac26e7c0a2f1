// The mask of a shuffle names lanes that do not come.
__global__ void k(int *p, volatile int *stop) {
	int v = threadIdx.x;
	if (threadIdx.x < 16) {
#ifdef REPAIRED
		v = __shfl_sync(0x0000ffff, v, 3);
#else
		v = __shfl_sync(0xffffffff, v, 3); // FAULT deadlock
#endif
	} else {
		while (*stop == 0) {
		}
	}
	p[threadIdx.x] = v;
	*stop = 1;
}
int main() {
	int *p, *stop;
	cudaMalloc(&p, 128);
	cudaMalloc(&stop, 4);
	cudaMemset(stop, 0, 4);
#ifdef REPAIRED
	k<<<1, 16>>>(p, stop);
#else
	k<<<1, 32>>>(p, stop);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(stop);
}
