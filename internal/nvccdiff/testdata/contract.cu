// Sums of products that can be contracted in several ways: the results are nvcc's bit for bit only if the
// same products are contracted.

#define KERNEL(name, ...)                                                                          \
  __global__ void name(float *p, const float *__restrict__ q, float u, float v, int n) {           \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    float a = q[i], b = q[i + 512], c = q[i + 1024], d = q[i + 1536], e = q[i + 2048], f = q[i + 2560]; \
    float *r = p + 4 * i;                                                                          \
    __VA_ARGS__;                                                                                   \
  }

KERNEL(in_order, r[0] = a * b + c * d; r[1] = a * b + c * e + d * f)
KERNEL(against_order, r[0] = c * d + a * b; r[1] = e * f + c * d + a * b)
KERNEL(shared, float x = c * d; r[0] = x + e; r[1] = a * b + x; r[2] = x + f)
KERNEL(subtracted, r[0] = a * b - c * d; r[1] = -(a * b) + c; r[2] = a * -b + c * d)
KERNEL(negated, r[0] = -a * b - c * d; r[1] = c - (-a) * b; r[2] = (-a) * b + (-c) * d)
KERNEL(constants, r[0] = a * -3.0f + b * c; r[1] = b * c - d * 5.0f; r[2] = b - 7.0f * e * f; r[3] = a * b - 1.0f)
KERNEL(repeated, r[0] = a * -3.0f + b * c; r[1] = d * e - f * 3.0f; r[2] = f * 3.0f * b + e)
KERNEL(five, float x = a * b; r[0] = x + c; r[1] = (x + d) * (x + e); r[2] = x + f; r[3] = (x + u) * a)
KERNEL(parameters, r[0] = v * b + u * a; r[1] = a * u + v * v; r[2] = u * v * u + a * b)
KERNEL(thread, r[0] = a * u + threadIdx.x * v; r[1] = v * v * v * v + i * u)
KERNEL(functions, r[0] = fabsf(a) * u + b * v; r[1] = sqrtf(fabsf(a)) * b + c * d; r[2] = fmaxf(c, d) * e + a * b)
KERNEL(deep, r[0] = a * b * c + d * e * f; r[1] = (a + b) * (c + d) + e * f; r[2] = e * f + (a - b) * (a - b))
KERNEL(complex, r[0] = a * c - b * d; r[1] = a * d + b * c)
KERNEL(length, float x = a - b, y = c - d, z = e - f; r[0] = x * x + y * y + z * z - 1.0f)
KERNEL(lerp, r[0] = a * (1.0f - c) + b * c; r[1] = (1.0f - d) * e + d * f)
KERNEL(branch, float x = a * b; if (n > 3) { r[1] = c; __syncthreads(); } r[0] = x + c; r[2] = (x + d) * u)
KERNEL(pressure, float x = a * b; if (n > 3) { r[1] = u; __syncthreads(); } r[0] = x + v)
KERNEL(side, float x = a * b; if (n > 3) { r[1] = x + c; __syncthreads(); } r[0] = u)
KERNEL(loop, float s = 0; for (int k = 0; k < 9; k++) s = s * u + q[i + k] * q[i + k + 64] + q[i + k] * v; r[0] = s)
KERNEL(invariant, float x = u * v; for (int k = 0; k < n; k++) r[k & 3] = x + q[i + k])

__global__ void doubles(double *p, const double *__restrict__ q, double u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = q[i], b = q[i + 512], c = q[i + 1024], d = q[i + 1536];
  p[2 * i] = c * d + a * b - u * 3.0;
  p[2 * i + 1] = b * b + a * a - 1.0;
}
