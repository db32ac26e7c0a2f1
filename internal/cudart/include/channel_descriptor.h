// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of texels, by type.
#ifndef IRGL_CHANNEL_DESCRIPTOR_H
#define IRGL_CHANNEL_DESCRIPTOR_H

#include <type_traits>

#include "cuda_runtime_api.h"

namespace irgl {
// channel describes texels of n channels of T.
template <class _Tp> struct cudaChannelFormatDesc channel(int __n) {
  const int bits = static_cast<int>(8 * sizeof(_Tp));
  return ::cudaCreateChannelDesc(bits, __n > 1 ? bits : 0, __n > 2 ? bits : 0, __n > 3 ? bits : 0,
                                 std::is_floating_point<_Tp>::value ? cudaChannelFormatKindFloat
                                 : std::is_signed<_Tp>::value       ? cudaChannelFormatKindSigned
                                                                  : cudaChannelFormatKindUnsigned);
}
// texel is for types that are one number, and has a specialisation for each vector type.
template <class _Tp, class = void> struct texel {
  static struct cudaChannelFormatDesc get() {
    return std::is_arithmetic<_Tp>::value && sizeof(_Tp) <= 4
               ? channel<_Tp>(1)
               : ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
  }
};
#define IRGL_X(name, type)                                                                                             \
  template <> struct texel<name##1> { static struct cudaChannelFormatDesc get() { return channel<type>(1); } };        \
  template <> struct texel<name##2> { static struct cudaChannelFormatDesc get() { return channel<type>(2); } };        \
  template <> struct texel<name##4> { static struct cudaChannelFormatDesc get() { return channel<type>(4); } };
IRGL_X(char, signed char)
IRGL_X(uchar, unsigned char)
IRGL_X(short, short)
IRGL_X(ushort, unsigned short)
IRGL_X(int, int)
IRGL_X(uint, unsigned int)
IRGL_X(float, float)
#undef IRGL_X
} // namespace irgl

template <class _Tp> struct cudaChannelFormatDesc cudaCreateChannelDesc() { return irgl::texel<_Tp>::get(); }
static inline struct cudaChannelFormatDesc cudaCreateChannelDescHalf(void) {
  return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

#endif
