// Memory of malloc in a kernel is too short by one element.
__global__ void k(int *p, int n) {
#ifdef REPAIRED
	int *q = (int *)malloc((n + 1) * sizeof(int));
#else
	int *q = (int *)malloc(n * sizeof(int));
#endif
	for (int i = 0; i <= n; i++)
		q[i] = i; // FAULT out-of-bounds
	*p = q[n - 1];
	free(q);
}
int main() {
	int *p;
	cudaMalloc(&p, 4);
	k<<<1, 1>>>(p, 10);
	cudaDeviceSynchronize();
	cudaFree(p);
}
