// The direction of a copy is the wrong one.
int main() {
	int *p, h[32] = {0};
	cudaMalloc(&p, sizeof h);
#ifdef REPAIRED
	cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
#else
	cudaMemcpy(p, h, sizeof h, cudaMemcpyDeviceToHost); // FAULT call-failed
#endif
	cudaFree(p);
}
