// A block has more threads than a device allows.
__global__ void k(int *p) { *p = 1; }
int main() {
	int *p;
	cudaMalloc(&p, 4);
#ifdef REPAIRED
	k<<<1, 1>>>(p);
#else
	k<<<1, 2048>>>(p); // FAULT launch-failed
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
}
