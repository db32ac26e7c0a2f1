// Places in a strided array of eight dimensions, whose extents are known at run time, of positions in 64 bits that mostly fit in 32.
//bench suite div64
//bench size n 4096 4194304
//bench buffer position u64 n uniform 0 4000000000
//bench buffer extent u64 8 uniform 2 24
//bench buffer stride u64 8 uniform 1 1000000
//bench buffer out u64 n zero out
//bench launch coordinates64 grid n/256 block 256 args position extent stride out i32:8
extern "C" __global__ void coordinates64(const unsigned long long *position, const unsigned long long *extent, const unsigned long long *stride, unsigned long long *out, int dims) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long rest = position[i], place = 0;
  for (int d = 0; d < dims; d++) {
    unsigned long long coordinate = rest % extent[d];
    rest /= extent[d];
    place += coordinate * stride[d];
  }
  out[i] = place;
}
