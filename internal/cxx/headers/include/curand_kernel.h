// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generators of random numbers for device code, with cuRAND's names.
//
// Philox4x32-10 (Salmon et al., SC11) gives the numbers of its definition: the seed is the
// key, the sequence the upper half of the counter, four numbers come of a count.
// XORWOW (Marsaglia, 2003) and MRG32k3a (L'Ecuyer, 1999) give the recurrences of their
// papers from states of our own: numbers differ from those of cuRAND, their distributions do
// not. Sequences of XORWOW begin at states made of seed and sequence by a hash.
#pragma once

#include <math.h>

struct curandStateXORWOW {
	unsigned int x[5], d;
	float spare;
	double spare2;
	int has, has2; // a second normal number is in spare, spare2
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
	uint4 count, output;
	uint2 key;
	unsigned int used; // of output
	float spare;
	double spare2;
	int has, has2;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
	unsigned int s1[3], s2[3];
	float spare;
	double spare2;
	int has, has2;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

// A step of SplitMix64, by which a seed becomes a state.
inline __host__ __device__ unsigned long long irgl_split(unsigned long long &at) {
	unsigned long long z = at += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

inline __host__ __device__ unsigned int curand(curandStateXORWOW *s) {
	unsigned int t = s->x[0] ^ s->x[0] >> 2;
	s->x[0] = s->x[1];
	s->x[1] = s->x[2];
	s->x[2] = s->x[3];
	s->x[3] = s->x[4];
	s->x[4] = (s->x[4] ^ s->x[4] << 4) ^ (t ^ t << 1);
	s->d += 362437;
	return s->d + s->x[4];
}

inline __host__ __device__ void skipahead(unsigned long long n, curandStateXORWOW *s) {
	for (; n > 0; n--) {
		curand(s);
	}
}

inline __host__ __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *s) {
	unsigned long long at = seed;
	at = irgl_split(at) + sequence * 0xd1342543de82ef95ull;
	for (int i = 0; i < 4; i += 2) {
		unsigned long long v = irgl_split(at);
		s->x[i] = (unsigned int)v;
		s->x[i + 1] = (unsigned int)(v >> 32);
	}
	unsigned long long v = irgl_split(at);
	s->x[4] = (unsigned int)v | 1; // not all are zero
	s->d = (unsigned int)(v >> 32);
	s->has = 0;
	s->has2 = 0;
	skipahead(offset, s);
}

// Philox: ten rounds on the counter, with a key that changes by constants.
inline __host__ __device__ uint4 irgl_philox(uint4 c, uint2 k) {
	for (int round = 0; round < 10; round++) {
		unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
		uint4 next;
		next.x = (unsigned int)(b >> 32) ^ c.y ^ k.x;
		next.y = (unsigned int)b;
		next.z = (unsigned int)(a >> 32) ^ c.w ^ k.y;
		next.w = (unsigned int)a;
		c = next;
		k.x += 0x9e3779b9u;
		k.y += 0xbb67ae85u;
	}
	return c;
}

inline __host__ __device__ void irgl_count(curandStatePhilox4_32_10 *s, unsigned long long n) {
	unsigned long long low = (unsigned long long)s->count.y << 32 | s->count.x, sum = low + n;
	s->count.x = (unsigned int)sum;
	s->count.y = (unsigned int)(sum >> 32);
	if (sum < low && ++s->count.z == 0) {
		s->count.w++;
	}
}

inline __host__ __device__ void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s) {
	unsigned int used = s->used + (unsigned int)(n & 3);
	irgl_count(s, n / 4 + used / 4);
	s->used = used & 3;
	s->output = irgl_philox(s->count, s->key);
}

inline __host__ __device__ void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s) {
	unsigned long long high = ((unsigned long long)s->count.w << 32 | s->count.z) + n;
	s->count.z = (unsigned int)high;
	s->count.w = (unsigned int)(high >> 32);
	s->output = irgl_philox(s->count, s->key);
}

inline __host__ __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *s) {
	s->count.x = s->count.y = 0;
	s->count.z = (unsigned int)sequence;
	s->count.w = (unsigned int)(sequence >> 32);
	s->key.x = (unsigned int)seed;
	s->key.y = (unsigned int)(seed >> 32);
	s->used = 0;
	s->has = 0;
	s->has2 = 0;
	skipahead(offset, s);
}

inline __host__ __device__ unsigned int curand(curandStatePhilox4_32_10 *s) {
	uint4 o = s->output;
	unsigned int v = s->used == 0 ? o.x : s->used == 1 ? o.y : s->used == 2 ? o.z : o.w;
	if (++s->used == 4) {
		skipahead(0, s);
	}
	return v;
}

inline __host__ __device__ uint4 curand4(curandStatePhilox4_32_10 *s) {
	uint4 r;
	r.x = curand(s);
	r.y = curand(s);
	r.z = curand(s);
	r.w = curand(s);
	return r;
}

// MRG32k3a: the moduli of the two recurrences.
enum : unsigned long long { irgl_m1 = 4294967087ull, irgl_m2 = 4294944443ull };

inline __host__ __device__ unsigned int irgl_mrg_step(curandStateMRG32k3a *s) {
	unsigned long long a = (1403580ull * s->s1[1] + (irgl_m1 - 810728ull) * s->s1[0] % irgl_m1) % irgl_m1;
	unsigned long long b = (527612ull * s->s2[2] + (irgl_m2 - 1370589ull) * s->s2[0] % irgl_m2) % irgl_m2;
	s->s1[0] = s->s1[1];
	s->s1[1] = s->s1[2];
	s->s1[2] = (unsigned int)a;
	s->s2[0] = s->s2[1];
	s->s2[1] = s->s2[2];
	s->s2[2] = (unsigned int)b;
	return (unsigned int)(a > b ? a - b : a + irgl_m1 - b); // 1 to m1
}

// Multiplies a state by the 2^power-th power of a recurrence's matrix, n times.
inline __host__ __device__ void irgl_mrg_skip(unsigned int *s, const unsigned long long *matrix, unsigned long long m, unsigned long long n, int power) {
	unsigned long long a[9], next[9];
	for (int i = 0; i < 9; i++) {
		a[i] = matrix[i];
	}
	for (; n > 0 || power > 0; power--) {
		if (power <= 0) {
			if ((n & 1) != 0) {
				unsigned long long v[3];
				for (int i = 0; i < 3; i++) {
					v[i] = (a[3 * i] * s[0] % m + a[3 * i + 1] * s[1] % m + a[3 * i + 2] * s[2] % m) % m;
				}
				for (int i = 0; i < 3; i++) {
					s[i] = (unsigned int)v[i];
				}
			}
			n >>= 1;
		}
		for (int i = 0; i < 9; i++) {
			const unsigned long long *row = a + i / 3 * 3, *column = a + i % 3;
			next[i] = (row[0] * column[0] % m + row[1] * column[3] % m + row[2] * column[6] % m) % m;
		}
		for (int i = 0; i < 9; i++) {
			a[i] = next[i];
		}
	}
}

inline __host__ __device__ void irgl_mrg_both(unsigned long long n, int power, curandStateMRG32k3a *s) {
	const unsigned long long a1[9] = {0, 1, 0, 0, 0, 1, irgl_m1 - 810728ull, 1403580ull, 0};
	const unsigned long long a2[9] = {0, 1, 0, 0, 0, 1, irgl_m2 - 1370589ull, 0, 527612ull};
	if (n > 0) {
		irgl_mrg_skip(s->s1, a1, irgl_m1, n, power);
		irgl_mrg_skip(s->s2, a2, irgl_m2, n, power);
	}
}

inline __host__ __device__ void skipahead(unsigned long long n, curandStateMRG32k3a *s) { irgl_mrg_both(n, 0, s); }
inline __host__ __device__ void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s) { irgl_mrg_both(n, 76, s); }

inline __host__ __device__ void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateMRG32k3a *s) {
	for (int i = 0; i < 3; i++) {
		s->s1[i] = s->s2[i] = 12345;
	}
	if (seed != 0) {
		unsigned long long at = seed;
		for (int i = 0; i < 3; i++) {
			s->s1[i] = (unsigned int)(irgl_split(at) % (irgl_m1 - 1)) + 1;
			s->s2[i] = (unsigned int)(irgl_split(at) % (irgl_m2 - 1)) + 1;
		}
	}
	s->has = 0;
	s->has2 = 0;
	skipahead_subsequence(sequence, s);
	skipahead(offset, s);
}

inline __host__ __device__ unsigned int curand(curandStateMRG32k3a *s) {
	return (unsigned int)((double)irgl_mrg_step(s) * 1.000000048662);
}

// Distributions, of every generator. Uniform numbers are over 0 and at most 1; normal ones
// are made in pairs (Box and Muller).
inline __host__ __device__ float irgl_unit(unsigned int v) { return (float)v * 2.3283064365386963e-10f + 1.1641532182693481e-10f; }
inline __host__ __device__ double irgl_unit2(unsigned int low, unsigned int high) {
	return (double)((unsigned long long)high << 21 ^ low >> 11) * 1.1102230246251565e-16 + 5.551115123125783e-17;
}

template <typename State> inline __host__ __device__ float curand_uniform(State *s) { return irgl_unit(curand(s)); }
template <typename State> inline __host__ __device__ double curand_uniform_double(State *s) {
	unsigned int low = curand(s);
	return irgl_unit2(low, curand(s));
}

template <typename State> inline __host__ __device__ float2 curand_normal2(State *s) {
	float r = sqrtf(-2.0f * logf(curand_uniform(s))), angle = 6.2831853071795865f * curand_uniform(s);
	float2 v;
	v.x = r * sinf(angle);
	v.y = r * cosf(angle);
	return v;
}

template <typename State> inline __host__ __device__ double2 curand_normal2_double(State *s) {
	double r = sqrt(-2.0 * log(curand_uniform_double(s))), angle = 6.283185307179586477 * curand_uniform_double(s);
	double2 v;
	v.x = r * sin(angle);
	v.y = r * cos(angle);
	return v;
}

template <typename State> inline __host__ __device__ float curand_normal(State *s) {
	if (s->has != 0) {
		s->has = 0;
		return s->spare;
	}
	float2 v = curand_normal2(s);
	s->has = 1;
	s->spare = v.y;
	return v.x;
}

template <typename State> inline __host__ __device__ double curand_normal_double(State *s) {
	if (s->has2 != 0) {
		s->has2 = 0;
		return s->spare2;
	}
	double2 v = curand_normal2_double(s);
	s->has2 = 1;
	s->spare2 = v.y;
	return v.x;
}

template <typename State> inline __host__ __device__ float curand_log_normal(State *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
template <typename State> inline __host__ __device__ double curand_log_normal_double(State *s, double mean, double deviation) { return exp(mean + deviation * curand_normal_double(s)); }
template <typename State> inline __host__ __device__ float2 curand_log_normal2(State *s, float mean, float deviation) {
	float2 v = curand_normal2(s);
	v.x = expf(mean + deviation * v.x);
	v.y = expf(mean + deviation * v.y);
	return v;
}

inline __host__ __device__ float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
	float4 v;
	v.x = curand_uniform(s);
	v.y = curand_uniform(s);
	v.z = curand_uniform(s);
	v.w = curand_uniform(s);
	return v;
}

inline __host__ __device__ double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
	double2 v;
	v.x = curand_uniform_double(s);
	v.y = curand_uniform_double(s);
	return v;
}

inline __host__ __device__ float4 curand_normal4(curandStatePhilox4_32_10 *s) {
	float2 a = curand_normal2(s), b = curand_normal2(s);
	float4 v;
	v.x = a.x;
	v.y = a.y;
	v.z = b.x;
	v.w = b.y;
	return v;
}

// Poisson numbers: small means by products of uniform numbers (Knuth), large ones by
// transformed rejection (Hoermann, 1993).
template <typename State> inline __host__ __device__ unsigned int curand_poisson(State *s, double mean) {
	if (mean < 10.0) {
		double limit = exp(-mean), product = curand_uniform_double(s);
		unsigned int n = 0;
		for (; product > limit; n++) {
			product *= curand_uniform_double(s);
		}
		return n;
	}
	double root = sqrt(mean), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
	double inverse = 1.1239 + 1.1328 / (b - 3.4), accept = 0.9277 - 3.6224 / (b - 2.0);
	for (;;) {
		double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s);
		double us = 0.5 - fabs(u), k = floor((2.0 * a / us + b) * u + mean + 0.43);
		if (us >= 0.07 && v <= accept) {
			return (unsigned int)k;
		}
		if (k < 0.0 || (us < 0.013 && v > us)) {
			continue;
		}
		if (log(v) + log(inverse) - log(a / (us * us) + b) <= -mean + k * log(mean) - lgamma(k + 1.0)) {
			return (unsigned int)k;
		}
	}
}

// Sobol's quasi-random sequences, of direction vectors that the program has: the numbers are those of its
// definition in the order of Gray's code. A scrambled sequence begins at c instead of 0.
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

struct curandStateSobol32 {
	unsigned int i, x, c, direction_vectors[32];
};
typedef struct curandStateSobol32 curandStateSobol32_t;
struct curandStateScrambledSobol32 : curandStateSobol32 {};
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;

struct curandStateSobol64 {
	unsigned long long i, x, c, direction_vectors[64];
};
typedef struct curandStateSobol64 curandStateSobol64_t;
struct curandStateScrambledSobol64 : curandStateSobol64 {};
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

// The number at a place of the sequence: the vectors of the bits of its Gray code.
template <int bits, typename State, typename Int> inline __host__ __device__ void irgl_sobol_seek(State *s, Int place) {
	s->i = place;
	s->x = s->c;
	Int gray = place ^ place >> 1;
	for (int b = 0; b < bits; b++) {
		if (gray >> b & 1) s->x ^= s->direction_vectors[b];
	}
}
template <int bits, typename State, typename Int> inline __host__ __device__ void irgl_sobol_start(State *s, const Int *vectors, Int c, Int offset) {
	for (int b = 0; b < bits; b++) s->direction_vectors[b] = vectors[b];
	s->c = c;
	irgl_sobol_seek<bits>(s, offset);
}
// The next number differs by the vector of the lowest zero bit of the place.
template <int bits, typename State> inline __host__ __device__ auto irgl_sobol_next(State *s) {
	auto x = s->x;
	int b = 0;
	while (b < bits - 1 && (s->i >> b & 1)) b++;
	s->x ^= s->direction_vectors[b];
	s->i++;
	return x;
}

inline __host__ __device__ void curand_init(const unsigned int *vectors, unsigned int offset, curandStateSobol32 *s) { irgl_sobol_start<32>(s, vectors, 0u, offset); }
inline __host__ __device__ void curand_init(const unsigned int *vectors, unsigned int c, unsigned int offset, curandStateScrambledSobol32 *s) { irgl_sobol_start<32>(s, vectors, c, offset); }
inline __host__ __device__ void curand_init(const unsigned long long *vectors, unsigned long long offset, curandStateSobol64 *s) { irgl_sobol_start<64>(s, vectors, 0ull, offset); }
inline __host__ __device__ void curand_init(const unsigned long long *vectors, unsigned long long c, unsigned long long offset, curandStateScrambledSobol64 *s) { irgl_sobol_start<64>(s, vectors, c, offset); }
inline __host__ __device__ unsigned int curand(curandStateSobol32 *s) { return irgl_sobol_next<32>(s); }
inline __host__ __device__ unsigned long long curand(curandStateSobol64 *s) { return irgl_sobol_next<64>(s); }
inline __host__ __device__ void skipahead(unsigned int n, curandStateSobol32 *s) { irgl_sobol_seek<32>(s, s->i + n); }
inline __host__ __device__ void skipahead(unsigned long long n, curandStateSobol64 *s) { irgl_sobol_seek<64>(s, s->i + n); }

// One number of the sequence makes one of a distribution: they are in (0, 1], and normal by the inverse of
// the distribution function.
inline __host__ __device__ double irgl_unit_of(unsigned int x) { return (double)x * 0x1p-32 + 0x1p-33; }
inline __host__ __device__ double irgl_unit_of(unsigned long long x) { return (double)(x >> 11) * 0x1p-53 + 0x1p-54; }
#define IRGL_SOBOL(State)                                                                                                   \
	inline __host__ __device__ float curand_uniform(State *s) { return (float)irgl_unit_of(curand(s)); }                    \
	inline __host__ __device__ double curand_uniform_double(State *s) { return irgl_unit_of(curand(s)); }                   \
	inline __device__ float curand_normal(State *s) { return (float)normcdfinv(irgl_unit_of(curand(s))); }                  \
	inline __device__ double curand_normal_double(State *s) { return normcdfinv(irgl_unit_of(curand(s))); }                 \
	inline __device__ float curand_log_normal(State *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }           \
	inline __device__ double curand_log_normal_double(State *s, double mean, double deviation) { return exp(mean + deviation * curand_normal_double(s)); }
IRGL_SOBOL(curandStateSobol32)
IRGL_SOBOL(curandStateScrambledSobol32)
IRGL_SOBOL(curandStateSobol64)
IRGL_SOBOL(curandStateScrambledSobol64)
#undef IRGL_SOBOL
