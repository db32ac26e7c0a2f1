// An assertion of a kernel fails.
#include <assert.h>
__global__ void k(int n) {
	assert(threadIdx.x < n); // FAULT assert
}
int main() {
#ifdef REPAIRED
	k<<<1, 32>>>(32);
#else
	k<<<1, 32>>>(31);
#endif
	cudaDeviceSynchronize();
}
