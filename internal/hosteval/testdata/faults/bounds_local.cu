// An array of a thread is indexed beyond its end.
__global__ void sort(int *p, int n) {
	int mine[8];
	for (int i = 0; i < 8; i++) mine[i] = p[threadIdx.x * 8 + i];
#ifdef REPAIRED
	for (int i = 1; i < n; i++)
#else
	for (int i = 1; i <= n; i++)
#endif
		if (mine[i - 1] > mine[i]) { // FAULT out-of-bounds
			int t = mine[i];
			mine[i] = mine[i - 1];
			mine[i - 1] = t;
		}
	for (int i = 0; i < 8; i++) p[threadIdx.x * 8 + i] = mine[i];
}
int main() {
	int *p;
	cudaMalloc(&p, 32 * 8 * sizeof(int));
	cudaMemset(p, 0, 32 * 8 * sizeof(int));
	sort<<<1, 32>>>(p, 8);
	cudaDeviceSynchronize();
	cudaFree(p);
}
