// The host reads the result of an asynchronous copy before it waits.
#include <stdio.h>
__global__ void set(int *p) { p[threadIdx.x] = 1; }
int main() {
	int *p, *h;
	cudaStream_t s;
	cudaMalloc(&p, 128);
	cudaMallocHost(&h, 128);
	h[0] = 0;
	cudaStreamCreate(&s);
	set<<<1, 32, 0, s>>>(p);
	cudaMemcpyAsync(h, p, 128, cudaMemcpyDeviceToHost, s); // ALSO
#ifdef REPAIRED
	cudaStreamSynchronize(s);
#endif
	printf("%d\n", h[0]); // FAULT race-with-host
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFreeHost(h);
	cudaStreamDestroy(s);
}
