// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stddef.h>
#include <irgl/host/atexit.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;

extern "C" {
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);
int posix_memalign(void **p, size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void _exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
int rand(void);
void srand(unsigned int seed);
int rand_r(unsigned int *seed);
long random(void);
void srandom(unsigned int seed);
double drand48(void);
double erand48(unsigned short state[3]);
long lrand48(void);
long mrand48(void);
void srand48(long seed);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int system(const char *command);
}

inline div_t div(int x, int y) { return {x / y, x % y}; }
inline ldiv_t div(long x, long y) { return {x / y, x % y}; }
inline ldiv_t ldiv(long x, long y) { return {x / y, x % y}; }

typedef int (*__irgl_compare)(const void *, const void *);

// A merge sort, as glibc's qsort is: equal elements keep their order.
inline void __irgl_sort(char *p, char *free_, size_t n, size_t size, __irgl_compare compare) {
	if (n < 2) return;
	size_t half = n / 2;
	__irgl_sort(p, free_, half, size, compare);
	__irgl_sort(p + half * size, free_, n - half, size, compare);
	char *a = p, *b = p + half * size, *end = p + n * size, *middle = b, *to = free_;
	while (a != middle && b != end) {
		char *&from = compare(b, a) < 0 ? b : a;
		for (size_t i = 0; i < size; i++) *to++ = *from++;
	}
	while (a != middle) *to++ = *a++;
	for (char *from = free_; from != to;) *p++ = *from++;
}
inline void qsort(void *p, size_t n, size_t size, __irgl_compare compare) {
	char *room = (char *)malloc(n * size + 1);
	__irgl_sort((char *)p, room, n, size, compare);
	free(room);
}
inline void *bsearch(const void *key, const void *p, size_t n, size_t size, __irgl_compare compare) {
	size_t low = 0, high = n;
	while (low < high) {
		size_t i = (low + high) / 2;
		const char *x = (const char *)p + i * size;
		int c = compare(key, x);
		if (c == 0) return (void *)x;
		if (c < 0) high = i;
		else low = i + 1;
	}
	return 0;
}
