// The last block has threads beyond the end.
__global__ void set(int *p, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef REPAIRED
	if (i < n)
#endif
		p[i] = 1; // FAULT out-of-bounds
}
int main() {
	int *p;
	cudaMalloc(&p, 100 * sizeof(int)); // ALSO
	set<<<4, 32>>>(p, 100);
	cudaDeviceSynchronize();
	cudaFree(p);
}
