// A double is read at an address that is no multiple of 8.
__global__ void k(const float *p, float *out, int from) {
	*out = *(const double *)(p + from); // FAULT misaligned
}
int main() {
	float *p, *out;
	cudaMalloc(&p, 64);
	cudaMemset(p, 0, 64);
	cudaMalloc(&out, 4);
#ifdef REPAIRED
	k<<<1, 1>>>(p, out, 4);
#else
	k<<<1, 1>>>(p, out, 1);
#endif
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(out);
}
