// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class template of texture references and the calls that bind them. Host code writes
// texture<...>; irgl cuda build puts the name of the template here in its place, so that programs
// may have a class texture of their own.
#ifndef IRGL_CUDA_TEXTURE_TYPES_H
#define IRGL_CUDA_TEXTURE_TYPES_H

#include <climits>

#include "channel_descriptor.h"
#include "texture_types.h"

template <class _Tp, int dimensions = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct irgl_texture_reference : textureReference {
  irgl_texture_reference(int normalized_coordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                         enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : irgl_texture_reference(normalized_coordinates, filter, address, cudaCreateChannelDesc<_Tp>()) {}
  irgl_texture_reference(int normalized_coordinates, enum cudaTextureFilterMode filter,
                         enum cudaTextureAddressMode address, struct cudaChannelFormatDesc __desc)
      : textureReference{normalized_coordinates, filter, {address, address, address}, __desc, 0, 0, cudaFilterModePoint, 0, 0, 0, mode} {}
};

template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaBindTexture(size_t *__offset, const irgl_texture_reference<_Tp, d, m> &ref, const void *__p,
                            const struct cudaChannelFormatDesc &__desc, size_t __size = UINT_MAX) {
  return ::cudaBindTexture(__offset, static_cast<const textureReference *>(&ref), __p, &__desc, __size);
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaBindTexture(size_t *__offset, const irgl_texture_reference<_Tp, d, m> &ref, const void *__p,
                            size_t __size = UINT_MAX) {
  return cudaBindTexture(__offset, ref, __p, ref.channelDesc, __size);
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaBindTexture2D(size_t *__offset, const irgl_texture_reference<_Tp, d, m> &ref, const void *__p,
                              const struct cudaChannelFormatDesc &__desc, size_t __width, size_t __height, size_t pitch) {
  return ::cudaBindTexture2D(__offset, static_cast<const textureReference *>(&ref), __p, &__desc, __width, __height, pitch);
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaBindTexture2D(size_t *__offset, const irgl_texture_reference<_Tp, d, m> &ref, const void *__p, size_t __width,
                              size_t __height, size_t pitch) {
  return cudaBindTexture2D(__offset, ref, __p, ref.channelDesc, __width, __height, pitch);
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaBindTextureToArray(const irgl_texture_reference<_Tp, d, m> &ref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc &__desc) {
  return ::cudaBindTextureToArray(static_cast<const textureReference *>(&ref), array, &__desc);
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaBindTextureToArray(const irgl_texture_reference<_Tp, d, m> &ref, cudaArray_const_t array) {
  struct cudaChannelFormatDesc __desc;
  const cudaError_t e = ::cudaGetChannelDesc(&__desc, array);
  return e != cudaSuccess ? e : cudaBindTextureToArray(ref, array, __desc);
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaUnbindTexture(const irgl_texture_reference<_Tp, d, m> &ref) {
  return ::cudaUnbindTexture(static_cast<const textureReference *>(&ref));
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaGetTextureAlignmentOffset(size_t *__offset, const irgl_texture_reference<_Tp, d, m> &ref) {
  return ::cudaGetTextureAlignmentOffset(__offset, static_cast<const textureReference *>(&ref));
}
template <class _Tp, int d, enum cudaTextureReadMode m>
cudaError_t cudaGetTextureReference(const textureReference **ref, const irgl_texture_reference<_Tp, d, m> &symbol) {
  return ::cudaGetTextureReference(ref, static_cast<const void *>(&symbol));
}

#endif
