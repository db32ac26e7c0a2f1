// A launch asks for more shared memory than the kernel may have.
__global__ void k(int *p) {
	extern __shared__ int s[];
	s[threadIdx.x] = p[threadIdx.x];
	p[threadIdx.x] = s[threadIdx.x] + 1;
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
#ifdef REPAIRED
	cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
#endif
	k<<<1, 32, 100 << 10>>>(p); // FAULT launch-failed
	cudaDeviceSynchronize();
	cudaFree(p);
}
