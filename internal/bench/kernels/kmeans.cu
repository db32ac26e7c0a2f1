// The nearest of 16 centres for points of 8 coordinates.
//bench suite physics
//bench size n 512 1048576
//bench buffer point f32 n*8 uniform 0 1
//bench buffer centre f32 128 uniform 0 1
//bench buffer out i32 n zero out 0 0.01
//bench launch kmeans grid n/128 block 128 args point centre out i32:n i32:16
#define DIMENSIONS 8

extern "C" __global__ void kmeans(const float *point, const float *centre, int *out, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 1e30f;
  int nearest = 0;
  for (int c = 0; c < k; c++) {
    float d = 0.0f;
    for (int j = 0; j < DIMENSIONS; j++) {
      float x = point[j * n + i] - centre[c * DIMENSIONS + j];
      d += x * x;
    }
    if (d < best) {
      best = d;
      nearest = c;
    }
  }
  out[i] = nearest;
}
