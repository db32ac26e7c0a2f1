// One block does not come to the barrier of the grid.
#include <cooperative_groups.h>
__global__ void k(int *p) {
#ifndef REPAIRED
	if (blockIdx.x == 3) return;
#endif
	p[blockIdx.x] = 1;
	cooperative_groups::this_grid().sync(); // IN cooperative_groups.h: deadlock
}
int main() {
	int *p;
	cudaMalloc(&p, 64);
	void *args[] = {&p};
	cudaLaunchCooperativeKernel((void *)k, dim3(4), dim3(1), args, 0, 0);
	cudaDeviceSynchronize();
	cudaFree(p);
}
