// a*x + y on vectors of four floats, a grid-stride loop.
//bench suite memory
//bench size n 4096 33554432
//bench size blocks 4 1056
//bench buffer x f32 n uniform -1 1
//bench buffer y f32 n uniform -1 1 out 1e-6
//bench launch axpy4 grid blocks block 256 args f32:1.5 x y i32:n/4
extern "C" __global__ void axpy4(float a, const float4 *x, float4 *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 u = x[i], v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
  }
}
