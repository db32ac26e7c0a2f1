// A grid has more blocks in z than a device allows.
__global__ void k(int *p) { *p = 1; }
int main() {
	int *p;
	cudaMalloc(&p, 4);
#ifdef REPAIRED
	dim3 grid(1, 1, 1);
#else
	dim3 grid(1, 1, 70000);
#endif
	k<<<grid, 1>>>(p); // FAULT launch-failed
	cudaDeviceSynchronize();
	cudaFree(p);
}
