// Particles as an array of structs: every field read, two written.
//bench suite memory
//bench size n 2048 8388608
//bench buffer p f32 n*8 uniform -1 1 out 1e-5
//bench launch aos grid n/256 block 256 args p i32:n f32:0.01
struct particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

extern "C" __global__ void aos(struct particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].vx += dt * p[i].charge * p[i].mass;
  p[i].vy += dt * p[i].charge * p[i].mass;
  p[i].vz += dt * p[i].charge * p[i].mass;
  p[i].x += dt * p[i].vx;
  p[i].y += dt * p[i].vy;
  p[i].z += dt * p[i].vz;
}
