// A load of four floats passes the end by one of them.
__global__ void sum(const float *p, float *out) {
#ifdef REPAIRED
	const float4 v = *(const float4 *)(p + 4);
#else
	const float4 v = *(const float4 *)(p + 8); // FAULT out-of-bounds
#endif
	*out = v.x + v.y + v.z + v.w;
}
int main() {
	float *p, *out;
	cudaMalloc(&p, 11 * sizeof(float)); // ALSO
	cudaMemset(p, 0, 11 * sizeof(float));
	cudaMalloc(&out, 4);
	sum<<<1, 1>>>(p, out);
	cudaDeviceSynchronize();
	cudaFree(p);
	cudaFree(out);
}
