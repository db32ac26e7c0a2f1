// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of <cmath> that builtins.h does not have: those for integers, in namespace
// std, and CUDA's overloads; and those of <string.h>. Lines are as in irgl/types.h.
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

// GNU's names of functions of C and of integers, those that nvcc has in device code.
__host__ __device__ int __builtin_popcount(unsigned int) __attribute__((irgl_builtin("__popc")));
__host__ __device__ int __builtin_popcountll(unsigned long long) __attribute__((irgl_builtin("__popcll")));
__host__ __device__ int __builtin_clz(unsigned int) __attribute__((irgl_builtin("__clz")));
__host__ __device__ int __builtin_clzll(unsigned long long) __attribute__((irgl_builtin("__clzll")));
__host__ __device__ int __builtin_ffs(int) __attribute__((irgl_builtin("__ffs")));
__host__ __device__ int __builtin_ffsll(long long) __attribute__((irgl_builtin("__ffsll")));
__host__ __device__ int __builtin_abs(int) __attribute__((irgl_builtin("abs")));
__host__ __device__ long __builtin_labs(long) __attribute__((irgl_builtin("labs")));
__host__ __device__ long long __builtin_llabs(long long) __attribute__((irgl_builtin("llabs")));
__host__ __device__ int __builtin_isnan(float) __attribute__((irgl_builtin("isnan")));
__host__ __device__ int __builtin_isnan(double) __attribute__((irgl_builtin("isnan")));
__host__ __device__ int __builtin_isinf(float) __attribute__((irgl_builtin("isinf")));
__host__ __device__ int __builtin_isinf(double) __attribute__((irgl_builtin("isinf")));
__host__ __device__ int __builtin_isfinite(float) __attribute__((irgl_builtin("isfinite")));
__host__ __device__ int __builtin_isfinite(double) __attribute__((irgl_builtin("isfinite")));
__host__ __device__ int __builtin_signbit(float) __attribute__((irgl_builtin("signbit")));
__host__ __device__ int __builtin_signbit(double) __attribute__((irgl_builtin("signbit")));
__host__ __device__ void *__builtin_memcpy(void *, const void *, unsigned long) __attribute__((irgl_builtin("memcpy")));
__host__ __device__ void *__builtin_memmove(void *, const void *, unsigned long) __attribute__((irgl_builtin("memmove")));
__host__ __device__ void *__builtin_memset(void *, int, unsigned long) __attribute__((irgl_builtin("memset")));
__host__ __device__ double __builtin_sqrt(double) __attribute__((irgl_builtin("sqrt")));
__host__ __device__ float __builtin_sqrtf(float) __attribute__((irgl_builtin("sqrtf")));
__host__ __device__ double __builtin_fabs(double) __attribute__((irgl_builtin("fabs")));
__host__ __device__ float __builtin_fabsf(float) __attribute__((irgl_builtin("fabsf")));
__host__ __device__ double __builtin_exp(double) __attribute__((irgl_builtin("exp")));
__host__ __device__ float __builtin_expf(float) __attribute__((irgl_builtin("expf")));
__host__ __device__ double __builtin_exp2(double) __attribute__((irgl_builtin("exp2")));
__host__ __device__ float __builtin_exp2f(float) __attribute__((irgl_builtin("exp2f")));
__host__ __device__ double __builtin_log(double) __attribute__((irgl_builtin("log")));
__host__ __device__ float __builtin_logf(float) __attribute__((irgl_builtin("logf")));
__host__ __device__ double __builtin_log2(double) __attribute__((irgl_builtin("log2")));
__host__ __device__ float __builtin_log2f(float) __attribute__((irgl_builtin("log2f")));
__host__ __device__ double __builtin_log10(double) __attribute__((irgl_builtin("log10")));
__host__ __device__ float __builtin_log10f(float) __attribute__((irgl_builtin("log10f")));
__host__ __device__ double __builtin_floor(double) __attribute__((irgl_builtin("floor")));
__host__ __device__ float __builtin_floorf(float) __attribute__((irgl_builtin("floorf")));
__host__ __device__ double __builtin_ceil(double) __attribute__((irgl_builtin("ceil")));
__host__ __device__ float __builtin_ceilf(float) __attribute__((irgl_builtin("ceilf")));
__host__ __device__ double __builtin_trunc(double) __attribute__((irgl_builtin("trunc")));
__host__ __device__ float __builtin_truncf(float) __attribute__((irgl_builtin("truncf")));
__host__ __device__ double __builtin_round(double) __attribute__((irgl_builtin("round")));
__host__ __device__ float __builtin_roundf(float) __attribute__((irgl_builtin("roundf")));
__host__ __device__ double __builtin_rint(double) __attribute__((irgl_builtin("rint")));
__host__ __device__ float __builtin_rintf(float) __attribute__((irgl_builtin("rintf")));
__host__ __device__ double __builtin_sin(double) __attribute__((irgl_builtin("sin")));
__host__ __device__ float __builtin_sinf(float) __attribute__((irgl_builtin("sinf")));
__host__ __device__ double __builtin_cos(double) __attribute__((irgl_builtin("cos")));
__host__ __device__ float __builtin_cosf(float) __attribute__((irgl_builtin("cosf")));
__host__ __device__ double __builtin_tan(double) __attribute__((irgl_builtin("tan")));
__host__ __device__ float __builtin_tanf(float) __attribute__((irgl_builtin("tanf")));
__host__ __device__ double __builtin_sinh(double) __attribute__((irgl_builtin("sinh")));
__host__ __device__ float __builtin_sinhf(float) __attribute__((irgl_builtin("sinhf")));
__host__ __device__ double __builtin_cosh(double) __attribute__((irgl_builtin("cosh")));
__host__ __device__ float __builtin_coshf(float) __attribute__((irgl_builtin("coshf")));
__host__ __device__ double __builtin_tanh(double) __attribute__((irgl_builtin("tanh")));
__host__ __device__ float __builtin_tanhf(float) __attribute__((irgl_builtin("tanhf")));
__host__ __device__ double __builtin_asin(double) __attribute__((irgl_builtin("asin")));
__host__ __device__ float __builtin_asinf(float) __attribute__((irgl_builtin("asinf")));
__host__ __device__ double __builtin_acos(double) __attribute__((irgl_builtin("acos")));
__host__ __device__ float __builtin_acosf(float) __attribute__((irgl_builtin("acosf")));
__host__ __device__ double __builtin_atan(double) __attribute__((irgl_builtin("atan")));
__host__ __device__ float __builtin_atanf(float) __attribute__((irgl_builtin("atanf")));
__host__ __device__ double __builtin_cbrt(double) __attribute__((irgl_builtin("cbrt")));
__host__ __device__ float __builtin_cbrtf(float) __attribute__((irgl_builtin("cbrtf")));
__host__ __device__ double __builtin_fmin(double, double) __attribute__((irgl_builtin("fmin")));
__host__ __device__ float __builtin_fminf(float, float) __attribute__((irgl_builtin("fminf")));
__host__ __device__ double __builtin_fmax(double, double) __attribute__((irgl_builtin("fmax")));
__host__ __device__ float __builtin_fmaxf(float, float) __attribute__((irgl_builtin("fmaxf")));
__host__ __device__ double __builtin_pow(double, double) __attribute__((irgl_builtin("pow")));
__host__ __device__ float __builtin_powf(float, float) __attribute__((irgl_builtin("powf")));
__host__ __device__ double __builtin_atan2(double, double) __attribute__((irgl_builtin("atan2")));
__host__ __device__ float __builtin_atan2f(float, float) __attribute__((irgl_builtin("atan2f")));
__host__ __device__ double __builtin_fmod(double, double) __attribute__((irgl_builtin("fmod")));
__host__ __device__ float __builtin_fmodf(float, float) __attribute__((irgl_builtin("fmodf")));
__host__ __device__ double __builtin_copysign(double, double) __attribute__((irgl_builtin("copysign")));
__host__ __device__ float __builtin_copysignf(float, float) __attribute__((irgl_builtin("copysignf")));
__host__ __device__ double __builtin_hypot(double, double) __attribute__((irgl_builtin("hypot")));
__host__ __device__ float __builtin_hypotf(float, float) __attribute__((irgl_builtin("hypotf")));
__host__ __device__ double __builtin_fma(double, double, double) __attribute__((irgl_builtin("fma")));
__host__ __device__ float __builtin_fmaf(float, float, float) __attribute__((irgl_builtin("fmaf")));

// The type of a function of <cmath> for an integer, and for two numbers of different types.
template <bool, typename> struct __irgl_when {}; // __irgl_when
template <typename T> struct __irgl_when<true, T> { typedef T type; }; // __irgl_when
template <typename T> using __irgl_of_integer = typename __irgl_when<__is_integral(T), double>::type; // __irgl_of_integer
template <typename T, typename U, bool> struct __irgl_mixed {}; // __irgl_mixed
template <typename T, typename U> struct __irgl_mixed<T, U, true> { typedef double type; }; // __irgl_mixed
template <typename T, typename U> using __irgl_of_two = typename __irgl_mixed<T, U, __is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U)>::type; // __irgl_of_two
template <typename T> using __irgl_same_integers = typename __irgl_mixed<T, T, __is_integral(T)>::type; // __irgl_same_integers
template <typename T, typename R> using __irgl_if_integer = typename __irgl_when<__is_integral(T), R>::type; // __irgl_if_integer
template <typename T, typename U, typename V> using __irgl_of_three = typename __irgl_mixed<T, U, __is_arithmetic(T) && __is_arithmetic(U) && __is_arithmetic(V) && !(__is_same(T, U) && __is_same(U, V))>::type; // __irgl_of_three

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
template <typename T> __host__ __device__ inline __irgl_if_integer<T, bool> isnan(T x) { return isnan((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, bool> isinf(T x) { return isinf((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, bool> isfinite(T x) { return isfinite((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, bool> signbit(T x) { return signbit((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, bool> isnormal(T x) { return isnormal((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, int> ilogb(T x) { return ilogb((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, long> lround(T x) { return lround((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, long> lrint(T x) { return lrint((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, long long> llround(T x) { return llround((double)x); }
template <typename T> __host__ __device__ inline __irgl_if_integer<T, long long> llrint(T x) { return llrint((double)x); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> ldexp(T x, int n) { return ldexp((double)x, n); }
template <typename T> __host__ __device__ inline __irgl_of_integer<T> scalbn(T x, int n) { return scalbn((double)x, n); }

template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> pow(T x, U y) { return pow((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> pow(T x, T y) { return pow((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> atan2(T x, U y) { return atan2((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> atan2(T x, T y) { return atan2((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> hypot(T x, U y) { return hypot((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> hypot(T x, T y) { return hypot((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fmin(T x, U y) { return fmin((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> fmin(T x, T y) { return fmin((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fmax(T x, U y) { return fmax((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> fmax(T x, T y) { return fmax((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fmod(T x, U y) { return fmod((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> fmod(T x, T y) { return fmod((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> copysign(T x, U y) { return copysign((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> copysign(T x, T y) { return copysign((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> remainder(T x, U y) { return remainder((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> remainder(T x, T y) { return remainder((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> fdim(T x, U y) { return fdim((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> fdim(T x, T y) { return fdim((double)x, (double)y); }
template <typename T, typename U> __host__ __device__ inline __irgl_of_two<T, U> nextafter(T x, U y) { return nextafter((double)x, (double)y); }
template <typename T> __host__ __device__ inline __irgl_same_integers<T> nextafter(T x, T y) { return nextafter((double)x, (double)y); }
template <typename T, typename U, typename V> __host__ __device__ inline __irgl_of_three<T, U, V> fma(T x, U y, V z) { return fma((double)x, (double)y, (double)z); }

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

__host__ __device__ inline size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
__host__ __device__ inline int strcmp(const char *s, const char *t) { while (*s && *s == *t) s++, t++; return (unsigned char)*s - (unsigned char)*t; }
__host__ __device__ inline int strncmp(const char *s, const char *t, size_t n) { for (; n > 0 && *s == *t; n--, s++, t++) if (!*s) return 0; return n > 0 ? (unsigned char)*s - (unsigned char)*t : 0; }
__host__ __device__ inline char *strcpy(char *to, const char *from) { for (size_t i = 0; (to[i] = from[i]); i++) {} return to; }
__host__ __device__ inline char *strncpy(char *to, const char *from, size_t n) { bool end = false; for (size_t i = 0; i < n; i++) { end = end || !from[i]; to[i] = end ? 0 : from[i]; } return to; }
__host__ __device__ inline int memcmp(const void *p, const void *q, size_t n) { const unsigned char *a = (const unsigned char *)p, *b = (const unsigned char *)q; for (size_t i = 0; i < n; i++) if (a[i] != b[i]) return a[i] - b[i]; return 0; }

namespace std { using ::sqrt; }
namespace std { using ::floor; }
namespace std { using ::ceil; }
namespace std { using ::trunc; }
namespace std { using ::round; }
namespace std { using ::rint; }
namespace std { using ::fabs; }
namespace std { using ::exp; }
namespace std { using ::exp2; }
namespace std { using ::log; }
namespace std { using ::log2; }
namespace std { using ::log10; }
namespace std { using ::sin; }
namespace std { using ::cos; }
namespace std { using ::tan; }
namespace std { using ::expm1; }
namespace std { using ::log1p; }
namespace std { using ::asin; }
namespace std { using ::acos; }
namespace std { using ::atan; }
namespace std { using ::sinh; }
namespace std { using ::cosh; }
namespace std { using ::tanh; }
namespace std { using ::asinh; }
namespace std { using ::acosh; }
namespace std { using ::atanh; }
namespace std { using ::erf; }
namespace std { using ::erfc; }
namespace std { using ::cbrt; }
namespace std { using ::tgamma; }
namespace std { using ::lgamma; }
namespace std { using ::logb; }
namespace std { using ::nearbyint; }
namespace std { using ::isnan; }
namespace std { using ::isinf; }
namespace std { using ::isfinite; }
namespace std { using ::signbit; }
namespace std { using ::isnormal; }
namespace std { using ::ilogb; }
namespace std { using ::lround; }
namespace std { using ::lrint; }
namespace std { using ::llround; }
namespace std { using ::llrint; }
namespace std { using ::ldexp; }
namespace std { using ::scalbn; }
namespace std { using ::scalbln; }
namespace std { using ::frexp; }
namespace std { using ::modf; }
namespace std { using ::remquo; }
namespace std { using ::abs; }
namespace std { using ::fma; }
namespace std { using ::pow; }
namespace std { using ::atan2; }
namespace std { using ::hypot; }
namespace std { using ::fmin; }
namespace std { using ::fmax; }
namespace std { using ::fmod; }
namespace std { using ::copysign; }
namespace std { using ::remainder; }
namespace std { using ::fdim; }
namespace std { using ::nextafter; }
namespace std { using ::nanf; }
namespace std { using ::nan; }
namespace std { using ::sqrtf; }
namespace std { using ::expf; }
namespace std { using ::logf; }
namespace std { using ::sinf; }
namespace std { using ::cosf; }
namespace std { using ::powf; }
namespace std { using ::fabsf; }
namespace std { using ::floorf; }
namespace std { using ::ceilf; }
namespace std { using ::fminf; }
namespace std { using ::fmaxf; }
namespace std { using ::fmodf; }
namespace std { using ::tanf; }
namespace std { using ::atan2f; }
namespace std { using ::tanhf; }
namespace std { using ::exp2f; }
namespace std { using ::log2f; }
namespace std { using ::log10f; }
namespace std { using ::roundf; }
namespace std { using ::truncf; }
namespace std { using ::rintf; }
namespace std { using ::cbrtf; }
namespace std { using ::hypotf; }
namespace std { using ::fmaf; }
namespace std { using ::erff; }
namespace std { using ::erfcf; }
namespace std { using ::expm1f; }
namespace std { using ::log1pf; }
namespace std { using ::asinf; }
namespace std { using ::acosf; }
namespace std { using ::atanf; }
namespace std { using ::sinhf; }
namespace std { using ::coshf; }
namespace std { using ::asinhf; }
namespace std { using ::acoshf; }
namespace std { using ::atanhf; }
namespace std { using ::tgammaf; }
namespace std { using ::lgammaf; }
namespace std { using ::copysignf; }
namespace std { using ::remainderf; }
namespace std { using ::fdimf; }
namespace std { using ::nearbyintf; }
namespace std { using ::nextafterf; }
namespace std { using ::logbf; }
namespace std { using ::memcpy; }
namespace std { using ::memset; }
namespace std { using ::memmove; }
namespace std { using ::memcmp; }
namespace std { using ::strlen; }
namespace std { using ::strcmp; }
namespace std { using ::strncmp; }
namespace std { using ::strcpy; }
namespace std { using ::strncpy; }
namespace std { using ::malloc; }
namespace std { using ::free; }
namespace std { using ::printf; }
namespace std { using ::labs; }
namespace std { using ::llabs; }
namespace std { using ::size_t; }
namespace std { struct nothrow_t; } // operator
__host__ __device__ inline void *__irgl_new(unsigned long size) { return malloc(size); } // operator
__host__ __device__ inline void *__irgl_new(unsigned long size, const std::nothrow_t &) noexcept { return malloc(size); } // operator
__host__ __device__ inline void *__irgl_new(unsigned long, void *place) noexcept { return place; } // operator
__host__ __device__ inline void __irgl_delete(void *p) noexcept { free(p); } // operator
__host__ __device__ inline void __irgl_delete(void *p, unsigned long) noexcept { free(p); } // operator
namespace std { template <typename T> __host__ __device__ constexpr T *launder(T *p) noexcept { return p; } } // launder
// The inverse of the normal distribution function: Acklam's rational approximation, and two steps of Halley's.
inline __device__ double __irgl_normal_tail(double q) { return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q - 2.549732539343734e+00) * q + 4.374664141464968e+00) * q + 2.938163982698783e+00) / ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q + 3.754408661907416e+00) * q + 1.0); }
inline __device__ double __irgl_normal_middle(double q) { double r = q * q; return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r + 1.383577518672690e+02) * r - 3.066479806614716e+01) * r + 2.506628277459239e+00) * q / (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r + 6.680131188771972e+01) * r - 1.328068155288572e+01) * r + 1.0); }
inline __device__ double __irgl_normal_step(double x, double p) { double u = (0.5 * erfc(-x * 0.70710678118654752440) - p) * 2.50662827463100050242 * exp(0.5 * x * x); return x - u / (1.0 + 0.5 * x * u); }
inline __device__ double __irgl_normal_low(double p) { double x = p < 0.02425 ? __irgl_normal_tail(sqrt(-2.0 * log(p))) : __irgl_normal_middle(p - 0.5); return __irgl_normal_step(__irgl_normal_step(x, p), p); }
inline __device__ double __irgl_erf_step(double y, double x) { return y - (erf(y) - x) * 0.88622692545275801365 * exp(y * y); }
inline __device__ double __irgl_erfinv_small(double x) { double y = x * (0.88622692545275801365 + 0.23201366653465449 * x * x); for (int i = 0; i < 4; i++) y = __irgl_erf_step(y, x); return y; }
inline __device__ double normcdfinv(double p) { return fabs(p - 0.5) < 0.25 ? 1.41421356237309504880 * __irgl_erfinv_small(p - 0.5 + (p - 0.5)) : p == 0.0 ? -__builtin_huge_val() : p == 1.0 ? __builtin_huge_val() : p > 0.5 ? -__irgl_normal_low(1.0 - p) : __irgl_normal_low(p); }
inline __device__ float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
// What the product with sqrt(1/2) has lost counts in the tail.
inline __device__ double normcdf(double x) { double a = fmin(fmax(x, -40.0), 40.0) * -0.70710678118654752440, low = fma(fmin(fmax(x, -40.0), 40.0), -0.70710678118654752440, -a) + a * -6.8384919966158e-17; return x != x ? x : 0.5 * fma(low * -1.12837916709551257390, exp(-a * a), erfc(a)); }
inline __device__ float normcdff(float x) { return (float)normcdf((double)x); }
inline __device__ double erfcinv(double x) { return -0.70710678118654752440 * normcdfinv(0.5 * x); }
inline __device__ float erfcinvf(float x) { return (float)erfcinv((double)x); }
inline __device__ double erfinv(double x) { return fabs(x) < 0.5 ? __irgl_erfinv_small(x) : x > 0.0 ? erfcinv(1.0 - x) : -erfcinv(1.0 + x); }
inline __device__ float erfinvf(float x) { return (float)erfinv((double)x); }
inline __device__ float fdividef(float x, float y) { return x / y; }
// Names of classifications that device code has beside those of <math.h>.
inline __device__ int __isnan(double x) { return isnan(x); }
inline __device__ int __isnanf(float x) { return isnan(x); }
inline __device__ int __isinf(double x) { return isinf(x); }
inline __device__ int __isinff(float x) { return isinf(x); }
inline __device__ int __finite(double x) { return isfinite(x); }
inline __device__ int __finitef(float x) { return isfinite(x); }
inline __device__ int __signbit(double x) { return signbit(x); }
inline __device__ int __signbitf(float x) { return signbit(x); }
inline __device__ double fdivide(double x, double y) { return x / y; }
inline __device__ float __tanhf(float x) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
// Of single precision without a flush of subnormal numbers, whatever -ftz says.
inline __device__ float __fmaf_ieee_rn(float x, float y, float z) { float r; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); return r; }
inline __device__ float __fmaf_ieee_rz(float x, float y, float z) { float r; asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); return r; }
inline __device__ float __fmaf_ieee_ru(float x, float y, float z) { float r; asm("fma.rp.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); return r; }
inline __device__ float __fmaf_ieee_rd(float x, float y, float z) { float r; asm("fma.rm.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); return r; }
// Of pairs, element by element.
inline __device__ float2 __fadd2_rn(float2 x, float2 y) { return make_float2(__fadd_rn(x.x, y.x), __fadd_rn(x.y, y.y)); }
inline __device__ float2 __fmul2_rn(float2 x, float2 y) { return make_float2(__fmul_rn(x.x, y.x), __fmul_rn(x.y, y.y)); }
inline __device__ float2 __ffma2_rn(float2 x, float2 y, float2 z) { return make_float2(__fmaf_rn(x.x, y.x, z.x), __fmaf_rn(x.y, y.y, z.y)); }
inline __device__ float2 __fadd2_rz(float2 x, float2 y) { return make_float2(__fadd_rz(x.x, y.x), __fadd_rz(x.y, y.y)); }
inline __device__ float2 __fmul2_rz(float2 x, float2 y) { return make_float2(__fmul_rz(x.x, y.x), __fmul_rz(x.y, y.y)); }
inline __device__ float2 __ffma2_rz(float2 x, float2 y, float2 z) { return make_float2(__fmaf_rz(x.x, y.x, z.x), __fmaf_rz(x.y, y.y, z.y)); }
inline __device__ float2 __fadd2_ru(float2 x, float2 y) { return make_float2(__fadd_ru(x.x, y.x), __fadd_ru(x.y, y.y)); }
inline __device__ float2 __fmul2_ru(float2 x, float2 y) { return make_float2(__fmul_ru(x.x, y.x), __fmul_ru(x.y, y.y)); }
inline __device__ float2 __ffma2_ru(float2 x, float2 y, float2 z) { return make_float2(__fmaf_ru(x.x, y.x, z.x), __fmaf_ru(x.y, y.y, z.y)); }
inline __device__ float2 __fadd2_rd(float2 x, float2 y) { return make_float2(__fadd_rd(x.x, y.x), __fadd_rd(x.y, y.y)); }
inline __device__ float2 __fmul2_rd(float2 x, float2 y) { return make_float2(__fmul_rd(x.x, y.x), __fmul_rd(x.y, y.y)); }
inline __device__ float2 __ffma2_rd(float2 x, float2 y, float2 z) { return make_float2(__fmaf_rd(x.x, y.x, z.x), __fmaf_rd(x.y, y.y, z.y)); }
inline __device__ void __barrier_sync(unsigned int id) { asm volatile("barrier.sync %0;" : : "r"(id) : "memory"); }
inline __device__ void __barrier_sync_count(unsigned int id, unsigned int count) { asm volatile("barrier.sync %0, %1;" : : "r"(id), "r"(count) : "memory"); }
inline __device__ int __uni_sync(unsigned int mask, int predicate) { return __all_sync(mask, predicate) | !__any_sync(mask, predicate); }
inline __device__ unsigned int __isCtaShared(const void *p) { return __isShared(p); }
