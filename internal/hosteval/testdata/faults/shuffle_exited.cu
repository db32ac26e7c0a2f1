// A shuffle reads from a lane that has returned.
__global__ void k(int *p, int n) {
	int i = threadIdx.x;
#ifdef REPAIRED
	int v = i < n ? p[i] : 0;
#else
	if (i >= n) return;
	int v = p[i];
#endif
	v += __shfl_down_sync(0xffffffff, v, 16); // FAULT uninitialised|inactive-lane
	p[i] = v;
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	k<<<1, 32>>>(p, 20);
	cudaDeviceSynchronize();
	cudaFree(p);
}
