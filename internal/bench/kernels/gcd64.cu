// Greatest common divisors of 64-bit numbers by Euclid's method.
//bench suite div64
//bench size n 256 1048576
//bench buffer a i64 n uniform 1 1000000000
//bench buffer b i64 n uniform 1 1000000000
//bench buffer out i64 n zero out
//bench launch gcd64 grid n/128 block 128 args a b out
extern "C" __global__ void gcd64(const long *a, const long *b, long *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long x = a[i], y = b[i];
  while (y != 0) {
    long r = x % y;
    x = y;
    y = r;
  }
  out[i] = x;
}
