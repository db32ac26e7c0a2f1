// A batch of searches in one sorted array: the first element that is not less.
//bench suite sort
//bench size n 4096 4194304
//bench size q 2048 4194304
//bench buffer keys i32 n sorted 1000000
//bench buffer query i32 q uniform 0 1000000
//bench buffer out i32 q zero out
//bench launch binary_search grid q/128 block 128 args keys query out i32:n
extern "C" __global__ void binary_search(const int *__restrict__ keys, const int *__restrict__ query, int *__restrict__ out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int x = query[t], first = 0, count = n;
  while (count > 0) {
    int half = count / 2;
    if (keys[first + half] < x) {
      first += half + 1;
      count -= half + 1;
    } else
      count = half;
  }
  out[t] = first;
}
