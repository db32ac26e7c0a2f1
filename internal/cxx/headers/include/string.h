// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stddef.h>

__host__ __device__ inline size_t strlen(const char *s) {
	size_t n = 0;
	while (s[n]) n++;
	return n;
}
__host__ __device__ inline int strcmp(const char *s, const char *t) {
	while (*s && *s == *t) s++, t++;
	return (unsigned char)*s - (unsigned char)*t;
}
__host__ __device__ inline int strncmp(const char *s, const char *t, size_t n) {
	for (; n > 0; n--, s++, t++) {
		if (*s != *t) return (unsigned char)*s - (unsigned char)*t;
		if (!*s) break;
	}
	return 0;
}
__host__ __device__ inline char *strcpy(char *to, const char *from) {
	for (size_t i = 0;; i++) {
		to[i] = from[i];
		if (!from[i]) return to;
	}
}
__host__ __device__ inline char *strncpy(char *to, const char *from, size_t n) {
	bool end = false;
	for (size_t i = 0; i < n; i++) {
		end = end || !from[i];
		to[i] = end ? 0 : from[i];
	}
	return to;
}
__host__ __device__ inline int memcmp(const void *p, const void *q, size_t n) {
	const unsigned char *a = (const unsigned char *)p, *b = (const unsigned char *)q;
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i]) return a[i] - b[i];
	return 0;
}
