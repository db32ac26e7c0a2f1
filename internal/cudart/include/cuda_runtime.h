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
template <class _Tp> void **untyped(_Tp **__p) { return (void **)__p; }
} // namespace irgl

template <class _Tp> cudaError_t cudaMalloc(_Tp **__p, size_t __size) {
  return ::cudaMalloc(irgl::untyped(__p), __size);
}
template <class _Tp> cudaError_t cudaMallocPitch(_Tp **__p, size_t *pitch, size_t __width, size_t __height) {
  return ::cudaMallocPitch(irgl::untyped(__p), pitch, __width, __height);
}
template <class _Tp> cudaError_t cudaMallocManaged(_Tp **__p, size_t __size, unsigned int __flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(irgl::untyped(__p), __size, __flags);
}
template <class _Tp> cudaError_t cudaMallocHost(_Tp **__p, size_t __size, unsigned int __flags = 0) {
  return ::cudaHostAlloc(irgl::untyped(__p), __size, __flags);
}
template <class _Tp> cudaError_t cudaHostAlloc(_Tp **__p, size_t __size, unsigned int __flags) {
  return ::cudaHostAlloc(irgl::untyped(__p), __size, __flags);
}
template <class _Tp> cudaError_t cudaHostGetDevicePointer(_Tp **__device, void *host, unsigned int __flags) {
  return ::cudaHostGetDevicePointer(irgl::untyped(__device), host, __flags);
}
template <class _Tp> cudaError_t cudaMallocAsync(_Tp **__p, size_t __size, cudaStream_t __stream) {
  return ::cudaMallocAsync(irgl::untyped(__p), __size, __stream);
}
inline cudaError_t cudaHostRegister(void *__p, size_t __size) { return ::cudaHostRegister(__p, __size, 0); }
inline cudaError_t cudaMemcpyAsync(void *__dst, const void *__src, size_t __size, enum cudaMemcpyKind kind) {
  return ::cudaMemcpyAsync(__dst, __src, __size, kind, nullptr);
}
inline cudaError_t cudaMemcpy2DAsync(void *__dst, size_t dpitch, const void *__src, size_t spitch, size_t __width,
                                     size_t __height, enum cudaMemcpyKind kind) {
  return ::cudaMemcpy2DAsync(__dst, dpitch, __src, spitch, __width, __height, kind, nullptr);
}
inline cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *__p) { return ::cudaMemcpy3DAsync(__p, nullptr); }
inline cudaError_t cudaMemcpyPeerAsync(void *__dst, int dst_device, const void *__src, int src_device, size_t __size) {
  return ::cudaMemcpyPeerAsync(__dst, dst_device, __src, src_device, __size, nullptr);
}
inline cudaError_t cudaMemsetAsync(void *__p, int __value, size_t __size) {
  return ::cudaMemsetAsync(__p, __value, __size, nullptr);
}
inline cudaError_t cudaMemset2DAsync(void *__p, size_t pitch, int __value, size_t __width, size_t __height) {
  return ::cudaMemset2DAsync(__p, pitch, __value, __width, __height, nullptr);
}
inline cudaError_t cudaMemPrefetchAsync(const void *__p, size_t __size, int __device) {
  return ::cudaMemPrefetchAsync(__p, __size, __device, nullptr);
}
// CUDA 13 says where memory is to be by a location.
inline cudaError_t cudaMemPrefetchAsync(const void *__p, size_t __size, struct cudaMemLocation to, unsigned int __flags,
                                        cudaStream_t __stream = nullptr) {
  if (__flags != 0 || to.type == cudaMemLocationTypeInvalid) {
    return cudaErrorInvalidValue;
  }
  return ::cudaMemPrefetchAsync(__p, __size, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId, __stream);
}
inline cudaError_t cudaMemAdvise(const void *__p, size_t __size, enum cudaMemoryAdvise advice, struct cudaMemLocation to) {
  return ::cudaMemAdvise(__p, __size, advice, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t __stream, cudaEvent_t event) {
  return ::cudaStreamWaitEvent(__stream, event, 0);
}
template <class _Tp>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t __stream, _Tp *__p, size_t length = 0,
                                     unsigned int __flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(__stream, static_cast<void *>(__p), length, __flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int __flags) {
  return ::cudaEventCreateWithFlags(event, __flags);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return ::cudaEventRecord(event, nullptr); }
inline cudaError_t cudaDeviceEnablePeerAccess(int peer) { return ::cudaDeviceEnablePeerAccess(peer, 0); }

// Symbols are variables of the device, of which the host has a shadow. Programs of toolkits before
// CUDA 5 name them by string literals.
namespace irgl {
template <class _Tp> const void *symbol(const _Tp &v) { return static_cast<const void *>(std::addressof(v)); }
template <size_t __n> const void *symbol(const char (&v)[__n]) { return named_symbol(v, __n); }
} // namespace irgl

template <class _Tp>
cudaError_t cudaMemcpyToSymbol(const _Tp &symbol, const void *__src, size_t __size, size_t __offset = 0,
                               enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(irgl::symbol(symbol), __src, __size, __offset, kind);
}
template <class _Tp>
cudaError_t cudaMemcpyFromSymbol(void *__dst, const _Tp &symbol, size_t __size, size_t __offset = 0,
                                 enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(__dst, irgl::symbol(symbol), __size, __offset, kind);
}
template <class _Tp>
cudaError_t cudaMemcpyToSymbolAsync(const _Tp &symbol, const void *__src, size_t __size, size_t __offset = 0,
                                    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t __stream = nullptr) {
  return ::cudaMemcpyToSymbolAsync(irgl::symbol(symbol), __src, __size, __offset, kind, __stream);
}
template <class _Tp>
cudaError_t cudaMemcpyFromSymbolAsync(void *__dst, const _Tp &symbol, size_t __size, size_t __offset = 0,
                                      enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t __stream = nullptr) {
  return ::cudaMemcpyFromSymbolAsync(__dst, irgl::symbol(symbol), __size, __offset, kind,
                                     __stream);
}
template <class _Tp> cudaError_t cudaGetSymbolAddress(void **__p, const _Tp &symbol) {
  return ::cudaGetSymbolAddress(__p, irgl::symbol(symbol));
}
template <class _Tp, class _Sp> cudaError_t cudaGetSymbolAddress(_Tp **__p, const _Sp &symbol) {
  return ::cudaGetSymbolAddress(irgl::untyped(__p), irgl::symbol(symbol));
}
template <class _Tp> cudaError_t cudaGetSymbolSize(size_t *__size, const _Tp &symbol) {
  return ::cudaGetSymbolSize(__size, irgl::symbol(symbol));
}

// Kernels are functions of the host: their stubs.
namespace irgl {
template <class _Fp> const void *stub(_Fp *f) { return reinterpret_cast<const void *>(f); }

// Passed is what a kernel's parameter is passed as: a reference as the address of its object.
template <class _Pp> struct Passed {
  typedef _Pp type;
  template <class _Ap> static _Ap &&pass(_Ap &&a) { return static_cast<_Ap &&>(a); }
};
template <class _Pp> struct Passed<_Pp &> {
  typedef _Pp *type;
  static type pass(_Pp &a) { return std::addressof(a); }
};
} // namespace irgl

template <class _Fp>
cudaError_t cudaLaunchKernel(_Fp *f, dim3 __grid, dim3 __block, void **__args, size_t __shared = 0,
                             cudaStream_t __stream = nullptr) {
  return ::cudaLaunchKernel(irgl::stub(f), __grid, __block, __args, __shared, __stream);
}
template <class _Fp>
cudaError_t cudaLaunchCooperativeKernel(_Fp *f, dim3 __grid, dim3 __block, void **__args, size_t __shared = 0,
                                        cudaStream_t __stream = nullptr) {
  return ::cudaLaunchCooperativeKernel(irgl::stub(f), __grid, __block, __args, __shared, __stream);
}
template <class... _Pp, class... _Ap>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*f)(_Pp...), _Ap &&...__args) {
  return [&](typename irgl::Passed<_Pp>::type... values) {
    void *list[] = {const_cast<void *>(static_cast<const volatile void *>(std::addressof(values)))..., nullptr};
    return ::cudaLaunchKernelExC(config, irgl::stub(f), list);
  }(irgl::Passed<_Pp>::pass(std::forward<_Ap>(__args))...);
}
template <class _Fp> cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, _Fp *f) {
  return ::cudaFuncGetAttributes(attributes, irgl::stub(f));
}
template <class _Fp> cudaError_t cudaFuncSetAttribute(_Fp *f, enum cudaFuncAttribute attribute, int __value) {
  return ::cudaFuncSetAttribute(irgl::stub(f), attribute, __value);
}
template <class _Fp> cudaError_t cudaFuncSetCacheConfig(_Fp *f, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig(irgl::stub(f), config);
}
template <class _Fp> cudaError_t cudaFuncSetSharedMemConfig(_Fp *f, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig(irgl::stub(f), config);
}
template <class _Fp>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, _Fp *f, int __threads, size_t __shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(__blocks, irgl::stub(f), __threads, __shared);
}
template <class _Fp>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, _Fp *f, int __threads, size_t __shared,
                                                                   unsigned int __flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__blocks, irgl::stub(f), __threads, __shared, __flags);
}
template <class _Fp, class _Sp>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *__grid, int *__block, _Fp *f, _Sp __shared, int __limit = 0) {
  return irgl::best_block(__grid, __block, irgl::stub(f), __limit,
                          [](void *s, int __threads) { return static_cast<size_t>((*static_cast<_Sp *>(s))(__threads)); },
                          &__shared);
}
template <class _Fp>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *__grid, int *__block, _Fp *f, size_t __shared = 0, int __limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(__grid, __block, f, [__shared](int) { return __shared; }, __limit);
}

#endif // __cplusplus
#endif
