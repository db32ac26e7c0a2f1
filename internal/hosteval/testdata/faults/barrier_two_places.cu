// The two sides of a branch wait at barriers of their own.
__global__ void k(int *p) {
	int i = threadIdx.x;
#ifdef REPAIRED
	p[i] = i < 32 ? i : -i;
	__syncthreads();
#else
	if (i < 32) {
		p[i] = i;
		__syncthreads(); // FAULT divergent-barrier
	} else {
		p[i] = -i;
		__syncthreads(); // ALSO
	}
#endif
}
int main() {
	int *p;
	cudaMalloc(&p, 256);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
