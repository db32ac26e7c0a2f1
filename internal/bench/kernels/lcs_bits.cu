// Longest common subsequences of strings of 64 letters, a row in a 64-bit word.
//bench suite dynamic
//bench size n 256 262144
//bench buffer a u8 n*64 uniform 0 4
//bench buffer b u8 n*64 uniform 0 4
//bench buffer out i32 n zero out
//bench launch lcs_bits grid n/64 block 64 args a b out i32:n
extern "C" __global__ void lcs_bits(const unsigned char *a, const unsigned char *b, int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long where[4];
  for (int c = 0; c < 4; c++)
    where[c] = 0;
  for (int i = 0; i < 64; i++)
    where[a[i * n + t] & 3] |= 1ull << i;
  unsigned long long v = ~0ull;
  for (int j = 0; j < 64; j++) {
    unsigned long long u = v & where[b[j * n + t] & 3];
    v = (v + u) | (v - u);
  }
  out[t] = __popcll(~v);
}
