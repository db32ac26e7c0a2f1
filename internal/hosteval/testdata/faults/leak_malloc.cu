// A function forgets its buffer. LEAKS
__global__ void k(int *p) { *p = 1; }
static void work() {
	int *p;
	cudaMalloc(&p, 400); // FAULT leak
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
#ifdef REPAIRED
	cudaFree(p);
#endif
}
int main() {
	for (int i = 0; i < 3; i++) work(); // ALSO?
}
