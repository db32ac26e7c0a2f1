// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies in batches, as functions of C. Before sm_80 a copy is done when the call returns, so that waiting is
// nothing.
#pragma once

#include <stddef.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// The last zfill of the size bytes become zero. There are copies of 4, 8 and 16 bytes.
inline __device__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zfill = 0) {
	unsigned int at = (unsigned int)__cvta_generic_to_shared(to), n = (unsigned int)(size - zfill);
	size_t source = __cvta_generic_to_global(from);
	if (size == 16) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(at), "l"(source), "r"(n) : "memory");
	} else if (size == 8) {
		asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(at), "l"(source), "r"(n) : "memory");
	} else {
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(at), "l"(source), "r"(n) : "memory");
	}
}
inline __device__ void __pipeline_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }
// The last of the batches need not be done.
inline __device__ void __pipeline_wait_prior(size_t last) {
	switch (last) {
	case 0: asm volatile("cp.async.wait_group 0;" : : : "memory"); break;
	case 1: asm volatile("cp.async.wait_group 1;" : : : "memory"); break;
	case 2: asm volatile("cp.async.wait_group 2;" : : : "memory"); break;
	case 3: asm volatile("cp.async.wait_group 3;" : : : "memory"); break;
	case 4: asm volatile("cp.async.wait_group 4;" : : : "memory"); break;
	case 5: asm volatile("cp.async.wait_group 5;" : : : "memory"); break;
	case 6: asm volatile("cp.async.wait_group 6;" : : : "memory"); break;
	case 7: asm volatile("cp.async.wait_group 7;" : : : "memory"); break;
	default: asm volatile("cp.async.wait_group 8;" : : : "memory"); break;
	}
}
#else
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
#endif
