// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA runtime as C++ programs use it: default arguments, and calls with typed pointers,
// symbols and kernels.
#ifndef IRGL_CUDA_RUNTIME_H
#define IRGL_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ // which programs ask for

#ifndef __cplusplus
#include "cuda_runtime_api.h" // in C that is all
#else

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <type_traits>

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "cuda_texture_types.h"
#include "device_launch_parameters.h"
#include "irgl_math.h"
#include "irgl_registration.h"
#include "surface_types.h"
#include "vector_functions.h"
#ifdef __CUDACC__
#include "irgl_device_functions.h"
#endif

namespace irgl {
// untyped is for results: a pointer to a pointer, to const or not.
template <class _Tp> void **untyped(_Tp **p) { return (void **)p; }
} // namespace irgl

template <class _Tp> cudaError_t cudaMalloc(_Tp **p, size_t size) {
  return ::cudaMalloc(irgl::untyped(p), size);
}
template <class _Tp> cudaError_t cudaMallocPitch(_Tp **p, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch(irgl::untyped(p), pitch, width, height);
}
template <class _Tp> cudaError_t cudaMallocManaged(_Tp **p, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(irgl::untyped(p), size, flags);
}
template <class _Tp> cudaError_t cudaMallocHost(_Tp **p, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc(irgl::untyped(p), size, flags);
}
template <class _Tp> cudaError_t cudaHostAlloc(_Tp **p, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(irgl::untyped(p), size, flags);
}
template <class _Tp> cudaError_t cudaHostGetDevicePointer(_Tp **device, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer(irgl::untyped(device), host, flags);
}
template <class _Tp> cudaError_t cudaMallocAsync(_Tp **p, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(irgl::untyped(p), size, stream);
}
inline cudaError_t cudaHostRegister(void *p, size_t size) { return ::cudaHostRegister(p, size, 0); }
inline cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind) {
  return ::cudaMemcpyAsync(dst, src, size, kind, nullptr);
}
inline cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind) {
  return ::cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, nullptr);
}
inline cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p) { return ::cudaMemcpy3DAsync(p, nullptr); }
inline cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t size) {
  return ::cudaMemcpyPeerAsync(dst, dst_device, src, src_device, size, nullptr);
}
inline cudaError_t cudaMemsetAsync(void *p, int value, size_t size) {
  return ::cudaMemsetAsync(p, value, size, nullptr);
}
inline cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height) {
  return ::cudaMemset2DAsync(p, pitch, value, width, height, nullptr);
}
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, int device) {
  return ::cudaMemPrefetchAsync(p, size, device, nullptr);
}
// CUDA 13 says where memory is to be by a location.
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, struct cudaMemLocation to, unsigned int flags,
                                        cudaStream_t stream = nullptr) {
  if (flags != 0 || to.type == cudaMemLocationTypeInvalid) {
    return cudaErrorInvalidValue;
  }
  return ::cudaMemPrefetchAsync(p, size, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId, stream);
}
inline cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation to) {
  return ::cudaMemAdvise(p, size, advice, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
  return ::cudaStreamWaitEvent(stream, event, 0);
}
template <class _Tp>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, _Tp *p, size_t length = 0,
                                     unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, static_cast<void *>(p), length, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return ::cudaEventRecord(event, nullptr); }
inline cudaError_t cudaDeviceEnablePeerAccess(int peer) { return ::cudaDeviceEnablePeerAccess(peer, 0); }

// Symbols are variables of the device, of which the host has a shadow. Programs of toolkits before
// CUDA 5 name them by string literals.
namespace irgl {
template <class _Tp> const void *symbol(const _Tp &v) { return static_cast<const void *>(std::addressof(v)); }
template <size_t n> const void *symbol(const char (&v)[n]) { return named_symbol(v, n); }
} // namespace irgl

template <class _Tp>
cudaError_t cudaMemcpyToSymbol(const _Tp &symbol, const void *src, size_t size, size_t offset = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(irgl::symbol(symbol), src, size, offset, kind);
}
template <class _Tp>
cudaError_t cudaMemcpyFromSymbol(void *dst, const _Tp &symbol, size_t size, size_t offset = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, irgl::symbol(symbol), size, offset, kind);
}
template <class _Tp>
cudaError_t cudaMemcpyToSymbolAsync(const _Tp &symbol, const void *src, size_t size, size_t offset = 0,
                                    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
  return ::cudaMemcpyToSymbolAsync(irgl::symbol(symbol), src, size, offset, kind, stream);
}
template <class _Tp>
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const _Tp &symbol, size_t size, size_t offset = 0,
                                      enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return ::cudaMemcpyFromSymbolAsync(dst, irgl::symbol(symbol), size, offset, kind,
                                     stream);
}
template <class _Tp> cudaError_t cudaGetSymbolAddress(void **p, const _Tp &symbol) {
  return ::cudaGetSymbolAddress(p, irgl::symbol(symbol));
}
template <class _Tp, class _Sp> cudaError_t cudaGetSymbolAddress(_Tp **p, const _Sp &symbol) {
  return ::cudaGetSymbolAddress(irgl::untyped(p), irgl::symbol(symbol));
}
template <class _Tp> cudaError_t cudaGetSymbolSize(size_t *size, const _Tp &symbol) {
  return ::cudaGetSymbolSize(size, irgl::symbol(symbol));
}

// Kernels are functions of the host: their stubs.
namespace irgl {
template <class _Fp> const void *stub(_Fp *f) { return reinterpret_cast<const void *>(f); }
} // namespace irgl

template <class _Fp>
cudaError_t cudaLaunchKernel(_Fp *f, dim3 grid, dim3 block, void **args, size_t shared = 0,
                             cudaStream_t stream = nullptr) {
  return ::cudaLaunchKernel(irgl::stub(f), grid, block, args, shared, stream);
}
template <class _Fp>
cudaError_t cudaLaunchCooperativeKernel(_Fp *f, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                        cudaStream_t stream = nullptr) {
  return ::cudaLaunchCooperativeKernel(irgl::stub(f), grid, block, args, shared, stream);
}
template <class... _Pp, class... _Ap>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*f)(_Pp...), _Ap &&...args) {
  return [&](_Pp... values) {
    void *list[] = {const_cast<void *>(static_cast<const volatile void *>(std::addressof(values)))..., nullptr};
    return ::cudaLaunchKernelExC(config, irgl::stub(f), list);
  }(std::forward<_Ap>(args)...);
}
template <class _Fp> cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, _Fp *f) {
  return ::cudaFuncGetAttributes(attributes, irgl::stub(f));
}
template <class _Fp> cudaError_t cudaFuncSetAttribute(_Fp *f, enum cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute(irgl::stub(f), attribute, value);
}
template <class _Fp> cudaError_t cudaFuncSetCacheConfig(_Fp *f, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(irgl::stub(f), config);
}
template <class _Fp> cudaError_t cudaFuncSetSharedMemConfig(_Fp *f, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig(irgl::stub(f), config);
}
template <class _Fp>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, _Fp *f, int threads, size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, irgl::stub(f), threads, shared);
}
template <class _Fp>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, _Fp *f, int threads, size_t shared,
                                                                   unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, irgl::stub(f), threads, shared, flags);
}
template <class _Fp, class _Sp>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, _Fp *f, _Sp shared, int limit = 0) {
  return irgl::best_block(grid, block, irgl::stub(f), limit,
                          [](void *s, int threads) { return static_cast<size_t>((*static_cast<_Sp *>(s))(threads)); },
                          &shared);
}
template <class _Fp>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, _Fp *f, size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, f, [shared](int) { return shared; }, limit);
}

#endif // __cplusplus
#endif
