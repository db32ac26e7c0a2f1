// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function objects of thrust, for both sides.
#pragma once

namespace thrust {
#define IRGL_BINARY(name, result, expression)                                                                         \
	template <typename T = void> struct name {                                                                        \
		typedef T first_argument_type;                                                                                \
		typedef T second_argument_type;                                                                               \
		typedef result result_type;                                                                                   \
		constexpr __host__ __device__ result operator()(const T &a, const T &b) const { return expression; }          \
	};                                                                                                                \
	template <> struct name<void> {                                                                                   \
		template <typename A, typename B> constexpr __host__ __device__ auto operator()(const A &a, const B &b) const { return expression; } \
	};
IRGL_BINARY(plus, T, a + b)
IRGL_BINARY(minus, T, a - b)
IRGL_BINARY(multiplies, T, a * b)
IRGL_BINARY(divides, T, a / b)
IRGL_BINARY(modulus, T, a % b)
IRGL_BINARY(bit_and, T, a & b)
IRGL_BINARY(bit_or, T, a | b)
IRGL_BINARY(bit_xor, T, a ^ b)
IRGL_BINARY(equal_to, bool, a == b)
IRGL_BINARY(not_equal_to, bool, a != b)
IRGL_BINARY(greater, bool, a > b)
IRGL_BINARY(less, bool, a < b)
IRGL_BINARY(greater_equal, bool, a >= b)
IRGL_BINARY(less_equal, bool, a <= b)
IRGL_BINARY(logical_and, bool, a && b)
IRGL_BINARY(logical_or, bool, a || b)
IRGL_BINARY(maximum, T, a < b ? b : a)
IRGL_BINARY(minimum, T, b < a ? b : a)
#undef IRGL_BINARY

#define IRGL_UNARY(name, result, expression)                                                       \
	template <typename T = void> struct name {                                                     \
		typedef T argument_type;                                                                   \
		typedef result result_type;                                                                \
		constexpr __host__ __device__ result operator()(const T &a) const { return expression; }   \
	};
IRGL_UNARY(negate, T, -a)
IRGL_UNARY(logical_not, bool, !a)
IRGL_UNARY(identity, T, a)
IRGL_UNARY(square, T, a *a)
#undef IRGL_UNARY
}
