// Rows are wider than the pitch.
int main() {
	char *p, h[64] = {0};
	size_t pitch;
	cudaMallocPitch(&p, &pitch, 16, 4);
#ifdef REPAIRED
	cudaMemcpy2D(p, pitch, h, 16, 16, 4, cudaMemcpyHostToDevice);
#else
	cudaMemcpy2D(p, pitch, h, 8, 16, 4, cudaMemcpyHostToDevice); // FAULT call-failed
#endif
	cudaFree(p);
}
