// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of <cmath> that builtins.h does not have: those for integers, in namespace
// std, and CUDA's overloads.
#pragma once

__device__ void __irgl_assert(bool) __attribute__((irgl_builtin("assert")));

__host__ __device__ constexpr float __builtin_inff() { return __builtin_bit_cast(float, 0x7f800000u); }
__host__ __device__ constexpr double __builtin_inf() { return __builtin_bit_cast(double, 0x7ff0000000000000ul); }
__host__ __device__ constexpr float __builtin_huge_valf() { return __builtin_inff(); }
__host__ __device__ constexpr double __builtin_huge_val() { return __builtin_inf(); }
__host__ __device__ constexpr float __builtin_nanf(const char *) { return __builtin_bit_cast(float, 0x7fc00000u); }
__host__ __device__ constexpr double __builtin_nan(const char *) { return __builtin_bit_cast(double, 0x7ff8000000000000ul); }
__host__ __device__ inline float nanf(const char *s) { return __builtin_nanf(s); }
__host__ __device__ inline double nan(const char *s) { return __builtin_nan(s); }

// The type of a function of <cmath> for an integer, and for two numbers of different types.
template <bool, typename> struct __irgl_when {};
template <typename T> struct __irgl_when<true, T> { typedef T type; };
template <typename T> using __irgl_of_integer = typename __irgl_when<__is_integral(T), double>::type;
template <typename T> struct __irgl_real { typedef double type; };
template <> struct __irgl_real<float> { typedef float type; };
template <typename T, typename U, bool> struct __irgl_mixed {};
template <typename T, typename U> struct __irgl_mixed<T, U, true> { typedef double type; };
template <typename T, typename U>
using __irgl_of_two = typename __irgl_mixed<T, U, __is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U)>::type;
template <typename T, typename U>
using __irgl_of_integers = typename __irgl_mixed<T, U, __is_integral(T) && __is_same(T, U)>::type;

template <typename T> __host__ __device__ inline __irgl_of_integer<T> sqrt(T x) { return sqrt((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> floor(T x) { return floor((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> ceil(T x) { return ceil((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> trunc(T x) { return trunc((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> round(T x) { return round((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> rint(T x) { return rint((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> fabs(T x) { return fabs((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> rsqrt(T x) { return rsqrt((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> exp(T x) { return exp((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> exp2(T x) { return exp2((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> log(T x) { return log((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> log2(T x) { return log2((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> log10(T x) { return log10((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> sin(T x) { return sin((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> cos(T x) { return cos((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> tan(T x) { return tan((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> expm1(T x) { return expm1((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> log1p(T x) { return log1p((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> asin(T x) { return asin((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> acos(T x) { return acos((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> atan(T x) { return atan((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> sinh(T x) { return sinh((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> cosh(T x) { return cosh((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> tanh(T x) { return tanh((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> asinh(T x) { return asinh((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> acosh(T x) { return acosh((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> atanh(T x) { return atanh((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> erf(T x) { return erf((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> erfc(T x) { return erfc((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> cbrt(T x) { return cbrt((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> tgamma(T x) { return tgamma((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> lgamma(T x) { return lgamma((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> logb(T x) { return logb((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> nearbyint(T x) { return nearbyint((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), bool>::type isnan(T x) { return isnan((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), bool>::type isinf(T x) { return isinf((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), bool>::type isfinite(T x) { return isfinite((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), bool>::type signbit(T x) { return signbit((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), bool>::type isnormal(T x) { return isnormal((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), int>::type ilogb(T x) { return ilogb((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), long>::type lround(T x) { return lround((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), long>::type lrint(T x) { return lrint((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), long long>::type llround(T x) { return llround((double)x); }
template <typename T> __host__ __device__ inline typename __irgl_when<__is_integral(T), long long>::type llrint(T x) { return llrint((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> ldexp(T x, int n) { return ldexp((double)x, n); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> scalbn(T x, int n) { return scalbn((double)x, n); }

template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> pow(T x, U y) { return pow((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type pow(T x, T y) { return pow((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> atan2(T x, U y) { return atan2((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type atan2(T x, T y) { return atan2((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> hypot(T x, U y) { return hypot((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type hypot(T x, T y) { return hypot((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fmin(T x, U y) { return fmin((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type fmin(T x, T y) { return fmin((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fmax(T x, U y) { return fmax((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type fmax(T x, T y) { return fmax((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fmod(T x, U y) { return fmod((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type fmod(T x, T y) { return fmod((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> copysign(T x, U y) { return copysign((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type copysign(T x, T y) { return copysign((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> remainder(T x, U y) { return remainder((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type remainder(T x, T y) { return remainder((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fdim(T x, U y) { return fdim((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type fdim(T x, T y) { return fdim((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> nextafter(T x, U y) { return nextafter((double)x, (double)y); }
template <typename T> __host__ __device__ inline typename __irgl_mixed<T, T, __is_integral(T)>::type nextafter(T x, T y) { return nextafter((double)x, (double)y); }
template <typename T, typename U, typename V>
__host__ __device__ inline typename __irgl_mixed<T, U, __is_arithmetic(T) && __is_arithmetic(U) && __is_arithmetic(V) && !(__is_same(T, U) && __is_same(U, V))>::type fma(T x, U y, V z) {
	return fma((double)x, (double)y, (double)z);
}

__host__ __device__ inline unsigned int min(int a, unsigned int b) { return min((unsigned int)a, (unsigned int)b); }
__host__ __device__ inline unsigned int min(unsigned int a, int b) { return min((unsigned int)a, (unsigned int)b); }
__host__ __device__ inline unsigned long min(long a, unsigned long b) { return min((unsigned long)a, (unsigned long)b); }
__host__ __device__ inline unsigned long min(unsigned long a, long b) { return min((unsigned long)a, (unsigned long)b); }
__host__ __device__ inline unsigned long long min(long long a, unsigned long long b) { return min((unsigned long long)a, (unsigned long long)b); }
__host__ __device__ inline unsigned long long min(unsigned long long a, long long b) { return min((unsigned long long)a, (unsigned long long)b); }
__host__ __device__ inline double min(float a, double b) { return min((double)a, (double)b); }
__host__ __device__ inline double min(double a, float b) { return min((double)a, (double)b); }
__host__ __device__ inline unsigned int max(int a, unsigned int b) { return max((unsigned int)a, (unsigned int)b); }
__host__ __device__ inline unsigned int max(unsigned int a, int b) { return max((unsigned int)a, (unsigned int)b); }
__host__ __device__ inline unsigned long max(long a, unsigned long b) { return max((unsigned long)a, (unsigned long)b); }
__host__ __device__ inline unsigned long max(unsigned long a, long b) { return max((unsigned long)a, (unsigned long)b); }
__host__ __device__ inline unsigned long long max(long long a, unsigned long long b) { return max((unsigned long long)a, (unsigned long long)b); }
__host__ __device__ inline unsigned long long max(unsigned long long a, long long b) { return max((unsigned long long)a, (unsigned long long)b); }
__host__ __device__ inline double max(float a, double b) { return max((double)a, (double)b); }
__host__ __device__ inline double max(double a, float b) { return max((double)a, (double)b); }

namespace std {
using ::sqrt;
using ::floor;
using ::ceil;
using ::trunc;
using ::round;
using ::rint;
using ::fabs;
using ::exp;
using ::exp2;
using ::log;
using ::log2;
using ::log10;
using ::sin;
using ::cos;
using ::tan;
using ::expm1;
using ::log1p;
using ::asin;
using ::acos;
using ::atan;
using ::sinh;
using ::cosh;
using ::tanh;
using ::asinh;
using ::acosh;
using ::atanh;
using ::erf;
using ::erfc;
using ::cbrt;
using ::tgamma;
using ::lgamma;
using ::logb;
using ::nearbyint;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::signbit;
using ::isnormal;
using ::ilogb;
using ::lround;
using ::lrint;
using ::llround;
using ::llrint;
using ::ldexp;
using ::scalbn;
using ::scalbln;
using ::frexp;
using ::modf;
using ::remquo;
using ::abs;
using ::fma;
using ::pow;
using ::atan2;
using ::hypot;
using ::fmin;
using ::fmax;
using ::fmod;
using ::copysign;
using ::remainder;
using ::fdim;
using ::nextafter;
using ::nanf;
using ::nan;
using ::sqrtf;
using ::expf;
using ::logf;
using ::sinf;
using ::cosf;
using ::powf;
using ::fabsf;
using ::floorf;
using ::ceilf;
using ::fminf;
using ::fmaxf;
using ::fmodf;
using ::tanf;
using ::atan2f;
using ::tanhf;
using ::exp2f;
using ::log2f;
using ::log10f;
using ::roundf;
using ::truncf;
using ::rintf;
using ::cbrtf;
using ::hypotf;
using ::fmaf;
using ::erff;
using ::erfcf;
using ::expm1f;
using ::log1pf;
using ::asinf;
using ::acosf;
using ::atanf;
using ::sinhf;
using ::coshf;
using ::asinhf;
using ::acoshf;
using ::atanhf;
using ::tgammaf;
using ::lgammaf;
using ::copysignf;
using ::remainderf;
using ::fdimf;
using ::nearbyintf;
using ::nextafterf;
using ::logbf;
}
