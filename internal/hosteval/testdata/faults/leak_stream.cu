// A stream is not destroyed. LEAKS
int main() {
	cudaStream_t s;
	cudaStreamCreate(&s); // FAULT leak
#ifdef REPAIRED
	cudaStreamDestroy(s);
#endif
}
