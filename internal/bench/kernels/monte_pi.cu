// Points in the unit square counted inside the circle.
//bench suite finance
//bench size n 512 524288
//bench buffer out i32 n zero out 0.1
//bench launch monte_pi grid n/128 block 128 args out i32:32
extern "C" __global__ void monte_pi(int *out, int points) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = t * 747796405u + 2891336453u;
  int inside = 0;
  for (int i = 0; i < points; i++) {
    s = s * 1664525u + 1013904223u;
    float x = (s >> 8) * (1.0f / 16777216.0f);
    s = s * 1664525u + 1013904223u;
    float y = (s >> 8) * (1.0f / 16777216.0f);
    if (x * x + y * y < 1.0f) inside++;
  }
  out[t] = inside;
}
