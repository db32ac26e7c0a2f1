// A kernel frees memory twice.
__global__ void k() {
	int *q = (int *)malloc(16);
	q[0] = 1;
	free(q);
#ifndef REPAIRED
	free(q); // FAULT bad-free
#endif
}
int main() {
	k<<<1, 1>>>();
	cudaDeviceSynchronize();
}
