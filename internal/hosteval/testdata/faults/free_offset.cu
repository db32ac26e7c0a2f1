// cudaFree is given an address in the middle.
int main() {
	int *p;
	cudaMalloc(&p, 128);
#ifndef REPAIRED
	cudaFree(p + 1); // FAULT call-failed
#endif
	cudaFree(p);
}
