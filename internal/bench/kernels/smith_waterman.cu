// Local alignment of 64 by 64 letters a block, an antidiagonal at a time.
//bench suite dynamic
//bench size n 8 8192
//bench buffer a i8 n*64 uniform 0 4
//bench buffer b i8 n*64 uniform 0 4
//bench buffer out i32 n zero out
//bench launch smith_waterman grid n block 64 args a b out
extern "C" __global__ void smith_waterman(const char *a, const char *b, int *out) {
  __shared__ int diagonal[3][65];
  __shared__ int best;
  __shared__ char text[64];
  int t = threadIdx.x;
  char mine = a[blockIdx.x * 64 + t];
  text[t] = b[blockIdx.x * 64 + t];
  for (int i = 0; i < 3; i++)
    diagonal[i][t + 1] = 0;
  if (t == 0) {
    diagonal[0][0] = diagonal[1][0] = diagonal[2][0] = 0;
    best = 0;
  }
  __syncthreads();
  int highest = 0;
  for (int step = 0; step < 127; step++) {
    int now = step % 3, last = (step + 2) % 3, before = (step + 1) % 3;
    int j = step - t, score = 0;
    if (j >= 0 && j < 64) {
      int match = diagonal[before][t] + (mine == text[j] ? 2 : -1);
      int gap = max(diagonal[last][t], diagonal[last][t + 1]) - 1;
      score = max(max(match, gap), 0);
    }
    diagonal[now][t + 1] = score;
    highest = max(highest, score);
    __syncthreads();
  }
  atomicMax(&best, highest);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = best;
}
