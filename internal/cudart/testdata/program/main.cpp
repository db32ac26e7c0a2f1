// The host code of the tests: one function a test, named by the first argument.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <device_functions.h>
#include <math_constants.h>

#include "kernels.h"

#define OK(call) check((call), #call, __LINE__)
static void check(cudaError_t e, const char *call, int line) {
  if (e == cudaSuccess)
    return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorName(e));
  exit(3);
}

// SAYS prints the name of the error of a call.
#define SAYS(call) printf("%s: %s\n", #call, cudaGetErrorName(call))

// This constructor runs before main, and its kernel is of another file.
static struct Early {
  int value = 0;
  Early() {
    if (getenv("EARLY") == nullptr)
      return;
    int *p, one[2] = {1, 2};
    OK(cudaMalloc(&p, 8));
    OK(cudaMemcpy(p, one, 8, cudaMemcpyHostToDevice));
    LAUNCH(add(p, p, 2), 1, 2);
    OK(cudaMemcpy(one, p, 8, cudaMemcpyDeviceToHost));
    value = one[0] + one[1];
    early = p;
  }
  ~Early() {
    if (early != nullptr)
      printf("destructor: %s\n", cudaGetErrorName(cudaFree(early)));
  }
  int *early = nullptr;
} early;

static void vector_add() {
  const int n = 100000;
  std::vector<int> a(n), b(n);
  for (int i = 0; i < n; i++) {
    a[i] = i;
    b[i] = 2 * i;
  }
  int *da, *db;
  OK(cudaMalloc(&da, n * sizeof(int)));
  OK(cudaMalloc(&db, n * sizeof(int)));
  OK(cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyDefault));
  LAUNCH(add(da, db, n), dim3((n + 255) / 256), 256);
  OK(cudaGetLastError());
  OK(cudaMemcpy(b.data(), da, n * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += b[i] != 3 * i;
  printf("%d wrong\n", wrong);
  OK(cudaFree(da));
  OK(cudaFree(db));
}

static void symbols() {
  int v = 0, f[4] = {1, 2, 3, 4}, data[8] = {1, 1, 1, 1, 1, 1, 1, 1}, *p, *q;
  size_t size;
  OK(cudaMemcpyFromSymbol(&v, counter, sizeof v));
  OK(cudaMemcpyToSymbol(factors, f, sizeof f));
  OK(cudaMemcpyToSymbol(factors, &v, sizeof v, 3 * sizeof v));
  OK(cudaMalloc(&p, sizeof data));
  OK(cudaMemcpy(p, data, sizeof data, cudaMemcpyHostToDevice));
  LAUNCH(scale(p, 8), 2, 4);
  OK(cudaMemcpy(data, p, sizeof data, cudaMemcpyDeviceToHost));
  OK(cudaGetSymbolAddress(reinterpret_cast<void **>(&q), counter));
  OK(cudaMemcpy(&v, q, sizeof v, cudaMemcpyDeviceToHost));
  OK(cudaGetSymbolSize(&size, factors));
  printf("%d %d %d %d, counter %d, %zu bytes\n", data[0], data[1], data[6], data[7], v, size);
  SAYS(cudaMemcpyToSymbol(factors, f, 20));
  SAYS(cudaMemcpyToSymbol(v, f, 4));
  SAYS(cudaMemcpyToSymbol(factors, f, 4, 0, cudaMemcpyDeviceToHost));
}

static void named() {
  int v = 0, w = 0, f[4] = {7, 2, 3, 4}, *p, *q;
  size_t size;
  OK(cudaMemcpyToSymbol("factors", f, sizeof f));
  OK(cudaMemcpyFromSymbol(&v, factors, sizeof v));
  OK(cudaMemcpyToSymbolAsync("factors", &v, sizeof v, 3 * sizeof v));
  OK(cudaMemcpyFromSymbolAsync(&w, "factors", sizeof w, 3 * sizeof w));
  OK(cudaDeviceSynchronize());
  OK(cudaGetSymbolAddress(&p, "factors"));
  OK(cudaGetSymbolAddress(&q, factors));
  OK(cudaGetSymbolSize(&size, "factors"));
  printf("%d %d, same %d, %zu bytes\n", v, w, p == q, size);
  OK(cudaMemcpyToSymbol("managed_sum", &v, sizeof v));
  printf("total %d\n", total);
  OK(cudaMemcpyToSymbol(word, "no", 3)); // a variable that is an array of char
  char text[8] = {};
  OK(cudaMemcpyFromSymbol(text, word, 3));
  printf("%s\n", text);
  SAYS(cudaMemcpyToSymbol("facto", f, 4));
  SAYS(cudaGetSymbolSize(&size, "factors2"));
}

static void managed() {
  int *a;
  OK(cudaMallocManaged(&a, 64 * sizeof(int)));
  for (int i = 0; i < 64; i++)
    a[i] = i;
  total += 1;
  LAUNCH(sum(a, 64), 1, 64);
  OK(cudaDeviceSynchronize());
  printf("total %d\n", total);
  LAUNCH(add(a, a, 64), 1, 64);
  OK(cudaDeviceSynchronize());
  printf("a[63] %d\n", a[63]);
  OK(cudaMemset(a, 0, 64 * sizeof(int)));
  printf("a[63] %d\n", a[63]);
  int copy[64];
  OK(cudaMemcpyFromSymbol(copy, total, sizeof(int)));
  printf("copy %d\n", copy[0]);
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, a + 3));
  printf("type %d, same %d\n", at.type, at.devicePointer == a + 3);
  int *pinned;
  OK(cudaHostAlloc(&pinned, 4096, cudaHostAllocMapped));
  pinned[0] = 4;
  int *device;
  OK(cudaHostGetDevicePointer(&device, pinned, 0));
  LAUNCH(add(device, device, 1), 1, 1);
  OK(cudaStreamSynchronize(nullptr));
  printf("pinned %d\n", pinned[0]);
  OK(cudaFree(a));
  OK(cudaFreeHost(pinned));
  SAYS(cudaFreeHost(pinned));
}

// visible checks that memory which the host reads or writes directly has been copied when a call
// returns.
static void visible() {
  int *m, *d, one[4] = {1, 2, 3, 4};
  OK(cudaMallocManaged(&m, 16));
  OK(cudaMalloc(&d, 16));
  OK(cudaMemcpy(m, one, 16, cudaMemcpyHostToDevice));
  printf("%d", m[3]);
  OK(cudaMemcpy(d, m, 16, cudaMemcpyHostToDevice));
  m[0] = 9;
  OK(cudaMemcpy(one, d, 16, cudaMemcpyDeviceToHost));
  printf(" %d", one[0]);
  OK(cudaMemcpy(d, m, 16, cudaMemcpyDeviceToDevice));
  m[0] = 10;
  LAUNCH(add(d, d, 4), 1, 4);
  OK(cudaMemcpy(m, d, 16, cudaMemcpyDefault));
  printf(" %d", m[0]);
  OK(cudaMemcpy2D(m, 8, one, 8, 4, 2, cudaMemcpyDefault));
  printf(" %d %d\n", m[0], m[2]);
}

static void streams() {
  cudaStream_t s, t;
  cudaEvent_t begin, end;
  int *a, *b, host[4] = {1, 2, 3, 4}, *pinned;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaMalloc(&a, 16));
  OK(cudaMalloc(&b, 16));
  OK(cudaMallocHost(&pinned, 16));
  OK(cudaEventRecord(begin, s));
  OK(cudaMemcpyAsync(a, host, 16, cudaMemcpyHostToDevice, s));
  LAUNCH(add(a, a, 4), 1, 4, 0, s);
  OK(cudaEventRecord(end, s));
  OK(cudaStreamWaitEvent(t, end, 0));
  OK(cudaMemcpyAsync(b, a, 16, cudaMemcpyDeviceToDevice, t));
  OK(cudaMemcpyAsync(pinned, b, 16, cudaMemcpyDeviceToHost, t));
  std::string order;
  OK(cudaLaunchHostFunc(t, [](void *p) { *static_cast<std::string *>(p) += "called "; }, &order));
  order += "queued ";
  OK(cudaStreamSynchronize(t));
  printf("%d %d, host function %s\n", pinned[0], pinned[3], order.find("called") != std::string::npos ? "called" : "not called");
  float ms = -1;
  OK(cudaEventSynchronize(end));
  OK(cudaEventElapsedTime(&ms, begin, end));
  printf("time %s\n", ms >= 0 && ms < 10000 ? "fine" : "wrong");
  SAYS(cudaStreamQuery(t));
  SAYS(cudaEventQuery(end));
  OK(cudaEventDestroy(end));
  SAYS(cudaEventRecord(end, s));
  OK(cudaStreamDestroy(s));
  SAYS(cudaStreamSynchronize(s));
  SAYS(cudaStreamDestroy(nullptr));
  OK(cudaStreamDestroy(t));
}

static void copies() {
  int in[6][5], out[6][5], *p, *q;
  size_t pitch;
  for (int i = 0; i < 30; i++)
    in[i / 5][i % 5] = i;
  OK(cudaMallocPitch(&p, &pitch, 5 * sizeof(int), 6));
  OK(cudaMemcpy2D(p, pitch, in, sizeof in[0], sizeof in[0], 6, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(out, sizeof out[0], p, pitch, sizeof out[0], 6, cudaMemcpyDeviceToHost));
  printf("pitch %zu, 2D %d\n", pitch, memcmp(in, out, sizeof in));
  cudaPitchedPtr v;
  OK(cudaMalloc3D(&v, make_cudaExtent(20, 3, 2)));
  cudaMemcpy3DParms parms = {};
  parms.srcPtr = make_cudaPitchedPtr(in, 20, 20, 3);
  parms.dstPtr = v;
  parms.extent = make_cudaExtent(20, 3, 2);
  parms.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&parms));
  memset(out, 0, sizeof out);
  parms.dstPtr = make_cudaPitchedPtr(out, 20, 20, 3);
  parms.srcPtr = v;
  parms.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&parms));
  printf("3D %d\n", memcmp(in, out, sizeof in));
  // More than goes with a message, and than the room for copies.
  const size_t n = 9 << 20;
  std::vector<char> big(n), back(n);
  for (size_t i = 0; i < n; i++)
    big[i] = static_cast<char>(i * 7 >> 3);
  OK(cudaMalloc(&q, n));
  OK(cudaMemcpy(q, big.data(), n, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(back.data(), q, n, cudaMemcpyDeviceToHost));
  printf("big %d\n", memcmp(big.data(), back.data(), n));
  OK(cudaMemset(q, 3, n));
  OK(cudaMemset2D(q, 100, 4, 10, 2));
  OK(cudaMemcpy(back.data(), q, n, cudaMemcpyDeviceToHost));
  printf("set %d %d %d %d\n", back[0], back[10], back[109], back[n - 1]);
  OK(cudaMemcpy(q, in, 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  SAYS(cudaMemcpy(q, in, 4, cudaMemcpyHostToHost));
  SAYS(cudaMemcpy(in, out, 4, cudaMemcpyHostToDevice));
  SAYS(cudaMemcpy(reinterpret_cast<char *>(q) + n - 2, in, 4, cudaMemcpyHostToDevice));
  SAYS(cudaMemcpy(q, in, 4, static_cast<cudaMemcpyKind>(7)));
  SAYS(cudaMemcpy2D(p, 4, in, 20, 20, 2, cudaMemcpyHostToDevice));
}

// arrays copies between memory and arrays, which are the driver's where device code reads textures in hardware.
static void arrays() {
  float in[3][5], out[3][5], *p;
  for (int i = 0; i < 15; i++)
    (&in[0][0])[i] = i;
  cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), f4 = cudaCreateChannelDesc<uchar4>();
  cudaArray_t a, b, layers;
  OK(cudaMallocArray(&a, &f, 5, 3));
  OK(cudaMalloc3DArray(&b, &f, make_cudaExtent(5, 3, 2)));
  OK(cudaMalloc3DArray(&layers, &f4, make_cudaExtent(4, 0, 6), cudaArrayLayered | cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], sizeof in[0], 3, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DFromArray(out, sizeof out[0], a, 0, 0, sizeof out[0], 3, cudaMemcpyDeviceToHost));
  printf("2D %d\n", memcmp(in, out, sizeof in));
  // A run over the ends of rows, and a place inside of rows.
  OK(cudaMemcpyToArray(a, 12, 0, in, 36, cudaMemcpyDefault));
  OK(cudaMemcpy2DToArray(a, 4, 1, &in[1][0], sizeof in[0], 8, 2, cudaMemcpyHostToDevice));
  OK(cudaMemcpyFromArray(out, a, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 15; i++)
    printf("%g ", (&out[0][0])[i]);
  // From an array to a slice of another, from there to memory of the device.
  cudaMemcpy3DParms parms = {};
  parms.srcArray = a;
  parms.dstArray = b;
  parms.srcPos = make_cudaPos(1, 0, 0);
  parms.dstPos = make_cudaPos(0, 1, 1);
  parms.extent = make_cudaExtent(3, 2, 1);
  parms.kind = cudaMemcpyDeviceToDevice;
  OK(cudaMemcpy3D(&parms));
  OK(cudaMalloc(&p, 24));
  cudaMemcpy3DParms back = {};
  back.srcArray = b;
  back.srcPos = make_cudaPos(0, 1, 1);
  back.dstPtr = make_cudaPitchedPtr(p, 12, 12, 2);
  back.extent = make_cudaExtent(3, 2, 1);
  back.kind = cudaMemcpyDefault;
  OK(cudaMemcpy3D(&back));
  OK(cudaMemcpy(out, p, 24, cudaMemcpyDeviceToHost));
  printf("and %g %g %g %g %g %g\n", out[0][0], out[0][1], out[0][2], out[0][3], out[0][4], out[1][0]);
  // Layers, and a copy that a graph has.
  uchar4 texels[6][4], got[6][4];
  for (int i = 0; i < 24; i++)
    (&texels[0][0])[i] = make_uchar4(i, 2 * i, 3 * i, 4 * i);
  cudaMemcpy3DParms all = {};
  all.srcPtr = make_cudaPitchedPtr(texels, 16, 4, 1);
  all.dstArray = layers;
  all.extent = make_cudaExtent(4, 1, 6);
  all.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&all));
  all.srcPtr = {};
  all.dstArray = nullptr;
  all.srcArray = layers;
  all.dstPtr = make_cudaPitchedPtr(got, 16, 4, 1);
  all.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&all));
  printf("layers %d\n", memcmp(texels, got, sizeof got));
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpy2DFromArrayAsync(out, sizeof out[0], a, 0, 0, sizeof out[0], 3, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], sizeof in[0], 3, cudaMemcpyHostToDevice));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaStreamSynchronize(s));
  printf("graph %d\n", memcmp(in, out, sizeof in));
  SAYS(cudaMemcpy2DToArray(a, 4, 0, in, sizeof in[0], sizeof in[0], 1, cudaMemcpyHostToDevice));
  SAYS(cudaMemcpy2DToArray(a, 0, 1, in, sizeof in[0], sizeof in[0], 3, cudaMemcpyHostToDevice));
  SAYS(cudaMemcpy2DToArray(a, 0, 0, in, 4, sizeof in[0], 2, cudaMemcpyHostToDevice));
  SAYS(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], sizeof in[0], 1, cudaMemcpyDeviceToHost));
  SAYS(cudaMemcpy2DToArray(a, 0, 0, nullptr, sizeof in[0], sizeof in[0], 1, cudaMemcpyHostToDevice));
  OK(cudaFreeArray(b));
  SAYS(cudaFreeArray(b));
  SAYS(cudaMemcpy3D(&parms));
  OK(cudaDeviceReset());
  SAYS(cudaFreeArray(a));
}

// textures makes objects.
static void textures() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<ushort2>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t a;
  cudaTextureObject_t t = 0, u = 0;
  cudaSurfaceObject_t s = 0;
  void *p;
  OK(cudaMallocArray(&a, &d, 16, 4, cudaArraySurfaceLoadStore));
  OK(cudaMalloc(&p, 4096));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc desc = {};
  desc.addressMode[0] = cudaAddressModeMirror;
  desc.addressMode[1] = cudaAddressModeBorder;
  desc.filterMode = cudaFilterModeLinear;
  desc.readMode = cudaReadModeNormalizedFloat;
  desc.normalizedCoords = 1;
  desc.borderColor[3] = 2;
  OK(cudaCreateTextureObject(&t, &r, &desc, nullptr));
  OK(cudaCreateSurfaceObject(&s, &r));
  cudaResourceDesc got;
  OK(cudaGetTextureObjectResourceDesc(&got, t));
  printf("same %d\n", got.res.array.array == a);
  desc.readMode = cudaReadModeElementType;
  SAYS(cudaCreateTextureObject(&u, &r, &desc, nullptr));
  desc.filterMode = cudaFilterModePoint;
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = p;
  linear.res.linear.desc = cudaCreateChannelDesc<int>();
  linear.res.linear.sizeInBytes = 400;
  OK(cudaCreateTextureObject(&u, &linear, &desc, nullptr));
  OK(cudaDestroyTextureObject(u));
  SAYS(cudaDestroyTextureObject(u));
  SAYS(cudaDestroySurfaceObject(t));
  SAYS(cudaCreateSurfaceObject(&s, &linear));
  linear.res.linear.desc = three;
  SAYS(cudaCreateTextureObject(&u, &linear, &desc, nullptr));
  linear.resType = cudaResourceTypePitch2D;
  linear.res.pitch2D.desc = d;
  linear.res.pitch2D.width = 16;
  linear.res.pitch2D.height = 4;
  linear.res.pitch2D.pitchInBytes = 32;
  SAYS(cudaCreateTextureObject(&u, &linear, &desc, nullptr));
  linear.res.pitch2D.pitchInBytes = 512;
  OK(cudaCreateTextureObject(&u, &linear, &desc, nullptr));
  cudaArray_t none;
  SAYS(cudaMallocArray(&none, &three, 4, 4));
  SAYS(cudaMallocArray(&none, &d, 0, 4));
  OK(cudaDestroySurfaceObject(s));
  OK(cudaFreeArray(a));
  SAYS(cudaCreateTextureObject(&s, &r, &desc, nullptr));
  OK(cudaDeviceReset());
  SAYS(cudaDestroyTextureObject(t));
}

// mixed has device code that reads textures in software, too.
static void mixed() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
  cudaArray_t a;
  void *p;
  cudaTextureObject_t t;
  cudaResourceDesc r = {};
  cudaTextureDesc desc = {};
  OK(cudaMalloc(&p, 512));
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  r.res.linear.desc = d;
  r.res.linear.sizeInBytes = 512;
  SAYS(cudaMallocArray(&a, &d, 4, 4));
  SAYS(cudaCreateTextureObject(&t, &r, &desc, nullptr));
}

// offsets binds memory that does not begin where a texture in hardware may.
static void offsets() {
  static textureReference ref = {};
  cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
  char *p;
  size_t offset = 1;
  OK(cudaMalloc(&p, 4096));
  OK(cudaBindTexture(&offset, &ref, p, &d, 100));
  printf("%zu ", offset);
  OK(cudaBindTexture(&offset, &ref, p + 512 + 16, &d, 100));
  printf("%zu ", offset);
  OK(cudaGetTextureAlignmentOffset(&offset, &ref));
  printf("%zu\n", offset);
  SAYS(cudaBindTexture(nullptr, &ref, p + 16, &d, 100));
  SAYS(cudaBindTexture2D(nullptr, &ref, p + 16, &d, 4, 4, 512));
  OK(cudaBindTexture2D(&offset, &ref, p + 16, &d, 4, 4, 512));
  OK(cudaUnbindTexture(&ref));
}

static void errors() {
  int *p;
  OK(cudaMalloc(&p, 64 * sizeof(int)));
  SAYS(cudaFree(p + 1));
  OK(cudaFree(nullptr));
  OK(cudaFree(p));
  SAYS(cudaFree(p));
  SAYS(cudaGetLastError());
  SAYS(cudaGetLastError());
  OK(cudaMalloc(&p, 64 * sizeof(int)));
  void *much;
  SAYS(cudaMalloc(&much, size_t{1} << 50));
  LAUNCH(nothing(), 1, 2048);
  SAYS(cudaPeekAtLastError());
  SAYS(cudaGetLastError());
  LAUNCH(nothing(), dim3(1, 70000), 1);
  SAYS(cudaGetLastError());
  LAUNCH(nothing(), 0, 1);
  SAYS(cudaGetLastError());
  LAUNCH(bounded(p), 1, 128);
  SAYS(cudaGetLastError());
  LAUNCH(dynamic(p, 0), 1, 1, 60000);
  SAYS(cudaGetLastError());
  SAYS(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  LAUNCH(dynamic(p, 14999), 1, 1, 60000);
  OK(cudaDeviceSynchronize());
  nothing(); // without a configuration
  SAYS(cudaGetLastError());
  SAYS(cudaLaunchKernel(reinterpret_cast<const void *>(&errors), dim3(1), dim3(1), nullptr, 0, nullptr));
  void *args[] = {&p};
  SAYS(cudaLaunchCooperativeKernel(bounded, dim3(100000), dim3(64), args));
  OK(cudaLaunchCooperativeKernel(bounded, dim3(1), dim3(64), args));
  SAYS(cudaSetDevice(7));
  OK(cudaSetDevice(0));
  SAYS(cudaHostUnregister(p));
  printf("%s | %s | %s\n", cudaGetErrorString(cudaErrorIllegalAddress), cudaGetErrorString(static_cast<cudaError_t>(12345)),
         cudaGetErrorName(static_cast<cudaError_t>(12345)));
}

static void about() {
  cudaDeviceProp prop;
  int n, v, blocks, grid, block;
  size_t free, total_bytes;
  OK(cudaGetDeviceCount(&n));
  OK(cudaGetDeviceProperties(&prop, 0));
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
  printf("%d devices, %s, %d.%d, warp %d, %d SMs %d, clock %d\n", n, prop.name, prop.major, prop.minor, prop.warpSize,
         prop.multiProcessorCount, v, prop.clockRate > 0);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing));
  printf("occupancy %d, %d of %d\n", blocks, grid, block);
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, bounded));
  printf("bounded: %d threads, %zu bytes shared\n", a.maxThreadsPerBlock, a.sharedSizeBytes);
  int *p;
  OK(cudaMalloc(&p, 1 << 20));
  OK(cudaMemGetInfo(&free, &total_bytes));
  printf("memory %zu\n", total_bytes - free);
  OK(cudaRuntimeGetVersion(&v));
  printf("version %d\n", v);
  OK(cudaThreadSynchronize());
  double *out, result;
  OK(cudaMalloc(&out, 8));
  LAUNCH(structs(pair_arg{2, 3.5}, -1, out), 1, 1);
  OK(cudaMemcpy(&result, out, 8, cudaMemcpyDeviceToHost));
  printf("structs %g\n", result);
  OK(cudaThreadExit());
  LAUNCH(nothing(), 1, 1);
  OK(cudaDeviceSynchronize());
  SAYS(cudaFree(p)); // it went with the reset
}

static void printing() {
  printf("before\n");
  LAUNCH(talk(2), 1, 2);
  OK(cudaDeviceSynchronize());
  printf("after\n");
  LAUNCH(talk(1), 1, 1); // nobody waits for it
}

static void fault() {
  int *p;
  OK(cudaMalloc(&p, 16));
  LAUNCH(beyond(p, 4), 1, 1);
  SAYS(cudaGetLastError());
  SAYS(cudaDeviceSynchronize());
  SAYS(cudaMalloc(&p, 16));
  SAYS(cudaGetLastError());
  SAYS(cudaGetLastError());
  OK(cudaDeviceReset());
  SAYS(cudaMalloc(&p, 16));
}

static void lacking() {
  LAUNCH(missing(), 1, 1);
  SAYS(cudaGetLastError());
  LAUNCH(nothing(), 1, 1);
  SAYS(cudaDeviceSynchronize());
}

static void late_fault() {
  int *p;
  OK(cudaMalloc(&p, 16));
  LAUNCH(racing(p), 1, 64);
}

static void assertion() {
  LAUNCH(claim(3), 1, 1);
  SAYS(cudaDeviceSynchronize());
}

static void threads() {
  std::vector<std::thread> list;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; t++)
    list.emplace_back([&wrong, t] {
      int *p, host[32];
      cudaStream_t s;
      OK(cudaStreamCreate(&s));
      OK(cudaMalloc(&p, sizeof host));
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 32; i++)
          host[i] = i + t;
        OK(cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, s));
        LAUNCH(add(p, p, 32), 1, 32, 0, s);
        OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, s));
        OK(cudaStreamSynchronize(s));
        for (int i = 0; i < 32; i++)
          wrong += host[i] != 2 * (i + t);
      }
      OK(cudaFree(p));
      OK(cudaStreamDestroy(s));
    });
  for (auto &t : list)
    t.join();
  printf("%d wrong\n", wrong.load());
}

static void forking() {
  int *p;
  OK(cudaMalloc(&p, 16));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const cudaError_t e = cudaMalloc(&p, 16);
    _exit(e == cudaErrorInitializationError ? 7 : 8);
  }
  int status;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  fflush(stdout);
  const pid_t other = fork(); // ends by exit: its handlers must not wait for the parent's emulator
  if (other == 0)
    exit(0);
  waitpid(other, &status, 0);
  printf("other %d\n", WEXITSTATUS(status));
  OK(cudaFree(p));
}

static void leaving() {
  LAUNCH(talk(5), 1, 1);
  std::thread([] { exit(5); }).join();
}

static void killed() {
  int *p;
  OK(cudaMalloc(&p, 16));
  OK(cudaMemset(p, 0, 16));
  // The emulator is the only child.
  int child = 0;
  FILE *f = fopen(("/proc/self/task/" + std::to_string(getpid()) + "/children").c_str(), "r");
  if (f == nullptr || fscanf(f, "%d", &child) != 1)
    exit(4);
  std::thread killer([&] {
    usleep(100000);
    kill(child, SIGKILL);
  });
  LAUNCH(forever(p), 1, 1);
  SAYS(cudaDeviceSynchronize());
  killer.join();
  SAYS(cudaMalloc(&p, 16));
  SAYS(cudaMemcpy(p, p, 4, cudaMemcpyDeviceToDevice));
}

static void many() {
  LAUNCH(nothing(), 1, 1);
  OK(cudaDeviceSynchronize());
  const int n = 10000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < n; i++)
    LAUNCH(nothing(), 1, 1);
  const auto queued = std::chrono::steady_clock::now();
  OK(cudaDeviceSynchronize());
  const auto end = std::chrono::steady_clock::now();
  const auto us = [](auto d) { return std::chrono::duration<double, std::micro>(d).count() / n; };
  fprintf(stderr, "%.2f us to queue a launch, %.2f us with its execution\n", us(queued - begin), us(end - begin));
  printf("%s\n", us(end - begin) < 1000 ? "fine" : "slow");
}

static void early_start() { printf("early %d\n", early.value); }

static void peers() {
  int n, can, *p, *q, host[4] = {1, 2, 3, 4};
  OK(cudaGetDeviceCount(&n));
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  OK(cudaMalloc(&p, 16));
  OK(cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice));
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&q, 16));
  OK(cudaMemcpyPeer(q, 1, p, 0, 16));
  OK(cudaDeviceEnablePeerAccess(0, 0));
  SAYS(cudaDeviceEnablePeerAccess(0, 0));
  LAUNCH(add(q, p, 4), 1, 4);
  OK(cudaMemcpy(host, q, 16, cudaMemcpyDeviceToHost));
  printf("%d devices, peers %d: %d %d\n", n, can, host[0], host[3]);
}

// halves checks conversions of 16-bit floats: all of them to float and back, and ties.
static void halves() {
  int wrong = 0;
  for (unsigned i = 0; i < 65536; i++) {
    const unsigned short h = static_cast<unsigned short>(i);
    const float f = __half2float(__ushort_as_half(h)), b = __bfloat162float(__ushort_as_bfloat16(h));
    wrong += f == f && __half_as_ushort(__float2half(f)) != h;
    wrong += b == b && __bfloat16_as_ushort(__float2bfloat16(b)) != h;
  }
  printf("%d wrong\n", wrong);
  for (double v : {1.0, -2.5, 65504.0, 65519.99, 65520.0, 1e30, 5.960464477539063e-08, 2.98e-08, 2.99e-08, 1.00048828125,
                   1.00146484375, 6.097555160522461e-05})
    printf("%04x ", __half_as_ushort(__half(v)));
  for (float v : {1.0f, 3.4e38f, 3.39e38f, 1.00390625f, 1.01171875f, 9.2e-41f})
    printf("%04x ", __bfloat16_as_ushort(__nv_bfloat16(v)));
  const cuComplex z = cuCmulf(make_cuComplex(1, 2), cuConjf(make_cuComplex(3, 4)));
  printf("%g %g %g\n", cuCrealf(z), cuCimagf(z), cuCabs(cuCdiv(make_cuDoubleComplex(3, 4), make_cuDoubleComplex(0, 1))));
}

// launching has kernels that launch kernels: in order in one stream, each with its children.
static void launching() {
  int *log, host[16];
  OK(cudaMalloc(&log, sizeof host));
  OK(cudaMemset(log, 0, sizeof host));
  LAUNCH(family(log, 2), 1, 1);
  OK(cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 1; i <= host[0]; i++)
    printf("%d ", host[i]);
  OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100000));
  OK(cudaMemset(log, 0, sizeof host));
  LAUNCH(family(log, 1), 4, 1);
  OK(cudaMemcpy(host, log, sizeof host, cudaMemcpyDeviceToHost));
  printf("and %d\n", host[0]);
}

// made returns an array of n ints of a value in the device.
static int *made(int n, int value) {
  int *p;
  std::vector<int> v(n, value);
  OK(cudaMalloc(&p, n * sizeof(int)));
  OK(cudaMemcpy(p, v.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  return p;
}

static void graph_nodes() {
  const int n = 8;
  int *a = made(n, 1), *b = made(n, 10), out[n] = {}, calls = 0, count = n;
  cudaGraph_t graph;
  cudaGraphExec_t exec, other;
  cudaGraphNode_t set, kernel, copy, host, empty, list[9];
  OK(cudaGraphCreate(&graph, 0));
  void *args[] = {&a, &b, &count};
  cudaKernelNodeParams k = {};
  k.func = reinterpret_cast<void *>(add);
  k.gridDim = dim3(1);
  k.blockDim = dim3(n);
  k.kernelParams = args;
  // The nodes are added in the opposite order of the dependencies.
  cudaMemcpy3DParms to_host = {};
  to_host.srcPtr = make_cudaPitchedPtr(a, sizeof out, n, 1);
  to_host.dstPtr = make_cudaPitchedPtr(out, sizeof out, n, 1);
  to_host.extent = make_cudaExtent(sizeof out, 1, 1);
  to_host.kind = cudaMemcpyDeviceToHost;
  OK(cudaGraphAddMemcpyNode(&copy, graph, nullptr, 0, &to_host));
  cudaHostNodeParams h = {[](void *p) { ++*static_cast<int *>(p); }, &calls};
  OK(cudaGraphAddHostNode(&host, graph, &copy, 1, &h));
  OK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  OK(cudaGraphAddDependencies(graph, &kernel, &copy, 1));
  cudaMemsetParams m = {};
  m.dst = a;
  m.value = 0x10000;
  m.elementSize = 4;
  m.width = 4;
  m.height = 1;
  OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &m));
  OK(cudaGraphAddEmptyNode(&empty, graph, &set, 1));
  OK(cudaGraphAddDependencies(graph, &empty, &kernel, 1));
  size_t nodes = 0, roots = 9;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetRootNodes(graph, list, &roots));
  printf("%zu nodes, %zu root, the set %d\n", nodes, roots, list[0] == set);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphInstantiate(&other, graph));
  a = nullptr; // the arguments have been copied
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  printf("%d %d, %d calls\n", out[0], out[7], calls);
  a = made(n, 5);
  OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaMemcpy(out, a, sizeof out, cudaMemcpyDeviceToHost));
  printf("%d, %d calls\n", out[0], calls);
  OK(cudaGraphAddDependencies(graph, &host, &set, 1));
  SAYS(cudaGraphInstantiate(&other, graph, 0));
  const cudaGraphNode_t twice[] = {set, set};
  SAYS(cudaGraphAddKernelNode(&kernel, graph, twice, 2, &k));
  k.blockDim = dim3(2000);
  SAYS(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
  OK(cudaGraphExecDestroy(exec));
  SAYS(cudaGraphLaunch(exec, nullptr));
  OK(cudaGraphDestroy(graph));
  SAYS(cudaGraphDestroy(graph));
}

static void graph_capture() {
  const int n = 8;
  int *a = made(n, 0), *b = made(n, 10), in[n] = {1, 2, 3, 4, 5, 6, 7, 8}, out[n] = {};
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  cudaGraph_t graph, second;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  for (int k = 0; k < 2; k++) {
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork));
    OK(cudaMemcpyAsync(a, in, sizeof in, cudaMemcpyHostToDevice, s));
    OK(cudaMemsetAsync(b, k, 4, t));
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join));
    LAUNCH(add(a, b, n), 1, n, 0, s);
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(out, a, sizeof out, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamIsCapturing(t, &status));
    OK(cudaStreamEndCapture(s, k == 0 ? &graph : &second));
  }
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  printf("%zu nodes, status %d, nothing has run: %d\n", nodes, status, out[0]);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphLaunch(exec, t));
  OK(cudaStreamSynchronize(t));
  printf("%d %d\n", out[0], out[7]);
  in[7] = 100;
  cudaGraphExecUpdateResult result;
  OK(cudaGraphExecUpdate(exec, second, nullptr, &result));
  OK(cudaGraphLaunch(exec, s));
  OK(cudaStreamSynchronize(s));
  printf("%d %d\n", out[0], out[7]);

  SAYS(cudaStreamEndCapture(s, &graph));
  SAYS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAYS(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAYS(cudaStreamSynchronize(s));
  SAYS(cudaMemsetAsync(a, 0, 4, s));
  SAYS(cudaStreamEndCapture(s, &graph));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAYS(cudaMemcpy(out, a, 4, cudaMemcpyDeviceToHost));
  SAYS(cudaStreamEndCapture(s, &graph));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork));
  OK(cudaMemsetAsync(b, 0, 4, t));
  SAYS(cudaEventSynchronize(fork));
  SAYS(cudaStreamEndCapture(s, &graph));
  OK(cudaMemsetAsync(b, 0, 4, t));
  OK(cudaStreamSynchronize(t));
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)();
  } tests[] = {
      {"vector_add", vector_add}, {"symbols", symbols}, {"named", named}, {"graph_nodes", graph_nodes}, {"graph_capture", graph_capture}, {"managed", managed},     {"streams", streams},
      {"copies", copies},         {"arrays", arrays},   {"textures", textures},   {"offsets", offsets},     {"mixed", mixed},
      {"errors", errors},   {"about", about},         {"printing", printing},
      {"fault", fault},           {"threads", threads}, {"late_fault", late_fault}, {"assertion", assertion},
      {"forking", forking},       {"leaving", leaving}, {"killed", killed},       {"many", many},
      {"early", early_start},     {"peers", peers},     {"halves", halves},
      {"visible", visible},       {"lacking", lacking},
      {"launching", launching},
  };
  for (const auto &t : tests)
    if (argc > 1 && strcmp(argv[1], t.name) == 0) {
      t.run();
      return 0;
    }
  return 2;
}
