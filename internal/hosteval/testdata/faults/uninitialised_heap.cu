// Memory of malloc in a kernel is read before it is written.
__global__ void k(int *p) {
	int *q = (int *)malloc(8);
#ifdef REPAIRED
	q[1] = 4;
#endif
	q[0] = 3;
	p[threadIdx.x] = q[0] + q[1]; // FAULT uninitialised
	free(q);
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
