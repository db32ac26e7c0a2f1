// Calls through pointers, accepted by NVIDIA's assembler.
struct big { int a[5]; double d; };
typedef int (*binary)(int, int);
typedef struct { binary f; int extra; } entry;
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int twice(int a, int b) { return add(a, b) * 2; }
__device__ struct big make(struct big x, short s) { x.a[1] += s; x.d *= 2; return x; }
__device__ void put(long long *p, bool b) { *p = b; }
__device__ __noinline__ int apply(binary f, int x, int y) { return f(x, y) + (*f)(y, x); }
__global__ void k(long long *out) {
	int t = threadIdx.x;
	binary table[3] = {add, &sub, twice};
	out[t] = table[t % 3](t, 5);
	entry e = {t & 1 ? add : sub, 7};
	out[32 + t] = apply(e.f, t, e.extra) + apply(twice, 1, 2);
	struct big (*m)(struct big, short) = make;
	if (t == 99) m = 0;
	struct big b = {{1, 2, 3, 4, 5}, 1.5};
	b = m(b, (short)t);
	out[64 + t] = b.a[1] + (long long)(b.d * 10);
	void (*p)(long long *, bool) = put;
	p(&out[96 + t], t > 3);
	binary null = 0;
	out[128 + t] = (table[0] == add) + (null == 0) * 2;
}
