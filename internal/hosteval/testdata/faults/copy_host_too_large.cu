// A copy passes the end of the host's array.
#include <stdlib.h>
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() {
	int *p, *h = (int *)malloc(64);
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
#ifdef REPAIRED
	cudaMemcpy(h, p, 64, cudaMemcpyDeviceToHost);
#else
	cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost); // FAULT host-fault
#endif
	cudaFree(p);
	free(h);
}
