// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrust::complex: complex numbers for both sides.
#pragma once

#include <cmath>
#include <type_traits>

namespace thrust {
template <typename T> struct complex {
	typedef T value_type;
	T x, y;

	constexpr __host__ __device__ complex(const T &re = T(), const T &im = T()) : x(re), y(im) {}
	complex(const complex &) = default;
	template <typename U> constexpr __host__ __device__ complex(const complex<U> &z) : x((T)z.x), y((T)z.y) {}
	complex &operator=(const complex &) = default;
	__host__ __device__ complex &operator=(const T &re) {
		x = re;
		y = T();
		return *this;
	}
	constexpr __host__ __device__ T real() const { return x; }
	constexpr __host__ __device__ T imag() const { return y; }
	__host__ __device__ void real(T re) { x = re; }
	__host__ __device__ void imag(T im) { y = im; }

	__host__ __device__ complex &operator+=(const complex &z) { return *this = *this + z; }
	__host__ __device__ complex &operator-=(const complex &z) { return *this = *this - z; }
	__host__ __device__ complex &operator*=(const complex &z) { return *this = *this * z; }
	__host__ __device__ complex &operator/=(const complex &z) { return *this = *this / z; }

	friend __host__ __device__ complex operator+(const complex &a, const complex &b) { return complex(a.x + b.x, a.y + b.y); }
	friend __host__ __device__ complex operator-(const complex &a, const complex &b) { return complex(a.x - b.x, a.y - b.y); }
	friend __host__ __device__ complex operator*(const complex &a, const complex &b) { return complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
	// The divisor is scaled, so that its square neither overflows nor vanishes.
	friend __host__ __device__ complex operator/(const complex &a, const complex &b) {
		T s = std::fabs(b.x) + std::fabs(b.y), r = T(1) / s;
		T ax = a.x * r, ay = a.y * r, bx = b.x * r, by = b.y * r, n = T(1) / (bx * bx + by * by);
		return complex((ax * bx + ay * by) * n, (ay * bx - ax * by) * n);
	}
	friend __host__ __device__ complex operator+(const complex &a, const T &b) { return complex(a.x + b, a.y); }
	friend __host__ __device__ complex operator-(const complex &a, const T &b) { return complex(a.x - b, a.y); }
	friend __host__ __device__ complex operator*(const complex &a, const T &b) { return complex(a.x * b, a.y * b); }
	friend __host__ __device__ complex operator/(const complex &a, const T &b) { return complex(a.x / b, a.y / b); }
	friend __host__ __device__ complex operator+(const T &a, const complex &b) { return complex(a + b.x, b.y); }
	friend __host__ __device__ complex operator-(const T &a, const complex &b) { return complex(a - b.x, -b.y); }
	friend __host__ __device__ complex operator*(const T &a, const complex &b) { return complex(a * b.x, a * b.y); }
	friend __host__ __device__ complex operator/(const T &a, const complex &b) { return complex(a) / b; }
	friend __host__ __device__ complex operator+(const complex &a) { return a; }
	friend __host__ __device__ complex operator-(const complex &a) { return complex(-a.x, -a.y); }
	friend __host__ __device__ bool operator==(const complex &a, const complex &b) { return a.x == b.x && a.y == b.y; }
	friend __host__ __device__ bool operator!=(const complex &a, const complex &b) { return !(a == b); }
	friend __host__ __device__ bool operator==(const complex &a, const T &b) { return a.x == b && a.y == T(); }
	friend __host__ __device__ bool operator!=(const complex &a, const T &b) { return !(a == b); }
};

template <typename T> __host__ __device__ inline T abs(const complex<T> &z) { return std::hypot(z.x, z.y); }
template <typename T> __host__ __device__ inline T arg(const complex<T> &z) { return std::atan2(z.y, z.x); }
template <typename T> __host__ __device__ inline T norm(const complex<T> &z) { return z.x * z.x + z.y * z.y; }
template <typename T> __host__ __device__ inline complex<T> conj(const complex<T> &z) { return complex<T>(z.x, -z.y); }
template <typename T> __host__ __device__ inline complex<T> polar(const T &r, const T &angle = T()) { return complex<T>(r * std::cos(angle), r * std::sin(angle)); }
template <typename T> __host__ __device__ inline complex<T> exp(const complex<T> &z) { return polar<T>(std::exp(z.x), z.y); }
template <typename T> __host__ __device__ inline complex<T> log(const complex<T> &z) { return complex<T>(std::log(abs(z)), arg(z)); }
template <typename T> __host__ __device__ inline complex<T> sqrt(const complex<T> &z) { return polar<T>(std::sqrt(abs(z)), arg(z) / T(2)); }
template <typename T> __host__ __device__ inline complex<T> pow(const complex<T> &z, const complex<T> &e) { return exp(log(z) * e); }
template <typename T> __host__ __device__ inline complex<T> pow(const complex<T> &z, const T &e) { return exp(log(z) * e); }
template <typename T> __host__ __device__ inline complex<T> sin(const complex<T> &z) { return complex<T>(std::sin(z.x) * std::cosh(z.y), std::cos(z.x) * std::sinh(z.y)); }
template <typename T> __host__ __device__ inline complex<T> cos(const complex<T> &z) { return complex<T>(std::cos(z.x) * std::cosh(z.y), -std::sin(z.x) * std::sinh(z.y)); }
}
