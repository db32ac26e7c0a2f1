// Inline PTX promises that a branch is the same for the whole warp.
__global__ void k(int *p) {
	int i = threadIdx.x, v;
#ifdef REPAIRED
	int c = blockIdx.x;
#else
	int c = i & 1;
#endif
	asm volatile("{ .reg .pred q; setp.eq.s32 q, %1, 0; mov.s32 %0, 1; @q bra.uni L; mov.s32 %0, 2; L: }" : "=&r"(v) : "r"(c)); // FAULT divergent-branch
	p[i] = v;
}
int main() {
	int *p;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	cudaFree(p);
}
