// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies in batches, as functions of C. A copy is done when the call returns, so that waiting is
// nothing.
#pragma once

#include <stddef.h>

// The last zfill of the size bytes become zero.
inline __device__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zfill = 0) {
	if (size == 16) {
		uint4 v = make_uint4(0, 0, 0, 0);
		if (zfill == 0) {
			v = *(const uint4 *)from;
		} else {
			for (size_t i = 0; i < size - zfill; i++) ((unsigned char *)&v)[i] = ((const unsigned char *)from)[i];
		}
		*(uint4 *)to = v;
		return;
	}
	for (size_t i = 0; i < size; i += 4) {
		unsigned int v = 0;
		if (i + 4 <= size - zfill) {
			v = *(const unsigned int *)((const char *)from + i);
		} else {
			for (size_t j = i; j < size - zfill; j++) ((unsigned char *)&v)[j - i] = ((const unsigned char *)from)[j];
		}
		*(unsigned int *)((char *)to + i) = v;
	}
}
inline __device__ void __pipeline_commit() {}
inline __device__ void __pipeline_wait_prior(size_t) {}
