// Doubles are put behind an odd number of ints.
__global__ void k(double *out, int ints) {
	extern __shared__ int room[];
	double *d = (double *)(room + ints);
	d[threadIdx.x] = threadIdx.x; // FAULT misaligned
	__syncthreads();
	out[threadIdx.x] = d[31 - threadIdx.x];
}
int main() {
	double *out;
	cudaMalloc(&out, 32 * sizeof(double));
#ifdef REPAIRED
	k<<<1, 32, 32 * sizeof(double) + 16>>>(out, 4);
#else
	k<<<1, 32, 32 * sizeof(double) + 16>>>(out, 3);
#endif
	cudaDeviceSynchronize();
	cudaFree(out);
}
