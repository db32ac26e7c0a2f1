#define N 64
typedef unsigned int u32;
enum color { RED, GREEN = 5, BLUE };
typedef struct node { int key; struct node *next; float w[3]; char tag; short s; } node_t;
union bits { float f; unsigned u; };
__device__ int counter;
__device__ double dsum[4];
__constant__ int lut[4] = {1,2,3,4};
__device__ __forceinline__ int sq(int x) { return x * x; }
__device__ __noinline__ int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
__device__ float asf(unsigned u) { union bits b; b.u = u; return b.f; }
__device__ void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
__device__ node_t mk(int k) { node_t n; n.key = k; n.next = 0; n.w[0] = n.w[1] = n.w[2] = k; n.tag = 'a'; n.s = -1; return n; }
__device__ int sum(node_t n) { int s = 0; for (int i = 0; i < 3; i++) s += n.w[i]; return s + n.key + n.tag + n.s; }
__global__ void __launch_bounds__(256, 2) k1(node_t arg, int *out, const float *__restrict__ in, long n, bool flag, unsigned char uc) {
  __shared__ int buf[N][2];
  extern __shared__ float dyn[];
  u32 tid = threadIdx.x + blockIdx.x * blockDim.x;
  for (long i = tid; i < n; i += gridDim.x * (long)blockDim.x) {
    int v = (int)in[i];
    if (v < 0 && flag || v == BLUE) continue;
    switch (v & 7) { case 0: v += 1; break; case 1: v ^= 3; case 2: v = sq(v); break; case 5: v = fact(3); break; case 6: v--; default: v = ~v; }
    buf[threadIdx.x % N][0] = v;
    __syncthreads();
    out[i] = buf[(threadIdx.x + 1) % N][0] + lut[v & 3] + arg.key + (int)arg.w[i & 1];
    atomicAdd(&counter, 1);
    atomicAdd(dsum + 1, 0.5);
    dyn[0] += in[i] * 2.0f;
    int a = 1, b = 2; swap(&a, &b);
    out[i] += a - b + (uc >> 1) + sum(mk(v)) + sum(arg);
    unsigned long long x = __popcll((unsigned long long)i) + __ffs(v) + min(3, v) + max(2u, tid);
    out[i] ^= (int)x % 7;
    volatile int *vp = out; vp[0]; *vp = 3;
    if (atomicCAS(out + 1, 0, 1) == 0) printf("%d %f %c\n", v, asf(v), 'x');
    double d = sqrt((double)v) + fabs(in[i]) + fmaf(1.0f, 2.0f, in[i]) + floor(2.5) + round(d);
    out[2] = d > 3 ? (int)d : (unsigned)d;
    assert(out[2] != 7);
  }
  if (__syncthreads_count(tid < 5) > 3) __threadfence();
  do { if (__any_sync(0xffffffff, tid == 3)) break; tid /= 2; } while (tid);
  int acc[40] = {0};
  for (int i = 0; i < 40; i++) acc[i] = i;
  char big[200]; memset(big, 0, sizeof(big));
  out[5] = acc[tid % 40] + big[tid % 200];
  goto done;
  out[6] = 1;
done:
  out[7] = clock64() > 3;
}
