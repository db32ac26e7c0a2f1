// A hash in the manner of murmur3 over records of 16 words.
//bench suite hash
//bench size n 1024 4194304
//bench buffer in u32 n*16 uniform 0 4294967295
//bench buffer out u32 n zero out
//bench launch murmur grid n/128 block 128 args in out i32:n u32:0x9747b28c
__device__ unsigned rotate(unsigned x, int by) {
  return x << by | x >> (32 - by);
}

extern "C" __global__ void murmur(const unsigned *in, unsigned *out, int n, unsigned seed) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned h = seed;
  for (int i = 0; i < 16; i++) {
    unsigned k = in[t * 16 + i];
    k *= 0xcc9e2d51u;
    k = rotate(k, 15);
    k *= 0x1b873593u;
    h ^= k;
    h = rotate(h, 13);
    h = h * 5 + 0xe6546b64u;
  }
  h ^= 64;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  out[t] = h;
}
