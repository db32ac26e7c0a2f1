// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture references, as host code has them: variables texture<T, dimensions, read mode> of a
// file, with fields that binding takes. Their address is that of the device's variable.
#ifndef IRGL_TEXTURE_TYPES_H
#define IRGL_TEXTURE_TYPES_H

#include "driver_types.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC

struct textureReference {
  int normalized;
  enum cudaTextureFilterMode filterMode;
  enum cudaTextureAddressMode addressMode[3];
  struct cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  enum cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias;
  float minMipmapLevelClamp;
  float maxMipmapLevelClamp;
  enum cudaTextureReadMode irgl_read_mode;
};

extern "C" {
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *ref, const void *p,
                            const struct cudaChannelFormatDesc *desc, size_t size);
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *ref, const void *p,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *ref, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *ref);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *ref);
cudaError_t cudaGetTextureReference(const struct textureReference **ref, const void *symbol);
}

#endif
