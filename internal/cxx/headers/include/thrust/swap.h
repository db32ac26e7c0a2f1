// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace thrust {
template <typename T> inline __host__ __device__ void swap(T &a, T &b) {
	T old = a;
	a = b;
	b = old;
}
}
