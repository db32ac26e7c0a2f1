// A thread reads the local array of another by its address.
__global__ void k(int **where, int *out) {
	int mine[4] = {(int)threadIdx.x, 1, 2, 3};
	where[threadIdx.x] = mine;
	__syncthreads();
#ifdef REPAIRED
	int *other = where[threadIdx.x];
#else
	int *other = where[threadIdx.x] + 64;
#endif
	out[threadIdx.x] = other[0]; // FAULT out-of-bounds|other-memory
}
int main() {
	int **where, *out;
	cudaMalloc(&where, 32 * sizeof *where);
	cudaMalloc(&out, 128);
	k<<<1, 32>>>(where, out);
	cudaDeviceSynchronize();
	cudaFree(where);
	cudaFree(out);
}
