// A copy from memory that is freed.
__global__ void k(int *p) { *p = 1; }
int main() {
	int *p, h = 0;
	cudaMalloc(&p, 4);
	k<<<1, 1>>>(p);
#ifdef REPAIRED
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	cudaFree(p);
#else
	cudaFree(p);
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); // FAULT call-failed
#endif
}
