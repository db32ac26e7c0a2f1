// Components: the smallest label among the neighbours.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row i32 n+1 rows deg
//bench buffer dst i32 n*deg uniform 0 n
//bench buffer label i32 n permutation
//bench buffer out i32 n zero out
//bench buffer changed i32 1 zero out
//bench launch cc_step grid n/256 block 256 args row dst label out changed i32:n
extern "C" __global__ void cc_step(const int *row, const int *dst, const int *label, int *out, int *changed, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int least = label[v];
  for (int e = row[v]; e < row[v + 1]; e++)
    least = min(least, label[dst[e]]);
  out[v] = least;
  if (least != label[v]) atomicOr(changed, 1);
}
