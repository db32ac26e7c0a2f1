// An open table with linear probing: keys inserted by compare-and-swap, then counted.
//bench suite hash
//bench size n 2048 4194304
//bench buffer key u32 n uniform 1 4*n
//bench buffer table u32 2*n zero scratch
//bench buffer query u32 n uniform 1 4*n
//bench buffer found i32 n zero out
//bench launch hash_insert grid n/128 block 128 args key table u32:2*n-1
//bench launch hash_lookup grid n/128 block 128 args query table found u32:2*n-1
__device__ unsigned slot(unsigned key) {
  key ^= key >> 15;
  key *= 0x2c1b3c6du;
  key ^= key >> 12;
  key *= 0x297a2d39u;
  return key ^ key >> 15;
}

extern "C" __global__ void hash_insert(const unsigned *key, unsigned *table, unsigned mask) {
  unsigned k = key[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned s = slot(k) & mask;; s = (s + 1) & mask) {
    unsigned old = atomicCAS(&table[s], 0u, k);
    if (old == 0 || old == k) return;
  }
}

extern "C" __global__ void hash_lookup(const unsigned *query, const unsigned *table, int *found, unsigned mask) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned k = query[t];
  unsigned s = slot(k) & mask;
  while (table[s] != 0 && table[s] != k)
    s = (s + 1) & mask;
  found[t] = table[s] == k;
}
