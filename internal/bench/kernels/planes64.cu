// Means of tiles of 2 by 2 in the planes of a batch, with sizes of 64 bits: the offsets have common factors.
//bench suite index64
//bench size n 32 512
//bench buffer in f32 48*n*n uniform -1 1
//bench buffer out f32 12*n*n zero out 1e-5
//bench launch planes64 grid n/16 n/16 12 block 16 16 args in out i64:3 i64:n i64:n
extern "C" __global__ void planes64(const float *in, float *out, unsigned long channels, unsigned long height, unsigned long width) {
  unsigned long plane = blockIdx.z, batch = plane / channels, channel = plane % channels;
  unsigned long y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height || x >= width) return;
  const float *tile = in + batch * (channels * 2 * height * 2 * width) + channel * (2 * height * 2 * width) + 2 * y * 2 * width + 2 * x;
  out[(batch * channels + channel) * height * width + y * width + x] = 0.25f * (tile[0] + tile[1] + tile[2 * width] + tile[2 * width + 1]);
}
