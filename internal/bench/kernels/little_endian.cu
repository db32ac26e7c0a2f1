// Words put together of four bytes each, as a format has them, and mixed.
//bench suite bytes
//bench size n 4096 16777216
//bench buffer in u8 n*4 uniform 0 255
//bench buffer out i32 n zero out
//bench launch little_endian grid n/256 block 256 args in out i32:n
extern "C" __global__ void little_endian(const uchar4 *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 b = in[i];
  unsigned w = b.x | b.y << 8 | b.z << 16 | (unsigned)b.w << 24;
  w ^= w >> 15;
  w *= 0x2c1b3c6du;
  w ^= w >> 12;
  out[i] = w;
}
