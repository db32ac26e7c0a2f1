// A cooperative launch has more blocks than can be resident.
#include <cooperative_groups.h>
__global__ void k(int *p) {
	cooperative_groups::this_grid().sync();
	if (threadIdx.x == 0) atomicAdd(p, 1);
}
int main() {
	int *p;
	cudaMalloc(&p, 64);
	cudaMemset(p, 0, 64);
	void *args[] = {&p};
#ifdef REPAIRED
	cudaLaunchCooperativeKernel((void *)k, dim3(8), dim3(1024), args, 0, 0);
#else
	cudaLaunchCooperativeKernel((void *)k, dim3(4000), dim3(1024), args, 0, 0); // FAULT call-failed
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
