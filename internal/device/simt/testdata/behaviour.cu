// Kernels that test how the emulator executes; behaviour.ptx is what
// nvcc 13.0 -arch=sm_75 -ptx makes of this file, without its comments.
#include <cassert>
#include <cstdio>
#define K extern "C" __global__ void

// A spin lock taken by every lane of divergent warps.
K spin(int *lock, int *count) {
  while (atomicCAS(lock, 0, 1) != 0) ;
  __threadfence();
  *count = *count + 1;
  __threadfence();
  atomicExch(lock, 0);
}
// The same lock, tried once a turn.
K spin_try(int *lock, int *count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
// A push aggregated over the active lanes of a warp.
K aggregate(int *counter, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 != 1) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    out[base + __popc(active & ((1u << lane) - 1))] = i;
  }
}
// Nested loops with breaks, continues and an early return.
K loops(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  if (i % 7 == 6) { out[i] = -1; return; }
  for (int a = 0; a < i % 11; a++) {
    if (a == 8) continue;
    for (int b = a; b < n; b++) {
      if ((a * b + i) % 13 == 5) break;
      if ((a + b) & 1) s += b; else s -= a;
      if (s > 1000) { out[i] = s; return; }
    }
  }
  out[i] = s;
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
K recurse(int *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }
__device__ __noinline__ int inc(int x) { return x + 1; }
__device__ __noinline__ int dbl(int x) { return x % 5 == 2 ? 0 : 2 * x; }
__device__ int (*table[2])(int) = {inc, dbl};
K indirect(int *out) { int t = threadIdx.x; out[t] = table[t % 3 == 0](t) + table[1](t); }
K choose(int *out) {
  int t = threadIdx.x, v;
  switch (t % 9) {
  case 0: v = t * 3; break; case 1: v = t + 100; break; case 2: v = t - 7; break;
  case 3: v = t ^ 55; break; case 4: v = t << 2; break; case 5: v = ~t; break;
  case 6: v = t / 3; break; case 7: v = 77; break; default: v = 0;
  }
  out[t] = v;
}
// The last block sums what the others have stored.
__device__ unsigned ticket;
K lastblock(const int *in, int *part, int *sum) {
  __shared__ int s[64]; __shared__ bool last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && t == 0) { int x = 0; for (int b = 0; b < gridDim.x; b++) x += part[b]; *sum = x; }
}
// A barrier of the grid between plain stores and loads of other blocks.
K gridsync(int *a, int *b, unsigned *arrived, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int r = 1; r <= rounds; r++) {
    b[i] = a[(i + 37) % n] + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1);
      while (*(volatile unsigned *)arrived < r * gridDim.x) ;
      __threadfence();
    }
    __syncthreads();
    int *x = a; a = b; b = x;
  }
}
// The same without fences: nothing orders the blocks' accesses.
K gridnofence(int *a, unsigned *arrived) {
  a[blockIdx.x] = 1;
  atomicAdd(arrived, 1);
  while (*(volatile unsigned *)arrived < gridDim.x) ;
  a[gridDim.x + blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x];
}
// One block hands a value to another.
K message(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) { *data = 42; __threadfence(); atomicExch(flag, 1); }
  else { while (atomicAdd(flag, 0) == 0) ; __threadfence(); *out = *data; }
}
K race_same(int *p) { *p = 7; }
K race_value(int *p) { *p = threadIdx.x; }
K race_shared(int *out) { __shared__ int s[64]; int t = threadIdx.x; s[t] = t; out[t] = s[t ^ 33]; }
K race_warp(int *out) { __shared__ volatile int s[32]; __shared__ int u[32]; int t = threadIdx.x; u[t] = t; s[t] = t; out[t] = u[t ^ 1]; }
K sync_warp(int *out) { __shared__ int u[32]; int t = threadIdx.x; u[t] = t; __syncwarp(); out[t] = u[t ^ 1]; }
K race_atomic(int *p, int *out) { atomicMin(p, (int)threadIdx.x); out[threadIdx.x] = *p; }
K only_atomic(int *p) { atomicMin(p, (int)threadIdx.x); atomicMax(p + 1, (int)threadIdx.x); }
K uninit_shared(int *out) { __shared__ int s[64]; int t = threadIdx.x; if (t < 40) s[t] = t; __syncthreads(); out[t] = s[t]; }
K uninit_local(int *out, int k) { int x[8]; for (int i = 0; i < k; i++) x[i & 7] = i; out[threadIdx.x] = x[(k + 2) & 7]; }
K oob_shared(int *out, int k) { __shared__ int s[8]; s[threadIdx.x & 7] = 1; __syncthreads(); out[0] = s[k]; }
K oob_local(int *out, int k) { int x[8]; for (int i = 0; i < 8; i++) x[i] = out[i]; out[0] = x[k]; }
K divergent(int *out) { if (threadIdx.x < 16) { out[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] += 1; } out[threadIdx.x + 32] = 1; }
K poll(int *p) { while (*(volatile int *)p == 0) ; }
K forever(int *p) { volatile int x = 1; while (x) ; *p = 1; }
K hello(int n) { if (threadIdx.x < n) printf("t %d %s %5.2f %lld|%%\n", threadIdx.x, "str", 0.5 * threadIdx.x, 1ll << 40); }
K heap(int **p) { int *q = (int *)malloc(4 * threadIdx.x + 4); q[threadIdx.x] = threadIdx.x; p[threadIdx.x] = q; int v = q[threadIdx.x]; free(q); p[threadIdx.x] = (int *)(long long)v; }
K check(int x) { assert(x != 3); }
K reduce_bar(int *out) {
  int t = threadIdx.x;
  int c = __syncthreads_count(t % 3 == 0), a = __syncthreads_and(t < 60), o = __syncthreads_or(t == 61);
  out[t] = c * 100 + (a != 0) * 10 + (o != 0);
}
