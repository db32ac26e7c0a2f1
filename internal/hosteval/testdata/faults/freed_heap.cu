// A kernel uses memory that it has freed.
__global__ void k(int *out) {
	int *q = (int *)malloc(16);
	q[0] = threadIdx.x;
#ifdef REPAIRED
	out[threadIdx.x] = q[0];
	free(q);
#else
	free(q);
	out[threadIdx.x] = q[0]; // FAULT use-after-free
#endif
}
int main() {
	int *out;
	cudaMalloc(&out, 128);
	k<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}
