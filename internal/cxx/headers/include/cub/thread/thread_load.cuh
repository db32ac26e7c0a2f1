// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cub::ThreadLoad: a load that says how it is cached.
#pragma once

#include <cub/irgl.cuh>

namespace cub {
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };

// Loads past the first cache are volatile, so that they see what other blocks store.
template <CacheLoadModifier modifier, typename T> __device__ inline T ThreadLoad(T *p) {
	if constexpr ((modifier == LOAD_CG || modifier == LOAD_CV || modifier == LOAD_VOLATILE) && std::is_scalar<T>::value)
		return *(volatile T *)p;
	else
		return *p;
}
}
