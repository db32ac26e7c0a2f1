// Powers modulo a number given at run time, in 64 bits.
//bench suite div64
//bench size n 256 524288
//bench buffer base u64 n uniform 2 1000000
//bench buffer out u64 n zero out
//bench launch pow_mod64 grid n/128 block 128 args base out u64:65537 u64:1000003
extern "C" __global__ void pow_mod64(const unsigned long long *base, unsigned long long *out, unsigned long long e, unsigned long long m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long b = base[i] % m, r = 1;
  for (; e != 0; e >>= 1) {
    if (e & 1) r = r * b % m;
    b = b * b % m;
  }
  out[i] = r;
}
