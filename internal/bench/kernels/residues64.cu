// A check sum of the residues of signed 64-bit numbers, which do not fit in 32, by sixteen moduli known at run time.
//bench suite div64
//bench size n 2048 2097152
//bench buffer x i64 n uniform -4000000000000000000 4000000000000000000
//bench buffer modulus i64 16 uniform 1 9000000000000000
//bench buffer out i64 n zero out
//bench launch residues64 grid n/256 block 256 args x modulus out i32:16
extern "C" __global__ void residues64(const long long *x, const long long *modulus, long long *out, int moduli) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long v = x[i], sum = 0;
  for (int j = 0; j < moduli; j++) {
    long long r = v % modulus[j];
    if (r < 0) r += modulus[j];
    sum ^= r + j;
  }
  out[i] = sum;
}
