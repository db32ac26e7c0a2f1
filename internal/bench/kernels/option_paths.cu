// Option prices by simulated paths: own generator, normal numbers by Box and Muller.
//bench suite finance
//bench size n 256 262144
//bench buffer out f32 n zero out 1e-3
//bench launch option_paths grid n/128 block 128 args out i32:16 f32:100 f32:0.02 f32:0.3
__device__ unsigned next(unsigned *state) {
  unsigned x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x;
}

extern "C" __global__ void option_paths(float *out, int steps, float start, float rate, float sigma) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = (t + 1) * 2654435761u;
  float dt = 1.0f / steps;
  float drift = (rate - 0.5f * sigma * sigma) * dt, spread = sigma * sqrtf(dt);
  float logarithm = 0.0f;
  for (int i = 0; i < steps; i += 2) {
    float u = ((next(&state) >> 8) + 1) * (1.0f / 16777216.0f);
    float v = (next(&state) >> 8) * (6.2831853f / 16777216.0f);
    float r = sqrtf(-2.0f * logf(u));
    logarithm += 2.0f * drift + spread * r * (cosf(v) + sinf(v));
  }
  float gain = start * (expf(logarithm) - 1.0f);
  out[t] = gain > 0 ? gain : 0.0f;
}
