// A kernel writes constant memory.
__constant__ int limit = 5;
__device__ int most = 5;
__global__ void read(int *p) { p[0] = limit + most; }
__global__ void k(int *p) {
	*p = 6; // FAULT read-only
}
int main() {
	int *p;
#ifdef REPAIRED
	cudaGetSymbolAddress((void **)&p, most);
#else
	cudaGetSymbolAddress((void **)&p, limit);
#endif
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
}
