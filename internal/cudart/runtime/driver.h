// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backend of a GPU: its driver, opened when a program first needs it. Contexts are the primary
// ones, so that libraries above the runtime's interface share them; streams, events and pointers
// are the driver's own.
#ifndef IRGL_RUNTIME_DRIVER_H
#define IRGL_RUNTIME_DRIVER_H

#include <cstring>

#include "driver_api.h"
#include "state.h"

namespace irgl {

class Driver : public Backend {
public:
  static cudaError_t start(Backend **b, std::string *why) {
    std::unique_ptr<Driver> d(new Driver);
    if (!d->cu_.open(why))
      return cudaErrorInsufficientDriver;
    if (const cu::Result r = d->cu_.init(0)) {
      *why = "no GPU that can be used: " + d->text(r);
      return error(r);
    }
    int n = 0;
    if (const cu::Result r = d->cu_.device_count(&n)) {
      *why = "no GPU that can be used: " + d->text(r);
      return error(r);
    }
    if (n == 0) {
      *why = "the driver shows no GPU";
      return cudaErrorNoDevice;
    }
    d->device_.resize(static_cast<size_t>(n));
    for (int i = 0; i < n; i++)
      if (const cu::Result r = d->cu_.device(&d->device_[static_cast<size_t>(i)].number, i))
        return error(r);
    *b = d.release();
    return cudaSuccess;
  }

  const char *name() const override { return "cuda"; }
  cudaError_t count(int *n) override {
    *n = static_cast<int>(device_.size());
    return cudaSuccess;
  }
  cudaError_t driver_version(int *version) override { return error(cu_.driver_version(version)); }
  cudaError_t open(int device) override {
    Device &d = device_[static_cast<size_t>(device)];
    if (const cu::Result r = cu_.retain(&d.context, d.number))
      return error(r);
    return error(cu_.set_current(d.context));
  }
  cudaError_t reset(int device) override {
    Device &d = device_[static_cast<size_t>(device)];
    const cu::Result r = cu_.reset(d.number);
    cu_.release(d.number);
    d.context = nullptr;
    return error(r);
  }
  int finish() override { return 0; }

  cudaError_t properties(int device, cudaDeviceProp *p) override {
    const CUdevice d = device_[static_cast<size_t>(device)].number;
    if (cu_.device_name(p->name, sizeof p->name, d) != 0 || cu_.device_memory(&p->totalGlobalMem, d) != 0)
      return cudaErrorInvalidDevice;
    const struct {
      int attribute;
      int *small;
      size_t *large;
    } fields[] = {
        {cudaDevAttrMaxThreadsPerBlock, &p->maxThreadsPerBlock, nullptr},
        {cudaDevAttrMaxBlockDimX, &p->maxThreadsDim[0], nullptr},
        {cudaDevAttrMaxBlockDimY, &p->maxThreadsDim[1], nullptr},
        {cudaDevAttrMaxBlockDimZ, &p->maxThreadsDim[2], nullptr},
        {cudaDevAttrMaxGridDimX, &p->maxGridSize[0], nullptr},
        {cudaDevAttrMaxGridDimY, &p->maxGridSize[1], nullptr},
        {cudaDevAttrMaxGridDimZ, &p->maxGridSize[2], nullptr},
        {cudaDevAttrMaxSharedMemoryPerBlock, nullptr, &p->sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, nullptr, &p->totalConstMem},
        {cudaDevAttrWarpSize, &p->warpSize, nullptr},
        {cudaDevAttrMaxPitch, nullptr, &p->memPitch},
        {cudaDevAttrMaxRegistersPerBlock, &p->regsPerBlock, nullptr},
        {cudaDevAttrClockRate, &p->clockRate, nullptr},
        {cudaDevAttrTextureAlignment, nullptr, &p->textureAlignment},
        {cudaDevAttrTexturePitchAlignment, nullptr, &p->texturePitchAlignment},
        {cudaDevAttrSurfaceAlignment, nullptr, &p->surfaceAlignment},
        {cudaDevAttrGpuOverlap, &p->deviceOverlap, nullptr},
        {cudaDevAttrMultiProcessorCount, &p->multiProcessorCount, nullptr},
        {cudaDevAttrKernelExecTimeout, &p->kernelExecTimeoutEnabled, nullptr},
        {cudaDevAttrIntegrated, &p->integrated, nullptr},
        {cudaDevAttrCanMapHostMemory, &p->canMapHostMemory, nullptr},
        {cudaDevAttrComputeMode, &p->computeMode, nullptr},
        {cudaDevAttrConcurrentKernels, &p->concurrentKernels, nullptr},
        {cudaDevAttrEccEnabled, &p->ECCEnabled, nullptr},
        {cudaDevAttrPciBusId, &p->pciBusID, nullptr},
        {cudaDevAttrPciDeviceId, &p->pciDeviceID, nullptr},
        {cudaDevAttrPciDomainId, &p->pciDomainID, nullptr},
        {cudaDevAttrTccDriver, &p->tccDriver, nullptr},
        {cudaDevAttrAsyncEngineCount, &p->asyncEngineCount, nullptr},
        {cudaDevAttrUnifiedAddressing, &p->unifiedAddressing, nullptr},
        {cudaDevAttrMemoryClockRate, &p->memoryClockRate, nullptr},
        {cudaDevAttrGlobalMemoryBusWidth, &p->memoryBusWidth, nullptr},
        {cudaDevAttrL2CacheSize, &p->l2CacheSize, nullptr},
        {cudaDevAttrMaxThreadsPerMultiProcessor, &p->maxThreadsPerMultiProcessor, nullptr},
        {cudaDevAttrStreamPrioritiesSupported, &p->streamPrioritiesSupported, nullptr},
        {cudaDevAttrGlobalL1CacheSupported, &p->globalL1CacheSupported, nullptr},
        {cudaDevAttrLocalL1CacheSupported, &p->localL1CacheSupported, nullptr},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, nullptr, &p->sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, &p->regsPerMultiprocessor, nullptr},
        {cudaDevAttrManagedMemory, &p->managedMemory, nullptr},
        {cudaDevAttrIsMultiGpuBoard, &p->isMultiGpuBoard, nullptr},
        {cudaDevAttrMultiGpuBoardGroupID, &p->multiGpuBoardGroupID, nullptr},
        {cudaDevAttrHostNativeAtomicSupported, &p->hostNativeAtomicSupported, nullptr},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, &p->singleToDoublePrecisionPerfRatio, nullptr},
        {cudaDevAttrPageableMemoryAccess, &p->pageableMemoryAccess, nullptr},
        {cudaDevAttrConcurrentManagedAccess, &p->concurrentManagedAccess, nullptr},
        {cudaDevAttrComputePreemptionSupported, &p->computePreemptionSupported, nullptr},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, &p->canUseHostPointerForRegisteredMem, nullptr},
        {cudaDevAttrCooperativeLaunch, &p->cooperativeLaunch, nullptr},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, nullptr, &p->sharedMemPerBlockOptin},
        {cudaDevAttrHostRegisterSupported, &p->hostRegisterSupported, nullptr},
        {cudaDevAttrPageableMemoryAccessUsesHostPageTables, &p->pageableMemoryAccessUsesHostPageTables, nullptr},
        {cudaDevAttrDirectManagedMemAccessFromHost, &p->directManagedMemAccessFromHost, nullptr},
        {cudaDevAttrMaxBlocksPerMultiprocessor, &p->maxBlocksPerMultiProcessor, nullptr},
        {cudaDevAttrReservedSharedMemoryPerBlock, nullptr, &p->reservedSharedMemPerBlock},
        {cudaDevAttrMemoryPoolsSupported, &p->memoryPoolsSupported, nullptr},
        {cudaDevAttrClusterLaunch, &p->clusterLaunch, nullptr},
        {cudaDevAttrComputeCapabilityMajor, &p->major, nullptr},
        {cudaDevAttrComputeCapabilityMinor, &p->minor, nullptr},
    };
    for (const auto &f : fields) {
      int v = 0;
      if (cu_.device_attribute(&v, f.attribute, d) != 0)
        v = 0; // an older driver does not know it
      if (f.small != nullptr)
        *f.small = v;
      else
        *f.large = static_cast<size_t>(v);
    }
    return cudaSuccess;
  }

  // Memory.
  cudaError_t alloc(int device, size_t size, const char *, void **p) override {
    CUdeviceptr at = 0;
    const cudaError_t e = in(device, [&] { return cu_.mem_alloc(&at, size); });
    *p = pointer(at);
    return e;
  }
  cudaError_t free(int device, void *p) override {
    return in(device, [&] { return cu_.mem_free(address(p)); });
  }
  cudaError_t alloc_async(int device, size_t size, const char *name, cudaStream_t s, void **p) override {
    if (cu_.alloc_async == nullptr)
      return alloc(device, size, name, p);
    CUdeviceptr at = 0;
    const cudaError_t e = in(device, [&] { return cu_.alloc_async(&at, size, s); });
    *p = pointer(at);
    return e;
  }
  cudaError_t free_async(int device, void *p, cudaStream_t s) override {
    if (cu_.free_async != nullptr)
      return in(device, [&] { return cu_.free_async(address(p), s); });
    const cudaError_t e = stream_sync(device, s);
    return e != cudaSuccess ? e : free(device, p);
  }
  cudaError_t alloc_host(int device, size_t size, unsigned flags, const char *, void **p) override {
    // Page-locked for all contexts and mapped, as all such memory is where addresses are unified.
    return in(device, [&] { return cu_.host_alloc(p, size, flags | cudaHostAllocPortable | cudaHostAllocMapped); });
  }
  cudaError_t free_host(int device, void *p) override {
    return in(device, [&] { return cu_.host_free(p); });
  }
  cudaError_t alloc_managed(int device, size_t size, const char *, void **p) override {
    CUdeviceptr at = 0;
    const cudaError_t e = in(device, [&] { return cu_.managed_alloc(&at, size, cudaMemAttachGlobal); });
    *p = pointer(at);
    return e;
  }
  cudaError_t free_managed(int device, void *p) override { return free(device, p); }
  cudaError_t register_host(int device, void *p, size_t size, unsigned flags, void **mapped) override {
    if (cudaError_t e = in(device, [&] { return cu_.host_register(p, size, flags | cudaHostRegisterMapped); }))
      return e;
    CUdeviceptr at = 0;
    if (in(device, [&] { return cu_.host_pointer(&at, p, 0); }) == cudaSuccess)
      *mapped = pointer(at);
    return cudaSuccess;
  }
  cudaError_t unregister_host(int device, void *p) override {
    return in(device, [&] { return cu_.host_unregister(p); });
  }
  cudaError_t memory(int device, size_t *free, size_t *total) override {
    return in(device, [&] { return cu_.mem_info(free, total); });
  }

  cudaError_t copy(int device, const Copy &c, cudaStream_t s, bool wait) override {
    const bool to = c.kind == cudaMemcpyHostToDevice || c.kind == cudaMemcpyDeviceToDevice;
    const bool from = c.kind == cudaMemcpyDeviceToHost || c.kind == cudaMemcpyDeviceToDevice;
    const cudaError_t e = in(device, [&]() -> cu::Result {
      if (c.height != 1 || c.depth != 1 || c.dst_array.array != 0 || c.src_array.array != 0)
        return copy_rows(c, to, from, s);
      if (to && from)
        return cu_.copy_within(address(c.dst), address(c.src), c.width, s);
      return to ? cu_.copy_in(address(c.dst), c.src, c.width, s) : cu_.copy_out(c.dst, address(c.src), c.width, s);
    });
    const bool visible = !(to && from) || c.dst_mapped || c.src_mapped;
    return e == cudaSuccess && wait && visible ? stream_sync(device, s) : e;
  }
  cudaError_t copy_peer(int device, void *dst, int from, const void *src, size_t size, cudaStream_t s,
                        bool wait) override {
    const cudaError_t e = in(device, [&] {
      return cu_.copy_peer(address(dst), context(device), address(src), context(from), size, s);
    });
    return e == cudaSuccess && wait ? stream_sync(device, s) : e;
  }
  cudaError_t fill(int device, void *p, size_t pitch, int value, size_t width, size_t height,
                   cudaStream_t s) override {
    const unsigned char byte = static_cast<unsigned char>(value);
    return in(device, [&] {
      return height == 1 ? cu_.fill(address(p), byte, width, s)
                         : cu_.fill_2d(address(p), pitch, byte, width, height, s);
    });
  }

  // Textures and surfaces.
  bool has_objects() const override { return true; }
  cudaError_t array_create(int device, const cudaChannelFormatDesc &f, const cudaExtent &extent, unsigned flags,
                           Handle *a) override {
    void *at = nullptr;
    const cu::ArrayDescriptor d = {extent.width, extent.height, extent.depth, format(f), channels(f), flags};
    const cudaError_t e = in(device, [&] { return cu_.array_create(&at, &d); });
    *a = reinterpret_cast<Handle>(at);
    return e;
  }
  cudaError_t array_destroy(int device, Handle a) override {
    return in(device, [&] { return cu_.array_destroy(reinterpret_cast<void *>(a)); });
  }
  cudaError_t object_create(int device, const Texture &t, const cudaTextureDesc *desc, unsigned long long *o) override {
    cu::ResourceDescriptor r = {};
    r.type = t.type;
    const size_t texel = static_cast<size_t>(t.format.x / 8) * channels(t.format);
    if (t.type == cudaResourceTypeArray)
      r.array = reinterpret_cast<void *>(t.array);
    else if (t.type == cudaResourceTypeLinear)
      r.memory = {address(t.memory), format(t.format), channels(t.format), t.width * texel, 0, 0};
    else
      r.memory = {address(t.memory), format(t.format), channels(t.format), t.width, t.height, t.pitch};
    if (desc == nullptr)
      return in(device, [&] { return cu_.surface_create(o, &r); });
    cu::TextureDescriptor d = {};
    for (int i = 0; i < 3; i++)
      d.address[i] = address_mode(*desc, i);
    d.filter = desc->filterMode;
    d.flags = (desc->readMode == cudaReadModeElementType && t.format.f != cudaChannelFormatKindFloat ? cu::kReadAsInteger : 0u) |
              (desc->normalizedCoords != 0 ? cu::kNormalizedCoordinates : 0u);
    d.anisotropy = desc->maxAnisotropy;
    d.mipmap_filter = desc->mipmapFilterMode;
    d.bias = desc->mipmapLevelBias;
    d.least = desc->minMipmapLevelClamp;
    d.most = desc->maxMipmapLevelClamp;
    memcpy(d.border, desc->borderColor, sizeof d.border);
    return in(device, [&] { return cu_.texture_create(o, &r, &d, nullptr); });
  }
  cudaError_t object_destroy(int device, unsigned long long o, bool surface) override {
    return in(device, [&] { return surface ? cu_.surface_destroy(o) : cu_.texture_destroy(o); });
  }

  // Code.
  cudaError_t load(int device, const char *name, const char *ptx, size_t size, Handle *module) override {
    const std::string text(ptx, size); // with a zero at its end
    std::string log(16 << 10, '\0');
    int options[] = {cu::kErrorLog, cu::kErrorLogSize};
    void *values[] = {&log[0], reinterpret_cast<void *>(log.size() - 1)};
    CUmodule m = nullptr;
    const cudaError_t e = in(device, [&] { return cu_.load(&m, text.c_str(), 2, options, values); });
    if (e != cudaSuccess)
      message("load %s: %s%s%s", name, cudaGetErrorString(e), log[0] != '\0' ? "\n" : "", log.c_str());
    *module = reinterpret_cast<Handle>(m);
    return e;
  }
  bool links() const override {
    return cu_.link_create != nullptr && cu_.link_data != nullptr && cu_.link_file != nullptr && cu_.link_complete != nullptr && cu_.link_destroy != nullptr;
  }
  cudaError_t link(int device, const char *name, const char *ptx, size_t size, const std::string &path, const irgl_archive *archive, Handle *module,
                   std::string *why) override {
    const std::string text(ptx, strnlen(ptx, size)); // with a zero at its end
    std::string log(16 << 10, '\0');
    int options[] = {cu::kErrorLog, cu::kErrorLogSize};
    void *values[] = {&log[0], reinterpret_cast<void *>(log.size() - 1)};
    CUmodule m = nullptr;
    const cudaError_t e = in(device, [&]() -> cu::Result {
      void *link = nullptr, *code = nullptr;
      size_t bytes = 0;
      if (const cu::Result r = cu_.link_create(2, options, values, &link))
        return r;
      cu::Result r = cu_.link_data(link, cu::kPTX, text.c_str(), text.size() + 1, name, 0, nullptr, nullptr);
      if (r == 0)
        r = archive != nullptr ? cu_.link_data(link, cu::kLibrary, archive->bytes, archive->size, "libcudadevrt.a", 0, nullptr, nullptr)
                               : cu_.link_file(link, cu::kLibrary, path.c_str(), 0, nullptr, nullptr);
      if (r == 0)
        r = cu_.link_complete(link, &code, &bytes);
      if (r == 0)
        r = cu_.load(&m, code, 0, nullptr, nullptr);
      cu_.link_destroy(link);
      return r;
    });
    if (e != cudaSuccess)
      *why = "link it with " + (archive != nullptr ? "the program's libcudadevrt.a" : path) + ": " + cudaGetErrorString(e) + (log[0] != '\0' ? "\n" : "") + log.c_str();
    *module = reinterpret_cast<Handle>(m);
    return e;
  }
  cudaError_t function(int device, Handle module, const char *name, Handle *f, FunctionInfo *info) override {
    CUfunction h = nullptr;
    if (cudaError_t e = in(device, [&] { return cu_.get_function(&h, reinterpret_cast<CUmodule>(module), name); }))
      return e;
    // The numbers are those of CUfunction_attribute, from 0.
    int *const values[] = {&info->max_threads, &info->shared,      &info->constant,      &info->local,
                           &info->registers,   &info->ptx_version, &info->binary_version};
    for (int i = 0; i < 7; i++)
      cu_.function_attribute(values[i], i, h);
    *f = reinterpret_cast<Handle>(h);
    return cudaSuccess;
  }
  cudaError_t global(int device, Handle module, const char *name, void **p, size_t *size) override {
    CUdeviceptr at = 0;
    const cudaError_t e =
        in(device, [&] { return cu_.get_global(&at, size, reinterpret_cast<CUmodule>(module), name); });
    *p = pointer(at);
    return e;
  }
  cudaError_t launch(int device, Handle f, const FunctionInfo &, const Launch &l) override {
    const CUfunction h = reinterpret_cast<CUfunction>(f);
    const unsigned shared = static_cast<unsigned>(l.shared);
    const dim3 &g = l.grid, &b = l.block;
    return in(device, [&]() -> cu::Result {
      if (l.cluster.x != 0) {
        if (cu_.launch_ex == nullptr)
          return cudaErrorNotSupported;
        cu::LaunchAttribute a[2] = {{cu::kCluster, {}, {l.cluster.x, l.cluster.y, l.cluster.z}},
                                    {cu::kCooperative, {}, {1}}};
        const cu::LaunchConfig c = {g.x, g.y, g.z, b.x, b.y, b.z, shared, l.stream, a, l.cooperative ? 2u : 1u};
        return cu_.launch_ex(&c, h, l.args, nullptr);
      }
      if (l.cooperative)
        return cu_.launch_cooperative(h, g.x, g.y, g.z, b.x, b.y, b.z, shared, l.stream, l.args);
      return cu_.launch(h, g.x, g.y, g.z, b.x, b.y, b.z, shared, l.stream, l.args, nullptr);
    });
  }
  cudaError_t set_attribute(int device, Handle f, cudaFuncAttribute a, int value) override {
    return in(device, [&] { return cu_.set_function_attribute(reinterpret_cast<CUfunction>(f), a, value); });
  }
  cudaError_t occupancy(int device, Handle f, int threads, size_t shared, int *blocks) override {
    return in(device, [&] { return cu_.occupancy(blocks, reinterpret_cast<CUfunction>(f), threads, shared); });
  }

  // Streams and events.
  cudaError_t stream_create(int device, unsigned flags, int priority, cudaStream_t *s) override {
    return in(device, [&] { return cu_.stream_create(s, flags, priority); });
  }
  cudaError_t stream_destroy(int device, cudaStream_t s) override {
    return in(device, [&] { return cu_.stream_destroy(s); });
  }
  cudaError_t stream_sync(int device, cudaStream_t s) override {
    return in(device, [&] { return cu_.stream_sync(s); });
  }
  cudaError_t stream_query(int device, cudaStream_t s) override {
    return in(device, [&] { return cu_.stream_query(s); });
  }
  cudaError_t stream_wait(int device, cudaStream_t s, cudaEvent_t e) override {
    return in(device, [&] { return cu_.stream_wait(s, e, 0); });
  }
  cudaError_t stream_about(cudaStream_t s, unsigned *flags, int *priority) override {
    if (const cu::Result r = cu_.stream_flags(s, flags))
      return error(r);
    return error(cu_.stream_priority(s, priority));
  }
  cudaError_t host_function(int device, cudaStream_t s, cudaHostFn_t f, void *data) override {
    return in(device, [&] { return cu_.host_function(s, f, data); });
  }
  cudaError_t event_create(int device, unsigned flags, cudaEvent_t *e) override {
    return in(device, [&] { return cu_.event_create(e, flags); });
  }
  cudaError_t event_destroy(int device, cudaEvent_t e) override {
    return in(device, [&] { return cu_.event_destroy(e); });
  }
  cudaError_t event_record(int device, cudaEvent_t e, cudaStream_t s) override {
    return in(device, [&] { return cu_.event_record(e, s); });
  }
  cudaError_t event_sync(int device, cudaEvent_t e) override {
    return in(device, [&] { return cu_.event_sync(e); });
  }
  cudaError_t event_query(int device, cudaEvent_t e) override {
    return in(device, [&] { return cu_.event_query(e); });
  }
  cudaError_t event_elapsed(int device, float *ms, cudaEvent_t start, cudaEvent_t end) override {
    return in(device, [&] { return cu_.event_elapsed(ms, start, end); });
  }
  cudaError_t sync(int device) override {
    return in(device, [&] { return cu_.synchronize(); });
  }

  // Peers, limits and hints.
  cudaError_t can_peer(int device, int peer, int *can) override {
    return error(cu_.can_peer(can, device_[static_cast<size_t>(device)].number, device_[static_cast<size_t>(peer)].number));
  }
  cudaError_t enable_peer(int device, int peer) override {
    return in(device, [&] { return cu_.enable_peer(context(peer), 0); });
  }
  cudaError_t disable_peer(int device, int peer) override {
    return in(device, [&] { return cu_.disable_peer(context(peer)); });
  }
  cudaError_t set_limit(int device, cudaLimit limit, size_t value) override {
    return in(device, [&] { return cu_.set_limit(limit, value); });
  }
  cudaError_t prefetch(int device, const void *p, size_t size, int to, cudaStream_t s) override {
    if (cu_.prefetch == nullptr)
      return cudaSuccess; // it is a hint
    const CUdevice d = to == cudaCpuDeviceId ? cudaCpuDeviceId : device_[static_cast<size_t>(to)].number;
    return in(device, [&] { return cu_.prefetch(address(p), size, d, s); });
  }

private:
  struct Device {
    CUdevice number = 0;
    CUcontext context = nullptr;
  };

  // error returns a result as an error of the runtime: both number them alike.
  static cudaError_t error(cu::Result r) { return static_cast<cudaError_t>(r); }

  std::string text(cu::Result r) const {
    const char *s = nullptr;
    if (cu_.error_string(r, &s) == 0 && s != nullptr)
      return s;
    return "error " + std::to_string(r);
  }

  // format and channels are CUDA's numbers for a format that the runtime has checked.
  static unsigned format(const cudaChannelFormatDesc &f) { return cu::kFormats[f.f][f.x / 16]; }
  static unsigned channels(const cudaChannelFormatDesc &f) { return f.w != 0 ? 4 : f.y != 0 ? 2 : 1; }

  static CUdeviceptr address(const void *p) { return reinterpret_cast<CUdeviceptr>(p); }
  static void *pointer(CUdeviceptr p) { return reinterpret_cast<void *>(p); }
  CUcontext context(int device) const { return device_[static_cast<size_t>(device)].context; }

  // in calls f with the device's context.
  template <class F> cudaError_t in(int device, F f) {
    if (const cu::Result r = cu_.set_current(context(device)))
      return error(r);
    return error(f());
  }

  cu::Result copy_rows(const Copy &c, bool to, bool from, cudaStream_t s) {
    cu::Copy3D x = {};
    x.src_type = from ? cu::kDevice : cu::kHost;
    x.src_host = from ? nullptr : c.src;
    x.src_device = from ? address(c.src) : 0;
    x.src_pitch = c.src_pitch;
    x.src_height = c.depth > 1 && c.src_pitch != 0 ? c.src_slice / c.src_pitch : c.height;
    x.dst_type = to ? cu::kDevice : cu::kHost;
    x.dst_host = to ? nullptr : c.dst;
    x.dst_device = to ? address(c.dst) : 0;
    x.dst_pitch = c.dst_pitch;
    x.dst_height = c.depth > 1 && c.dst_pitch != 0 ? c.dst_slice / c.dst_pitch : c.height;
    if (c.src_array.array != 0) {
      x.src_type = cu::kArray;
      x.src_array = reinterpret_cast<void *>(c.src_array.array);
      x.src_x = c.src_array.x, x.src_y = c.src_array.y, x.src_z = c.src_array.z;
    }
    if (c.dst_array.array != 0) {
      x.dst_type = cu::kArray;
      x.dst_array = reinterpret_cast<void *>(c.dst_array.array);
      x.dst_x = c.dst_array.x, x.dst_y = c.dst_array.y, x.dst_z = c.dst_array.z;
    }
    x.width = c.width;
    x.height = c.height;
    x.depth = c.depth;
    return cu_.copy_3d(&x, s);
  }

  cu::Api cu_;
  std::vector<Device> device_;
};

} // namespace irgl

#endif
