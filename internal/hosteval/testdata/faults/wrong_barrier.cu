// A barrier is given a number of threads that is no multiple of a warp.
__global__ void k(int *p, int n) {
	p[threadIdx.x] = 1;
	asm volatile("bar.sync 1, %0;" : : "r"(n) : "memory"); // FAULT wrong-barrier
	p[64 + threadIdx.x] = p[63 - threadIdx.x];
}
int main() {
	int *p;
	cudaMalloc(&p, 512);
#ifdef REPAIRED
	k<<<1, 64>>>(p, 64);
#else
	k<<<1, 64>>>(p, 48);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
