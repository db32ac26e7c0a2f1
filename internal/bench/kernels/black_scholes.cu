// Prices of European options in closed form, the normal distribution by a polynomial.
//bench suite finance
//bench size n 1024 16777216
//bench buffer price f32 n uniform 5 30
//bench buffer strike f32 n uniform 1 100
//bench buffer years f32 n uniform 0.25 10
//bench buffer call f32 n zero out 1e-4
//bench buffer put f32 n zero out 1e-4
//bench launch black_scholes grid n/128 block 128 args price strike years call put i32:n f32:0.02 f32:0.3
__device__ float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228f * expf(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, int n, float rate, float sigma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float root = sqrtf(t);
  float d1 = (logf(s / x) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root);
  float d2 = d1 - sigma * root;
  float n1 = normal(d1), n2 = normal(d2);
  float e = expf(-rate * t);
  call[i] = s * n1 - x * e * n2;
  put[i] = x * e * (1.0f - n2) - s * (1.0f - n1);
}
