// A stencil reads the element before the first one.
__global__ void left(const int *in, int *out) {
	int i = threadIdx.x;
#ifdef REPAIRED
	out[i] = i > 0 ? in[i - 1] : 0;
#else
	out[i] = in[i - 1]; // FAULT out-of-bounds
#endif
}
int main() {
	int *in, *out;
	cudaMalloc(&in, 32 * sizeof(int)); // ALSO
	cudaMalloc(&out, 32 * sizeof(int));
	cudaMemset(in, 0, 32 * sizeof(int));
	left<<<1, 32>>>(in, out);
	cudaDeviceSynchronize();
	cudaFree(in);
	cudaFree(out);
}
