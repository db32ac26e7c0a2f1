// Column sums and scaled rows: int counters with bounds of type long, strides of type long and size_t.
//bench suite index64
//bench size n 1024 1048576
//bench size m 37 100
//bench buffer in i32 n*m uniform -1000 1000
//bench buffer data f32 n*m uniform -1 1
//bench buffer out i64 n zero out
//bench buffer squares f32 n zero out 0.0001
//bench buffer scaled f32 n*m zero out 0.00001
//bench launch long_bounds grid n/128 block 128 args in data out squares scaled i64:n i64:m
static __device__ void load4(float *to, const float *from) {
  *(float4 *)to = *(const float4 *)from;
}

extern "C" __global__ void long_bounds(const int *__restrict__ in, const float *__restrict__ data, long long *out,
                                       float *squares, float *__restrict__ scaled, long n, long m) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  long long sum = 0;
  for (int i = 0; i < m; i++)
    sum += in[i * n + t] % 7 * (i % 3);
  for (int i = 5; i <= m - 3; i += 2)
    sum ^= in[i * n + t];
  out[t] = sum;
  float v[4], s = 0;
  for (long i = t * 4L; i < n * m; i += gridDim.x * blockDim.x * 4) {
    load4(v, data + i);
#pragma unroll
    for (int k = 0; k < 4; k++)
      s += v[k] * v[k];
  }
  squares[t] = s;
  for (size_t i = t; i < n * m; i += gridDim.x * blockDim.x)
    scaled[i] = data[i] * 3;
}
