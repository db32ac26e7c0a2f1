// The host reads managed memory while a kernel writes it.
#include <stdio.h>
__global__ void set(int *p) { p[threadIdx.x] = 1; } // ALSO
int main() {
	int *p;
	cudaMallocManaged(&p, 128);
	p[0] = 0;
	set<<<1, 32>>>(p);
#ifdef REPAIRED
	cudaDeviceSynchronize();
#endif
	printf("%d\n", p[0]); // FAULT race-with-host
	cudaDeviceSynchronize();
	cudaFree(p);
}
