// The host frees memory twice.
int main() {
	int *p;
	cudaMalloc(&p, 64);
	cudaFree(p);
#ifndef REPAIRED
	cudaFree(p); // FAULT call-failed
#endif
}
