// The lanes of a warp do not agree on the matrix that they load. ARCH sm_80
#include <cuda_fp16.h>
#include <stdio.h>
__global__ void load(const half *a, unsigned int *out) {
#ifdef REPAIRED
	const half *at = a + threadIdx.x / 32 * 256;
#else
	const half *at = a + threadIdx.x / 16 * 128;
#endif
	unsigned int f[8];
	asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;" // FAULT different-operands
	             : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]), "=r"(f[4]), "=r"(f[5]), "=r"(f[6]), "=r"(f[7]) : "l"(__cvta_generic_to_global(at)));
	for (int i = 0; i < 8; i++) out[threadIdx.x * 8 + i] = f[i];
}
int main() {
	half *a;
	unsigned int *out, h;
	cudaMalloc(&a, 1024 * sizeof(half));
	cudaMalloc(&out, 512 * sizeof(unsigned int));
	cudaMemset(a, 0, 1024 * sizeof(half));
	load<<<1, 64>>>(a, out);
	cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
	printf("%u\n", h);
	cudaFree(a);
	cudaFree(out);
}
