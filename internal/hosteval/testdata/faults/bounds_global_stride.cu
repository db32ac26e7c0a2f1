// A loop with the grid's stride has the wrong end.
__global__ void scale(float *p, int n) {
	int stride = gridDim.x * blockDim.x;
#ifdef REPAIRED
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
#else
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += stride)
#endif
		p[i] *= 2; // FAULT out-of-bounds
}
int main() {
	float *p;
	cudaMalloc(&p, 1000 * sizeof(float)); // ALSO
	cudaMemset(p, 0, 1000 * sizeof(float));
	scale<<<2, 64>>>(p, 1000);
	cudaDeviceSynchronize();
	cudaFree(p);
}
