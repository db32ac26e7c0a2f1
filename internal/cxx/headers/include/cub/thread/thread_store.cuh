// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::ThreadStore: a store that says how it is cached.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

// Stores past the first cache are volatile.
template <CacheStoreModifier modifier, typename T, typename V> __device__ inline void ThreadStore(T *p, V value) {
	if constexpr ((modifier == STORE_CG || modifier == STORE_WT || modifier == STORE_VOLATILE) && std::is_scalar<T>::value)
		*(volatile T *)p = (T)value;
	else
		*p = (T)value;
}
}
