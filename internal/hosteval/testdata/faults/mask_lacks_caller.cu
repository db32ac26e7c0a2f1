// The mask of a vote does not name the thread that votes.
__global__ void k(int *p) {
#ifdef REPAIRED
	unsigned mask = 0xffffffff;
#else
	unsigned mask = 0x0000ffff;
#endif
	p[threadIdx.x] = __any_sync(mask, threadIdx.x == 3); // FAULT wrong-mask
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
