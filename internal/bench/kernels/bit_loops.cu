// Loops over the bits of words, with counters of char and int; differing bytes of two arrays.
//bench suite hash
//bench size n 4096 33554432
//bench buffer a u64 n uniform 0 9223372036854775807
//bench buffer b u64 n uniform 0 9223372036854775807
//bench buffer out i32 n zero out
//bench launch bit_loops grid n/256 block 256 args a b out
extern "C" __global__ void bit_loops(const unsigned long long *a, const unsigned long long *b, int *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long x = a[t], y = b[t];
  char ones = 0;
  for (unsigned long long w = x; w; ones++)
    w &= w - 1;
  int digits = 0, octal = 0;
  for (unsigned w = (unsigned)y; w >>= 1;)
    digits++;
  for (unsigned w = (unsigned)(y >> 32); w; w >>= 3)
    octal += 5;
  int zeros = 64;
  for (unsigned long long w = y; w; w -= w & -w)
    zeros--;
  char4 p = *(const char4 *)(a + t), q = *(const char4 *)(b + t);
  char equal = 0;
  if (!((p.x ^ q.x) & 3))
    equal++;
  if (!((p.y ^ q.y) & 3))
    equal++;
  if (!((p.z ^ q.z) & 3))
    equal++;
  if (p.w > q.w)
    equal++;
  char low = 0;
  for (char i = 0; i < 16; i++) {
    low = low + (x & 1);
    x = x >> 1;
  }
  out[t] = ones + digits * 100 + octal * 10000 + zeros * 1000000 + equal * 7 + low * 13;
}
