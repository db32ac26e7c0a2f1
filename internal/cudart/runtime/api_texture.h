// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, textures and surfaces of the runtime's interface. Where device code reads textures by instructions and
// the backend has such objects, arrays and objects are the backend's. Elsewhere they are ordinary device memory: an
// array is rows with a pitch, and an object, of a texture or a surface, the address of a description in device
// memory, which device code reads (irgl/texture_loads.h of the device's headers) or the emulator's instructions do.
// A texture reference is a variable of the device that holds an object: binding stores it.
#ifndef IRGL_RUNTIME_API_TEXTURE_H
#define IRGL_RUNTIME_API_TEXTURE_H

#include "api_memory.h"
#include "texture_types.h"

// What programs have a pointer to.
struct cudaArray {
  cudaChannelFormatDesc desc;
  cudaExtent extent; // as the program has given it: zeros for dimensions that are not there
  unsigned flags;
  int device;
  unsigned resets;     // of the device, when the array was made
  irgl::Handle handle; // the backend's; 0 for memory at data
  char *data;
  size_t element, pitch, slice; // bytes; pitches are of memory
  size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
};

namespace irgl {

// A Description is irgl_texture of irgl/texture_loads.h, which has the same layout.
struct Description {
  const void *data;
  uint64_t pitch, slice;
  uint32_t width, height, depth;
  uint8_t kind, bits, channels, linear, normalized, as_float, address[3];
  float border[4];
};
static_assert(sizeof(Description) == 64 && offsetof(Description, width) == 24 && offsetof(Description, kind) == 36 &&
                  offsetof(Description, address) == 42 && offsetof(Description, border) == 48,
              "irgl/texture_loads.h has this layout");

// An Object is a texture or a surface.
struct Object {
  int device;
  bool surface;
  bool hardware;   // the backend's
  unsigned resets; // of the device, when the object was made
  cudaResourceDesc resource;
  cudaTextureDesc texture;
};

// A Binding is what a texture reference is bound to: an object that begins some bytes in front of the memory.
struct Binding {
  unsigned long long object;
  size_t offset;
};

// Textures is what the runtime keeps of them.
struct Textures {
  std::mutex mu;
  std::set<const cudaArray *> arrays;
  std::map<unsigned long long, Object> objects;
  std::map<std::pair<const void *, int>, Binding> bound; // by texture reference and device
};

inline Textures &textures() {
  static Textures &t = *new Textures;
  return t;
}

inline bool is_array(const cudaArray *a) {
  std::lock_guard<std::mutex> hold(textures().mu);
  return textures().arrays.count(a) != 0;
}

// in_hardware reports whether arrays and objects are the backend's, or an error if device code needs both kinds.
inline cudaError_t in_hardware(Backend &b, bool *is) {
  const unsigned flags = process().image_flags;
  *is = b.has_objects() && (flags & IRGL_HARDWARE_TEXTURES) != 0;
  if (*is && (flags & IRGL_SOFTWARE_TEXTURES) != 0)
    return refused(cudaErrorNotSupported, "some files of the program read textures in hardware and some in software: compile all with the same --textures");
  return cudaSuccess;
}

// format takes a format apart: the bits of a channel and the number of channels.
inline cudaError_t format(const cudaChannelFormatDesc &d, unsigned *bits, unsigned *channels) {
  const int list[] = {d.x, d.y, d.z, d.w};
  unsigned n = 0;
  while (n < 4 && list[n] != 0)
    n++;
  for (unsigned i = 0; i < 4; i++)
    if (list[i] != (i < n ? d.x : 0))
      return cudaErrorInvalidChannelDescriptor;
  if ((d.x != 8 && d.x != 16 && d.x != 32) || n == 3 || d.f < cudaChannelFormatKindSigned ||
      d.f > cudaChannelFormatKindFloat || (d.f == cudaChannelFormatKindFloat && d.x == 8))
    return cudaErrorInvalidChannelDescriptor;
  *bits = static_cast<unsigned>(d.x);
  *channels = n;
  return cudaSuccess;
}

inline cudaError_t malloc_array(Backend &b, int device, cudaArray_t *array, const cudaChannelFormatDesc *desc,
                                cudaExtent extent, unsigned flags, const char *call) {
  if (array == nullptr || desc == nullptr || extent.width == 0)
    return cudaErrorInvalidValue;
  if ((flags & ~(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather)) != 0)
    return cudaErrorInvalidValue;
  // The slices of a cube map are its faces, squares all, six for each layer.
  if ((flags & cudaArrayCubemap) != 0 &&
      (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 ||
       ((flags & cudaArrayLayered) == 0 && extent.depth != 6)))
    return cudaErrorInvalidValue;
  unsigned bits = 0, channels = 0;
  if (cudaError_t e = format(*desc, &bits, &channels))
    return e;
  std::unique_ptr<cudaArray> a(
      new cudaArray{*desc, extent, flags, device, device_state(device).resets, 0, nullptr, bits / 8 * channels, 0, 0});
  if (extent.width > INT32_MAX || a->rows() > INT32_MAX || a->slices() > INT32_MAX)
    return cudaErrorInvalidValue;
  bool hardware = false;
  if (cudaError_t e = in_hardware(b, &hardware))
    return e;
  if (hardware) {
    if (cudaError_t e = b.array_create(device, *desc, extent, flags, &a->handle))
      return e;
  } else {
    void *data = nullptr;
    if (cudaError_t e = malloc_pitch(b, device, &data, &a->pitch, extent.width * a->element, a->rows() * a->slices(), call))
      return e;
    a->data = static_cast<char *>(data);
    a->slice = a->pitch * a->rows();
  }
  std::lock_guard<std::mutex> hold(textures().mu);
  textures().arrays.insert(a.get());
  *array = a.release();
  return cudaSuccess;
}

// free_device frees memory that the runtime has allocated.
inline cudaError_t free_device(Backend &b, void *p) {
  Block k;
  if (!process().memory.take(p, &k, [](const Block &x) { return x.kind == Block::Device; }))
    return cudaErrorInvalidValue; // cudaDeviceReset was faster
  return b.free(k.device, p);
}

// array_at returns where a byte of a row is: its address, or its place in the backend's array. width bytes behind it
// must be of the row.
inline cudaError_t array_at(const cudaArray *a, size_t x, size_t y, size_t z, size_t width, size_t height,
                            size_t depth, char **p, ArrayPlace *place) {
  if (!is_array(a))
    return cudaErrorInvalidValue;
  const size_t row = a->extent.width * a->element;
  if (x > row || width > row - x || y > a->rows() || height > a->rows() - y || z > a->slices() ||
      depth > a->slices() - z)
    return cudaErrorInvalidValue;
  if (a->handle != 0)
    *place = ArrayPlace{a->handle, x, y, z};
  else
    *p = a->data + z * a->slice + y * a->pitch + x;
  return cudaSuccess;
}

// copy_array copies between rows of an array and linear memory.
inline cudaError_t copy_array(const cudaArray *a, bool to, size_t x, size_t y, const void *p, size_t pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    char *at = nullptr;
    ArrayPlace place;
    if (cudaError_t e = array_at(a, x, y, 0, width, height, 1, &at, &place))
      return e;
    if (height > 1 && width > pitch)
      return cudaErrorInvalidPitchValue;
    char *other = const_cast<char *>(static_cast<const char *>(p));
    const size_t size = pitch * height;
    return copy(b, device,
                to ? Copy{at, other, a->pitch, pitch, a->slice, size, width, height, 1, kind, false, false, place, {}}
                   : Copy{other, at, pitch, a->pitch, size, a->slice, width, height, 1, kind, false, false, {}, place},
                s, wait);
  });
}

// copy_run copies size bytes of an array that begin at a byte of a row and go on in the rows
// behind it: the rest of that row, whole rows, and the beginning of one.
inline cudaError_t copy_run(const cudaArray *a, bool to, size_t x, size_t y, const void *p, size_t size,
                            cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  if (!is_array(a))
    return record(cudaErrorInvalidValue);
  const size_t row = a->extent.width * a->element;
  const char *at = static_cast<const char *>(p);
  while (size > 0) {
    const bool whole = x == 0 && size >= row;
    if (x >= row)
      return record(cudaErrorInvalidValue);
    const size_t width = whole ? row : std::min(size, row - x), height = whole ? size / row : 1;
    if (cudaError_t e = copy_array(a, to, x, y, at, width, width, height, kind, s, wait))
      return e;
    at += width * height;
    size -= width * height;
    y += height;
    x = 0;
  }
  return cudaSuccess;
}

// place_3d returns where a side of a 3D copy begins, and its pitches.
inline cudaError_t place_3d(const cudaArray *a, const cudaPitchedPtr &ptr, const cudaPos &pos, size_t width,
                            const cudaExtent &x, char **at, size_t *pitch, size_t *slice, ArrayPlace *place) {
  if (a != nullptr) {
    *pitch = a->pitch;
    *slice = a->slice;
    return array_at(a, pos.x * a->element, pos.y, pos.z, width, x.height, x.depth, at, place);
  }
  *pitch = ptr.pitch;
  *slice = ptr.pitch * ptr.ysize;
  *at = static_cast<char *>(ptr.ptr) + pos.z * *slice + pos.y * ptr.pitch + pos.x;
  if (width > ptr.pitch)
    return cudaErrorInvalidPitchValue;
  return x.depth > 1 && x.height > ptr.ysize ? cudaErrorInvalidValue : cudaSuccess;
}

inline cudaError_t copy_3d(const cudaMemcpy3DParms *p, cudaStream_t s, bool wait) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    if (p == nullptr || (p->srcArray != nullptr && p->srcPtr.ptr != nullptr) ||
        (p->dstArray != nullptr && p->dstPtr.ptr != nullptr) || (p->srcArray != nullptr && !is_array(p->srcArray)) ||
        (p->dstArray != nullptr && !is_array(p->dstArray)))
      return cudaErrorInvalidValue;
    // The width counts elements if an array takes part, and bytes otherwise.
    const cudaArray *one = p->dstArray != nullptr ? p->dstArray : p->srcArray;
    if (p->srcArray != nullptr && p->dstArray != nullptr && p->srcArray->element != p->dstArray->element)
      return cudaErrorInvalidValue;
    const size_t width = p->extent.width * (one != nullptr ? one->element : 1);
    Copy c{nullptr, nullptr, 0, 0, 0, 0, width, p->extent.height, p->extent.depth, p->kind, false, false, {}, {}};
    char *src = nullptr;
    if (cudaError_t e = place_3d(p->dstArray, p->dstPtr, p->dstPos, width, p->extent, &c.dst, &c.dst_pitch, &c.dst_slice, &c.dst_array))
      return e;
    if (cudaError_t e = place_3d(p->srcArray, p->srcPtr, p->srcPos, width, p->extent, &src, &c.src_pitch, &c.src_slice, &c.src_array))
      return e;
    c.src = src;
    return copy(b, device, c, s, wait);
  });
}

// describe makes the description of a resource, and of what the backend makes an object.
inline cudaError_t describe(const cudaResourceDesc &r, Description *d, Texture *t) {
  const cudaChannelFormatDesc *desc = nullptr;
  size_t height = 1, depth = 1, width = 0;
  if (r.resType == cudaResourceTypeArray) {
    const cudaArray *a = r.res.array.array;
    if (!is_array(a))
      return cudaErrorInvalidResourceHandle;
    desc = &a->desc;
    t->array = a->handle;
    width = a->extent.width, height = a->rows(), depth = a->slices();
    d->data = a->data;
    d->pitch = a->pitch;
    d->slice = a->slice;
  } else if (r.resType == cudaResourceTypeLinear) {
    desc = &r.res.linear.desc;
    d->data = r.res.linear.devPtr;
    width = r.res.linear.sizeInBytes;
  } else if (r.resType == cudaResourceTypePitch2D) {
    desc = &r.res.pitch2D.desc;
    d->data = r.res.pitch2D.devPtr;
    width = r.res.pitch2D.width, height = r.res.pitch2D.height;
    d->pitch = r.res.pitch2D.pitchInBytes;
  } else {
    message("textures with mipmaps are not supported");
    return cudaErrorNotSupported;
  }
  unsigned bits = 0, channels = 0;
  if (cudaError_t e = format(*desc, &bits, &channels))
    return e;
  if (r.resType == cudaResourceTypeLinear)
    width /= bits / 8 * channels;
  if ((d->data == nullptr && t->array == 0) || width > INT32_MAX || height > INT32_MAX || width == 0 || height == 0 ||
      (r.resType == cudaResourceTypePitch2D && width * channels * (bits / 8) > d->pitch))
    return cudaErrorInvalidValue;
  t->type = r.resType;
  t->memory = const_cast<void *>(d->data);
  t->format = *desc;
  t->width = width, t->height = height, t->pitch = d->pitch;
  d->width = static_cast<uint32_t>(width);
  d->height = static_cast<uint32_t>(height);
  d->depth = static_cast<uint32_t>(depth);
  d->kind = static_cast<uint8_t>(desc->f);
  d->bits = static_cast<uint8_t>(bits);
  d->channels = static_cast<uint8_t>(channels);
  return cudaSuccess;
}

// sampling adds to a description how texels are read.
inline cudaError_t sampling(const cudaResourceDesc &r, const cudaTextureDesc &t, Description *d) {
  const bool floats = d->kind == cudaChannelFormatKindFloat;
  d->as_float = t.readMode == cudaReadModeNormalizedFloat && !floats;
  if (d->as_float && d->bits == 32)
    return cudaErrorInvalidNormSetting;
  if (t.sRGB != 0) {
    message("textures in sRGB are not supported");
    return cudaErrorNotSupported;
  }
  if (t.seamlessCubemap != 0) {
    message("filters across the edges of cube maps are not supported: clear seamlessCubemap");
    return cudaErrorNotSupported;
  }
  const bool fetched = r.resType == cudaResourceTypeLinear; // by an index
  d->linear = t.filterMode == cudaFilterModeLinear && !fetched;
  if (d->linear && !floats && !d->as_float)
    return cudaErrorInvalidFilterSetting;
  d->normalized = t.normalizedCoords != 0 && !fetched;
  for (int i = 0; i < 3; i++) {
    const cudaTextureAddressMode m = t.addressMode[i];
    if (m < cudaAddressModeWrap || m > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
    d->address[i] = static_cast<uint8_t>(fetched ? cudaAddressModeBorder : address_mode(t, i));
    if (fetched)
      continue;
    memcpy(d->border, t.borderColor, sizeof d->border);
  }
  return cudaSuccess;
}

inline cudaError_t make_object(Backend &b, int device, const cudaResourceDesc &r, const cudaTextureDesc *t,
                               const char *call, unsigned long long *object) {
  Description d{};
  Texture of{};
  bool hardware = false;
  if (cudaError_t e = describe(r, &d, &of))
    return e;
  if (t == nullptr && r.resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue; // a surface is of an array
  if (t != nullptr)
    if (cudaError_t e = sampling(r, *t, &d))
      return e;
  if (cudaError_t e = in_hardware(b, &hardware))
    return e;
  if (hardware && r.resType == cudaResourceTypeArray && of.array == 0)
    return refused(cudaErrorNotSupported, "%s: the array was made before the code that reads textures in hardware was there", call);
  if (hardware) {
    if (cudaError_t e = b.object_create(device, of, t, object))
      return e;
  } else {
    void *at = nullptr;
    if (cudaError_t e = malloc_device(b, device, &at, sizeof d, call))
      return e;
    if (cudaError_t e = copy(b, device, flat(at, &d, sizeof d, cudaMemcpyHostToDevice), nullptr, true)) {
      free_device(b, at);
      return e;
    }
    *object = reinterpret_cast<uintptr_t>(at);
  }
  std::lock_guard<std::mutex> hold(textures().mu);
  textures().objects[*object] =
      Object{device, t == nullptr, hardware, device_state(device).resets, r, t != nullptr ? *t : cudaTextureDesc{}};
  return cudaSuccess;
}

inline cudaError_t destroy_object(Backend &b, unsigned long long object, bool surface) {
  Object o;
  {
    std::lock_guard<std::mutex> hold(textures().mu);
    const auto i = textures().objects.find(object);
    if (i == textures().objects.end() || i->second.surface != surface)
      return cudaErrorInvalidValue;
    o = i->second;
    textures().objects.erase(i);
  }
  if (o.hardware)
    return o.resets != device_state(o.device).resets ? cudaErrorInvalidValue : b.object_destroy(o.device, object, surface);
  return free_device(b, reinterpret_cast<void *>(static_cast<uintptr_t>(object)));
}

inline cudaError_t find_object(unsigned long long object, bool surface, Object *o) {
  std::lock_guard<std::mutex> hold(textures().mu);
  const auto i = textures().objects.find(object);
  if (i == textures().objects.end() || i->second.surface != surface)
    return cudaErrorInvalidValue;
  *o = i->second;
  return cudaSuccess;
}

// point stores an object in a texture reference's variable. The device's code has none for a
// reference that no kernel reads.
inline cudaError_t point(Backend &b, int device, const textureReference *ref, unsigned long long object) {
  void *at = nullptr;
  size_t n = 0;
  const cudaError_t e = symbol(b, device, ref, &at, &n);
  if (e == cudaErrorInvalidSymbol)
    return cudaSuccess;
  if (e != cudaSuccess || n != sizeof object)
    return e != cudaSuccess ? e : cudaErrorInvalidTexture;
  return copy(b, device, flat(at, &object, sizeof object, cudaMemcpyHostToDevice), nullptr, true);
}

inline cudaError_t unbind(Backend &b, int device, const textureReference *ref) {
  unsigned long long old = 0;
  {
    std::lock_guard<std::mutex> hold(textures().mu);
    const auto i = textures().bound.find({ref, device});
    if (i == textures().bound.end())
      return cudaSuccess;
    old = i->second.object;
    textures().bound.erase(i);
  }
  if (cudaError_t e = point(b, device, ref, 0))
    return e;
  return destroy_object(b, old, false);
}

// align moves the beginning of memory that a texture in hardware reads to where one may begin, and returns by how
// many bytes.
inline cudaError_t align(Backend &b, int device, cudaResourceDesc *r, size_t *by) {
  cudaDeviceProp p{};
  if (cudaError_t e = b.properties(device, &p))
    return e;
  const bool linear = r->resType == cudaResourceTypeLinear;
  void *&at = linear ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
  *by = p.textureAlignment == 0 ? 0 : reinterpret_cast<uintptr_t>(at) % p.textureAlignment;
  at = static_cast<char *>(at) - *by;
  if (linear) {
    r->res.linear.sizeInBytes += *by;
    return cudaSuccess;
  }
  unsigned bits = 0, channels = 0;
  if (cudaError_t e = format(r->res.pitch2D.desc, &bits, &channels))
    return e;
  r->res.pitch2D.width += *by / (bits / 8 * channels);
  return cudaSuccess;
}

inline cudaError_t bind(size_t *offset, const textureReference *ref, cudaResourceDesc r, const char *call) {
  return on_current([&](Backend &b, int device) -> cudaError_t {
    if (ref == nullptr)
      return cudaErrorInvalidTexture;
    bool hardware = false;
    size_t by = 0; // in software, texels may begin at any address
    if (cudaError_t e = in_hardware(b, &hardware))
      return e;
    if (hardware && r.resType != cudaResourceTypeArray) {
      if (cudaError_t e = align(b, device, &r, &by))
        return e;
      if (by != 0 && offset == nullptr)
        return refused(cudaErrorInvalidValue, "%s: the memory begins %zu bytes behind where a texture may: ask for the offset", call, by);
    }
    cudaTextureDesc t{};
    memcpy(t.addressMode, ref->addressMode, sizeof t.addressMode);
    t.filterMode = ref->filterMode;
    t.readMode = ref->irgl_read_mode;
    t.sRGB = ref->sRGB;
    t.normalizedCoords = ref->normalized;
    unsigned long long object = 0;
    if (cudaError_t e = make_object(b, device, r, &t, call, &object))
      return e;
    cudaError_t e = unbind(b, device, ref);
    if (e == cudaSuccess)
      e = point(b, device, ref, object);
    if (e != cudaSuccess) {
      destroy_object(b, object, false);
      return e;
    }
    if (offset != nullptr)
      *offset = by;
    std::lock_guard<std::mutex> hold(textures().mu);
    textures().bound[{ref, device}] = Binding{object, by};
    return cudaSuccess;
  });
}

} // namespace irgl

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    return irgl::malloc_array(b, device, array, desc, cudaExtent{width, height, 0}, flags, "cudaMallocArray");
  });
}
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, cudaExtent extent,
                              unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    return irgl::malloc_array(b, device, array, desc, extent, flags, "cudaMalloc3DArray");
  });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    if (array == nullptr)
      return cudaSuccess;
    {
      std::lock_guard<std::mutex> hold(irgl::textures().mu);
      if (irgl::textures().arrays.erase(array) == 0)
        return cudaErrorInvalidValue;
    }
    std::unique_ptr<cudaArray> a(array);
    if (a->handle == 0)
      return irgl::free_device(b, a->data);
    return a->resets != irgl::device_state(a->device).resets ? cudaErrorInvalidValue : b.array_destroy(a->device, a->handle);
  });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
  if (!irgl::is_array(array))
    return irgl::record(cudaErrorInvalidValue);
  if (desc != nullptr)
    *desc = array->desc;
  if (extent != nullptr)
    *extent = array->extent;
  if (flags != nullptr)
    *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  if (desc == nullptr || !irgl::is_array(array))
    return irgl::record(cudaErrorInvalidValue);
  *desc = array->desc;
  return cudaSuccess;
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return cudaChannelFormatDesc{x, y, z, w, f};
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t size, cudaMemcpyKind kind) {
  return irgl::copy_run(dst, true, x, y, src, size, kind, nullptr, true);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t size,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_run(dst, true, x, y, src, size, kind, stream, false);
}
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t size,
                                cudaMemcpyKind kind) {
  return irgl::copy_run(src, false, x, y, dst, size, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t size,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_run(src, false, x, y, dst, size, kind, stream, false);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return irgl::copy_array(dst, true, x, y, src, spitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_array(dst, true, x, y, src, spitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return irgl::copy_array(src, false, x, y, dst, dpitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return irgl::copy_array(src, false, x, y, dst, dpitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) { return irgl::copy_3d(p, nullptr, true); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return irgl::copy_3d(p, stream, false);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *desc, const cudaResourceViewDesc *view) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (texture == nullptr || resource == nullptr || desc == nullptr)
      return cudaErrorInvalidValue;
    if (view != nullptr) {
      irgl::message("cudaCreateTextureObject: views of resources are not supported");
      return cudaErrorNotSupported;
    }
    return irgl::make_object(b, device, *resource, desc, "cudaCreateTextureObject", texture);
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return irgl::on_current([&](irgl::Backend &b, int) {
    return texture == 0 ? cudaSuccess : irgl::destroy_object(b, texture, false);
  });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t texture) {
  irgl::Object o;
  if (resource == nullptr || irgl::find_object(texture, false, &o) != cudaSuccess)
    return irgl::record(cudaErrorInvalidValue);
  *resource = o.resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *desc, cudaTextureObject_t texture) {
  irgl::Object o;
  if (desc == nullptr || irgl::find_object(texture, false, &o) != cudaSuccess)
    return irgl::record(cudaErrorInvalidValue);
  *desc = o.texture;
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const cudaResourceDesc *resource) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (surface == nullptr || resource == nullptr)
      return cudaErrorInvalidValue;
    return irgl::make_object(b, device, *resource, nullptr, "cudaCreateSurfaceObject", surface);
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return irgl::on_current([&](irgl::Backend &b, int) {
    return surface == 0 ? cudaSuccess : irgl::destroy_object(b, surface, true);
  });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t surface) {
  irgl::Object o;
  if (resource == nullptr || irgl::find_object(surface, true, &o) != cudaSuccess)
    return irgl::record(cudaErrorInvalidValue);
  *resource = o.resource;
  return cudaSuccess;
}

// Texture references.
cudaError_t cudaBindTexture(size_t *offset, const textureReference *ref, const void *p,
                            const cudaChannelFormatDesc *desc, size_t size) {
  if (ref == nullptr || desc == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  // Without a size, the texture has what is left of the allocation.
  irgl::Block k;
  void *base = nullptr;
  if (irgl::process().memory.find(p, 0, &k, &base))
    size = std::min(size, k.size - static_cast<size_t>(static_cast<const char *>(p) - static_cast<char *>(base)));
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = const_cast<void *>(p);
  r.res.linear.desc = *desc;
  r.res.linear.sizeInBytes = size;
  return irgl::bind(offset, ref, r, "cudaBindTexture");
}
cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *ref, const void *p,
                              const cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
  if (ref == nullptr || desc == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = const_cast<void *>(p);
  r.res.pitch2D.desc = *desc;
  r.res.pitch2D.width = width;
  r.res.pitch2D.height = height;
  r.res.pitch2D.pitchInBytes = pitch;
  return irgl::bind(offset, ref, r, "cudaBindTexture2D");
}
cudaError_t cudaBindTextureToArray(const textureReference *ref, cudaArray_const_t array,
                                   const cudaChannelFormatDesc *desc) {
  if (ref == nullptr || desc == nullptr || !irgl::is_array(array))
    return irgl::record(cudaErrorInvalidValue);
  if (memcmp(desc, &array->desc, sizeof *desc) != 0)
    return irgl::record(cudaErrorInvalidChannelDescriptor);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = const_cast<cudaArray_t>(array);
  return irgl::bind(nullptr, ref, r, "cudaBindTextureToArray");
}
cudaError_t cudaUnbindTexture(const textureReference *ref) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    return ref == nullptr ? cudaErrorInvalidTexture : irgl::unbind(b, device, ref);
  });
}
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *ref) {
  return irgl::on_current([&](irgl::Backend &, int device) -> cudaError_t {
    if (offset == nullptr || ref == nullptr)
      return cudaErrorInvalidValue;
    std::lock_guard<std::mutex> hold(irgl::textures().mu);
    const auto i = irgl::textures().bound.find({ref, device});
    *offset = i == irgl::textures().bound.end() ? 0 : i->second.offset;
    return cudaSuccess;
  });
}
cudaError_t cudaGetTextureReference(const textureReference **ref, const void *symbol) {
  if (ref == nullptr || symbol == nullptr)
    return irgl::record(cudaErrorInvalidValue);
  *ref = static_cast<const textureReference *>(symbol);
  return cudaSuccess;
}
}

#endif
