// CRC-32 of blocks of 64 bytes by a table that the block makes in shared memory.
//bench suite hash
//bench size n 512 1048576
//bench buffer in u8 n*64 uniform 0 255
//bench buffer out u32 n zero out
//bench launch crc32_table grid n/256 block 256 args in out
extern "C" __global__ void crc32_table(const unsigned char *in, unsigned *out) {
  __shared__ unsigned table[256];
  unsigned c = threadIdx.x;
  for (int b = 0; b < 8; b++)
    c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
  table[threadIdx.x] = c;
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *p = in + (size_t)t * 64;
  unsigned crc = 0xffffffffu;
  for (int i = 0; i < 64; i++)
    crc = table[(crc ^ p[i]) & 255] ^ crc >> 8;
  out[t] = ~crc;
}
