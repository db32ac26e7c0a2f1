// A kernel casts constness away and writes constant memory.
__constant__ int limit[4] = {5, 6, 7, 8};
__device__ int most[4] = {5, 6, 7, 8};
__global__ void k(int i) {
#ifdef REPAIRED
	const int *p = most;
#else
	const int *p = limit;
#endif
	((int *)p)[i] = limit[0]; // FAULT read-only
}
int main() {
	k<<<1, 1>>>(2);
	cudaDeviceSynchronize();
}
