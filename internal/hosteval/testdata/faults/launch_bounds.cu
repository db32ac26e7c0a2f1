// A block is larger than the kernel's launch bounds.
__global__ void __launch_bounds__(128) k(int *p) { p[threadIdx.x] = 1; }
int main() {
	int *p;
	cudaMalloc(&p, 256 * sizeof(int));
#ifdef REPAIRED
	k<<<1, 128>>>(p);
#else
	k<<<1, 256>>>(p); // FAULT launch-failed
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
