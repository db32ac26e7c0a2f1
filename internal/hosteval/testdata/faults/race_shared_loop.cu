// The second barrier of a loop is missing: a fast warp writes what a slow one still reads.
__global__ void k(int *p) {
	__shared__ int s[64];
	int i = threadIdx.x, sum = 0;
	for (int round = 0; round < 4; round++) {
		s[i] = p[i] + round; // FAULT race
		__syncthreads();
		sum += s[(i + 33) % 64]; // ALSO
#ifdef REPAIRED
		__syncthreads();
#endif
	}
	p[i] = sum;
}
int main() {
	int *p;
	cudaMalloc(&p, 256);
	cudaMemset(p, 0, 256);
	k<<<1, 64>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
