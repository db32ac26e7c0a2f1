// The row half of a separable convolution, 17 weights in constant memory.
//bench suite stencil
//bench size n 64 8192
//bench buffer in f32 n*n uniform -1 1
//bench buffer out f32 n*n zero out 1e-5
//bench launch convolve_rows grid n/64 n/4 block 64 4 args in out i32:n
#define R 8

__constant__ float weights[2 * R + 1] = {0.01f, 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.09f, 0.1f, 0.14f, 0.1f, 0.09f, 0.08f, 0.06f, 0.04f, 0.03f, 0.02f, 0.01f};

extern "C" __global__ void convolve_rows(const float *in, float *out, int n) {
  __shared__ float s[4][64 + 2 * R];
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  int left = x - R, right = x + 64 - R;
  s[threadIdx.y][threadIdx.x] = left >= 0 ? in[y * n + left] : 0.0f;
  if (threadIdx.x < 2 * R)
    s[threadIdx.y][threadIdx.x + 64] = right < n ? in[y * n + right] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k <= 2 * R; k++)
    sum += weights[k] * s[threadIdx.y][threadIdx.x + k];
  out[y * n + x] = sum;
}
