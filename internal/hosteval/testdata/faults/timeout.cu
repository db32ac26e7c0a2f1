// A loop without an end. INSTRUCTIONS 100000
__global__ void k(int *p, int n) {
#ifdef REPAIRED
	for (int i = 0; i < n; i++)
#else
	for (int i = 0; i != n; i += 2) // FAULT timeout
#endif
		p[threadIdx.x] += i;
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	k<<<1, 32>>>(p, 101);
	cudaDeviceSynchronize();
	cudaFree(p);
}
