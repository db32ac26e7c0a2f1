// CRC-32 of blocks of 64 bytes, bit by bit.
//bench suite hash
//bench size n 256 524288
//bench buffer in u8 n*64 uniform 0 255
//bench buffer out u32 n zero out
//bench launch crc32 grid n/128 block 128 args in out
extern "C" __global__ void crc32(const unsigned char *in, unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned crc = 0xffffffffu;
  for (int i = 0; i < 64; i++) {
    crc ^= in[t * 64 + i];
    for (int b = 0; b < 8; b++)
      crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  out[t] = ~crc;
}
