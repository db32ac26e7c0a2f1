// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between floats of 16 bits and double or float.
#ifndef IRGL_SMALL_FLOATS_H
#define IRGL_SMALL_FLOATS_H

#include <cstdint>
#include <cstring>

namespace irgl {

// narrow rounds to a format of so many bits of exponent and fraction, to nearest, ties to even. A
// float becomes a double before, which is exact.
template <int Exponent, int Fraction> inline unsigned short narrow(double v) {
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  const unsigned sign = static_cast<unsigned>(u >> 63) << 15;
  constexpr int bias = (1 << (Exponent - 1)) - 1;
  constexpr unsigned infinite = ((1u << Exponent) - 1) << Fraction;
  const int e = static_cast<int>(u >> 52 & 0x7ff);
  const uint64_t m = (u & 0xfffffffffffff) | (e != 0 ? uint64_t{1} << 52 : 0);
  if (e == 0x7ff)
    return static_cast<unsigned short>((u & 0xfffffffffffff) != 0 ? 0x7fff : sign | infinite);
  // The exponent of the result, and how many bits of the fraction go; more where it is subnormal.
  int to = e - 1023 + bias, drop = 52 - Fraction;
  if (to <= 0) {
    drop += 1 - to;
    to = 0;
  }
  if (drop > 60)
    return static_cast<unsigned short>(sign);
  const uint64_t half = uint64_t{1} << (drop - 1), low = m & ((half << 1) - 1);
  uint64_t r = m >> drop;
  if (low > half || (low == half && (r & 1) != 0))
    r++;
  // The leading one adds to the exponent; a carry out of the fraction adds once more.
  r += to > 0 ? static_cast<uint64_t>(to - 1) << Fraction : 0;
  return static_cast<unsigned short>(sign | (r >= infinite ? infinite : r));
}

template <int Exponent, int Fraction> inline float widen(unsigned short h) {
  constexpr int bias = (1 << (Exponent - 1)) - 1;
  const int e = h >> Fraction & ((1 << Exponent) - 1);
  const int m = h & ((1 << Fraction) - 1);
  float f;
  if (e == (1 << Exponent) - 1)
    f = m != 0 ? __builtin_nanf("") : __builtin_inff();
  else if (e == 0)
    f = __builtin_ldexpf(static_cast<float>(m), 1 - bias - Fraction);
  else
    f = __builtin_ldexpf(static_cast<float>(m | 1 << Fraction), e - bias - Fraction);
  return (h & 0x8000) != 0 ? -f : f;
}

} // namespace irgl

#endif
