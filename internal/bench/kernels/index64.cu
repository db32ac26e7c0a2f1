// Three dimensions of 64-bit indices: a sum along the middle one.
//bench suite index64
//bench size n 24 320
//bench buffer in f32 n*n*n uniform -1 1
//bench buffer out f32 n*n zero out 1e-4
//bench launch index64 grid (n*n+127)/128 block 128 args in out i64:n i64:n i64:n
extern "C" __global__ void index64(const float *in, float *out, long nx, long ny, long nz) {
  long t = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= nx * nz) return;
  long x = t - t / nx * nx, z = t / nx;
  float sum = 0.0f;
  for (long y = 0; y < ny; y++)
    sum += in[(z * ny + y) * nx + x];
  out[z * nx + x] = sum;
}
