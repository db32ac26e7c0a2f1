// A kernel ends itself.
__global__ void k(int n) {
	if (threadIdx.x >= n)
		__trap(); // FAULT trap
}
int main() {
#ifdef REPAIRED
	k<<<1, 32>>>(32);
#else
	k<<<1, 32>>>(31);
#endif
	cudaDeviceSynchronize();
}
