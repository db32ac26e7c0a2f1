// A flag is set without a fence behind what it stands for.
__device__ int data;
__device__ int ready;
__global__ void k(int *out) {
	if (threadIdx.x == 0 && blockIdx.x == 0) {
		data = 5; // FAULT race
#ifdef REPAIRED
		__threadfence();
#endif
		atomicExch(&ready, 1);
	} else if (threadIdx.x == 0) {
		while (atomicAdd(&ready, 0) == 0) {
		}
#ifdef REPAIRED
		__threadfence();
#endif
		*out = data; // ALSO
	}
}
int main() {
	int *out;
	cudaMalloc(&out, 4);
	k<<<2, 32>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}
