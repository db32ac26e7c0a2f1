// An element of a local array is left out.
__global__ void k(int *p, int n) {
	int a[8];
#ifdef REPAIRED
	for (int i = 0; i < 8; i++) a[i] = i;
#else
	for (int i = 1; i < n; i++) a[i] = i;
#endif
	p[threadIdx.x] = a[threadIdx.x % 8]; // FAULT uninitialised
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p, 8);
	cudaDeviceSynchronize();
	cudaFree(p);
}
