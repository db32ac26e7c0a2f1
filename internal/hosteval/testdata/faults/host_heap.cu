// A kernel is given memory of the host's malloc.
#include <stdlib.h>
__global__ void k(int *p) {
	p[threadIdx.x] = 1; // FAULT host-memory
}
int main() {
	int *h = (int *)malloc(128), *p;
	cudaMalloc(&p, 128);
#ifdef REPAIRED
	k<<<1, 32>>>(p);
#else
	k<<<1, 32>>>(h);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
	free(h);
}
