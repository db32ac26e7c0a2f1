// Memory is freed before the last kernel that uses it.
__global__ void set(int *p) {
	p[threadIdx.x] = 1; // FAULT use-after-free
}
int main() {
	int *p;
	cudaMalloc(&p, 128); // ALSO
#ifdef REPAIRED
	set<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
#else
	cudaFree(p);
	set<<<1, 32>>>(p);
	cudaDeviceSynchronize();
#endif
}
