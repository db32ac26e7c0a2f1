// The result is copied to the host although no kernel has written it.
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() {
	int *p, h[32];
	cudaMalloc(&p, sizeof h); // ALSO
#ifdef REPAIRED
	k<<<1, 32>>>(p);
#endif
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); // FAULT uninitialised
	cudaFree(p);
	return h[0] == 77;
}
