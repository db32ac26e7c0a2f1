// A kernel reads what it copies beside its work, before the copy is waited for. ARCH sm_80
#include <cuda_pipeline_primitives.h>
#include <stdio.h>
__global__ void twice(const float4 *in, float *out) {
	__shared__ float4 tile[64];
	int i = threadIdx.x;
	__pipeline_memcpy_async(&tile[i], &in[i], sizeof(float4)); // IN cuda_pipeline_primitives.h: race-with-async
	__pipeline_commit();
#ifdef REPAIRED
	__pipeline_wait_prior(0);
#endif
	out[i] = 2.0f * tile[i].y; // FAULT race-with-async
}
int main() {
	float4 *in;
	float *out, h[64];
	cudaMalloc(&in, 64 * sizeof(float4));
	cudaMalloc(&out, sizeof h);
	cudaMemset(in, 0, 64 * sizeof(float4));
	twice<<<1, 64>>>(in, out);
	cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
	printf("%g\n", h[3]);
	cudaFree(in);
	cudaFree(out);
}
