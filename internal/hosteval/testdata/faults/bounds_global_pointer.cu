// A pointer is moved by bytes that were meant as elements.
__global__ void fill(int *p, int n) {
#ifdef REPAIRED
	int *end = p + n;
#else
	int *end = p + n * sizeof(int);
#endif
	for (int *q = p; q != end; ++q)
		*q = 7; // FAULT out-of-bounds
}
int main() {
	int *p;
	cudaMalloc(&p, 64 * sizeof(int)); // ALSO
	fill<<<1, 1>>>(p, 64);
	cudaDeviceSynchronize();
	cudaFree(p);
}
