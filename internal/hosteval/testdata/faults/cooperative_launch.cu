// The grid waits in a launch that is not cooperative.
#include <cooperative_groups.h>
__global__ void k(int *p) {
	p[blockIdx.x] = 1;
	cooperative_groups::this_grid().sync(); // IN cooperative_groups.h: trap
	p[4 + blockIdx.x] = p[3 - blockIdx.x];
}
int main() {
	int *p;
	cudaMalloc(&p, 64);
	void *args[] = {&p};
#ifdef REPAIRED
	cudaLaunchCooperativeKernel((void *)k, dim3(4), dim3(1), args, 0, 0);
#else
	k<<<4, 1>>>(p);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
