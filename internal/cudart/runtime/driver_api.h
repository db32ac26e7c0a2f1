// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libcuda.so.1 that the runtime calls, with their types, and the structs that
// they read. Names with a suffix are those versions of the binary interface; the numbers are
// those that the reference of the driver's interface documents.
#ifndef IRGL_RUNTIME_DRIVER_API_H
#define IRGL_RUNTIME_DRIVER_API_H

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda.h"
#include "driver_layouts.h"

namespace irgl {
namespace cu {

using Result = int;

// A Copy3D is CUDA_MEMCPY3D.
struct Copy3D {
  size_t src_x, src_y, src_z, src_lod;
  unsigned src_type;
  const void *src_host;
  CUdeviceptr src_device;
  void *src_array, *reserved0;
  size_t src_pitch, src_height;
  size_t dst_x, dst_y, dst_z, dst_lod;
  unsigned dst_type;
  void *dst_host;
  CUdeviceptr dst_device;
  void *dst_array, *reserved1;
  size_t dst_pitch, dst_height;
  size_t width, height, depth;
};
enum { kHost = 1, kDevice = 2, kArray = 3 }; // CUmemorytype

// An ArrayDescriptor is CUDA_ARRAY3D_DESCRIPTOR. Its flags are cudaMalloc3DArray's.
struct ArrayDescriptor {
  size_t width, height, depth; // texels; 0 for dimensions that are not there
  unsigned format, channels, flags;
};
// CUarray_format, by the kind of a channel and log2 of its bytes.
constexpr unsigned kFormats[3][3] = {{0x08, 0x09, 0x0a}, {0x01, 0x02, 0x03}, {0, 0x10, 0x20}};

// A ResourceDescriptor is CUDA_RESOURCE_DESC. Its types are cudaResourceType's.
struct ResourceDescriptor {
  unsigned type;
  union {
    void *array;
    struct {
      CUdeviceptr at;
      unsigned format, channels;
      size_t width, height, pitch; // of linear memory, the width is its size in bytes
    } memory;
    int reserved[32];
  };
  unsigned flags;
};

// A TextureDescriptor is CUDA_TEXTURE_DESC. Its modes are the runtime's.
struct TextureDescriptor {
  unsigned address[3], filter, flags, anisotropy, mipmap_filter;
  float bias, least, most, border[4];
  int reserved[12];
};
constexpr unsigned kReadAsInteger = 0x01, kNormalizedCoordinates = 0x02; // CU_TRSF_...

// A LaunchAttribute is CUlaunchAttribute, and a LaunchConfig CUlaunchConfig.
struct LaunchAttribute {
  unsigned id;
  char pad[4];
  unsigned value[16];
};
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned count;
};
enum { kCooperative = 2, kCluster = 4 }; // CUlaunchAttributeID

#define IRGL_S(ours, theirs, bytes) static_assert(sizeof(ours) == bytes, #theirs);
#define IRGL_F(ours, field, theirs, of, at) static_assert(offsetof(ours, field) == at, #theirs);
#define IRGL_V(ours, theirs, value) static_assert(ours == value, #theirs);
IRGL_LAYOUTS(IRGL_S, IRGL_F)
IRGL_VALUES(IRGL_V)
#undef IRGL_S
#undef IRGL_F
#undef IRGL_V

static_assert(sizeof(void *) == 8 && sizeof(CUdeviceptr) == 8 && sizeof(CUdevice) == 4, "a system of 64 bits");

// The options of cuModuleLoadDataEx and cuLinkCreate, and what is linked (CUjitInputType).
enum { kErrorLog = 5, kErrorLogSize = 6 };
enum { kPTX = 1, kLibrary = 4 };

// IRGL_DRIVER(F, O) lists the functions: those that every driver since CUDA 11 has, and others.
#define IRGL_DRIVER(F, O)                                                                          \
  F(init, "cuInit", unsigned)                                                                      \
  F(driver_version, "cuDriverGetVersion", int *)                                                   \
  F(error_string, "cuGetErrorString", Result, const char **)                                       \
  F(device_count, "cuDeviceGetCount", int *)                                                       \
  F(device, "cuDeviceGet", CUdevice *, int)                                                        \
  F(device_name, "cuDeviceGetName", char *, int, CUdevice)                                         \
  F(device_memory, "cuDeviceTotalMem_v2", size_t *, CUdevice)                                      \
  F(device_attribute, "cuDeviceGetAttribute", int *, int, CUdevice)                                \
  F(can_peer, "cuDeviceCanAccessPeer", int *, CUdevice, CUdevice)                                  \
  F(retain, "cuDevicePrimaryCtxRetain", CUcontext *, CUdevice)                                     \
  F(release, "cuDevicePrimaryCtxRelease_v2", CUdevice)                                             \
  F(reset, "cuDevicePrimaryCtxReset_v2", CUdevice)                                                 \
  F(set_current, "cuCtxSetCurrent", CUcontext)                                                     \
  F(synchronize, "cuCtxSynchronize")                                                               \
  F(set_limit, "cuCtxSetLimit", int, size_t)                                                       \
  F(enable_peer, "cuCtxEnablePeerAccess", CUcontext, unsigned)                                     \
  F(disable_peer, "cuCtxDisablePeerAccess", CUcontext)                                             \
  F(mem_alloc, "cuMemAlloc_v2", CUdeviceptr *, size_t)                                             \
  F(mem_free, "cuMemFree_v2", CUdeviceptr)                                                         \
  F(mem_info, "cuMemGetInfo_v2", size_t *, size_t *)                                               \
  F(host_alloc, "cuMemHostAlloc", void **, size_t, unsigned)                                       \
  F(host_free, "cuMemFreeHost", void *)                                                            \
  F(host_pointer, "cuMemHostGetDevicePointer_v2", CUdeviceptr *, void *, unsigned)                 \
  F(host_register, "cuMemHostRegister_v2", void *, size_t, unsigned)                               \
  F(host_unregister, "cuMemHostUnregister", void *)                                                \
  F(managed_alloc, "cuMemAllocManaged", CUdeviceptr *, size_t, unsigned)                           \
  F(copy_in, "cuMemcpyHtoDAsync_v2", CUdeviceptr, const void *, size_t, CUstream)                  \
  F(copy_out, "cuMemcpyDtoHAsync_v2", void *, CUdeviceptr, size_t, CUstream)                       \
  F(copy_within, "cuMemcpyDtoDAsync_v2", CUdeviceptr, CUdeviceptr, size_t, CUstream)               \
  F(copy_peer, "cuMemcpyPeerAsync", CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream) \
  F(copy_3d, "cuMemcpy3DAsync_v2", const Copy3D *, CUstream)                                       \
  F(array_create, "cuArray3DCreate_v2", void **, const ArrayDescriptor *)                          \
  F(array_destroy, "cuArrayDestroy", void *)                                                       \
  F(texture_create, "cuTexObjectCreate", unsigned long long *, const ResourceDescriptor *, const TextureDescriptor *, \
    const void *)                                                                                  \
  F(texture_destroy, "cuTexObjectDestroy", unsigned long long)                                     \
  F(surface_create, "cuSurfObjectCreate", unsigned long long *, const ResourceDescriptor *)        \
  F(surface_destroy, "cuSurfObjectDestroy", unsigned long long)                                    \
  F(fill, "cuMemsetD8Async", CUdeviceptr, unsigned char, size_t, CUstream)                         \
  F(fill_2d, "cuMemsetD2D8Async", CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream)    \
  F(load, "cuModuleLoadDataEx", CUmodule *, const void *, unsigned, int *, void **)                \
  F(get_function, "cuModuleGetFunction", CUfunction *, CUmodule, const char *)                     \
  F(get_global, "cuModuleGetGlobal_v2", CUdeviceptr *, size_t *, CUmodule, const char *)           \
  F(function_attribute, "cuFuncGetAttribute", int *, int, CUfunction)                              \
  F(set_function_attribute, "cuFuncSetAttribute", CUfunction, int, int)                            \
  F(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", int *, CUfunction, int, size_t)      \
  F(launch, "cuLaunchKernel", CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    CUstream, void **, void **)                                                                    \
  F(launch_cooperative, "cuLaunchCooperativeKernel", CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, unsigned, CUstream, void **)                                                         \
  F(host_function, "cuLaunchHostFunc", CUstream, cudaHostFn_t, void *)                             \
  F(stream_create, "cuStreamCreateWithPriority", CUstream *, unsigned, int)                        \
  F(stream_destroy, "cuStreamDestroy_v2", CUstream)                                                \
  F(stream_sync, "cuStreamSynchronize", CUstream)                                                  \
  F(stream_query, "cuStreamQuery", CUstream)                                                       \
  F(stream_wait, "cuStreamWaitEvent", CUstream, CUevent, unsigned)                                 \
  F(stream_flags, "cuStreamGetFlags", CUstream, unsigned *)                                        \
  F(stream_priority, "cuStreamGetPriority", CUstream, int *)                                       \
  F(event_create, "cuEventCreate", CUevent *, unsigned)                                            \
  F(event_destroy, "cuEventDestroy_v2", CUevent)                                                   \
  F(event_record, "cuEventRecord", CUevent, CUstream)                                              \
  F(event_sync, "cuEventSynchronize", CUevent)                                                     \
  F(event_query, "cuEventQuery", CUevent)                                                          \
  F(event_elapsed, "cuEventElapsedTime", float *, CUevent, CUevent)                                \
  O(alloc_async, "cuMemAllocAsync", CUdeviceptr *, size_t, CUstream)                               \
  O(free_async, "cuMemFreeAsync", CUdeviceptr, CUstream)                                           \
  O(prefetch, "cuMemPrefetchAsync", CUdeviceptr, size_t, CUdevice, CUstream)                       \
  O(link_create, "cuLinkCreate_v2", unsigned, int *, void **, void **)                             \
  O(link_data, "cuLinkAddData_v2", void *, int, const void *, size_t, const char *, unsigned, int *, void **) \
  O(link_file, "cuLinkAddFile_v2", void *, int, const char *, unsigned, int *, void **)            \
  O(link_complete, "cuLinkComplete", void *, void **, size_t *)                                    \
  O(link_destroy, "cuLinkDestroy", void *)                                                         \
  O(launch_ex, "cuLaunchKernelEx", const LaunchConfig *, CUfunction, void **, void **)

// An Api is the functions of an open library.
struct Api {
#define IRGL_F(name, symbol, ...) Result (*name)(__VA_ARGS__) = nullptr;
  IRGL_DRIVER(IRGL_F, IRGL_F)
#undef IRGL_F

  // open opens the library; on failure, why says what is wrong.
  bool open(std::string *why) {
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (lib == nullptr) {
      const char *text = dlerror();
      *why = std::string("no GPU's driver: ") + (text != nullptr ? text : "libcuda.so.1 cannot be opened");
      return false;
    }
    const char *lacks = nullptr;
#define IRGL_F(name, symbol, ...)                                                                  \
  if (!find(lib, symbol, &name))                                                                   \
    lacks = symbol;
#define IRGL_O(name, symbol, ...) find(lib, symbol, &name);
    IRGL_DRIVER(IRGL_F, IRGL_O)
#undef IRGL_F
#undef IRGL_O
    if (lacks != nullptr)
      *why = std::string("the GPU's driver is too old: libcuda.so.1 has no ") + lacks;
    return lacks == nullptr;
  }

private:
  template <class F> static bool find(void *lib, const char *symbol, F *f) {
    void *p = dlsym(lib, symbol);
    static_assert(sizeof p == sizeof *f, "pointers to functions are pointers");
    memcpy(f, &p, sizeof p);
    return p != nullptr;
  }
};

} // namespace cu
} // namespace irgl

#endif
