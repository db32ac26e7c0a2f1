// A copy in one stream overwrites what a kernel in another reads.
__global__ void read(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x]; } // ALSO
int main() {
	int *p, *q, *h;
	cudaStream_t a, b;
	cudaMalloc(&p, 128);
	cudaMalloc(&q, 128);
	cudaMallocHost(&h, 128);
	for (int i = 0; i < 32; i++) h[i] = i;
	cudaMemset(p, 0, 128);
	cudaDeviceSynchronize();
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	read<<<1, 32, 0, a>>>(p, q);
#ifdef REPAIRED
	cudaStreamSynchronize(a);
#endif
	cudaMemcpyAsync(p, h, 128, cudaMemcpyHostToDevice, b); // FAULT race-with-copy
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(q);
	cudaFreeHost(h);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
}
