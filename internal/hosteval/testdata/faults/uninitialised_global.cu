// Memory of cudaMalloc is not zero.
__global__ void count(int *p) {
	atomicAdd(&p[threadIdx.x % 4], 1); // FAULT uninitialised
}
int main() {
	int *p;
	cudaMalloc(&p, 16); // ALSO
#ifdef REPAIRED
	cudaMemset(p, 0, 16);
#endif
	count<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
