// A copy is queued in a stream that is destroyed.
int main() {
	int *p, h = 0;
	cudaStream_t s;
	cudaMalloc(&p, 4);
	cudaStreamCreate(&s);
#ifdef REPAIRED
	cudaMemcpyAsync(p, &h, 4, cudaMemcpyHostToDevice, s);
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
#else
	cudaStreamDestroy(s);
	cudaMemcpyAsync(p, &h, 4, cudaMemcpyHostToDevice, s); // FAULT call-failed
#endif
	cudaFree(p);
}
