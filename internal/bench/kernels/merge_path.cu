// Two sorted arrays merged: each thread finds its diagonal by bisection and makes 8.
//bench suite sort
//bench size n 2048 16777216
//bench buffer a i32 n sorted 1000000
//bench buffer b i32 n sorted 1000000
//bench buffer out i32 2*n zero out
//bench launch merge_path grid n/512 block 128 args a b out i32:n
#define ITEMS 8

extern "C" __global__ void merge_path(const int *a, const int *b, int *out, int n) {
  int d = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
  int low = d > n ? d - n : 0, high = d < n ? d : n;
  while (low < high) {
    int mid = (low + high) / 2;
    if (a[mid] <= b[d - 1 - mid])
      low = mid + 1;
    else
      high = mid;
  }
  int i = low, j = d - low;
  for (int k = 0; k < ITEMS; k++) {
    int fromA = j >= n || (i < n && a[i] <= b[j]);
    out[d + k] = fromA ? a[i++] : b[j++];
  }
}
