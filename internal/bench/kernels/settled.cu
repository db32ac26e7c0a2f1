// Rounds of an equation of state whose inputs do not change between them, as one that has converged has.
//bench suite physics
//bench size n 1024 4194304
//bench buffer volume f32 n uniform 0.5 2
//bench buffer energy f32 n uniform -1 1
//bench buffer rounds i32 n uniform 0 20
//bench buffer pressure f32 n zero out 0.0001
//bench launch settled grid n/128 block 128 args volume energy rounds pressure
extern "C" __global__ void settled(const float *__restrict__ volume, const float *__restrict__ energy,
                                   const int *__restrict__ rounds, float *pressure) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = volume[t], e = energy[t], p = 0.0f;
  int n = rounds[t];
  for (int i = 0; i < n; i++) {
    float c = 1.0f / v - 1.0f;
    p = 0.6666667f * (c + 1.0f) * e;
    if (p < 0.0f)
      p = 0.0f;
    else
      p = sqrtf(p * v + c * c);
  }
  pressure[t] = p;
}
