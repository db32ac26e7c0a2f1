// Many small triangular systems, one a thread, the solution in a local array.
//bench suite dense
//bench size n 256 262144
//bench buffer l f32 136 uniform 0.5 1.5
//bench buffer b f32 n*16 uniform -1 1
//bench buffer x f32 n*16 zero out 1e-3
//bench launch triangular_solve grid n/128 block 128 args l b x i32:n
#define M 16

extern "C" __global__ void triangular_solve(const float *__restrict__ l, const float *__restrict__ b, float *__restrict__ x, int n) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  float v[M];
#pragma unroll
  for (int i = 0; i < M; i++) {
    float r = b[i * n + s];
#pragma unroll
    for (int j = 0; j < i; j++)
      r -= 0.25f * l[i * (i + 1) / 2 + j] * v[j];
    v[i] = r / l[i * (i + 1) / 2 + i];
  }
#pragma unroll
  for (int i = 0; i < M; i++)
    x[i * n + s] = v[i];
}
