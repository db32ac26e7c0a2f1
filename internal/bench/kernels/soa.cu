// The same particles as a struct of arrays.
//bench suite memory
//bench size n 2048 8388608
//bench buffer x f32 n*3 uniform -1 1 out 1e-5
//bench buffer v f32 n*3 uniform -1 1 out 1e-5
//bench buffer mass f32 n uniform 0 1
//bench buffer charge f32 n uniform -1 1
//bench launch soa grid n/256 block 256 args x v mass charge i32:n f32:0.01
extern "C" __global__ void soa(float *x, float *v, const float *mass, const float *charge, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int c = 0; c < 3; c++) {
    v[c * n + i] += dt * charge[i] * mass[i];
    x[c * n + i] += dt * v[c * n + i];
  }
}
