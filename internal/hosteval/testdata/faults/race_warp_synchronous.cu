// The last steps of a reduction rely on a warp in lockstep.
__global__ void k(int *p, int *out) {
	__shared__ int s[32];
	int i = threadIdx.x;
	s[i] = p[i];
	__syncwarp();
	for (int d = 16; d > 0; d /= 2) {
		int v = s[(i + d) % 32]; // FAULT race
#ifdef REPAIRED
		__syncwarp();
#endif
		s[i] += v; // ALSO
#ifdef REPAIRED
		__syncwarp();
#endif
	}
	if (i == 0) *out = s[0];
}
int main() {
	int *p, *out;
	cudaMalloc(&p, 128);
	cudaMalloc(&out, 4);
	cudaMemset(p, 0, 128);
	k<<<1, 32>>>(p, out);
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(out);
}
