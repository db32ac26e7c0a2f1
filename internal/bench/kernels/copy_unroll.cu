// Four neighbouring numbers a thread, addressed one by one: what can become a vector access.
//bench suite memory
//bench size n 4096 33554432
//bench buffer in f32 n uniform -1 1
//bench buffer out f32 n zero out 1e-6
//bench launch copy_unroll grid n/1024 block 256 args in out
extern "C" __global__ void copy_unroll(const float *__restrict__ in, float *__restrict__ out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = in + 4 * t;
  float *q = out + 4 * t;
#pragma unroll
  for (int i = 0; i < 4; i++)
    q[i] = 2.0f * p[i] + 1.0f;
}
