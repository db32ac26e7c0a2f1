// All headers, in C++11 and later, and with what programs do around them.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <device_atomic_functions.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <irgl_device_functions.h>
#include <math_constants.h>
#include <sm_60_atomic_functions.h>
#include <library_types.h>
#include <nvToolsExt.h>
#include <vector_types.h>

using namespace std;

template <class F> int apply(F f) { return f(1); }

bool number(float x, double y) { return !isnan(x) && !isinf(y) && isfinite(x) && !signbit(y) && std::isnormal(x); }

double angle(double x, float *s, float *c) {
  sincospif(0.5f, s, c);
  return sinpi(x) + cospi(x) + static_cast<double>(rhypotf(3, 4)) + rhypot(3, 4);
}

cudaError_t prefetch(float *p, int device) {
  cudaMemLocation to = {cudaMemLocationTypeDevice, device};
  cudaError_t e = cudaMemAdvise(p, 4, cudaMemAdviseSetPreferredLocation, to);
  return e != cudaSuccess ? e : cudaMemPrefetchAsync(p, 4, to, 0);
}

int use(const float *p, const float **pp, int *q) {
  const int a = min(1, 2) + max(3, 4) + static_cast<int>(max(1.5, 2));
  float4 v = make_float4(1, 2, 3, 4);
  int *host = nullptr;
  const float *device = nullptr;
  (void)cudaMalloc(&device, 4);
  (void)cudaMalloc(pp, 4);
  (void)cudaMalloc((void **)&host, 4);
  (void)cudaMallocManaged(&host, 4);
  (void)cudaMemcpyToSymbol(v, p, 4);
  (void)cudaMemcpyAsync(q, p, 4, cudaMemcpyDefault);
  dim3 grid(2), block = 3;
  return a + apply([&](int i) { return i + static_cast<int>(threadIdx.x) + atomicAdd(q, 1) + __popc(7u) + __shfl_sync(~0u, i, 0); }) +
         static_cast<int>(__expf(1.0f) + __ldg(p) + v.x + static_cast<float>(grid.x * block.x) + float(half(2.0f)));
}
