// cudaDeviceReset takes memory that was not freed. LEAKS
int main() {
	int *p;
	cudaMalloc(&p, 400); // FAULT leak
#ifdef REPAIRED
	cudaFree(p);
#endif
	cudaDeviceReset();
}
