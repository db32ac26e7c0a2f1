// A neighbour's element is read without a barrier.
__global__ void k(int *p) {
	__shared__ int s[64];
	int i = threadIdx.x;
	s[63 - i] = 0;
	__syncthreads();
	s[i] = p[i]; // FAULT race
#ifdef REPAIRED
	__syncthreads();
#endif
	p[i] = s[63 - i]; // ALSO
}
int main() {
	int *p;
	cudaMalloc(&p, 256);
	cudaMemset(p, 0, 256);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
