// A table in constant memory is indexed by an unchecked value.
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void look(int *p) {
	int i = threadIdx.x;
#ifdef REPAIRED
	p[i] = table[i % 4];
#else
	p[i] = table[i]; // FAULT out-of-bounds
#endif
}
int main() {
	int *p;
	cudaMalloc(&p, 32 * sizeof(int));
	look<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
