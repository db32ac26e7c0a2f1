// Warps of a block exchange values by global memory without a barrier.
__global__ void k(int *p) {
	int i = threadIdx.x;
	p[i] = i; // FAULT race
#ifdef REPAIRED
	__syncthreads();
#endif
	p[64 + i] = p[63 - i]; // ALSO
}
int main() {
	int *p;
	cudaMalloc(&p, 512);
	cudaMemset(p, 0, 512);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
