// A tile synchronises only its own lanes.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *p) {
	__shared__ int s[32];
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int i = threadIdx.x;
	s[i] = p[i]; // FAULT race
#ifdef REPAIRED
	cg::this_thread_block().sync();
#else
	tile.sync();
#endif
	p[i] = s[31 - i] + tile.size(); // ALSO
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
