// One lane prepares what the others of its warp read.
__global__ void k(int *p) {
	__shared__ int first;
	if (threadIdx.x == 0) first = p[0] + 1; // FAULT race
#ifdef REPAIRED
	__syncwarp();
#endif
	p[threadIdx.x + 1] = first; // ALSO
}
int main() {
	int *p;
	cudaMalloc(&p, 33 * sizeof(int));
	cudaMemset(p, 0, 33 * sizeof(int));
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
