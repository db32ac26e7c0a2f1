// A copy to a symbol is larger than the symbol.
__constant__ int table[4];
__global__ void k(int *p) { *p = table[0]; }
int main() {
	int *p, h[8] = {0};
	cudaMalloc(&p, 4);
#ifdef REPAIRED
	cudaMemcpyToSymbol(table, h, sizeof table);
#else
	cudaMemcpyToSymbol(table, h, sizeof h); // FAULT call-failed
#endif
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
