// A stream that does not wait for the default stream uses what that is still writing.
__global__ void write(int *p) { p[threadIdx.x] = 1; } // FAULT race-of-kernels
__global__ void more(int *p) { p[threadIdx.x] += 1; } // ALSO
int main() {
	int *p;
	cudaStream_t s;
	cudaMalloc(&p, 128);
#ifdef REPAIRED
	cudaStreamCreate(&s);
#else
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
#endif
	write<<<1, 32>>>(p);
	more<<<1, 32, 0, s>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaStreamDestroy(s);
}
