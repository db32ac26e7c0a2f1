// Steps until a point of the plane escapes; fusing a multiplication and an addition may change a few.
//bench suite physics
//bench size n 32 2048
//bench buffer out i32 n*n zero out 0 0.05
//bench launch mandelbrot grid n/16 n/16 block 16 16 args out i32:n i32:200
extern "C" __global__ void mandelbrot(int *out, int n, int most) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.2f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n;
  float x = 0.0f, y = 0.0f;
  int i = 0;
  while (i < most && x * x + y * y < 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    i++;
  }
  out[py * n + px] = i;
}
