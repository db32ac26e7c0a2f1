// A copy passes the end of the allocation.
int main() {
	int *p, h[64] = {0};
	cudaMalloc(&p, 32 * sizeof(int));
#ifdef REPAIRED
	cudaMemcpy(p, h, 32 * sizeof(int), cudaMemcpyHostToDevice);
#else
	cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice); // FAULT call-failed
#endif
	cudaFree(p);
}
