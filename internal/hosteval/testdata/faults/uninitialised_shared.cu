// Half of the shared array is written.
__global__ void k(int *p) {
	__shared__ int s[64];
	int i = threadIdx.x;
#ifdef REPAIRED
	s[i] = i;
#else
	if (i < 32) s[i] = i;
#endif
	__syncthreads();
	p[i] = s[i]; // FAULT uninitialised
}
int main() {
	int *p;
	cudaMalloc(&p, 256);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
