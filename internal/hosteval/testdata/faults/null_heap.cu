// The heap is exhausted, and malloc returns a null pointer.
__global__ void k() {
	char *q = (char *)malloc(3 << 20);
#ifdef REPAIRED
	if (q)
#endif
		q[100] = 1; // FAULT null-pointer
	free(q);
}
int main() {
	k<<<1, 4>>>();
	cudaDeviceSynchronize();
}
