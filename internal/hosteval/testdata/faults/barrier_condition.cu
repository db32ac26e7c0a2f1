// A barrier in a branch that half of the block takes.
__global__ void k(int *p) {
	__shared__ int s[64];
	int i = threadIdx.x;
	s[i] = p[i];
#ifdef REPAIRED
	__syncthreads();
	if (i < 40) p[i] = s[63 - i];
#else
	if (i < 40) {
		__syncthreads(); // FAULT divergent-barrier
		p[i] = s[i];
	}
#endif
}
int main() {
	int *p;
	cudaMalloc(&p, 256);
	cudaMemset(p, 0, 256);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
