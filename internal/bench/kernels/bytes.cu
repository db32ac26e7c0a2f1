// Letters made upper case in place, four bytes a thread, and the words counted.
//bench suite bytes
//bench size n 16384 134217728
//bench buffer text u8 n uniform 32 126 out
//bench buffer words i32 n/1024 zero out
//bench launch bytes grid n/1024 block 256 args text words i32:n
extern "C" __global__ void bytes(unsigned char *text, int *words, int n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int base = blockIdx.x * 1024 + threadIdx.x * 4, mine = 0;
  int inWord = 0;
  for (int i = 0; i < 4; i++) {
    unsigned char c = text[base + i];
    int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && !inWord) mine++;
    inWord = letter;
    if (c >= 'a' && c <= 'z') text[base + i] = c - 32;
  }
  atomicAdd(&count, mine);
  __syncthreads();
  if (threadIdx.x == 0) words[blockIdx.x] = count;
}
