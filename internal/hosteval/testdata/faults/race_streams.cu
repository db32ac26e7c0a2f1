// Kernels in two streams share memory, and no event orders them.
__global__ void write(int *p) { p[threadIdx.x] = 1; } // FAULT race-of-kernels
__global__ void read(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x]; } // ALSO
int main() {
	int *p, *q;
	cudaStream_t a, b;
	cudaEvent_t e;
	cudaMalloc(&p, 128);
	cudaMalloc(&q, 128);
	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	cudaEventCreate(&e);
	write<<<1, 32, 0, a>>>(p);
#ifdef REPAIRED
	cudaEventRecord(e, a);
	cudaStreamWaitEvent(b, e);
#endif
	read<<<1, 32, 0, b>>>(p, q);
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(q);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
	cudaEventDestroy(e);
}
