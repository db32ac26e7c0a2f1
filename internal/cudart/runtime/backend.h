// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime runs on: a GPU by its driver (driver.h), or the emulator by a child process
// (serve.h). A backend keeps no errors and no defaults: the functions of the interface (api_*.h)
// do. Its methods may be called by several threads at a time.
#ifndef IRGL_RUNTIME_BACKEND_H
#define IRGL_RUNTIME_BACKEND_H

#include <string>

#include "cuda_runtime.h"
#include "irgl_emulator.h"

namespace irgl {

// A module and a function that a backend has loaded; what they are is the backend's.
using Handle = uintptr_t;

// What a backend knows of a kernel.
struct FunctionInfo {
  int registers = 0;
  int shared = 0; // static bytes
  int local = 0;
  int constant = 0;
  int max_threads = 1024;
  int ptx_version = 0;
  int binary_version = 0;
};

// A launch: the parameters both as values and as the block that they are in.
struct Launch {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  dim3 cluster{0, 0, 0}; // 0: as the kernel says
  void **args = nullptr;
  const irgl_kernel *kernel = nullptr;
  // Of a launch in device code by the queue: the grid that launches, and where its slot was; 0 for one
  // that begins when that grid is complete.
  bool child = false;
  uint64_t parent = 0, slot = 0;
};

// A place in an array of the backend's: bytes from the beginning of a row, the row, the slice or layer.
struct ArrayPlace {
  Handle array = 0; // none
  size_t x = 0, y = 0, z = 0;
};

// A copy of rows: width bytes of each of height rows of each of depth slices.
struct Copy {
  char *dst;
  const char *src;
  size_t dst_pitch, src_pitch; // bytes from row to row
  size_t dst_slice, src_slice; // from slice to slice
  size_t width, height, depth;
  cudaMemcpyKind kind; // not the default: the caller has looked what the pointers are
  bool dst_mapped, src_mapped; // host memory that devices address, by the same pointers
  ArrayPlace dst_array = {}, src_array = {}; // instead of dst and src
};

// A Texture is what an object reads: an array of the backend's, or memory, in a format.
struct Texture {
  cudaResourceType type;
  Handle array;
  void *memory;
  cudaChannelFormatDesc format;
  size_t width, height, pitch; // of memory: texels, rows, and bytes from row to row
};

// address_mode returns the mode of an axis: repeats are for normalized coordinates, and plain ones are clamped instead.
inline cudaTextureAddressMode address_mode(const cudaTextureDesc &t, int axis) {
  const cudaTextureAddressMode m = t.addressMode[axis];
  const bool repeats = m == cudaAddressModeWrap || m == cudaAddressModeMirror;
  return repeats && t.normalizedCoords == 0 ? cudaAddressModeClamp : m;
}

class Backend {
public:
  virtual ~Backend() = default;

  virtual const char *name() const = 0;
  virtual cudaError_t count(int *n) = 0;
  virtual cudaError_t properties(int device, cudaDeviceProp *p) = 0;
  virtual cudaError_t driver_version(int *version) = 0;
  // open makes a device usable; it is called before all else, and again after reset.
  virtual cudaError_t open(int device) = 0;
  // reset gives back all that a device holds.
  virtual cudaError_t reset(int device) = 0;
  // finish is called when the process ends: the result is its exit status if it has none.
  virtual int finish() = 0;
  // note reports what is wrong with a call of the program, if there are reports: the name of the rule, and a text.
  // The place is the thread's stack, or a line of a file.
  virtual void note(const char *, const char *, const char *, int) {}

  virtual cudaError_t alloc(int device, size_t size, const char *name, void **p) = 0;
  virtual cudaError_t free(int device, void *p) = 0;
  virtual cudaError_t alloc_async(int device, size_t size, const char *name, cudaStream_t s, void **p) = 0;
  virtual cudaError_t free_async(int device, void *p, cudaStream_t s) = 0;
  virtual cudaError_t alloc_host(int device, size_t size, unsigned flags, const char *name, void **p) = 0;
  virtual cudaError_t free_host(int device, void *p) = 0;
  virtual cudaError_t alloc_managed(int device, size_t size, const char *name, void **p) = 0;
  virtual cudaError_t free_managed(int device, void *p) = 0;
  virtual cudaError_t register_host(int device, void *p, size_t size, unsigned flags, void **mapped) = 0;
  virtual cudaError_t unregister_host(int device, void *p) = 0;
  virtual cudaError_t memory(int device, size_t *free, size_t *total) = 0;

  // copy queues a copy, and waits for it if wait is true. Host memory that is not page-locked
  // has been read or written when it returns.
  virtual cudaError_t copy(int device, const Copy &c, cudaStream_t s, bool wait) = 0;
  virtual cudaError_t copy_peer(int device, void *dst, int from, const void *src, size_t size, cudaStream_t s,
                                bool wait) = 0;
  // fill sets rows of bytes.
  virtual cudaError_t fill(int device, void *p, size_t pitch, int value, size_t width, size_t height,
                           cudaStream_t s) = 0;

  // Textures and surfaces of the backend's own, for device code that reads them by instructions. Without them,
  // objects are descriptions in memory, and arrays are rows of it. An extent is that of cudaMalloc3DArray.
  virtual bool has_objects() const { return false; }
  virtual cudaError_t array_create(int, const cudaChannelFormatDesc &, const cudaExtent &, unsigned, Handle *) {
    return cudaErrorNotSupported;
  }
  virtual cudaError_t array_destroy(int, Handle) { return cudaErrorNotSupported; }
  // object_create makes a texture, or a surface if the description is null.
  virtual cudaError_t object_create(int, const Texture &, const cudaTextureDesc *, unsigned long long *) {
    return cudaErrorNotSupported;
  }
  virtual cudaError_t object_destroy(int, unsigned long long, bool) { return cudaErrorNotSupported; }

  virtual cudaError_t load(int device, const char *name, const char *ptx, size_t size, Handle *module) = 0;
  // link loads PTX that is linked with a library: a file, or an archive in memory. why says what is wrong.
  virtual bool links() const { return false; }
  virtual cudaError_t link(int, const char *, const char *, size_t, const std::string &, const irgl_archive *, Handle *, std::string *) {
    return cudaErrorNotSupported;
  }
  virtual cudaError_t function(int device, Handle module, const char *name, Handle *f, FunctionInfo *info) = 0;
  virtual cudaError_t global(int device, Handle module, const char *name, void **p, size_t *size) = 0;
  virtual cudaError_t launch(int device, Handle f, const FunctionInfo &info, const Launch &l) = 0;
  virtual cudaError_t set_attribute(int device, Handle f, cudaFuncAttribute a, int value) = 0;
  virtual cudaError_t occupancy(int device, Handle f, int threads, size_t shared, int *blocks) = 0;

  virtual cudaError_t stream_create(int device, unsigned flags, int priority, cudaStream_t *s) = 0;
  virtual cudaError_t stream_destroy(int device, cudaStream_t s) = 0;
  virtual cudaError_t stream_sync(int device, cudaStream_t s) = 0;
  virtual cudaError_t stream_query(int device, cudaStream_t s) = 0;
  virtual cudaError_t stream_wait(int device, cudaStream_t s, cudaEvent_t e) = 0;
  virtual cudaError_t stream_about(cudaStream_t s, unsigned *flags, int *priority) = 0;
  virtual cudaError_t host_function(int device, cudaStream_t s, cudaHostFn_t f, void *data) = 0;
  virtual cudaError_t event_create(int device, unsigned flags, cudaEvent_t *e) = 0;
  virtual cudaError_t event_destroy(int device, cudaEvent_t e) = 0;
  virtual cudaError_t event_record(int device, cudaEvent_t e, cudaStream_t s) = 0;
  virtual cudaError_t event_sync(int device, cudaEvent_t e) = 0;
  virtual cudaError_t event_query(int device, cudaEvent_t e) = 0;
  virtual cudaError_t event_elapsed(int device, float *ms, cudaEvent_t start, cudaEvent_t end) = 0;
  virtual cudaError_t sync(int device) = 0;

  virtual cudaError_t can_peer(int device, int peer, int *can) = 0;
  virtual cudaError_t enable_peer(int device, int peer) = 0;
  virtual cudaError_t disable_peer(int device, int peer) = 0;
  virtual cudaError_t set_limit(int device, cudaLimit limit, size_t value) = 0;
  virtual cudaError_t prefetch(int device, const void *p, size_t size, int to, cudaStream_t s) = 0;
};

// message prints a line for people to standard error.
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

// refused returns an error, whose reason is printed if IRGL_LOG asks for it, and kept for the report
// of a launch whose error no call asks for.
cudaError_t refused(cudaError_t e, const char *format, ...) __attribute__((format(printf, 2, 3)));

// cxx_name returns what a symbol is called in C++: race(int*) for _Z4racePi.
std::string cxx_name(const char *symbol);

// sticky reports whether an error leaves the device unusable.
inline bool sticky(cudaError_t e) {
  switch (e) {
#define IRGL_X(name)                                                                               \
  case name:                                                                                       \
    return true;
    IRGL_STICKY_ERRORS(IRGL_X)
#undef IRGL_X
  default:
    return false;
  }
}

} // namespace irgl

#endif
