// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that the parts of cub share.
#pragma once

#include <cub/irgl.cuh>
#include <string.h>

namespace cub {
struct NullType {};

template <typename K, typename V> struct KeyValuePair {
	typedef K Key;
	typedef V Value;
	Key key;
	Value value;
	__host__ __device__ KeyValuePair() {}
	__host__ __device__ KeyValuePair(K const &k, V const &v) : key(k), value(v) {}
	__host__ __device__ bool operator!=(const KeyValuePair &o) const { return value != o.value || key != o.key; }
};

// The pair with the larger, or smaller, value; of equal ones that with the lower key.
struct ArgMax {
	template <typename P> __host__ __device__ P operator()(const P &a, const P &b) const {
		return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
	}
};
struct ArgMin {
	template <typename P> __host__ __device__ P operator()(const P &a, const P &b) const {
		return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
	}
};

// Two buffers, of which one is current.
template <typename T> struct DoubleBuffer {
	T *d_buffers[2];
	int selector;
	__host__ __device__ DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
	__host__ __device__ DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0) {}
	__host__ __device__ T *Current() { return d_buffers[selector]; }
	__host__ __device__ T *Alternate() { return d_buffers[selector ^ 1]; }
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

template <int bytes> struct __irgl_bits;
template <> struct __irgl_bits<1> { typedef unsigned char type; };
template <> struct __irgl_bits<2> { typedef unsigned short type; };
template <> struct __irgl_bits<4> { typedef unsigned int type; };
template <> struct __irgl_bits<8> { typedef unsigned long long type; };

// The bits of a number as an unsigned one: TwiddleIn makes their order that of the numbers.
template <typename T> struct Traits {
	static constexpr bool __irgl_float = !std::is_integral<T>::value;
	static constexpr Category CATEGORY = __irgl_float ? FLOATING_POINT : T(-1) < T(0) ? SIGNED_INTEGER : UNSIGNED_INTEGER;
	typedef typename __irgl_bits<sizeof(T)>::type UnsignedBits;
	static constexpr UnsignedBits __irgl_high = UnsignedBits(UnsignedBits(1) << (sizeof(T) * 8 - 1));
	static __host__ __device__ UnsignedBits TwiddleIn(UnsignedBits key) {
		if (CATEGORY == UNSIGNED_INTEGER) return key;
		if (CATEGORY == SIGNED_INTEGER) return UnsignedBits(key ^ __irgl_high);
		return UnsignedBits(key ^ (key & __irgl_high ? UnsignedBits(-1) : __irgl_high));
	}
	static __host__ __device__ UnsignedBits TwiddleOut(UnsignedBits key) {
		if (CATEGORY == UNSIGNED_INTEGER) return key;
		if (CATEGORY == SIGNED_INTEGER) return UnsignedBits(key ^ __irgl_high);
		return UnsignedBits(key ^ (key & __irgl_high ? __irgl_high : UnsignedBits(-1)));
	}
};
}
