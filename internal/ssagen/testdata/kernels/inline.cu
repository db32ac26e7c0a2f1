// Inline PTX of all constraints, accepted by NVIDIA's assembler.
__device__ __noinline__ int leaf(int x) {
	int r;
	asm("{ .reg .u32 %%r1; add.u32 %%r1, %1, 1; mul.lo.u32 %0, %%r1, %%r1; }" : "=r"(r) : "r"(x));
	return r;
}

extern "C" __global__ void inlined(int *out, float *f, double *d, const int *in, long long *l, short *h, int n) {
	int i = threadIdx.x, x, y;
	asm("{\n\t.reg .u32 t1;\n\tmul.lo.u32 t1, %2, %2;\n\tadd.u32 %0, t1, 1;\n\tadd.u32 %1, t1, %3;\n}" : "=r"(x), "=r"(y) : "r"(i), "n"(7));
	out[i] = x + y + leaf(i) + leaf(x);
	asm volatile("fma.rn.f32 %0, %1, %[b], %0;" : "+f"(f[i]) : "f"(2.0f), [b] "f"(f[i + 1]));
	asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(x) : "l"(in + i) : "memory");
	asm("{.reg .pred p; setp.gt.s32 p, %1, 3; @p bra L%=; mov.u64 %0, 5; bra M%=; L%=: mov.u64 %0, 9; M%=:\n}" : "=l"(l[i]) : "r"(x));
	asm("add.u16 %0, %1, %2;" : "=h"(h[i]) : "h"(h[i]), "h"((short)3));
	asm("mul.rn.f64 %0, %0, %1;" : "+d"(d[i]) : "d"(3.0));
#pragma unroll
	for (int j = 0; j < 4; j++) {
		int old;
		asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(out + j), "r"(j) : "memory");
		asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 0; @p bra skip; red.global.add.u32 [%1], 1; skip: }" :: "r"(old), "l"(out));
	}
	asm volatile("bar.sync 0;" ::: "memory");
	unsigned mask;
	asm volatile("activemask.b32 %0;" : "=r"(mask));
	for (int j = 0; j < n; j++)
		asm("shl.b32 %0, %0, 1;\n\txor.b32 %0, %0, %1;" : "+r"(i) : "r"(mask));
	out[n] += i;
}
