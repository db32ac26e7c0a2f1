// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and offsets of the structs of the driver's interface, and numbers that are the runtime's or ours, too, as cuda.h of
// CUDA 13.0 has them for systems of 64 bits: a test compiles these lines against that file, driver_api.h against its
// own structs.
#ifndef IRGL_RUNTIME_DRIVER_LAYOUTS_H
#define IRGL_RUNTIME_DRIVER_LAYOUTS_H

// S(ours, CUDA's, bytes) and F(ours, field, CUDA's, field, offset).
#define IRGL_LAYOUTS(S, F)                                                                         \
  S(Copy3D, CUDA_MEMCPY3D, 200)                                                                    \
  F(Copy3D, src_type, CUDA_MEMCPY3D, srcMemoryType, 32)                                            \
  F(Copy3D, src_host, CUDA_MEMCPY3D, srcHost, 40)                                                  \
  F(Copy3D, src_array, CUDA_MEMCPY3D, srcArray, 56)                                                \
  F(Copy3D, src_height, CUDA_MEMCPY3D, srcHeight, 80)                                              \
  F(Copy3D, dst_x, CUDA_MEMCPY3D, dstXInBytes, 88)                                                 \
  F(Copy3D, dst_device, CUDA_MEMCPY3D, dstDevice, 136)                                             \
  F(Copy3D, dst_array, CUDA_MEMCPY3D, dstArray, 144)                                               \
  F(Copy3D, width, CUDA_MEMCPY3D, WidthInBytes, 176)                                               \
  F(Copy3D, depth, CUDA_MEMCPY3D, Depth, 192)                                                      \
  S(ArrayDescriptor, CUDA_ARRAY3D_DESCRIPTOR, 40)                                                  \
  F(ArrayDescriptor, depth, CUDA_ARRAY3D_DESCRIPTOR, Depth, 16)                                    \
  F(ArrayDescriptor, format, CUDA_ARRAY3D_DESCRIPTOR, Format, 24)                                  \
  F(ArrayDescriptor, channels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels, 28)                           \
  F(ArrayDescriptor, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags, 32)                                    \
  S(ResourceDescriptor, CUDA_RESOURCE_DESC, 144)                                                   \
  F(ResourceDescriptor, array, CUDA_RESOURCE_DESC, res.array.hArray, 8)                            \
  F(ResourceDescriptor, memory.at, CUDA_RESOURCE_DESC, res.linear.devPtr, 8)                       \
  F(ResourceDescriptor, memory.format, CUDA_RESOURCE_DESC, res.linear.format, 16)                  \
  F(ResourceDescriptor, memory.channels, CUDA_RESOURCE_DESC, res.linear.numChannels, 20)           \
  F(ResourceDescriptor, memory.width, CUDA_RESOURCE_DESC, res.linear.sizeInBytes, 24)              \
  F(ResourceDescriptor, memory.at, CUDA_RESOURCE_DESC, res.pitch2D.devPtr, 8)                      \
  F(ResourceDescriptor, memory.format, CUDA_RESOURCE_DESC, res.pitch2D.format, 16)                 \
  F(ResourceDescriptor, memory.channels, CUDA_RESOURCE_DESC, res.pitch2D.numChannels, 20)          \
  F(ResourceDescriptor, memory.width, CUDA_RESOURCE_DESC, res.pitch2D.width, 24)                   \
  F(ResourceDescriptor, memory.height, CUDA_RESOURCE_DESC, res.pitch2D.height, 32)                 \
  F(ResourceDescriptor, memory.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes, 40)            \
  F(ResourceDescriptor, flags, CUDA_RESOURCE_DESC, flags, 136)                                     \
  S(TextureDescriptor, CUDA_TEXTURE_DESC, 104)                                                     \
  F(TextureDescriptor, filter, CUDA_TEXTURE_DESC, filterMode, 12)                                  \
  F(TextureDescriptor, flags, CUDA_TEXTURE_DESC, flags, 16)                                        \
  F(TextureDescriptor, anisotropy, CUDA_TEXTURE_DESC, maxAnisotropy, 20)                           \
  F(TextureDescriptor, mipmap_filter, CUDA_TEXTURE_DESC, mipmapFilterMode, 24)                     \
  F(TextureDescriptor, bias, CUDA_TEXTURE_DESC, mipmapLevelBias, 28)                               \
  F(TextureDescriptor, border, CUDA_TEXTURE_DESC, borderColor, 40)                                 \
  F(TextureDescriptor, reserved, CUDA_TEXTURE_DESC, reserved, 56)                                  \
  S(LaunchAttribute, CUlaunchAttribute, 72)                                                        \
  F(LaunchAttribute, value, CUlaunchAttribute, value, 8)                                           \
  S(LaunchConfig, CUlaunchConfig, 56)                                                              \
  F(LaunchConfig, stream, CUlaunchConfig, hStream, 32)                                             \
  F(LaunchConfig, count, CUlaunchConfig, numAttrs, 48)

// V(ours, CUDA's, value).
#define IRGL_VALUES(V)                                                                             \
  V(kHost, CU_MEMORYTYPE_HOST, 1)                                                                  \
  V(kDevice, CU_MEMORYTYPE_DEVICE, 2)                                                              \
  V(kArray, CU_MEMORYTYPE_ARRAY, 3)                                                                \
  V(kFormats[cudaChannelFormatKindSigned][0], CU_AD_FORMAT_SIGNED_INT8, 8)                         \
  V(kFormats[cudaChannelFormatKindSigned][1], CU_AD_FORMAT_SIGNED_INT16, 9)                        \
  V(kFormats[cudaChannelFormatKindSigned][2], CU_AD_FORMAT_SIGNED_INT32, 10)                       \
  V(kFormats[cudaChannelFormatKindUnsigned][0], CU_AD_FORMAT_UNSIGNED_INT8, 1)                     \
  V(kFormats[cudaChannelFormatKindUnsigned][1], CU_AD_FORMAT_UNSIGNED_INT16, 2)                    \
  V(kFormats[cudaChannelFormatKindUnsigned][2], CU_AD_FORMAT_UNSIGNED_INT32, 3)                    \
  V(kFormats[cudaChannelFormatKindFloat][1], CU_AD_FORMAT_HALF, 16)                                \
  V(kFormats[cudaChannelFormatKindFloat][2], CU_AD_FORMAT_FLOAT, 32)                               \
  V(cudaArrayLayered, CUDA_ARRAY3D_LAYERED, 1)                                                     \
  V(cudaArraySurfaceLoadStore, CUDA_ARRAY3D_SURFACE_LDST, 2)                                       \
  V(cudaArrayCubemap, CUDA_ARRAY3D_CUBEMAP, 4)                                                     \
  V(cudaArrayTextureGather, CUDA_ARRAY3D_TEXTURE_GATHER, 8)                                        \
  V(cudaResourceTypeArray, CU_RESOURCE_TYPE_ARRAY, 0)                                              \
  V(cudaResourceTypeLinear, CU_RESOURCE_TYPE_LINEAR, 2)                                            \
  V(cudaResourceTypePitch2D, CU_RESOURCE_TYPE_PITCH2D, 3)                                          \
  V(cudaAddressModeWrap, CU_TR_ADDRESS_MODE_WRAP, 0)                                               \
  V(cudaAddressModeClamp, CU_TR_ADDRESS_MODE_CLAMP, 1)                                             \
  V(cudaAddressModeMirror, CU_TR_ADDRESS_MODE_MIRROR, 2)                                           \
  V(cudaAddressModeBorder, CU_TR_ADDRESS_MODE_BORDER, 3)                                           \
  V(cudaFilterModePoint, CU_TR_FILTER_MODE_POINT, 0)                                               \
  V(cudaFilterModeLinear, CU_TR_FILTER_MODE_LINEAR, 1)                                             \
  V(kReadAsInteger, CU_TRSF_READ_AS_INTEGER, 1)                                                    \
  V(kNormalizedCoordinates, CU_TRSF_NORMALIZED_COORDINATES, 2)                                     \
  V(kCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                                              \
  V(kCluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)

#endif
