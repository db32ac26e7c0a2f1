// A __device__ array is indexed beyond its end.
__device__ int sums[8];
__global__ void add(int n) {
#ifdef REPAIRED
	if (threadIdx.x < n)
#endif
		sums[threadIdx.x] = 1; // FAULT out-of-bounds
}
int main() {
	add<<<1, 9>>>(8);
	cudaDeviceSynchronize();
}
