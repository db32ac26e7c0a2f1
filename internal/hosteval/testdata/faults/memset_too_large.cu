// A fill passes the end of the allocation.
int main() {
	int *p;
	cudaMalloc(&p, 30 * sizeof(int));
#ifdef REPAIRED
	cudaMemset(p, 0, 30 * sizeof(int));
#else
	cudaMemset(p, 0, 32 * sizeof(int)); // FAULT call-failed
#endif
	cudaFree(p);
}
