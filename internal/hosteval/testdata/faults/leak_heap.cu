// Memory of malloc in a kernel is not freed. LEAKS
__global__ void k() {
	int *q = (int *)malloc(16); // FAULT device-leak
	*q = 1;
#ifdef REPAIRED
	free(q);
#endif
}
int main() {
	k<<<1, 8>>>();
	cudaDeviceSynchronize();
}
