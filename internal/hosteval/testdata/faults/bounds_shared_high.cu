// A tile has room for the block, and not for its border.
__global__ void blur(const int *in, int *out) {
#ifdef REPAIRED
	__shared__ int tile[34];
#else
	__shared__ int tile[32];
#endif
	int i = threadIdx.x;
	tile[i + 1] = in[i]; // FAULT out-of-bounds
	if (i == 0) tile[0] = tile[33] = 0;
	__syncthreads();
	out[i] = tile[i] + tile[i + 1] + tile[i + 2];
}
int main() {
	int *in, *out;
	cudaMalloc(&in, 128);
	cudaMalloc(&out, 128);
	cudaMemset(in, 0, 128);
	blur<<<1, 32>>>(in, out);
	cudaDeviceSynchronize();
	cudaFree(in);
	cudaFree(out);
}
