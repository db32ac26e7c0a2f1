// Lanes that wait at the end of the inner loop are let go on, because the
// others seem to poll, and begin another round of the outer loop; in it they
// stood at one place with those of the round before. The emulator took the
// branch of the loop that counts, at which they part, for a divergent one,
// though a GPU keeps such lanes apart.
KERNEL k(unsigned long long *out, const int *__restrict__ in, short *gs, float *gf, unsigned char *gb, long long *gl,
		unsigned *gu, unsigned *acc, unsigned long long *acc64, struct arg pa, int n) {
	unsigned gid = blockIdx.x * blockDim.x + threadIdx.x, side = gid;
	gl += gid * 8u;
	#pragma unroll 1
	for (int i = 5; i >= 0; i -= 2) {
		#pragma unroll 1
		for (int j = 0; j < 3; j++) atomicAdd(&acc64[0], 0ull);
		unsigned w = 0u;
		while (w++ < 6u && (double)(gs[divs(16777216, 3) & 7] & i)) {
			atomicExch(&gu[1], 1u);
			if (side++ % 3u < 2u && __longlong_as_double(gl[4])) break;
		}
	}
}
