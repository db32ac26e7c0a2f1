// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the CUDA runtime. What they do is in NVIDIA's reference of the runtime's
// interface; docs/cuda.md lists what is different here.
#ifndef IRGL_CUDA_RUNTIME_API_H
#define IRGL_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__ // which programs ask for

#include "driver_types.h"
#include "irgl_graphs.h"

#define CUDART_VERSION 13000

#ifdef __cplusplus
extern "C" {
#endif

// Devices.
cudaError_t cudaGetDeviceCount(int *__count);
cudaError_t cudaGetDevice(int *__device);
cudaError_t cudaSetDevice(int __device);
cudaError_t cudaChooseDevice(int *__device, const struct cudaDeviceProp *prop);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int __device);
cudaError_t cudaDeviceGetAttribute(int *__value, enum cudaDeviceAttr attr, int __device);
cudaError_t cudaDeviceGetP2PAttribute(int *__value, enum cudaDeviceP2PAttr attr, int __src, int __dst);
cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int __device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit __limit, size_t __value);
cudaError_t cudaDeviceGetLimit(size_t *__value, enum cudaLimit __limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaSetDeviceFlags(unsigned int __flags);
cudaError_t cudaGetDeviceFlags(unsigned int *__flags);
cudaError_t cudaDeviceCanAccessPeer(int *can, int __device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int __flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

// Calls that were removed, and what programs mean by them.
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSetLimit(enum cudaLimit __limit, size_t __value);
cudaError_t cudaThreadGetLimit(size_t *__value, enum cudaLimit __limit);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);

// Errors.
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

// Memory.
cudaError_t cudaMalloc(void **__p, size_t __size);
cudaError_t cudaMallocPitch(void **__p, size_t *pitch, size_t __width, size_t __height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *__p, struct cudaExtent extent);
cudaError_t cudaMallocManaged(void **__p, size_t __size, unsigned int __flags);
cudaError_t cudaMallocHost(void **__p, size_t __size);
// A device has one pool, its default one; how much of it is used is not known.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int __device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int __device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *__value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *__value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMallocAsync(void **__p, size_t __size, cudaStream_t __stream);
cudaError_t cudaFree(void *__p);
cudaError_t cudaFreeAsync(void *__p, cudaStream_t __stream);
cudaError_t cudaFreeHost(void *__p);
cudaError_t cudaHostAlloc(void **__p, size_t __size, unsigned int __flags);
cudaError_t cudaHostRegister(void *__p, size_t __size, unsigned int __flags);
cudaError_t cudaHostUnregister(void *__p);
cudaError_t cudaHostGetDevicePointer(void **__device, void *host, unsigned int __flags);
cudaError_t cudaHostGetFlags(unsigned int *__flags, void *host);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *__p);
cudaError_t cudaMemAdvise(const void *__p, size_t __size, enum cudaMemoryAdvise advice, int __device);
cudaError_t cudaMemPrefetchAsync(const void *__p, size_t __size, int __device, cudaStream_t __stream);

cudaError_t cudaMemcpy(void *__dst, const void *__src, size_t __size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *__dst, const void *__src, size_t __size, enum cudaMemcpyKind kind, cudaStream_t __stream);
cudaError_t cudaMemcpy2D(void *__dst, size_t dpitch, const void *__src, size_t spitch, size_t __width, size_t __height,
                         enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *__dst, size_t dpitch, const void *__src, size_t spitch, size_t __width, size_t __height,
                              enum cudaMemcpyKind kind, cudaStream_t __stream);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *__p);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *__p, cudaStream_t __stream);
cudaError_t cudaMemcpyPeer(void *__dst, int dst_device, const void *__src, int src_device, size_t __size);
cudaError_t cudaMemcpyPeerAsync(void *__dst, int dst_device, const void *__src, int src_device, size_t __size,
                                cudaStream_t __stream);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *__src, size_t __size, size_t __offset,
                               enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol(void *__dst, const void *symbol, size_t __size, size_t __offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *__src, size_t __size, size_t __offset,
                                    enum cudaMemcpyKind kind, cudaStream_t __stream);
cudaError_t cudaMemcpyFromSymbolAsync(void *__dst, const void *symbol, size_t __size, size_t __offset,
                                      enum cudaMemcpyKind kind, cudaStream_t __stream);
cudaError_t cudaMemset(void *__p, int __value, size_t __size);
cudaError_t cudaMemsetAsync(void *__p, int __value, size_t __size, cudaStream_t __stream);
cudaError_t cudaMemset2D(void *__p, size_t pitch, int __value, size_t __width, size_t __height);
cudaError_t cudaMemset2DAsync(void *__p, size_t pitch, int __value, size_t __width, size_t __height, cudaStream_t __stream);
cudaError_t cudaMemset3D(struct cudaPitchedPtr __p, int __value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr __p, int __value, struct cudaExtent extent, cudaStream_t __stream);
cudaError_t cudaGetSymbolAddress(void **__p, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *__size, const void *symbol);

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t *__stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *__stream, unsigned int __flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *__stream, unsigned int __flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t __stream);
cudaError_t cudaStreamSynchronize(cudaStream_t __stream);
cudaError_t cudaStreamQuery(cudaStream_t __stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t __stream, cudaEvent_t event, unsigned int __flags);
cudaError_t cudaStreamGetFlags(cudaStream_t __stream, unsigned int *__flags);
cudaError_t cudaStreamGetPriority(cudaStream_t __stream, int *priority);
cudaError_t cudaStreamAddCallback(cudaStream_t __stream, cudaStreamCallback_t f, void *data, unsigned int __flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t __stream, void *__p, size_t length, unsigned int __flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t __stream, cudaHostFn_t f, void *data);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int __flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t __stream);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t __stream, unsigned int __flags);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

// Kernels.
cudaError_t cudaLaunchKernel(const void *f, dim3 __grid, dim3 __block, void **__args, size_t __shared, cudaStream_t __stream);
cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 __grid, dim3 __block, void **__args, size_t __shared,
                                        cudaStream_t __stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **__args);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *f);
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute attribute, int __value);
cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, const void *f, int __threads, size_t __shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, const void *f, int __threads,
                                                                   size_t __shared, unsigned int __flags);

// Arrays, textures and surfaces, without mipmaps and cube maps.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t __width,
                            size_t __height IRGL_DEFAULT(0), unsigned int __flags IRGL_DEFAULT(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int __flags IRGL_DEFAULT(0));
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *__flags,
                             cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpyToArray(cudaArray_t __dst, size_t x, size_t y, const void *__src, size_t __size,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t __dst, size_t x, size_t y, const void *__src, size_t spitch, size_t __width,
                                size_t __height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *__dst, cudaArray_const_t __src, size_t x, size_t y, size_t __size,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *__dst, size_t dpitch, cudaArray_const_t __src, size_t x, size_t y, size_t __width,
                                  size_t __height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t __dst, size_t x, size_t y, const void *__src, size_t __size,
                                   enum cudaMemcpyKind kind, cudaStream_t __stream IRGL_DEFAULT(nullptr));
cudaError_t cudaMemcpyFromArrayAsync(void *__dst, cudaArray_const_t __src, size_t x, size_t y, size_t __size,
                                     enum cudaMemcpyKind kind, cudaStream_t __stream IRGL_DEFAULT(nullptr));
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t __dst, size_t x, size_t y, const void *__src, size_t spitch, size_t __width,
                                     size_t __height, enum cudaMemcpyKind kind, cudaStream_t __stream IRGL_DEFAULT(nullptr));
cudaError_t cudaMemcpy2DFromArrayAsync(void *__dst, size_t dpitch, cudaArray_const_t __src, size_t x, size_t y,
                                       size_t __width, size_t __height, enum cudaMemcpyKind kind,
                                       cudaStream_t __stream IRGL_DEFAULT(nullptr));
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc, cudaTextureObject_t texture);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

// The profiler's calls do nothing.
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#ifdef __cplusplus
}
#endif

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent made = {w, h, d};
  return made;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos made = {x, y, z};
  return made;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *__p, size_t pitch, size_t xsize, size_t ysize) {
  struct cudaPitchedPtr made = {__p, pitch, xsize, ysize};
  return made;
}

#endif
