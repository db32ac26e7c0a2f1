// A libcuda.so.1 for the tests of the runtime's driver backend: memory is the host's, all work is
// done at once, and the kernels of the test program are functions here. It checks what it is
// given, and writes the names of its calls to FAKE_CUDA_LOG.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

#define API extern "C" __attribute__((visibility("default")))
typedef unsigned long long Ptr;

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, PEER_ENABLED = 704, TOO_LARGE = 720 };

static std::recursive_mutex mu;
static std::map<uintptr_t, size_t> blocks; // of devices, and page-locked
static std::set<void *> streams, events;
static thread_local void *context;
static int contexts[2], broken;
static const int devices = 2;

static bool note(const char *name) {
  if (const char *path = getenv("FAKE_CUDA_LOG")) {
    if (FILE *f = fopen(path, "a")) {
      fprintf(f, "%s\n", name);
      fclose(f);
    }
  }
  return true;
}

// ENTER begins a function that needs a context.
#define ENTER                                                                                      \
  std::lock_guard<std::recursive_mutex> hold(mu);                                                  \
  note(__func__);                                                                                  \
  if (context == nullptr)                                                                          \
    return INVALID_CONTEXT;                                                                        \
  if (broken)                                                                                      \
    return broken;

static bool inside(uintptr_t p, size_t n) {
  auto i = blocks.upper_bound(p);
  return i != blocks.begin() && (--i, p - i->first <= i->second && n <= i->second - (p - i->first));
}
static bool stream(void *s) { return reinterpret_cast<uintptr_t>(s) <= 2 || streams.count(s) != 0; }

API int cuInit(unsigned flags) { return note("cuInit"), getenv("FAKE_CUDA_NONE") ? 100 : flags; }
API int cuDriverGetVersion(int *v) { return *v = 12040, OK; }
API int cuGetErrorString(int, const char **s) { return *s = "no device is there", OK; }
API int cuDeviceGetCount(int *n) { return *n = devices, OK; }
API int cuDeviceGet(int *d, int i) { return *d = i, i < devices ? OK : INVALID_DEVICE; }
API int cuDeviceGetName(char *s, int n, int d) { return snprintf(s, n, "Fake %d", d), OK; }
API int cuDeviceTotalMem_v2(size_t *n, int) { return *n = size_t{1} << 30, OK; }
API int cuDeviceGetAttribute(int *v, int a, int) {
  static const std::map<int, int> values = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {8, 49152}, {10, 32}, {13, 1700000}, {14, 512}, {16, 4}, {39, 2048}, {75, 9}, {76, 0}, {97, 232448}};
  const auto i = values.find(a);
  *v = i == values.end() ? 0 : i->second;
  return OK;
}
API int cuDeviceCanAccessPeer(int *can, int a, int b) { return *can = a != b, OK; }
API int cuDevicePrimaryCtxRetain(void **c, int d) { return note(__func__), contexts[d]++, *c = &contexts[d], OK; }
API int cuDevicePrimaryCtxRelease_v2(int d) { return note(__func__), contexts[d]-- > 0 ? OK : INVALID_CONTEXT; }
API int cuCtxSetCurrent(void *c) { return context = c, OK; }
API int cuCtxSynchronize() { ENTER return OK; }
API int cuCtxSetLimit(int limit, size_t n) {
  ENTER char text[64];
  snprintf(text, sizeof text, "limit-%d-%zu", limit, n);
  note(text);
  return OK;
}
API int cuCtxEnablePeerAccess(void *c, unsigned flags) { ENTER return c == context || flags ? INVALID_VALUE : OK; }
API int cuCtxDisablePeerAccess(void *) { ENTER return OK; }

static int allocate(void **p, size_t n) {
  if (n > size_t{1} << 30)
    return OUT_OF_MEMORY;
  if (n == 0 || posix_memalign(p, 512, n) != 0)
    return INVALID_VALUE;
  memset(*p, 0xcd, n);
  blocks[reinterpret_cast<uintptr_t>(*p)] = n;
  return OK;
}
static int release(uintptr_t p) {
  if (blocks.erase(p) == 0)
    return INVALID_VALUE;
  free(reinterpret_cast<void *>(p));
  return OK;
}
API int cuMemAlloc_v2(Ptr *p, size_t n) { ENTER return allocate(reinterpret_cast<void **>(p), n); }
API int cuMemAllocManaged(Ptr *p, size_t n, unsigned flags) { ENTER return flags == 1 ? allocate(reinterpret_cast<void **>(p), n) : INVALID_VALUE; }
API int cuMemAllocAsync(Ptr *p, size_t n, void *s) { ENTER return stream(s) ? allocate(reinterpret_cast<void **>(p), n) : INVALID_HANDLE; }
API int cuMemFreeAsync(Ptr p, void *s) { ENTER return stream(s) ? release(p) : INVALID_HANDLE; }
API int cuMemFree_v2(Ptr p) { ENTER return release(p); }
API int cuMemGetInfo_v2(size_t *f, size_t *t) {
  ENTER *t = *f = size_t{1} << 30;
  for (const auto &b : blocks)
    *f -= b.second;
  return OK;
}
API int cuMemHostAlloc(void **p, size_t n, unsigned flags) { ENTER return (flags & 3) == 3 ? allocate(p, n) : INVALID_VALUE; }
API int cuMemFreeHost(void *p) { ENTER return release(reinterpret_cast<uintptr_t>(p)); }
API int cuMemHostGetDevicePointer_v2(Ptr *d, void *p, unsigned) { ENTER return *d = reinterpret_cast<Ptr>(p), OK; }
API int cuMemHostRegister_v2(void *p, size_t n, unsigned) { ENTER return blocks[reinterpret_cast<uintptr_t>(p)] = n, OK; }
API int cuMemHostUnregister(void *p) { ENTER return blocks.erase(reinterpret_cast<uintptr_t>(p)) ? OK : 713; }

static int move(void *d, const void *s, size_t n) { return memmove(d, s, n), OK; }
API int cuMemcpyHtoDAsync_v2(Ptr d, const void *s, size_t n, void *t) { ENTER return !stream(t) ? INVALID_HANDLE : inside(d, n) ? move(reinterpret_cast<void *>(d), s, n) : INVALID_VALUE; }
API int cuMemcpyDtoHAsync_v2(void *d, Ptr s, size_t n, void *t) { ENTER return !stream(t) ? INVALID_HANDLE : inside(s, n) ? move(d, reinterpret_cast<void *>(s), n) : INVALID_VALUE; }
API int cuMemcpyDtoDAsync_v2(Ptr d, Ptr s, size_t n, void *t) { ENTER return !stream(t) ? INVALID_HANDLE : inside(d, n) && inside(s, n) ? move(reinterpret_cast<void *>(d), reinterpret_cast<void *>(s), n) : INVALID_VALUE; }
API int cuMemcpyPeerAsync(Ptr d, void *dc, Ptr s, void *sc, size_t n, void *) { ENTER return dc != sc && dc && sc && inside(d, n) && inside(s, n) ? move(reinterpret_cast<void *>(d), reinterpret_cast<void *>(s), n) : INVALID_VALUE; }

// Arrays and objects.
struct Array {
  size_t width, height, depth, texel; // rows and slices are at least one; the width is in bytes
  std::string data;
};
struct ArrayDescriptor {
  size_t width, height, depth;
  unsigned format, channels, flags;
};
static std::set<void *> arrays;
static std::map<Ptr, bool> objects; // whether they are surfaces
static bool all_devices_gone() { return blocks.clear(), arrays.clear(), objects.clear(), true; }
static size_t channel(unsigned format) { return format == 1 || format == 8 ? 1 : format == 2 || format == 9 || format == 16 ? 2 : format == 3 || format == 10 || format == 32 ? 4 : 0; }
API int cuArray3DCreate_v2(void **a, const ArrayDescriptor *d) {
  ENTER char text[128];
  snprintf(text, sizeof text, "array-%zu-%zu-%zu-format%u-x%u-flags%u", d->width, d->height, d->depth, d->format, d->channels, d->flags);
  note(text);
  const size_t texel = channel(d->format) * d->channels, rows = d->height ? d->height : 1, slices = d->depth ? d->depth : 1;
  if (texel == 0 || d->width == 0 || d->channels == 3)
    return INVALID_VALUE;
  *a = new Array{d->width * texel, rows, slices, texel, std::string(d->width * texel * rows * slices, '\xcd')};
  return arrays.insert(*a), OK;
}
API int cuArrayDestroy(void *a) { ENTER return arrays.erase(a) ? (delete static_cast<Array *>(a), OK) : INVALID_HANDLE; }
struct Resource {
  unsigned type;
  union {
    void *array;
    struct {
      Ptr at;
      unsigned format, channels;
      size_t width, height, pitch;
    } memory;
    int reserved[32];
  };
  unsigned flags;
};
struct TextureDescriptor {
  unsigned address[3], filter, flags, anisotropy, mipmap;
  float bias, least, most, border[4];
  int reserved[12];
};
static int object(Ptr *o, const Resource *r, bool surface, std::string about) {
  char text[128];
  if (r->type == 0)
    snprintf(text, sizeof text, "array%d", static_cast<int>(arrays.count(r->array)));
  else
    snprintf(text, sizeof text, "memory%u-format%u-x%u-%zu-%zu-%zu", r->type, r->memory.format, r->memory.channels, r->memory.width, r->memory.height, r->memory.pitch);
  note((std::string(surface ? "surface-" : "texture-") + text + about).c_str());
  if (r->type == 0 ? arrays.count(r->array) == 0 : surface || r->memory.at % 512 != 0 || r->memory.pitch % 32 != 0 || !inside(r->memory.at, r->type == 2 ? r->memory.width : 1))
    return INVALID_VALUE;
  static Ptr last = 0x100000;
  return objects[*o = ++last] = surface, OK;
}
API int cuTexObjectCreate(Ptr *o, const Resource *r, const TextureDescriptor *d, const void *view) {
  ENTER char text[128];
  snprintf(text, sizeof text, "-modes%u%u%u-filter%u-flags%u-border%g", d->address[0], d->address[1], d->address[2], d->filter, d->flags, static_cast<double>(d->border[3]));
  return view != nullptr ? INVALID_VALUE : object(o, r, false, text);
}
API int cuSurfObjectCreate(Ptr *o, const Resource *r) { ENTER return object(o, r, true, ""); }
static int destroy(Ptr o, bool surface) {
  const auto i = objects.find(o);
  return i != objects.end() && i->second == surface ? (objects.erase(i), OK) : INVALID_HANDLE;
}
API int cuTexObjectDestroy(Ptr o) { ENTER return destroy(o, false); }
API int cuSurfObjectDestroy(Ptr o) { ENTER return destroy(o, true); }
API int cuDevicePrimaryCtxReset_v2(int) { return note(__func__), broken = 0, all_devices_gone(), OK; }

// CUDA_MEMCPY3D, as the reference has it.
struct Side {
  size_t x, y, z, lod;
  unsigned type;
  void *host;
  Ptr device;
  void *array, *reserved;
  size_t pitch, height;
};
struct Copy3D {
  Side src, dst;
  size_t width, height, depth;
};
// row returns where width bytes of a row are; null outside of an array.
static char *row(const Side &s, size_t width, size_t y, size_t z) {
  if (s.type == 3) {
    Array *a = static_cast<Array *>(s.array);
    if (arrays.count(a) == 0 || s.x % a->texel != 0 || s.x + width > a->width || s.y + y >= a->height || s.z + z >= a->depth)
      return nullptr;
    return &a->data[((s.z + z) * a->height + s.y + y) * a->width + s.x];
  }
  char *p = s.type == 1 ? static_cast<char *>(s.host) : reinterpret_cast<char *>(s.device);
  return p + ((s.z + z) * s.height + s.y + y) * s.pitch + s.x;
}
API int cuMemcpy3DAsync_v2(const Copy3D *c, void *t) {
  ENTER if (!stream(t)) return INVALID_HANDLE;
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++) {
      char *d = row(c->dst, c->width, y, z), *s = row(c->src, c->width, y, z);
      if (d == nullptr || s == nullptr || (c->dst.type == 2 && !inside(reinterpret_cast<uintptr_t>(d), c->width)) || (c->src.type == 2 && !inside(reinterpret_cast<uintptr_t>(s), c->width)))
        return INVALID_VALUE;
      memmove(d, s, c->width);
    }
  return OK;
}
API int cuMemsetD8Async(Ptr p, unsigned char v, size_t n, void *t) { ENTER return stream(t) && inside(p, n) ? (memset(reinterpret_cast<void *>(p), v, n), OK) : INVALID_VALUE; }
API int cuMemsetD2D8Async(Ptr p, size_t pitch, unsigned char v, size_t w, size_t h, void *t) {
  ENTER if (!stream(t) || !inside(p, pitch * (h - 1) + w)) return INVALID_VALUE;
  for (size_t y = 0; y < h; y++)
    memset(reinterpret_cast<char *>(p) + y * pitch, v, w);
  return OK;
}
API int cuMemPrefetchAsync(Ptr, size_t, int, void *) { ENTER return OK; }

// Modules: the variables of kernels.cu.
static int counter = 5, factors[4];
static char word[8];
static int *managed_sum;
struct Queue {
  unsigned count, errors, streams, capacity, stride, depth, deepest, device;
  char *slots;
  struct {
    unsigned long grid, thread;
    unsigned code, module, kernel, site, size[6], shared, pad;
  } list[64];
};
static struct {
  Queue *queue;
  unsigned number, pad;
} launches;
static const struct {
  const char *name;
  void *p;
  size_t size;
} globals[] = {{"irgl_launches", &launches, 16}, {"counter", &counter, 4}, {"factors", factors, 16}, {"word", word, 8}, {"managed_sum", &managed_sum, 8}};

struct Dim {
  unsigned x, y, z;
};
static std::map<std::string, int (*)(Dim, Dim, void **)> &kernels();

API int cuModuleLoadDataEx(void **m, const void *text, unsigned n, int *options, void **values) {
  ENTER for (unsigned i = 0; i < n; i++) if (options[i] == 5) snprintf(static_cast<char *>(values[i]), 64, "the log of the compiler");
  if (strstr(static_cast<const char *>(text), ".version") == nullptr || getenv("FAKE_CUDA_REFUSES"))
    return INVALID_PTX;
  *m = const_cast<void *>(text == nullptr ? text : "module");
  for (const auto &g : globals)
    blocks[reinterpret_cast<uintptr_t>(g.p)] = g.size;
  return OK;
}

// The linker: device code that launches by the library needs one.
struct Link {
  bool text, library;
};
static bool linked; // the module launches by the library
API int cuLinkCreate_v2(unsigned n, int *options, void **, Link **l) { ENTER return n == 2 && options[0] == 5 ? (*l = new Link{}, OK) : INVALID_VALUE; }
API int cuLinkAddData_v2(Link *l, int kind, const void *data, size_t n, const char *, unsigned, int *, void **) {
  ENTER const std::string text(static_cast<const char *>(data), n);
  if (kind == 4)
    return text.find("!<arch>") == 0 ? (l->library = true, OK) : INVALID_VALUE;
  if (kind != 1 || text.find(".version") == std::string::npos || text.back() != 0)
    return INVALID_PTX;
  return l->text = text.find("// the device runtime's") == 0, OK;
}
API int cuLinkAddFile_v2(Link *l, int kind, const char *path, unsigned, int *, void **) {
  ENTER char magic[8] = {};
  if (FILE *f = fopen(path, "r")) {
    if (fread(magic, 1, 7, f) != 7)
      magic[0] = 0;
    fclose(f);
  }
  return kind == 4 && strcmp(magic, "!<arch>") == 0 ? (l->library = true, OK) : INVALID_VALUE;
}
API int cuLinkComplete(Link *l, const void **code, size_t *n) {
  ENTER static const char cubin[] = ".version of a cubin";
  return *code = cubin, *n = sizeof cubin, linked = l->text && l->library, linked ? OK : INVALID_PTX;
}
API int cuLinkDestroy(Link *l) { ENTER return delete l, OK; }
API int cuModuleGetFunction(void **f, void *, const char *name) {
  ENTER const auto i = kernels().find(name);
  if (i == kernels().end())
    return NOT_FOUND;
  *f = &*i;
  return OK;
}
API int cuModuleGetGlobal_v2(Ptr *p, size_t *n, void *, const char *name) {
  ENTER for (const auto &g : globals) if (strcmp(g.name, name) == 0) return *p = reinterpret_cast<Ptr>(g.p), *n = g.size, OK;
  return NOT_FOUND;
}
typedef std::pair<const std::string, int (*)(Dim, Dim, void **)> Function;
API int cuFuncGetAttribute(int *v, int a, Function *f) {
  ENTER const bool bounded = f->first == "bounded";
  *v = a == 0 ? (bounded ? 64 : 1024) : a == 1 ? (bounded ? 4096 : 0) : a == 4 ? 16 : 0;
  return OK;
}
API int cuFuncSetAttribute(Function *, int, int) { ENTER return OK; }
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, Function *, int threads, size_t) { ENTER return *n = 2048 / threads, OK; }
API int cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned, void *s, void **params, void **extra) {
  ENTER if (!stream(s)) return INVALID_HANDLE;
  if (extra != nullptr || bx * by * bz > 1024)
    return INVALID_VALUE;
  note(f->first.c_str());
  return f->second(Dim{gx, gy, gz}, Dim{bx, by, bz}, params);
}
API int cuLaunchCooperativeKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned, void *s, void **params) {
  ENTER if (gx * gy * gz > 64) return TOO_LARGE;
  return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, 0, s, params, nullptr);
}
API int cuLaunchHostFunc(void *s, void (*f)(void *), void *data) { ENTER return stream(s) ? (f(data), OK) : INVALID_HANDLE; }

API int cuStreamCreateWithPriority(void **s, unsigned, int) { ENTER return *s = malloc(1), streams.insert(*s), OK; }
API int cuStreamDestroy_v2(void *s) { ENTER return streams.erase(s) ? OK : INVALID_HANDLE; }
API int cuStreamSynchronize(void *s) { ENTER return stream(s) ? OK : INVALID_HANDLE; }
API int cuStreamQuery(void *s) { ENTER return stream(s) ? OK : INVALID_HANDLE; }
API int cuStreamWaitEvent(void *s, void *e, unsigned) { ENTER return stream(s) && events.count(e) ? OK : INVALID_HANDLE; }
API int cuStreamGetFlags(void *, unsigned *f) { ENTER return *f = 0, OK; }
API int cuStreamGetPriority(void *, int *p) { ENTER return *p = 0, OK; }
API int cuEventCreate(void **e, unsigned) { ENTER return *e = malloc(1), events.insert(*e), OK; }
API int cuEventDestroy_v2(void *e) { ENTER return events.erase(e) ? OK : INVALID_HANDLE; }
API int cuEventRecord(void *e, void *s) { ENTER return stream(s) && events.count(e) ? OK : INVALID_HANDLE; }
API int cuEventSynchronize(void *e) { ENTER return events.count(e) ? OK : INVALID_HANDLE; }
API int cuEventQuery(void *e) { ENTER return events.count(e) ? OK : INVALID_HANDLE; }
API int cuEventElapsedTime(float *ms, void *a, void *b) { ENTER return *ms = 1.5f, events.count(a) && events.count(b) ? OK : INVALID_HANDLE; }

// The kernels: T is a parameter.
template <class T> static T arg(void **params, int i) { return *static_cast<T *>(params[i]); }
static int add(Dim g, Dim b, void **p) {
  for (unsigned i = 0; i < g.x * b.x && static_cast<int>(i) < arg<int>(p, 2); i++)
    arg<int *>(p, 0)[i] += arg<int *>(p, 1)[i];
  return OK;
}
static int scale(Dim g, Dim b, void **p) {
  counter++;
  for (unsigned i = 0; i < g.x * b.x && static_cast<int>(i) < arg<int>(p, 1); i++)
    arg<int *>(p, 0)[i] *= factors[i & 3];
  return OK;
}
static int sum(Dim, Dim, void **p) {
  for (int i = 0; i < arg<int>(p, 1); i++)
    *managed_sum += arg<int *>(p, 0)[i];
  return OK;
}
struct Pair {
  char tag;
  double value;
};
static int structs(Dim, Dim, void **p) { return *arg<double *>(p, 2) = arg<Pair>(p, 0).value + arg<Pair>(p, 0).tag + arg<short>(p, 1), OK; }
static int beyond(Dim, Dim, void **) { return broken = ILLEGAL_ADDRESS, OK; }
static int nothing(Dim, Dim, void **) { return OK; }
static int child(Dim, Dim, void **p) { return arg<int *>(p, 0)[++arg<int *>(p, 0)[0]] = arg<int>(p, 1), OK; }
// queue does what a launch with one block of one thread does, as internal/dynpar/queue.cu.
static void queue(unsigned long grid, unsigned long block, unsigned kernel, int *log, int n) {
  struct {
    unsigned long grid, block, stream;
    unsigned module, kernel, size[6], shared, pad;
    int *log;
    int n;
  } slot = {grid, block, 0, launches.number, kernel, {1, 1, 1, 1, 1, 1}, 0, 0, log, n};
  Queue *q = launches.queue;
  if (q->count < q->capacity)
    memcpy(q->slots + q->count++ * size_t{q->stride}, &slot, 76);
}
// family launches child and itself, which with the library the device does; it then has a launch fail, too.
static int family(Dim g, Dim d, void **p) {
  static unsigned long grid;
  const int n = arg<int>(p, 1);
  if (linked) {
    int *log = arg<int *>(p, 0);
    for (unsigned b = 0; n > 0 && b < g.x; b++)
      for (const int v : {10 * n, n - 1, 10 * n + 1}) {
        int value = v;
        void *args[] = {&log, &value};
        v == n - 1 ? family({1, 1, 1}, d, args) : child({1, 1, 1}, d, args);
      }
    Queue *q = launches.queue;
    if (n > 1)
      q->list[q->errors++] = {1, 2, 69, launches.number, 1, 1, {1, 2, 3, 4, 5, 6}, 7, 0};
    return OK;
  }
  grid++;
  for (unsigned b = 0; n > 0 && b < g.x; b++) {
    queue(grid, b, 0, arg<int *>(p, 0), 10 * n);
    queue(grid, b, 1, arg<int *>(p, 0), n - 1);
    queue(grid, b, 0, arg<int *>(p, 0), 10 * n + 1);
  }
  return OK;
}

static std::map<std::string, int (*)(Dim, Dim, void **)> &kernels() {
  static std::map<std::string, int (*)(Dim, Dim, void **)> m = {{"add", add}, {"scale", scale}, {"sum", sum}, {"structs", structs}, {"beyond", beyond}, {"nothing", nothing}, {"bounded", nothing}, {"dynamic", nothing}, {"child", child}, {"family", family}};
  return m;
}
