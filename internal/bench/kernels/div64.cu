// Quotients and remainders of 64-bit numbers that mostly fit in 32 bits.
//bench suite div64
//bench size n 4096 8388608
//bench buffer a u64 n uniform 0 4000000000
//bench buffer b u64 n uniform 1 100000
//bench buffer q u64 n zero out
//bench buffer r u64 n zero out
//bench launch div64 grid n/256 block 256 args a b q r
extern "C" __global__ void div64(const unsigned long long *a, const unsigned long long *b, unsigned long long *q, unsigned long long *r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
