// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the CUDA runtime that device code has without an #include, beside types.h. A line declares the
// name, or those that the comment behind it lists; files get the lines that they use.
#pragma once

struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
inline __host__ __device__ cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y) { cudaPitchedPtr r; r.ptr = p; r.pitch = pitch; r.xsize = x; r.ysize = y; return r; }
inline __host__ __device__ cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { cudaExtent r; r.width = w; r.height = h; r.depth = d; return r; }
inline __host__ __device__ cudaPos make_cudaPos(size_t x, size_t y, size_t z) { cudaPos r; r.x = x; r.y = y; r.z = z; return r; }
typedef struct cudaArray *cudaArray_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long cudaGraphConditionalHandle;
enum { cudaStreamDefault = 0 };
enum { cudaStreamNonBlocking = 1 };
enum { cudaEventDisableTiming = 2 };
template <typename T> inline __device__ cudaError_t cudaMalloc(T **p, size_t n) { *p = (T *)malloc(n); return *p ? cudaSuccess : cudaErrorMemoryAllocation; } // cudaMalloc
inline __device__ cudaError_t cudaFree(void *p) { free(p); return cudaSuccess; } // cudaFree
template <typename T> inline __device__ T __nv_atomic_load_n(T *p, int order) { return order == __NV_ATOMIC_RELAXED ? __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM) : order == __NV_ATOMIC_SEQ_CST ? __nv_atomic_load_n(p, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM) : __nv_atomic_load_n(p, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM); } // __nv_atomic_load_n
// The device's own runtime. The first six are those of modules without launches: package dynpar has others.
extern "C" inline __device__ int irgl_launch_copy(void *to, const void *from, size_t n, int, void *) { memcpy(to, from, n); return 0; } // irgl_launch_copy
extern "C" inline __device__ int irgl_launch_fill(void *p, int value, size_t n, void *) { memset(p, value, n); return 0; } // irgl_launch_fill
inline __device__ cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s = 0) { return (cudaError_t)irgl_launch_copy(to, from, n, kind, s); } // cudaMemcpyAsync
inline __device__ cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s = 0) { return (cudaError_t)irgl_launch_fill(p, value, n, s); } // cudaMemsetAsync
extern "C" inline __device__ int irgl_launch_error(int) { return 0; } // irgl_launch_error
extern "C" inline __device__ int irgl_launch_stream(void **s) { *s = (void *)16ul; return 0; } // irgl_launch_stream
extern "C" inline __device__ int irgl_launch_destroy(void *) { return 0; } // irgl_launch_destroy
extern "C" inline __device__ int irgl_launch_device() { return 0; } // irgl_launch_device
inline __device__ cudaError_t cudaDeviceSynchronize() { return cudaSuccess; } // cudaDeviceSynchronize
inline __device__ cudaError_t cudaGetLastError() { return (cudaError_t)irgl_launch_error(1); } // cudaGetLastError
inline __device__ cudaError_t cudaPeekAtLastError() { return (cudaError_t)irgl_launch_error(0); } // cudaPeekAtLastError
inline __device__ const char *cudaGetErrorName(cudaError_t e) { return e == cudaSuccess ? "cudaSuccess" : e == cudaErrorInvalidValue ? "cudaErrorInvalidValue" : e == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : e == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration" : e == cudaErrorLaunchMaxDepthExceeded ? "cudaErrorLaunchMaxDepthExceeded" : e == cudaErrorLaunchPendingCountExceeded ? "cudaErrorLaunchPendingCountExceeded" : "unrecognized error code"; } // cudaGetErrorName
inline __device__ const char *cudaGetErrorString(cudaError_t e) { return e == cudaSuccess ? "no error" : e == cudaErrorInvalidValue ? "invalid argument" : e == cudaErrorMemoryAllocation ? "out of memory" : e == cudaErrorInvalidConfiguration ? "invalid configuration argument" : e == cudaErrorLaunchMaxDepthExceeded ? "launch would exceed maximum depth of nested launches" : e == cudaErrorLaunchPendingCountExceeded ? "device runtime pending launch count limit exceeded" : "unrecognized error code"; } // cudaGetErrorString
inline __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned int flags) { if (flags != cudaStreamNonBlocking) { return cudaErrorInvalidValue; } return (cudaError_t)irgl_launch_stream((void **)s); } // cudaStreamCreateWithFlags
inline __device__ cudaError_t cudaStreamDestroy(cudaStream_t s) { return (cudaError_t)irgl_launch_destroy(s); } // cudaStreamDestroy
inline __device__ cudaError_t cudaGetDevice(int *device) { *device = irgl_launch_device(); return cudaSuccess; } // cudaGetDevice
