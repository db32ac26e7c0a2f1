// The host fills a buffer again while an asynchronous copy may still read it.
int main() {
	int *p, *h;
	cudaStream_t s;
	cudaMalloc(&p, 128);
	cudaMallocHost(&h, 128);
	cudaStreamCreate(&s);
	for (int i = 0; i < 32; i++) h[i] = i;
	cudaMemcpyAsync(p, h, 128, cudaMemcpyHostToDevice, s); // ALSO
#ifdef REPAIRED
	cudaStreamSynchronize(s);
#endif
	h[0] = 1; // FAULT race-with-host
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFreeHost(h);
	cudaStreamDestroy(s);
}
