// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the runtime's interface.
#ifndef IRGL_RUNTIME_API_MEMORY_H
#define IRGL_RUNTIME_API_MEMORY_H

#include "graphs.h"
#include "registry.h"
#include "state.h"

namespace irgl {

// allocation_name returns what reports call memory: cudaMalloc #3.
inline std::string allocation_name(const char *call) {
  return std::string(call) + " #" + std::to_string(++process().allocations);
}

inline cudaError_t malloc_device(Backend &b, int device, void **p, size_t size, const char *call) {
  if (p == nullptr)
    return cudaErrorInvalidValue;
  *p = nullptr;
  if (size == 0)
    return cudaSuccess;
  const cudaError_t e = b.alloc(device, size, allocation_name(call).c_str(), p);
  if (e == cudaSuccess)
    process().memory.add(*p, Block{Block::Device, size, device, 0, *p});
  return e;
}

inline cudaError_t malloc_host(Backend &b, int device, void **p, size_t size, unsigned flags, const char *call) {
  if (p == nullptr || flags > 7)
    return cudaErrorInvalidValue;
  *p = nullptr;
  if (size == 0)
    return cudaSuccess;
  const cudaError_t e = b.alloc_host(device, size, flags, allocation_name(call).c_str(), p);
  if (e == cudaSuccess)
    process().memory.add(*p, Block{Block::Host, size, device, flags, *p});
  return e;
}

inline cudaError_t malloc_pitch(Backend &b, int device, void **p, size_t *pitch, size_t width, size_t rows,
                                const char *call) {
  if (p == nullptr || pitch == nullptr)
    return cudaErrorInvalidValue;
  *pitch = (width + 511) / 512 * 512;
  if (*pitch < width || (rows != 0 && *pitch > SIZE_MAX / rows))
    return cudaErrorMemoryAllocation;
  return malloc_device(b, device, p, *pitch * rows, call);
}

// The kind of a copy between pointers of blocks, or none: memory of the host.
struct Side {
  bool found = false;
  Block block{};
  bool mapped() const { return found && block.shared(); }
  bool device() const { return found && block.of_device(); }
};

inline Side side(const void *p) {
  Side s;
  s.found = process().memory.find(p, 0, &s.block);
  return s;
}

inline const char *kind_name(cudaMemcpyKind kind) {
  static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                      "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault ? names[kind] : "an unknown kind";
}

// not_allocated is the error of a call that frees what it cannot.
inline cudaError_t not_allocated(const char *call, const void *p) {
  return refused(cudaErrorInvalidValue, "%s: no memory that it frees begins at %p", call, p);
}

// copy does a copy whose kind may be the default.
inline cudaError_t copy(Backend &b, int device, Copy c, cudaStream_t s, bool wait) {
  if (c.kind < cudaMemcpyHostToHost || c.kind > cudaMemcpyDefault)
    return refused(cudaErrorInvalidMemcpyDirection, "the kind of a copy is %d: it is 0 to 4", static_cast<int>(c.kind));
  if (c.width == 0 || c.height == 0 || c.depth == 0)
    return cudaSuccess;
  const bool to_array = c.dst_array.array != 0, from_array = c.src_array.array != 0;
  const bool to_memory = !to_array, from_memory = !from_array;
  if ((to_memory && c.dst == nullptr) || (from_memory && c.src == nullptr))
    return refused(cudaErrorInvalidValue, "a copy %s a null pointer", to_memory && c.dst == nullptr ? "to" : "from");
  if ((c.height > 1 || c.depth > 1) && ((to_memory && c.width > c.dst_pitch) || (from_memory && c.width > c.src_pitch)))
    return refused(cudaErrorInvalidPitchValue, "a copy of rows of %zu bytes: the pitches are %zu and %zu", c.width, c.dst_pitch,
                   c.src_pitch);
  if (to_memory && from_memory && c.dst_pitch == c.width && c.src_pitch == c.width) { // rows without gaps are one row
    c.width *= c.height;
    c.height = 1;
    if (c.dst_slice == c.width && c.src_slice == c.width) {
      c.width *= c.depth;
      c.depth = 1;
    }
  }
  const Side dst = to_memory ? side(c.dst) : Side(), src = from_memory ? side(c.src) : Side();
  const bool dst_device = to_array || dst.device(), src_device = from_array || src.device();
  c.dst_mapped = dst.mapped();
  c.src_mapped = src.mapped();
  if (c.kind == cudaMemcpyDefault)
    c.kind = dst_device ? (src_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                        : (src_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  const bool to = c.kind == cudaMemcpyHostToDevice || c.kind == cudaMemcpyDeviceToDevice;
  const bool from = c.kind == cudaMemcpyDeviceToHost || c.kind == cudaMemcpyDeviceToDevice;
  if ((!to && to_array) || (!from && from_array))
    return refused(cudaErrorInvalidValue, "%s of a copy %s an array", kind_name(c.kind), !to && to_array ? "to" : "from");
  if ((!to && dst_device) || (!from && src_device))
    return refused(cudaErrorInvalidValue, "%s says that %p is memory of the host: it is memory of a device", kind_name(c.kind),
                   static_cast<const void *>(!to && dst_device ? c.dst : c.src));
  cudaError_t e = cudaSuccess;
  if (recorded(device, s, cudaGraphNodeTypeMemcpy, &e,
               [c](Backend &by, int on, cudaStream_t in) { return copy(by, on, c, in, false); }))
    return e;
  if (c.kind == cudaMemcpyDeviceToDevice && dst.device() && src.device() && dst.block.device != src.block.device &&
      c.height == 1 && c.depth == 1)
    return b.copy_peer(dst.block.device, c.dst, src.block.device, c.src, c.width, s, wait);
  if (c.kind != cudaMemcpyHostToHost)
    return b.copy(device, c, s, wait);
  if ((e = b.stream_sync(device, s)) != cudaSuccess)
    return e;
  for (size_t z = 0; z < c.depth; z++)
    for (size_t y = 0; y < c.height; y++)
      memmove(c.dst + z * c.dst_slice + y * c.dst_pitch, c.src + z * c.src_slice + y * c.src_pitch, c.width);
  return cudaSuccess;
}

inline Copy flat(void *dst, const void *src, size_t size, cudaMemcpyKind kind) {
  return Copy{static_cast<char *>(dst), static_cast<const char *>(src), size, size, size, size, size, 1, 1, kind,
              false, false};
}

inline cudaError_t copy_1d(void *dst, const void *src, size_t size, cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  return on_current([&](Backend &b, int device) { return copy(b, device, flat(dst, src, size, kind), s, wait); });
}

inline cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    if (width > dpitch || width > spitch)
      return refused(cudaErrorInvalidPitchValue, "a copy of rows of %zu bytes: the pitches are %zu and %zu", width, dpitch, spitch);
    return copy(b, device,
                Copy{static_cast<char *>(dst), static_cast<const char *>(src), dpitch, spitch, dpitch * height,
                     spitch * height, width, height, 1, kind, false, false},
                s, wait);
  });
}

inline cudaError_t fill(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    if (width == 0 || height == 0)
      return cudaSuccess;
    if (p == nullptr)
      return refused(cudaErrorInvalidValue, "cudaMemset at a null pointer");
    if (height > 1 && width > pitch)
      return refused(cudaErrorInvalidPitchValue, "cudaMemset of rows of %zu bytes: the pitch is %zu", width, pitch);
    if (width == pitch) {
      width *= height;
      height = 1;
    }
    const Side at = side(p);
    cudaError_t e = cudaSuccess;
    if (recorded(device, s, cudaGraphNodeTypeMemset, &e, [=](Backend &by, int on, cudaStream_t in) {
          return by.fill(on, p, pitch, value, width, height, in);
        }))
      return e;
    if ((e = b.fill(device, p, pitch, value, width, height, s)) != cudaSuccess)
      return e;
    return at.mapped() && s == nullptr ? b.stream_sync(device, s) : cudaSuccess;
  });
}

inline cudaError_t copy_symbol(const void *shadow, size_t size, size_t offset, bool to, const void *src, void *dst,
                               cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    void *at = nullptr;
    size_t n = 0;
    if (cudaError_t e = symbol(b, device, shadow, &at, &n))
      return e;
    if (offset > n || size > n - offset)
      return refused(cudaErrorInvalidValue, "a copy of %zu bytes %s byte %zu of a symbol that has %zu", size, to ? "to" : "from", offset, n);
    if (kind == cudaMemcpyHostToHost || kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
      return refused(cudaErrorInvalidMemcpyDirection, "%s of a copy %s a symbol", kind_name(kind), to ? "to" : "from");
    char *p = static_cast<char *>(at) + offset;
    return copy(b, device, to ? flat(p, src, size, kind) : flat(dst, p, size, kind), s, wait);
  });
}

} // namespace irgl

extern "C" {

cudaError_t cudaMalloc(void **p, size_t size) {
  return irgl::on_current(
      [&](irgl::Backend &b, int device) { return irgl::malloc_device(b, device, p, size, "cudaMalloc"); });
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    return irgl::malloc_pitch(b, device, p, pitch, width, height, "cudaMallocPitch");
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (p == nullptr)
      return cudaErrorInvalidValue;
    if (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth)
      return cudaErrorMemoryAllocation;
    p->xsize = extent.width;
    p->ysize = extent.height;
    return irgl::malloc_pitch(b, device, &p->ptr, &p->pitch, extent.width, extent.height * extent.depth,
                              "cudaMalloc3D");
  });
}

cudaError_t cudaMallocManaged(void **p, size_t size, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (p == nullptr || size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    const cudaError_t e = b.alloc_managed(device, size, irgl::allocation_name("cudaMallocManaged").c_str(), p);
    if (e == cudaSuccess)
      irgl::process().memory.add(*p, irgl::Block{irgl::Block::Managed, size, device, flags, *p});
    return e;
  });
}

cudaError_t cudaMallocHost(void **p, size_t size) {
  return irgl::on_current(
      [&](irgl::Backend &b, int device) { return irgl::malloc_host(b, device, p, size, 0, "cudaMallocHost"); });
}

cudaError_t cudaHostAlloc(void **p, size_t size, unsigned flags) {
  return irgl::on_current(
      [&](irgl::Backend &b, int device) { return irgl::malloc_host(b, device, p, size, flags, "cudaHostAlloc"); });
}

cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (cudaError_t e = irgl::refused_in_capture(stream))
      return e;
    if (p == nullptr)
      return cudaErrorInvalidValue;
    *p = nullptr;
    if (size == 0)
      return cudaSuccess;
    const cudaError_t e = b.alloc_async(device, size, irgl::allocation_name("cudaMallocAsync").c_str(), stream, p);
    if (e == cudaSuccess)
      irgl::process().memory.add(*p, irgl::Block{irgl::Block::Device, size, device, 1, *p});
    return e;
  });
}

cudaError_t cudaFree(void *p) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    irgl::Block k;
    if (p == nullptr)
      return cudaSuccess;
    if (!irgl::process().memory.take(p, &k, [](const irgl::Block &x) {
          return x.kind == irgl::Block::Device || (x.kind == irgl::Block::Managed && !x.variable);
        }))
      return irgl::not_allocated("cudaFree", p);
    return k.kind == irgl::Block::Managed ? b.free_managed(k.device, p) : b.free(k.device, p);
  });
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    irgl::Block k;
    if (p == nullptr)
      return cudaSuccess;
    if (cudaError_t e = irgl::refused_in_capture(stream))
      return e;
    if (!irgl::process().memory.take(p, &k, [](const irgl::Block &x) { return x.kind == irgl::Block::Device; }))
      return irgl::not_allocated("cudaFreeAsync", p);
    return b.free_async(k.device, p, stream);
  });
}

cudaError_t cudaFreeHost(void *p) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    irgl::Block k;
    if (p == nullptr)
      return cudaSuccess;
    if (!irgl::process().memory.take(p, &k, [](const irgl::Block &x) { return x.kind == irgl::Block::Host; }))
      return irgl::not_allocated("cudaFreeHost", p);
    return b.free_host(k.device, p);
  });
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (p == nullptr || size == 0 || flags > 15)
      return cudaErrorInvalidValue;
    if (irgl::process().memory.overlaps(p, size))
      return cudaErrorHostMemoryAlreadyRegistered;
    void *mapped = nullptr;
    const cudaError_t e = b.register_host(device, p, size, flags, &mapped);
    if (e == cudaSuccess)
      irgl::process().memory.add(p, irgl::Block{irgl::Block::Registered, size, device, flags, mapped});
    return e;
  });
}

cudaError_t cudaHostUnregister(void *p) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    irgl::Block k;
    if (!irgl::process().memory.take(p, &k, [](const irgl::Block &x) { return x.kind == irgl::Block::Registered; }))
      return cudaErrorHostMemoryNotRegistered;
    return b.unregister_host(k.device, p);
  });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &, int) -> cudaError_t {
    irgl::Block k;
    void *base = nullptr;
    if (device == nullptr || flags != 0 || !irgl::process().memory.find(host, 0, &k, &base) || k.of_device())
      return cudaErrorInvalidValue;
    if (k.mapped == nullptr) {
      irgl::message("cudaHostGetDevicePointer: the emulator cannot address memory of cudaHostRegister; "
                    "cudaHostAlloc returns memory that it can");
      return cudaErrorNotSupported;
    }
    *device = static_cast<char *>(k.mapped) + (static_cast<char *>(host) - static_cast<char *>(base));
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return irgl::on_current([&](irgl::Backend &, int) -> cudaError_t {
    irgl::Block k;
    if (flags == nullptr || !irgl::process().memory.find(host, 0, &k) || k.kind != irgl::Block::Host)
      return cudaErrorInvalidValue;
    *flags = k.flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    size_t f = 0, t = 0;
    const cudaError_t e = b.memory(device, &f, &t);
    if (free != nullptr)
      *free = f;
    if (total != nullptr)
      *total = t;
    return e;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p) {
  return irgl::on_current([&](irgl::Backend &, int) -> cudaError_t {
    if (a == nullptr)
      return cudaErrorInvalidValue;
    *a = cudaPointerAttributes{cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, const_cast<void *>(p)};
    irgl::Block k;
    void *base = nullptr;
    if (!irgl::process().memory.find(p, 0, &k, &base))
      return cudaSuccess;
    const ptrdiff_t offset = static_cast<const char *>(p) - static_cast<const char *>(base);
    a->device = k.device;
    a->devicePointer = k.mapped == nullptr ? nullptr : static_cast<char *>(k.mapped) + offset;
    a->type = k.of_device()                        ? cudaMemoryTypeDevice
              : k.kind == irgl::Block::Managed ? cudaMemoryTypeManaged
                                                   : cudaMemoryTypeHost;
    if (k.of_device())
      a->hostPointer = nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaMemAdvise(const void *p, size_t size, cudaMemoryAdvise, int) {
  return irgl::on_current([&](irgl::Backend &, int) {
    irgl::Block k;
    return irgl::process().memory.find(p, size, &k) && k.kind == irgl::Block::Managed ? cudaSuccess
                                                                                      : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, int to, cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    irgl::Block k;
    if (to != cudaCpuDeviceId && !irgl::valid_device(to))
      return cudaErrorInvalidDevice;
    if (!irgl::process().memory.find(p, size, &k) || k.kind != irgl::Block::Managed)
      return cudaErrorInvalidValue;
    if (cudaError_t e = irgl::refused_in_capture(stream))
      return e;
    return b.prefetch(device, p, size, to, stream);
  });
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, cudaMemcpyKind kind) {
  return irgl::copy_1d(dst, src, size, kind, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_1d(dst, src, size, kind, stream, false);
}
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return irgl::copy_2d(dst, dpitch, src, spitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, false);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t size,
                                cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    if (!irgl::valid_device(dst_device) || !irgl::valid_device(src_device))
      return cudaErrorInvalidDevice;
    if (size == 0)
      return cudaSuccess;
    if (cudaError_t e = irgl::ready(dst_device))
      return e;
    if (cudaError_t e = irgl::ready(src_device))
      return e;
    cudaError_t e = cudaSuccess;
    if (irgl::recorded(dst_device, stream, cudaGraphNodeTypeMemcpy, &e, [=](irgl::Backend &by, int on, cudaStream_t in) {
          return by.copy_peer(on, dst, src_device, src, size, in, false);
        }))
      return e;
    return b.copy_peer(dst_device, dst, src_device, src, size, stream, false);
  });
}
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t size) {
  // It comes after the work of both devices.
  if (cudaError_t e = irgl::on_device(src_device, [&](irgl::Backend &b) { return b.stream_sync(src_device, nullptr); }))
    return e;
  if (cudaError_t e = cudaMemcpyPeerAsync(dst, dst_device, src, src_device, size, nullptr))
    return e;
  return irgl::on_device(dst_device, [&](irgl::Backend &b) { return b.stream_sync(dst_device, nullptr); });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t size, size_t offset, cudaMemcpyKind kind) {
  return irgl::copy_symbol(symbol, size, offset, true, src, nullptr, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind) {
  return irgl::copy_symbol(symbol, size, offset, false, nullptr, dst, kind, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t size, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_symbol(symbol, size, offset, true, src, nullptr, kind, stream, false);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return irgl::copy_symbol(symbol, size, offset, false, nullptr, dst, kind, stream, false);
}

cudaError_t cudaMemset(void *p, int value, size_t size) { return irgl::fill(p, size, value, size, 1, nullptr); }
cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream) {
  return irgl::fill(p, size, value, size, 1, stream);
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  return irgl::fill(p, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return irgl::fill(p, pitch, value, width, height, stream);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
  for (size_t z = 0; z < extent.depth; z++)
    if (cudaError_t e = irgl::fill(static_cast<char *>(p.ptr) + z * p.pitch * p.ysize, p.pitch, value, extent.width,
                                   extent.height, stream))
      return e;
  return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return cudaMemset3DAsync(p, value, extent, nullptr);
}

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    size_t size = 0;
    return p == nullptr ? cudaErrorInvalidValue : irgl::symbol(b, device, symbol, p, &size);
  });
}
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    void *p = nullptr;
    return size == nullptr ? cudaErrorInvalidValue : irgl::symbol(b, device, symbol, &p, size);
  });
}
}

#endif
