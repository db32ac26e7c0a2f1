// The host reads memory of the device by its address.
#include <stdio.h>
int main() {
	int *p, h = 0;
	cudaMalloc(&p, 4); // ALSO?
	cudaMemset(p, 0, 4);
#ifdef REPAIRED
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
#else
	h = *p; // FAULT host-access
#endif
	printf("%d\n", h);
	cudaFree(p);
}
