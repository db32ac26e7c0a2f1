// Gravitation of all pairs, bodies in shared tiles.
//bench suite physics
//bench size n 256 16384
//bench buffer body f32 n*4 uniform 0.1 1
//bench buffer force f32 n*4 zero out 1e-4
//bench launch nbody grid n/128 block 128 args body force i32:n
extern "C" __global__ void nbody(const float4 *body, float4 *force, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = body[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int b = 0; b < n; b += 128) {
    tile[threadIdx.x] = body[b + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 128; j++) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float inv = rsqrtf(r2);
      float s = tile[j].w * inv * inv * inv / n;
      fx += dx * s;
      fy += dy * s;
      fz += dz * s;
    }
    __syncthreads();
  }
  float4 f;
  f.x = fx;
  f.y = fy;
  f.z = fz;
  f.w = 0.0f;
  force[i] = f;
}
