// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and errors of the runtime's interface.
#ifndef IRGL_RUNTIME_API_DEVICE_H
#define IRGL_RUNTIME_API_DEVICE_H

#include "graphs.h"
#include "registry.h"
#include "state.h"

namespace irgl {

// with_backend calls f with the backend, without a device.
template <class F> cudaError_t with_backend(F f) {
  return guarded([&]() -> cudaError_t {
    Process &p = process();
    {
      std::lock_guard<std::mutex> hold(p.mu);
      if (cudaError_t e = choose(p))
        return e;
    }
    return f(*p.backend);
  });
}

inline bool valid_device(int device) { return device >= 0 && device < process().devices; }

inline cudaError_t properties(Backend &b, int device, cudaDeviceProp *p) {
  if (p == nullptr)
    return cudaErrorInvalidValue;
  if (!valid_device(device))
    return cudaErrorInvalidDevice;
  memset(static_cast<void *>(p), 0, sizeof *p);
  return b.properties(device, p);
}

// attribute reads one property by its number.
inline cudaError_t attribute(const cudaDeviceProp &p, cudaDeviceAttr a, int *v) {
  const auto small = [](size_t n) { return n > 0x7fffffff ? 0x7fffffff : static_cast<int>(n); };
  switch (a) {
  case cudaDevAttrMaxThreadsPerBlock: *v = p.maxThreadsPerBlock; break;
  case cudaDevAttrMaxBlockDimX: *v = p.maxThreadsDim[0]; break;
  case cudaDevAttrMaxBlockDimY: *v = p.maxThreadsDim[1]; break;
  case cudaDevAttrMaxBlockDimZ: *v = p.maxThreadsDim[2]; break;
  case cudaDevAttrMaxGridDimX: *v = p.maxGridSize[0]; break;
  case cudaDevAttrMaxGridDimY: *v = p.maxGridSize[1]; break;
  case cudaDevAttrMaxGridDimZ: *v = p.maxGridSize[2]; break;
  case cudaDevAttrMaxSharedMemoryPerBlock: *v = small(p.sharedMemPerBlock); break;
  case cudaDevAttrTotalConstantMemory: *v = small(p.totalConstMem); break;
  case cudaDevAttrWarpSize: *v = p.warpSize; break;
  case cudaDevAttrMaxPitch: *v = small(p.memPitch); break;
  case cudaDevAttrMaxRegistersPerBlock: *v = p.regsPerBlock; break;
  case cudaDevAttrClockRate: *v = p.clockRate; break;
  case cudaDevAttrTextureAlignment: *v = small(p.textureAlignment); break;
  case cudaDevAttrGpuOverlap: *v = p.deviceOverlap; break;
  case cudaDevAttrMultiProcessorCount: *v = p.multiProcessorCount; break;
  case cudaDevAttrKernelExecTimeout: *v = p.kernelExecTimeoutEnabled; break;
  case cudaDevAttrIntegrated: *v = p.integrated; break;
  case cudaDevAttrCanMapHostMemory: *v = p.canMapHostMemory; break;
  case cudaDevAttrComputeMode: *v = p.computeMode; break;
  case cudaDevAttrSurfaceAlignment: *v = small(p.surfaceAlignment); break;
  case cudaDevAttrConcurrentKernels: *v = p.concurrentKernels; break;
  case cudaDevAttrEccEnabled: *v = p.ECCEnabled; break;
  case cudaDevAttrPciBusId: *v = p.pciBusID; break;
  case cudaDevAttrPciDeviceId: *v = p.pciDeviceID; break;
  case cudaDevAttrTccDriver: *v = p.tccDriver; break;
  case cudaDevAttrMemoryClockRate: *v = p.memoryClockRate; break;
  case cudaDevAttrGlobalMemoryBusWidth: *v = p.memoryBusWidth; break;
  case cudaDevAttrL2CacheSize: *v = p.l2CacheSize; break;
  case cudaDevAttrMaxThreadsPerMultiProcessor: *v = p.maxThreadsPerMultiProcessor; break;
  case cudaDevAttrAsyncEngineCount: *v = p.asyncEngineCount; break;
  case cudaDevAttrUnifiedAddressing: *v = p.unifiedAddressing; break;
  case cudaDevAttrPciDomainId: *v = p.pciDomainID; break;
  case cudaDevAttrTexturePitchAlignment: *v = small(p.texturePitchAlignment); break;
  case cudaDevAttrComputeCapabilityMajor: *v = p.major; break;
  case cudaDevAttrComputeCapabilityMinor: *v = p.minor; break;
  case cudaDevAttrStreamPrioritiesSupported: *v = p.streamPrioritiesSupported; break;
  case cudaDevAttrGlobalL1CacheSupported: *v = p.globalL1CacheSupported; break;
  case cudaDevAttrLocalL1CacheSupported: *v = p.localL1CacheSupported; break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = small(p.sharedMemPerMultiprocessor); break;
  case cudaDevAttrMaxRegistersPerMultiprocessor: *v = p.regsPerMultiprocessor; break;
  case cudaDevAttrManagedMemory: *v = p.managedMemory; break;
  case cudaDevAttrIsMultiGpuBoard: *v = p.isMultiGpuBoard; break;
  case cudaDevAttrMultiGpuBoardGroupID: *v = p.multiGpuBoardGroupID; break;
  case cudaDevAttrHostNativeAtomicSupported: *v = p.hostNativeAtomicSupported; break;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio: *v = p.singleToDoublePrecisionPerfRatio; break;
  case cudaDevAttrPageableMemoryAccess: *v = p.pageableMemoryAccess; break;
  case cudaDevAttrConcurrentManagedAccess: *v = p.concurrentManagedAccess; break;
  case cudaDevAttrComputePreemptionSupported: *v = p.computePreemptionSupported; break;
  case cudaDevAttrCanUseHostPointerForRegisteredMem: *v = p.canUseHostPointerForRegisteredMem; break;
  case cudaDevAttrCooperativeLaunch: *v = p.cooperativeLaunch; break;
  case cudaDevAttrCooperativeMultiDeviceLaunch: *v = p.cooperativeMultiDeviceLaunch; break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = small(p.sharedMemPerBlockOptin); break;
  case cudaDevAttrHostRegisterSupported: *v = p.hostRegisterSupported; break;
  case cudaDevAttrPageableMemoryAccessUsesHostPageTables: *v = p.pageableMemoryAccessUsesHostPageTables; break;
  case cudaDevAttrDirectManagedMemAccessFromHost: *v = p.directManagedMemAccessFromHost; break;
  case cudaDevAttrMaxBlocksPerMultiprocessor: *v = p.maxBlocksPerMultiProcessor; break;
  case cudaDevAttrReservedSharedMemoryPerBlock: *v = small(p.reservedSharedMemPerBlock); break;
  case cudaDevAttrMemoryPoolsSupported: *v = p.memoryPoolsSupported; break;
  case cudaDevAttrClusterLaunch: *v = p.clusterLaunch; break;
  default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

} // namespace irgl

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  if (count == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  *count = 0;
  return irgl::with_backend([&](irgl::Backend &) {
    *count = irgl::process().devices;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int *device) {
  if (device == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  *device = irgl::thread().device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return irgl::with_backend([&](irgl::Backend &) {
    if (!irgl::valid_device(device))
      return cudaErrorInvalidDevice;
    irgl::thread().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *prop) {
  return irgl::with_backend([&](irgl::Backend &) {
    if (device == nullptr || prop == nullptr)
      return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device) {
  return irgl::with_backend([&](irgl::Backend &b) { return irgl::properties(b, device, prop); });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device) {
  return irgl::with_backend([&](irgl::Backend &b) -> cudaError_t {
    cudaDeviceProp p;
    if (value == nullptr)
      return cudaErrorInvalidValue;
    if (cudaError_t e = irgl::properties(b, device, &p))
      return e;
    return irgl::attribute(p, attr, value);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attr, int src, int dst) {
  return irgl::with_backend([&](irgl::Backend &b) -> cudaError_t {
    if (value == nullptr)
      return cudaErrorInvalidValue;
    if (!irgl::valid_device(src) || !irgl::valid_device(dst) || src == dst)
      return cudaErrorInvalidDevice;
    *value = 0;
    if (attr == cudaDevP2PAttrAccessSupported || attr == cudaDevP2PAttrNativeAtomicSupported)
      return b.can_peer(src, dst, value);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device) {
  return irgl::with_backend([&](irgl::Backend &b) -> cudaError_t {
    cudaDeviceProp p;
    if (id == nullptr || len < 13)
      return cudaErrorInvalidValue;
    if (cudaError_t e = irgl::properties(b, device, &p))
      return e;
    snprintf(id, static_cast<size_t>(len), "%04x:%02x:%02x.0", p.pciDomainID & 0xffff, p.pciBusID & 0xff,
             p.pciDeviceID & 0xff);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return irgl::on_current([](irgl::Backend &b, int device) {
    cudaError_t e = irgl::refused_for_captures();
    if (e != cudaSuccess)
      return e;
    e = b.sync(device);
    if (const auto library = irgl::library_launches(device))
      library->report();
    return e;
  });
}

cudaError_t cudaDeviceReset(void) {
  return irgl::with_backend([&](irgl::Backend &b) -> cudaError_t {
    irgl::Process &p = irgl::process();
    const int device = irgl::thread().device;
    std::lock_guard<std::mutex> hold(p.mu);
    irgl::DeviceState &d = irgl::device_state(device);
    if (!d.opened)
      return cudaSuccess;
    d.opened = false;
    d.resets++;
    irgl::unload(device);
    p.memory.forget(device);
    const cudaError_t e = b.reset(device);
    d.error = 0;
    d.limits.clear();
    irgl::thread().last = cudaSuccess;
    return irgl::sticky(e) ? cudaSuccess : e; // what was wrong with the device is gone
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize)
      return cudaErrorUnsupportedLimit;
    // Device code cannot wait for launches; those that wait are the runtime's until an image is loaded.
    const bool ours = limit == cudaLimitDevRuntimePendingLaunchCount || limit == cudaLimitDevRuntimeSyncDepth;
    cudaError_t e = ours ? cudaSuccess : b.set_limit(device, limit, value);
    if (e == cudaSuccess)
      irgl::device_state(device).limits[limit] = value;
    if (limit == cudaLimitDevRuntimePendingLaunchCount && irgl::library_launches(device) != nullptr)
      e = irgl::set_pending(b, device);
    return e;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return irgl::on_current([&](irgl::Backend &, int device) -> cudaError_t {
#define IRGL_X(limit, value) value,
    static constexpr size_t defaults[] = {IRGL_DEVICE_LIMITS(IRGL_X)};
#undef IRGL_X
    static_assert(defaults[cudaLimitDevRuntimePendingLaunchCount] == irgl::kPending, "launches.h has it, too");
    if (value == nullptr)
      return cudaErrorInvalidValue;
    if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize)
      return cudaErrorUnsupportedLimit;
    const auto &set = irgl::device_state(device).limits;
    const auto i = set.find(limit);
    *value = i != set.end() ? i->second : defaults[limit];
    return cudaSuccess;
  });
}

// Preferences for caches and banks are hints, which devices of today do without.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least != nullptr)
    *least = 0;
  if (greatest != nullptr)
    *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return irgl::record(flags > 0x1f ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  return irgl::with_backend([&](irgl::Backend &b) -> cudaError_t {
    if (can == nullptr)
      return cudaErrorInvalidValue;
    if (!irgl::valid_device(device) || !irgl::valid_device(peer))
      return cudaErrorInvalidDevice;
    *can = 0;
    return device == peer ? cudaSuccess : b.can_peer(device, peer, can);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (flags != 0)
      return cudaErrorInvalidValue;
    if (!irgl::valid_device(peer) || peer == device)
      return cudaErrorInvalidDevice;
    if (cudaError_t e = irgl::ready(peer))
      return e;
    std::lock_guard<std::mutex> hold(irgl::process().mu);
    auto &peers = irgl::device_state(device).peers;
    if (peers.count(peer) != 0)
      return cudaErrorPeerAccessAlreadyEnabled;
    int can = 0;
    if (cudaError_t e = b.can_peer(device, peer, &can))
      return e;
    if (can == 0)
      return cudaErrorPeerAccessUnsupported;
    const cudaError_t e = b.enable_peer(device, peer);
    if (e == cudaSuccess)
      peers.insert(peer);
    return e;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (!irgl::valid_device(peer))
      return cudaErrorInvalidDevice;
    std::lock_guard<std::mutex> hold(irgl::process().mu);
    if (irgl::device_state(device).peers.erase(peer) == 0)
      return cudaErrorPeerAccessNotEnabled;
    return b.disable_peer(device, peer);
  });
}

cudaError_t cudaDriverGetVersion(int *version) {
  if (version == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  *version = 0;
  return irgl::with_backend([&](irgl::Backend &b) { return b.driver_version(version); });
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  if (version == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

cudaError_t cudaPeekAtLastError(void) {
  irgl::Process &p = irgl::process();
  {
    std::lock_guard<std::mutex> hold(p.unasked_mu);
    p.unasked.clear();
  }
  const int device = irgl::thread().device;
  if (p.backend != nullptr && irgl::valid_device(device))
    if (const int broken = irgl::device_state(device).error)
      return static_cast<cudaError_t>(broken);
  return irgl::thread().last;
}

cudaError_t cudaGetLastError(void) {
  const cudaError_t e = cudaPeekAtLastError();
  irgl::thread().last = cudaSuccess;
  return e;
}

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define IRGL_X(name, code, text)                                                                   \
  case name:                                                                                       \
    return #name;
    IRGL_CUDA_ERRORS(IRGL_X)
#undef IRGL_X
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define IRGL_X(name, code, text)                                                                   \
  case name:                                                                                       \
    return text;
    IRGL_CUDA_ERRORS(IRGL_X)
#undef IRGL_X
  }
  return "unrecognized error code";
}
}

#endif
