package ssagen
import ("testing";"irgl/internal/ssa";"strings")
func TestZZ(t *testing.T) {
	for i, s := range strings.Split(`
extern "C" __global__ void k(void) { ; }
==
static __device__ const int tab[] = {1,2,3}; __device__ const char *names[1]; __global__ void k(int *p) { *p = tab[p[0]] + sizeof tab; }
==
enum { A = 3, B }; __device__ int f(enum { C } x) { return A + B; }
==
__device__ void f(int n) { switch (n) { int x; case 1: x = 3; n += x; } switch (n) { } switch (n) default: n++; }
==
__device__ int f(int n) { switch (n) { case 0: do { n--; case 1: n -= 2; } while (n > 0); } return n; }
==
__device__ int f(int n) { goto in; { int a = 3; in: n += 2; a = n; return a; } }
==
__device__ int f(void) { for (;;) { } }
==
__device__ int f(void) { __trap(); return 1; }
==
__device__ int f(int x) { return x ? __trap(), 1 : 2; }
==
__device__ void g(void); __device__ void f(void) { return g(); } __device__ void g(void) { }
==
__device__ int f(int a[], int b[3][4]) { return a[1] + b[1][2] + sizeof(b[0]); }
==
typedef int (*fn)(int); __device__ int h(int x) { return x; } __device__ fn f(void) { return h; } __device__ fn g(void) { return &h; }
==
struct s { int x : 1; };
==
struct e { }; __device__ struct e f(struct e a) { struct e b = a; return b; }
==
struct a { int x; struct { int y, z; } in[2]; } ; __device__ int f(struct a v) { struct a w[2] = { v, { 1, { { 2, 3 } } } }; return w[1].in[0].y + w->x; }
==
__device__ char *f(char *p) { return p ? p : "no"; }
==
__device__ int f(char c) { return "abc"[c] + *"x" + sizeof("abc"); }
==
__device__ long f(int *p, int *q) { return !p + !!q + (p && q) + (p ? 1 : 0) + (long)(p - q) + (p == 0) + (0 != q) + (unsigned long)p; }
==
__device__ void f(float *p) { *p += 1; *p++ *= 2; (*p)--; p[-1] = -*p; *p /= 3; ++*p; }
==
__device__ int f(bool b) { b++; b |= 2; b = !b; b += 5; return b ? b : ~b; }
==
__device__ unsigned long long f(void *p) { return (unsigned long long)p + (unsigned long long)((char *)p + 1); }
==
__device__ dim3 f(int a) { dim3 d(a, 2); dim3 e = a; d = e; return dim3(1, 2, 3); }
==
__global__ void k(dim3 d, uint3 u) { u = threadIdx; d = blockDim; uint3 t = blockIdx; int q = t.x + u.y + d.z; }
==
union u { int i; float f; char c[8]; }; __device__ union u f(union u x, union u *p) { *p = x; union u y = { 3 }; y.f = 2; return *p; }
==
__device__ volatile int v; __device__ int f(volatile int *p) { v = *p; v++; return v + *p; }
==
__constant__ struct { int a[3]; float f; } cs; __device__ float f(int i) { return cs.a[i] + cs.f; }
==
__shared__ int gs[4]; extern __shared__ char dy[]; __global__ void k(int *p) { extern __shared__ int dy2[]; gs[0] = dy[3] + dy2[1]; *p = gs[0]; }
==
__host__ __device__ int both(int x) { return x * 2; } int main(void) { return both(2); }
==
__device__ double f(double d, float g, int i) { return d > g ? i : g; }
==
__device__ int f(int n) { int a[2][3] = { { 1 }, { 2, 3 } }; int (*p)[3] = a; int *q = a[1]; return p[1][n] + q[n] + **a + (*p)[1] + sizeof a / sizeof a[0]; }
==
__device__ int f(unsigned char a, short b) { return (a << b) | (b >> a) | (a <<= 3) | (b >>= 2) | (1ull << b) != 0; }
==
__device__ void f(int *p, size_t n) { memcpy(p, p + n, n * sizeof *p); memset(p, 0, n); }
==
__device__ int f(int x) { const int K = 4; static int s = K * 2; int a[K]; a[0] = x; return a[0] + s++; }
==
__device__ float f(float x) { return fminf(x, 1) + fmax(x, 2.0) + min(1, 2) + max(1u, 2) + abs(-3) + fabs(x) + isnan(x) + sqrtf(2); }
==
__global__ void k(const int *__restrict__ p, int *q) { const int *r = p; q[0] = p[0] + r[1] + *(p + 2) + (&p[3])[0]; p = q; }
==
__device__ int f(int i) { int r = 0; for (int a = 0, b = 9; a < b; a++, b--) { if (i == a) continue; while (b > 5) { if (b & 1) break; b--; } r += a; } return r; }
==
__device__ int f(int a) { return ({ 3; }); }
==
__device__ float4 f(float4 a) { float4 b = make_float4(a.x, 1, 2, 3); return b; }
==
__device__ int main2(int result, int p) { return result + p; } __device__ struct q { int result; } r2(int result) { struct q z = { result }; return z; }
==
__device__ int str(int str1) { printf("%s", "a"); printf("%%"); return printf("%d %ld %u %x %p %f\n", (char)1, 2l, 3u, 4, (void *)0, 5.f); }
==
__device__ double f(unsigned long long x, long long y) { return (double)x + (float)y + (int)3e10 + (unsigned char)300.7 + (bool)0.5; }
==
__device__ int f(int x) { if (x) return 1; else return 2; }
`, "\n==\n") {
		m, diags := build("z.cu", []byte(s))
		if m == nil { t.Logf("%d refused: %s\n%s", i, s, render(diags)); continue }
		if diags.Errors() > 0 { t.Logf("%d errors: %s\n%s", i, s, render(diags)) }
		if err := ssa.Verify(m); err != nil { t.Errorf("%d %s\n%v\n%s", i, s, err, m) }
	}
}
