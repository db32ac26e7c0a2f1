// A 3 by 3 matrix of integers to a power, modulo a prime, in each thread.
//bench suite dense
//bench size n 256 262144
//bench buffer in u32 n*9 uniform 0 65521
//bench buffer power u32 n uniform 1 4000
//bench buffer out u32 n zero out
//bench launch matrix_power grid n/128 block 128 args in power out i32:n
struct matrix {
  unsigned m[3][3];
};

__device__ struct matrix product(struct matrix a, struct matrix b) {
  struct matrix c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      unsigned s = 0;
      for (int k = 0; k < 3; k++)
        s = (s + a.m[i][k] * b.m[k][j] % 65521u) % 65521u;
      c.m[i][j] = s;
    }
  return c;
}

extern "C" __global__ void matrix_power(const unsigned *in, const unsigned *power, unsigned *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  struct matrix base, result;
  for (int i = 0; i < 9; i++) {
    base.m[i / 3][i % 3] = in[t * 9 + i];
    result.m[i / 3][i % 3] = i % 4 == 0 ? 1 : 0;
  }
  for (unsigned p = power[t]; p != 0; p >>= 1) {
    if (p & 1) result = product(result, base);
    base = product(base, base);
  }
  unsigned h = 0;
  for (int i = 0; i < 9; i++)
    h = h * 31 + result.m[i / 3][i % 3];
  out[t] = h;
}
