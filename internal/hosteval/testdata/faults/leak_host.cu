// Page-locked memory is not freed. LEAKS
int main() {
	int *p;
	cudaMallocHost(&p, 64); // FAULT leak
#ifdef REPAIRED
	cudaFreeHost(p);
#endif
}
