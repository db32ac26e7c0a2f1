// Lanes that leave a loop at different times, because the others seem to poll,
// call a function of their own accord; in it, they still shuffle together. The
// emulator waited for ever, as each group had a frame of registers of its own.
__device__ __noinline__ unsigned both(unsigned v) {
	v = __shfl_xor_sync(0xffffffffu, v, 5) + __ballot_sync(0xffffffffu, v & 2u);
	if (__any_sync(0xffffffffu, v == 7u)) v++;
	return v + __shfl_up_sync(0xffffffffu, v, 1u);
}
KERNEL k(unsigned long long *out, const int *__restrict__ in, short *gs, float *gf, unsigned char *gb, long long *gl,
		unsigned *gu, unsigned *acc, unsigned long long *acc64, struct arg pa, int n) {
	unsigned gid = blockIdx.x * blockDim.x + threadIdx.x, s = 0u;
	gu += gid * 8u;
	for (unsigned i = 0; i < (threadIdx.x & 7u); i++) {
		s += atomicExch(&gu[i], s);
		for (int j = 0; j < 20; j++) s = s * 3u + (unsigned)in[(s + (unsigned)j) & 63u];
	}
	out += gid * 4u;
	out[0] = both(s);
	out[1] = wsum(s);
	out[2] = divs((int)s, 7);
}
