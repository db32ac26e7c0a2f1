// A pitched allocation is not freed. LEAKS
int main() {
	int *p;
	size_t pitch;
	cudaMallocPitch(&p, &pitch, 64, 4); // FAULT leak
#ifdef REPAIRED
	cudaFree(p);
#endif
}
