// Signed quotients of 64-bit numbers that do not fit in 32 bits.
//bench suite div64
//bench size n 2048 8388608
//bench buffer a i64 n uniform -4000000000000000000 4000000000000000000
//bench buffer b i64 n uniform 1 9000000000000000
//bench buffer q i64 n zero out
//bench launch div64_wide grid n/256 block 256 args a b q
extern "C" __global__ void div64_wide(const long long *a, const long long *b, long long *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  q[i] = a[i] / b[i] + a[i] % b[i];
}
