// Counting, reversing and searching bits of 32 and 64-bit words.
//bench suite hash
//bench size n 4096 33554432
//bench buffer in u64 n uniform 0 9223372036854775807
//bench buffer out u32 n zero out
//bench launch bits grid n/256 block 256 args in out
extern "C" __global__ void bits(const unsigned long long *in, unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long x = in[t];
  unsigned lo = (unsigned)x, hi = (unsigned)(x >> 32);
  unsigned r = __popc(lo) + 33 * __popcll(x) + 1000 * __clz(hi) + __brev(lo);
  r ^= (unsigned)__ffs(hi) << 7 ^ (unsigned)__clzll(x) << 13;
  unsigned gray = lo ^ lo >> 1;
  unsigned spread = hi & 0xffff;
  spread = (spread | spread << 8) & 0x00ff00ffu;
  spread = (spread | spread << 4) & 0x0f0f0f0fu;
  spread = (spread | spread << 2) & 0x33333333u;
  spread = (spread | spread << 1) & 0x55555555u;
  out[t] = r + gray + spread + __byte_perm(lo, hi, 0x2537) + __umulhi(lo, hi);
}
