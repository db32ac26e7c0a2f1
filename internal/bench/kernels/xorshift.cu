// 64-bit xorshift generators, one a thread, 64 numbers each.
//bench suite hash
//bench size n 512 1048576
//bench buffer out u64 n zero out
//bench launch xorshift grid n/128 block 128 args out i32:64
extern "C" __global__ void xorshift(unsigned long long *out, int rounds) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long s = (unsigned long long)t * 0x9e3779b97f4a7c15ull + 1, sum = 0;
  for (int i = 0; i < rounds; i++) {
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    sum += s * 2685821657736338717ull;
  }
  out[t] = sum;
}
