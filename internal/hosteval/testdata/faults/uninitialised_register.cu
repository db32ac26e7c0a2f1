// Inline PTX reads a register that it has not written.
__global__ void k(int *p) {
	int v;
#ifdef REPAIRED
	asm("{ .reg .s32 t; mov.s32 t, 0; add.s32 %0, t, 1; }" : "=r"(v));
#else
	asm("{ .reg .s32 t; add.s32 %0, t, 1; }" : "=r"(v)); // FAULT uninitialised
#endif
	p[threadIdx.x] = v;
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
