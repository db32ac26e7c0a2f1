// Forces from a list of 32 neighbours, positions as an array of structs.
//bench suite physics
//bench size n 512 262144
//bench buffer pos f32 n*3 uniform 0 10
//bench buffer near i32 n*32 uniform 0 n
//bench buffer force f32 n*3 zero out 1e-3
//bench launch lennard_jones grid n/128 block 128 args pos near force i32:n
struct vec {
  float x, y, z;
};

extern "C" __global__ void lennard_jones(const struct vec *pos, const int *near, struct vec *force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  struct vec p = pos[i], f;
  f.x = f.y = f.z = 0.0f;
  for (int k = 0; k < 32; k++) {
    struct vec q = pos[near[k * n + i]];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 > 1.0f && r2 < 36.0f) {
      float i2 = 1.0f / r2, i6 = i2 * i2 * i2;
      float s = i2 * i6 * (i6 - 0.5f);
      f.x += dx * s;
      f.y += dy * s;
      f.z += dz * s;
    }
  }
  force[i] = f;
}
