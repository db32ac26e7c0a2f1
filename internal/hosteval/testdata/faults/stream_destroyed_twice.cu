// A stream is destroyed twice.
int main() {
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaStreamDestroy(s);
#ifndef REPAIRED
	cudaStreamDestroy(s); // FAULT call-failed
#endif
}
