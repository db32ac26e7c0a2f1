// Rows of a pitched allocation are addressed by their width.
__global__ void clear(float *p, size_t pitch, int height) {
	int y = threadIdx.x;
#ifdef REPAIRED
	float *row = (float *)((char *)p + y * pitch);
#else
	float *row = p + y * pitch;
#endif
	row[0] = 0; // FAULT out-of-bounds
}
int main() {
	float *p;
	size_t pitch;
	cudaMallocPitch(&p, &pitch, 100 * sizeof(float), 20); // ALSO
	clear<<<1, 20>>>(p, pitch, 20);
	cudaDeviceSynchronize();
	cudaFree(p);
}
