// A bin of a histogram is not in the range.
__global__ void count(const int *p, int *bins) {
#ifdef REPAIRED
	atomicAdd(&bins[p[threadIdx.x] & 7], 1);
#else
	atomicAdd(&bins[p[threadIdx.x]], 1); // FAULT out-of-bounds
#endif
}
int main() {
	int *p, *bins, h[32];
	for (int i = 0; i < 32; i++) h[i] = i;
	cudaMalloc(&p, sizeof h);
	cudaMalloc(&bins, 8 * sizeof(int)); // ALSO
	cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
	cudaMemset(bins, 0, 8 * sizeof(int));
	count<<<1, 32>>>(p, bins);
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(bins);
}
