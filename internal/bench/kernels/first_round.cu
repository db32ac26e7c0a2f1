// Rounds of smoothing in place, the first of which reads another array.
//bench suite dynamic
//bench size n 1024 1048576
//bench size m 5 40
//bench buffer in f32 n uniform -1 1
//bench buffer add f32 n*m uniform -1 1
//bench buffer out f32 n zero out 0.0001
//bench launch first_round grid n/128 block 128 args in add out i32:n i32:m
extern "C" __global__ void first_round(const float *__restrict__ in, const float *__restrict__ add, float *out, int n, int m) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < m; i++)
    out[t] = (i == 0 ? in[t] : out[t]) * 0.5f + add[i * n + t];
}
