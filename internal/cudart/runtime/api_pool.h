// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools: each device has its default one, which is what cudaMallocAsync takes memory from.
#ifndef IRGL_RUNTIME_API_POOL_H
#define IRGL_RUNTIME_API_POOL_H

#include "api_device.h"
#include "state.h"

#include <map>

namespace irgl {

// A Pool is the attributes of a device's pool. Its address is the handle.
struct Pool {
  int reuse[3] = {1, 1, 1}; // cudaMemPoolReuse...
  uint64_t threshold = 0;
};

// The pools that programs have asked for, by device.
struct Pools {
  std::mutex mu;
  std::map<int, Pool> of;
};

inline Pools &pools() {
  static Pools all;
  return all;
}

inline cudaError_t default_pool(cudaMemPool_t *handle, int device) {
  if (handle == nullptr)
    return record(cudaErrorInvalidValue);
  int n = 0;
  if (cudaError_t e = cudaGetDeviceCount(&n))
    return e;
  if (device < 0 || device >= n)
    return record(cudaErrorInvalidDevice);
  std::lock_guard<std::mutex> hold(pools().mu);
  *handle = reinterpret_cast<cudaMemPool_t>(&pools().of[device]);
  return cudaSuccess;
}

// attribute reads or writes an attribute of a pool.
inline cudaError_t attribute(cudaMemPool_t handle, cudaMemPoolAttr attr, void *value, bool set) {
  std::lock_guard<std::mutex> hold(pools().mu);
  for (auto &p : pools().of) {
    if (reinterpret_cast<cudaMemPool_t>(&p.second) != handle || value == nullptr)
      continue;
    void *at = nullptr;
    size_t size = sizeof(int);
    if (attr >= cudaMemPoolReuseFollowEventDependencies && attr <= cudaMemPoolReuseAllowInternalDependencies) {
      at = &p.second.reuse[attr - cudaMemPoolReuseFollowEventDependencies];
    } else if (attr == cudaMemPoolAttrReleaseThreshold) {
      at = &p.second.threshold;
      size = sizeof p.second.threshold;
    } else {
      const bool known = attr >= cudaMemPoolAttrReservedMemCurrent && attr <= cudaMemPoolAttrUsedMemHigh;
      return record(known ? cudaErrorNotSupported : cudaErrorInvalidValue);
    }
    memcpy(set ? at : value, set ? value : at, size);
    return cudaSuccess;
  }
  return record(cudaErrorInvalidValue);
}

} // namespace irgl

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) { return irgl::default_pool(pool, device); }

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return irgl::default_pool(pool, device); }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void *value) {
  return irgl::attribute(pool, attr, value, true);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void *value) {
  return irgl::attribute(pool, attr, value, false);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  uint64_t threshold = 0; // what is free is given back already
  return irgl::attribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold, false);
}
}

#endif
