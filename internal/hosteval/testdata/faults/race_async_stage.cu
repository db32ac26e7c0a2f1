// A tile is filled again, beside the work on the other one, before its readers have waited. ARCH sm_80
#include <stdio.h>
__device__ void copy(int *to, const int *from) {
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory"); // ALSO
	asm volatile("cp.async.commit_group;" : : : "memory");
}
__global__ void sum(const int *in, int *out, int n) {
	__shared__ int tile[2][64];
	int i = threadIdx.x, s = 0;
	copy(&tile[0][i], in + i);
	for (int k = 0; k < n; k++) {
		if (k + 1 < n) {
			copy(&tile[(k + 1) % 2][i], in + 64 * (k + 1) + i);
		}
#ifdef REPAIRED
		if (k + 1 < n) {
			asm volatile("cp.async.wait_group 1;" : : : "memory");
		} else {
			asm volatile("cp.async.wait_group 0;" : : : "memory");
		}
#else
		asm volatile("cp.async.wait_group 1;" : : : "memory");
#endif
		s += tile[k % 2][i]; // FAULT race-with-async
	}
	out[i] = s;
}
int main() {
	int *in, *out, h[64];
	cudaMalloc(&in, 4 * sizeof h);
	cudaMalloc(&out, sizeof h);
	cudaMemset(in, 1, 4 * sizeof h);
	sum<<<1, 64>>>(in, out, 4);
	cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d\n", h[3]);
	cudaFree(in);
	cudaFree(out);
}
