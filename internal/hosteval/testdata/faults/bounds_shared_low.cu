// The neighbour on the left of the first thread is another variable.
__global__ void shift(int *out) {
	__shared__ int before[32], tile[32];
	int i = threadIdx.x;
	before[i] = -1;
	tile[i] = i;
	__syncthreads();
#ifdef REPAIRED
	out[i] = i ? tile[i - 1] : before[31];
#else
	out[i] = tile[i - 1] + before[i]; // FAULT out-of-bounds
#endif
}
int main() {
	int *out;
	cudaMalloc(&out, 128);
	shift<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}
