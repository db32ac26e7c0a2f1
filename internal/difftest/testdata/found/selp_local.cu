// selp chooses between the caller's array and the function's own: the emulator took the address for one in the latter.
struct s_0 { int a; float b; int c; };
__device__ long long f_0(unsigned *x0, double x1, int x2) {
	volatile long long v3 = f2ls((float)(x0[((int)1)]));
	return ((unsigned long long)1);
}
__device__ __noinline__ struct s_0 f_1(struct s_0 x0, unsigned *x1) {
	unsigned a7[8] = { ((unsigned)1), ((unsigned)1), ((unsigned)1), ((unsigned)1), };
	x0.b = f_0(((float)(x0.a) ? (x1 + 0) : (a7 + 0)), ((unsigned long long)1), ((int)1));
	return x0;
}
KERNEL k(unsigned long long *out, const int *__restrict__ in, short *gs, float *gf, unsigned char *gb, long long *gl,
		unsigned *gu, unsigned *acc, unsigned long long *acc64, struct arg pa, int n) {
	struct s_0 s13 = { ((int)1), ((float)1), ((int)1), };
	unsigned a14[8] = { ((unsigned)1), };
	unsigned *q15 = (((float)1) ? (a14 + 0) : (&a14[((int)1)]));
	s13 = f_1(s13, (((int)1) ? (q15 + 0) : (q15 + 0)));
}
