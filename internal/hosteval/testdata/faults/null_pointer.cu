// A pointer of the device that nothing was allocated for.
__global__ void k(int *p) {
#ifdef REPAIRED
	if (p)
#endif
		p[threadIdx.x] = 1; // FAULT null-pointer
}
int main() {
	k<<<1, 32>>>(nullptr);
	cudaDeviceSynchronize();
}
