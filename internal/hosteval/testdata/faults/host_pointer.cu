// A kernel is given an array of the host.
__global__ void k(int *p) {
	p[threadIdx.x] = 1; // FAULT host-memory|other-memory
}
int main() {
	int *p, h[32];
	cudaMalloc(&p, sizeof h);
#ifdef REPAIRED
	k<<<1, 32>>>(p);
#else
	k<<<1, 32>>>(h);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
