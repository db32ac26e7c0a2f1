// A kernel frees memory of the host's cudaMalloc.
__global__ void k(int *p) {
#ifdef REPAIRED
	int *q = (int *)malloc(4);
	free(q);
	*p = 1;
#else
	free(p); // FAULT bad-free
#endif
}
int main() {
	int *p;
	cudaMalloc(&p, 4);
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
