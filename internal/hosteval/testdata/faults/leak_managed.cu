// Managed memory is not freed. LEAKS
int main() {
	int *p;
	cudaMallocManaged(&p, 64); // FAULT leak
	p[0] = 1;
#ifdef REPAIRED
	cudaFree(p);
#endif
}
