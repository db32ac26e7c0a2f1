// Atomics with a scope, cache hints, address spaces and warp functions, accepted by NVIDIA's assembler.
__global__ void k(int *p, float4 *f, double2 *d, char4 *c, short *s, unsigned short *us, const signed char *sc, float *x, int n, unsigned long long *ull) {
	__shared__ int sh[32];
	int i = threadIdx.x;
	atomicAdd_block(p, 1); atomicMax_system(p + 1, i); atomicCAS_system(ull, 1ull, 2ull); atomicAdd_system(x, 1.0f); atomicInc_block((unsigned *)sh, 7u);
	us[1] = atomicCAS(us, (unsigned short)1, (unsigned short)i);
	f[i] = __ldcg(f + i + 1);
	__stcs(f + i + 2, f[i]);
	__stwt(d + i, __ldcs(d + i + 1));
	__stcg(c + i, __ldca(c + 3));
	__stwb(s + i, __ldlu(s + 4));
	p[4] += __ldcv(p + 5) + __ldcg(sc + i) + __ldg(us + 3);
	float4 q = __ldg(f + 77);
	x[i] = q.x + q.w;
	__nanosleep(100);
	p[6] = __isShared(p) + __isShared(sh) * 2 + __isGlobal(p) * 4;
	p[7] = (int)__cvta_generic_to_shared(sh + 3);
	*(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(sh + 3)) = 5;
	int all;
	p[8] = __match_all_sync(0xffffffff, i, &all) + all;
	p[10] = __shfl(i, 3) + __shfl_xor(i, 1, 16) + __shfl_down(i, 2u) + __ballot(i > 3) + __any(i) + __all(i);
	p[11] = __dp2a_lo(i, n, 5) + __dp2a_hi((unsigned)i, (unsigned)n, 5u) + umin(i, n);
	__prof_trigger(3);
	__builtin_assume(n > 0);
	if (__builtin_expect(n == 3, 0)) p[12] = __globaltimer();
	if (n == 12) __builtin_unreachable();
}
