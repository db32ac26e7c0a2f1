// A sum with a state of error that only the state of error leads to: what
// checks leave behind when nothing can go wrong.
//bench suite control
//bench size n 4096 33554432
//bench size blocks 4 1056
//bench buffer x i32 n uniform -1000 1000
//bench buffer y i32 blocks*256 zero out
//bench launch checked_sum grid blocks block 256 args x y i32:n
extern "C" __global__ void checked_sum(const int *x, int *y, int n) {
  int status = 0;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (status == 0) {
      sum += x[i];
    } else {
      sum -= status * x[i];
      status++;
    }
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = status == 0 ? sum : -status;
}
