// A stream is used after it is destroyed.
__global__ void k(int *p) { *p = 1; }
int main() {
	int *p;
	cudaStream_t s;
	cudaMalloc(&p, 4);
	cudaStreamCreate(&s);
#ifdef REPAIRED
	k<<<1, 1, 0, s>>>(p);
	cudaStreamDestroy(s);
#else
	cudaStreamDestroy(s);
	k<<<1, 1, 0, s>>>(p); // FAULT launch-failed
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
