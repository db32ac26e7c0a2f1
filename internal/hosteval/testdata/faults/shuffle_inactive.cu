// A shuffle reads from a lane that is not in its mask.
__global__ void k(int *p) {
	int v = threadIdx.x * 2;
	if (threadIdx.x < 16)
#ifdef REPAIRED
		v = __shfl_sync(0x0000ffff, v, 7);
#else
		v = __shfl_sync(0x0000ffff, v, 20); // FAULT inactive-lane
#endif
	p[threadIdx.x] = v;
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
