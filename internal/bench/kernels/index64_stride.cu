// An array with strides of 64 bits a dimension, gathered into a dense one.
//bench suite index64
//bench size n 4096 8388608
//bench buffer in i32 2*n+64 uniform -100 100
//bench buffer out i32 n zero out
//bench launch index64_stride grid n/256 block 256 args in out u64:16 u64:4 u64:2 u64:32 u64:1
extern "C" __global__ void index64_stride(const int *in, int *out, unsigned long long d0, unsigned long long d1, unsigned long long s0, unsigned long long s1, unsigned long long s2) {
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long a = i % d0, b = i / d0 % d1, c = i / (d0 * d1);
  out[i] = in[a * s0 + b * s2 + c * (s1 * d1)];
}
