// All modes of textures and surfaces against a reference of the host: for the emulator, for GPUs, and for nvcc.
// Points of samples without a filter are away from the edges and middles of texels, where devices round coordinates; a filter's
// weights have 8 bits behind the point, and may be off by one of them in each dimension.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(x) do { cudaError_t e_ = x; if (e_ != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorName(e_)); return false; } } while (0)

enum Shape { Fetch, Line, Plane, Pitched, Volume, Lines, Planes, Cube, Cubes, Gather, Shapes };
static const char *const shape_names[] = {"fetch", "1D", "2D", "2D of memory", "3D", "1D layered", "2D layered", "cube", "cube layered", "gather"};

// The channels of a texel as words.
#define PACK(T, BITS) \
  __device__ uint4 pack(T##1 v) { return make_uint4(BITS(v.x), 0, 0, 0); } \
  __device__ uint4 pack(T##2 v) { return make_uint4(BITS(v.x), BITS(v.y), 0, 0); } \
  __device__ uint4 pack(T##4 v) { return make_uint4(BITS(v.x), BITS(v.y), BITS(v.z), BITS(v.w)); }
#define SIGNED(x) (unsigned)(int)(x)
PACK(char, SIGNED) PACK(short, SIGNED) PACK(int, SIGNED) PACK(uchar, unsigned) PACK(ushort, unsigned) PACK(uint, unsigned) PACK(float, __float_as_uint)

struct Point {
  float x, y, z;
  int layer;
};

template <int S, typename T> struct Read;
template <typename T> struct Read<Fetch, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex1Dfetch<T>(t, p.layer); } };
template <typename T> struct Read<Line, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex1D<T>(t, p.x); } };
template <typename T> struct Read<Plane, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex2D<T>(t, p.x, p.y); } };
template <typename T> struct Read<Pitched, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex2D<T>(t, p.x, p.y); } };
template <typename T> struct Read<Volume, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex3D<T>(t, p.x, p.y, p.z); } };
template <typename T> struct Read<Lines, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex1DLayered<T>(t, p.x, p.layer); } };
template <typename T> struct Read<Planes, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return tex2DLayered<T>(t, p.x, p.y, p.layer); } };
template <typename T> struct Read<Cube, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return texCubemap<T>(t, p.x, p.y, p.z); } };
template <typename T> struct Read<Cubes, T> { static __device__ T get(cudaTextureObject_t t, Point p) { return texCubemapLayered<T>(t, p.x, p.y, p.z, p.layer); } };
template <int S, typename T> __global__ void read(cudaTextureObject_t t, const Point *at, uint4 *out) {
  out[threadIdx.x] = pack(Read<S, T>::get(t, at[threadIdx.x]));
}
template <typename T> __global__ void gather(cudaTextureObject_t t, const Point *at, uint4 *out) {
  Point p = at[threadIdx.x];
  switch (p.layer) {
  case 0: out[threadIdx.x] = pack(tex2Dgather<T>(t, p.x, p.y, 0)); break;
  case 1: out[threadIdx.x] = pack(tex2Dgather<T>(t, p.x, p.y, 1)); break;
  case 2: out[threadIdx.x] = pack(tex2Dgather<T>(t, p.x, p.y, 2)); break;
  default: out[threadIdx.x] = pack(tex2Dgather<T>(t, p.x, p.y, 3));
  }
}
// Levels and gradients do not count without mipmaps.
__global__ void levels(cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t volume, const Point *at, int *wrong) {
  Point p = at[threadIdx.x];
  float2 d2 = make_float2(0, 0);
  float4 d4 = make_float4(0, 0, 0, 0);
  if (tex1DLod<float>(line, p.x, 0) != tex1D<float>(line, p.x) || tex1DGrad<float>(line, p.x, 0, 0) != tex1D<float>(line, p.x)) atomicAdd(wrong, 1);
  if (tex2DLod<float>(plane, p.x, p.y, 0) != tex2D<float>(plane, p.x, p.y) || tex2DGrad<float>(plane, p.x, p.y, d2, d2) != tex2D<float>(plane, p.x, p.y)) atomicAdd(wrong, 1);
  if (tex3DLod<float>(volume, p.x, p.y, p.z, 0) != tex3D<float>(volume, p.x, p.y, p.z) || tex3DGrad<float>(volume, p.x, p.y, p.z, d4, d4) != tex3D<float>(volume, p.x, p.y, p.z)) atomicAdd(wrong, 1);
}

static uint32_t state = 17;
static uint32_t random32() {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state;
}
static double random01() { return random32() / 4294967296.0; }

// An Image is the texels of a texture on the host.
struct Image {
  int width, height, depth, kind, bits, channels; // kind: 0 signed, 1 unsigned, 2 float
  std::vector<unsigned char> data;
  size_t row() const { return size_t(width) * channels * bits / 8; }
  double channel(int x, int y, int z, int c) const {
    const unsigned char *p = &data[(size_t(z) * height + y) * row() + (size_t(x) * channels + c) * (bits / 8)];
    if (bits == 8) return kind == 0 ? *(const signed char *)p : *p;
    if (bits == 32) {
      float f; int i; unsigned u;
      memcpy(&f, p, 4), memcpy(&i, p, 4), memcpy(&u, p, 4);
      return kind == 2 ? double(f) : kind == 0 ? double(i) : double(u);
    }
    short s;
    memcpy(&s, p, 2);
    if (kind != 2) return kind == 0 ? s : (unsigned short)s;
    const int e = s >> 10 & 31, m = s & 1023;
    const double v = e == 0 ? ldexp(m, -24) : ldexp(m + 1024, e - 25);
    return s < 0 ? -v : v;
  }
};

static Image image(int width, int height, int depth, int kind, int bits, int channels) {
  Image i{width, height, depth, kind, bits, channels, {}};
  i.data.resize(i.row() * height * depth);
  for (size_t k = 0; k < i.data.size(); k++) i.data[k] = (unsigned char)random32();
  if (kind == 2 && bits == 32)
    for (size_t k = 0; k < i.data.size(); k += 4) {
      float f = float(random01() * 2 - 1);
      memcpy(&i.data[k], &f, 4);
    }
  if (kind == 2 && bits == 16) // at most 2
    for (size_t k = 1; k < i.data.size(); k += 2) i.data[k] &= 0xbf;
  return i;
}

struct Mode {
  int address, linear, normalized, as_float;
};

static int place(int i, int n, int mode) {
  if (mode == cudaAddressModeWrap) return ((i % n) + n) % n;
  if (mode == cudaAddressModeMirror) { int j = ((i % (2 * n)) + 2 * n) % (2 * n); return j < n ? j : 2 * n - 1 - j; }
  if (mode == cudaAddressModeClamp) return i < 0 ? 0 : i >= n ? n - 1 : i;
  return i < 0 || i >= n ? -1 : i;
}

// texel returns a channel by address modes; border colours are 0.
static double texel(const Image &im, const Mode &m, int dims, int x, int y, int z, int c) {
  int mode = !m.normalized && (m.address == cudaAddressModeWrap || m.address == cudaAddressModeMirror) ? int(cudaAddressModeClamp) : m.address;
  x = place(x, im.width, mode);
  if (dims > 1) y = place(y, im.height, mode);
  if (dims > 2) z = place(z, im.depth, mode);
  if (x < 0 || y < 0 || z < 0) return 0;
  double v = im.channel(x, y, z, c);
  if (!m.as_float || im.kind == 2) return v;
  if (im.kind == 1) return v / (im.bits == 8 ? 255 : 65535);
  return fmax(v / (im.bits == 8 ? 127 : 32767), -1);
}

// sample returns a channel at a point in texels, and how far a device may be off.
static double sample(const Image &im, const Mode &m, int dims, double x, double y, double z, int slice, int c, double *off) {
  *off = m.as_float ? 4e-6 : 0;
  if (!m.linear) return texel(im, m, dims, int(floor(x)), dims > 1 ? int(floor(y)) : 0, dims > 2 ? int(floor(z)) : slice, c);
  const double at[3] = {x - 0.5, dims > 1 ? y - 0.5 : 0, dims > 2 ? z - 0.5 : 0};
  double sum = 0, least = INFINITY, most = -INFINITY, part[3];
  int first[3];
  for (int i = 0; i < 3; i++) first[i] = int(floor(at[i])), part[i] = rint((at[i] - floor(at[i])) * 256) / 256;
  for (int corner = 0; corner < 1 << dims; corner++) {
    double w = 1;
    for (int i = 0; i < dims; i++) w *= corner >> i & 1 ? part[i] : 1 - part[i];
    const double v = texel(im, m, dims, first[0] + (corner & 1), first[1] + (corner >> 1 & 1), dims > 2 ? first[2] + (corner >> 2) : slice, c);
    sum += w * v, least = fmin(least, v), most = fmax(most, v);
  }
  *off = dims * (most - least) * 1.01 / 256 + fmax(fabs(most), fabs(least)) / 2048 + 1e-5;
  return sum;
}

static const int kinds[] = {0, 1, 0, 1, 2, 0, 1, 2}, all_bits[] = {8, 8, 16, 16, 16, 32, 32, 32};
static const int points = 64;
static int modes, wrong;

// launch reads a texture at the points.
template <int S> static void launch(int kind, int bits, int channels, bool as_float, cudaTextureObject_t t, const Point *at, uint4 *out) {
#define BY(T) (channels == 1 ? read<S, T##1><<<1, points>>>(t, at, out) : channels == 2 ? read<S, T##2><<<1, points>>>(t, at, out) : read<S, T##4><<<1, points>>>(t, at, out))
  if (kind == 2 || as_float) BY(float);
  else if (kind == 0) bits == 8 ? BY(char) : bits == 16 ? BY(short) : BY(int);
  else bits == 8 ? BY(uchar) : bits == 16 ? BY(ushort) : BY(uint);
}

// coordinate returns a point of an axis of n texels, in texels.
static double coordinate(int n, const Mode &m) {
  const double texel = floor(random01() * (4 * n) - 1.5 * n);
  return m.linear ? texel + random01() : texel + (1 + 2 * (random32() % 8)) / 16.0;
}

// Points, and where they are in texels.
static void place_points(const Image &im, const Mode &m, std::vector<Point> *at, std::vector<Point> *texels) {
  for (int i = 0; i < points; i++) {
    double c[3] = {coordinate(im.width, m), coordinate(im.height, m), coordinate(im.depth, m)};
    const int n[3] = {im.width, im.height, im.depth};
    float f[3];
    for (int k = 0; k < 3; k++) {
      f[k] = float(m.normalized ? c[k] / n[k] : c[k]);
      c[k] = m.normalized ? double(f[k]) * n[k] : f[k];
    }
    (*at)[i] = Point{f[0], f[1], f[2], int(random32() % im.depth)};
    (*texels)[i] = Point{float(c[0]), float(c[1]), float(c[2]), (*at)[i].layer};
  }
}

// Directions to points of faces of cubes; in texels a point of the face, whose slice is the layer.
static void cube_points(const Image &im, const Mode &m, bool layered, std::vector<Point> *at, std::vector<Point> *texels) {
  for (int i = 0; i < points; i++) {
    const int face = random32() % 6, layer = layered ? random32() % (im.depth / 6) : 0, w = im.width;
    // A little away from the edges of faces, which are between two.
    const double u = fmin(fmax(fabs(coordinate(w, m)), 0.1), w - 0.1), v = fmin(fmax(fabs(coordinate(w, m)), 0.1), w - 0.1);
    const float s = float(2 * u / w - 1), t = float(2 * v / w - 1), k = float(0.5 + random01());
    const float d[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    (*at)[i] = Point{k * d[face][0], k * d[face][1], k * d[face][2], layer};
    (*texels)[i] = Point{float((double(s) + 1) / 2 * w), float((double(t) + 1) / 2 * w), 0, 6 * layer + face};
  }
}

static cudaChannelFormatDesc format(const Image &im) {
  const int b = im.bits;
  return cudaCreateChannelDesc(b, im.channels > 1 ? b : 0, im.channels > 2 ? b : 0, im.channels > 2 ? b : 0, (cudaChannelFormatKind)im.kind);
}

// make_array returns an array with the texels.
static bool make_array(const Image &im, int shape, unsigned flags, cudaArray_t *a) {
  cudaChannelFormatDesc d = format(im);
  const bool line = shape == Line || shape == Lines, slices = shape == Volume || shape >= Lines;
  cudaExtent e = make_cudaExtent(im.width, line ? 0 : im.height, slices && shape != Gather ? im.depth : 0);
  flags |= shape == Lines || shape == Planes ? cudaArrayLayered : shape == Cube ? cudaArrayCubemap : shape == Cubes ? cudaArrayCubemap | cudaArrayLayered : shape == Gather ? cudaArrayTextureGather : 0u;
  CHECK(cudaMalloc3DArray(a, &d, e, flags));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr((void *)im.data.data(), im.row(), im.width, im.height);
  p.dstArray = *a;
  p.extent = make_cudaExtent(im.width, im.height, im.depth);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  return true;
}

// compare counts what differs from the reference.
static void compare(const char *name, const Image &im, const Mode &m, int dims, const std::vector<Point> &texels, const uint4 *out) {
  modes++;
  int bad = 0;
  for (int i = 0; i < points; i++)
    for (int c = 0; c < im.channels; c++) {
      double off = 0;
      const double want = sample(im, m, dims, texels[i].x, texels[i].y, texels[i].z, dims > 2 ? 0 : texels[i].layer, c, &off);
      const unsigned word = (&out[i].x)[c];
      float f;
      memcpy(&f, &word, 4);
      const double got = im.kind == 2 || m.as_float ? f : im.kind == 0 ? double(int(word)) : double(word);
      if (!(fabs(got - want) <= off) && bad++ == 0)
        printf("%s, kind %d, %d bits, %d channels, address mode %d, %s, %s coordinates, %s: at %g %g %g layer %d channel %d is %g, not %g within %g\n", name,
               im.kind, im.bits, im.channels, m.address, m.linear ? "linear" : "point", m.normalized ? "normalized" : "plain", m.as_float ? "as floats" : "elements",
               texels[i].x, texels[i].y, texels[i].z, texels[i].layer, c, got, want, off);
    }
  wrong += bad;
}

static bool create(const cudaResourceDesc &r, const Mode &m, cudaTextureObject_t *t) {
  cudaTextureDesc d = {};
  for (int i = 0; i < 3; i++) d.addressMode[i] = (cudaTextureAddressMode)m.address;
  d.filterMode = m.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.readMode = m.as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  d.normalizedCoords = m.normalized;
  CHECK(cudaCreateTextureObject(t, &r, &d, nullptr));
  return true;
}

// textures compares one shape in one format, in all modes.
template <int S> static bool textures(int format_number, int channels, Point *at, uint4 *out) {
  const int kind = kinds[format_number], bits = all_bits[format_number];
  const int dims = S == Fetch || S == Line || S == Lines ? 1 : S == Volume ? 3 : 2;
  const bool cube = S == Cube || S == Cubes;
  const int depth = S == Volume ? 5 : S == Lines || S == Planes ? 3 : S == Cube ? 6 : S == Cubes ? 12 : 1;
  Image im = image(cube ? 8 : S == Fetch ? 200 : 13, dims == 1 ? 1 : cube ? 8 : 6, depth, kind, bits, channels);
  cudaResourceDesc r = {};
  cudaArray_t a = nullptr;
  char *memory = nullptr;
  size_t pitch = 0;
  if (S == Fetch) {
    CHECK(cudaMalloc(&memory, im.data.size()));
    CHECK(cudaMemcpy(memory, im.data.data(), im.data.size(), cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory, r.res.linear.desc = format(im), r.res.linear.sizeInBytes = im.data.size();
  } else if (S == Pitched) {
    CHECK(cudaMallocPitch(&memory, &pitch, im.row(), im.height));
    CHECK(cudaMemcpy2D(memory, pitch, im.data.data(), im.row(), im.row(), im.height, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory, r.res.pitch2D.desc = format(im), r.res.pitch2D.width = im.width, r.res.pitch2D.height = im.height, r.res.pitch2D.pitchInBytes = pitch;
  } else {
    if (!make_array(im, S, 0, &a)) return false;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
  }
  for (int n = 0; n < 32; n++) {
    const Mode m = {n & 3, n >> 2 & 1, n >> 3 & 1, n >> 4 & 1};
    if (m.as_float && (kind == 2 || bits == 32)) continue;
    if (m.linear && kind != 2 && !m.as_float) continue;
    if (cube && (m.address != cudaAddressModeClamp || !m.normalized)) continue;
    if (S == Pitched && m.normalized && (m.address == cudaAddressModeWrap || m.address == cudaAddressModeMirror)) continue; // of memory, CUDA has no repeats
    if (S == Fetch && (m.linear || m.normalized || m.address != 0)) continue;
    std::vector<Point> points_at(points), texels(points);
    Mode by = m;
    if (cube) cube_points(im, m, S == Cubes, &points_at, &texels);
    else place_points(im, m, &points_at, &texels);
    if (S == Fetch) {
      by.address = cudaAddressModeBorder; // beyond the memory, 0
      for (int i = 0; i < points; i++) points_at[i].layer = int(random32() % 300) - 50, texels[i] = Point{float(points_at[i].layer), 0, 0, 0};
    }
    cudaTextureObject_t t;
    if (!create(r, m, &t)) return false;
    uint4 got[points];
    CHECK(cudaMemcpy(at, points_at.data(), points * sizeof(Point), cudaMemcpyHostToDevice));
    launch<S>(kind, bits, channels, m.as_float, t, at, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    compare(shape_names[S], im, by, dims, texels, got);
    CHECK(cudaDestroyTextureObject(t));
  }
  if (a != nullptr) CHECK(cudaFreeArray(a));
  CHECK(cudaFree(memory));
  return true;
}

// gathers compares tex2Dgather: the four texels that a filter would read.
static bool gathers(bool floats, Point *at, uint4 *out) {
  Image im = floats ? image(13, 6, 1, 2, 32, 4) : image(13, 6, 1, 1, 8, 4);
  cudaArray_t a;
  if (!make_array(im, Gather, 0, &a)) return false;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  for (int n = 0; n < 8; n++) {
    const Mode m = {n & 3, 0, n >> 2, 0};
    std::vector<Point> points_at(points), texels(points);
    place_points(im, m, &points_at, &texels);
    for (int i = 0; i < points; i++) points_at[i].layer = i & 3;
    cudaTextureObject_t t;
    if (!create(r, m, &t)) return false;
    uint4 got[points];
    CHECK(cudaMemcpy(at, points_at.data(), points * sizeof(Point), cudaMemcpyHostToDevice));
    if (floats) gather<float4><<<1, points>>>(t, at, out);
    else gather<uchar4><<<1, points>>>(t, at, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    modes++;
    int bad = 0;
    for (int i = 0; i < points; i++)
      for (int k = 0; k < 4; k++) {
        const int x = int(floor(texels[i].x - 0.5)) + (k == 1 || k == 2), y = int(floor(texels[i].y - 0.5)) + (k < 2);
        const double want = texel(im, m, 2, x, y, 0, i & 3);
        const unsigned word = (&got[i].x)[k];
        float f;
        memcpy(&f, &word, 4);
        if ((floats ? double(f) : double(word)) != want && bad++ == 0)
          printf("gather, %s, address mode %d, %s coordinates: at %g %g channel %d texel %d is not %g\n", floats ? "floats" : "bytes", m.address, m.normalized ? "normalized" : "plain", texels[i].x, texels[i].y, i & 3, k, want);
      }
    wrong += bad;
    CHECK(cudaDestroyTextureObject(t));
  }
  CHECK(cudaFreeArray(a));
  return true;
}

static bool all_levels(Point *at) {
  cudaTextureObject_t t[3];
  cudaArray_t a[3];
  const int shapes[] = {Line, Plane, Volume};
  const Mode m = {cudaAddressModeMirror, 1, 1, 0};
  std::vector<Point> points_at(points), texels(points);
  for (int i = 0; i < 3; i++) {
    Image im = image(13, i > 0 ? 6 : 1, i > 1 ? 5 : 1, 2, 32, 1);
    cudaResourceDesc r = {};
    if (!make_array(im, shapes[i], 0, &a[i])) return false;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a[i];
    if (!create(r, m, &t[i])) return false;
    place_points(im, m, &points_at, &texels);
  }
  int *bad, n = 0;
  CHECK(cudaMalloc(&bad, sizeof *bad));
  CHECK(cudaMemset(bad, 0, sizeof *bad));
  CHECK(cudaMemcpy(at, points_at.data(), points * sizeof(Point), cudaMemcpyHostToDevice));
  levels<<<1, points>>>(t[0], t[1], t[2], at, bad);
  CHECK(cudaMemcpy(&n, bad, sizeof n, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(bad));
  modes++, wrong += n;
  if (n > 0) printf("levels and gradients: %d differ\n", n);
  for (int i = 0; i < 3; i++) {
    CHECK(cudaDestroyTextureObject(t[i]));
    CHECK(cudaFreeArray(a[i]));
  }
  return true;
}

// Surfaces: each texel is read with both modes of what is outside, and written to the opposite place of another.
template <int S, typename T, cudaSurfaceBoundaryMode M> __device__ T surface_read(cudaSurfaceObject_t s, int x, int y, int z) {
  x *= int(sizeof(T));
  return S == Line ? surf1Dread<T>(s, x, M) : S == Plane ? surf2Dread<T>(s, x, y, M) : S == Volume ? surf3Dread<T>(s, x, y, z, M) : S == Lines ? surf1DLayeredread<T>(s, x, z, M) : surf2DLayeredread<T>(s, x, y, z, M);
}
template <int S, typename T> __device__ void surface_write(T v, cudaSurfaceObject_t s, int x, int y, int z) {
  x *= int(sizeof(T));
  if (S == Line) surf1Dwrite(v, s, x, cudaBoundaryModeZero);
  if (S == Plane) surf2Dwrite(v, s, x, y, cudaBoundaryModeZero);
  if (S == Volume) surf3Dwrite(v, s, x, y, z, cudaBoundaryModeZero);
  if (S == Lines) surf1DLayeredwrite(v, s, x, z, cudaBoundaryModeZero);
  if (S == Planes) surf2DLayeredwrite(v, s, x, y, z, cudaBoundaryModeZero);
}
template <int S, typename T> __global__ void surfaces(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height, int depth, T *clamped) {
  int i = threadIdx.x, w = width + 2, x = i % w - 1, y = S == Line || S == Lines ? 0 : i / w - 1, z = blockIdx.x;
  clamped[blockIdx.x * blockDim.x + i] = surface_read<S, T, cudaBoundaryModeClamp>(from, x, y, z);
  surface_write<S, T>(surface_read<S, T, cudaBoundaryModeZero>(from, x, y, z), to, width - 1 - x, height - 1 - y, depth - 1 - z);
}
template <int S, typename T> static bool surface(int kind, int bits, int channels) {
  const bool line = S == Line || S == Lines;
  const int width = 7, height = line ? 1 : 3, depth = S == Line || S == Plane ? 1 : 2;
  Image from = image(width, height, depth, kind, bits, channels), to = image(width, height, depth, kind, bits, channels);
  cudaArray_t a, b;
  if (!make_array(from, S, cudaArraySurfaceLoadStore, &a) || !make_array(to, S, cudaArraySurfaceLoadStore, &b)) return false;
  cudaSurfaceObject_t s, t;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  r.res.array.array = b;
  CHECK(cudaCreateSurfaceObject(&t, &r));
  const int threads = (width + 2) * (line ? 1 : height + 2); // one texel more on all sides
  std::vector<T> clamped(threads * depth);
  T *out;
  CHECK(cudaMalloc(&out, clamped.size() * sizeof(T)));
  surfaces<S, T><<<depth, threads>>>(s, t, width, height, depth, out);
  CHECK(cudaMemcpy(clamped.data(), out, clamped.size() * sizeof(T), cudaMemcpyDeviceToHost));
  Image got = to;
  cudaMemcpy3DParms p = {};
  p.srcArray = b;
  p.dstPtr = make_cudaPitchedPtr(got.data.data(), got.row(), width, height);
  p.extent = make_cudaExtent(width, height, depth);
  p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  modes++;
  int bad = 0;
  for (int z = 0; z < depth; z++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        bad += memcmp(&got.data[(z * height + y) * got.row() + x * sizeof(T)], &from.data[((depth - 1 - z) * height + height - 1 - y) * got.row() + (width - 1 - x) * sizeof(T)], sizeof(T)) != 0;
  for (int i = 0; i < threads * depth; i++) {
    int j = i % threads, x = place(j % (width + 2) - 1, width, cudaAddressModeClamp), y = line ? 0 : place(j / (width + 2) - 1, height, cudaAddressModeClamp), z = i / threads;
    bad += memcmp(&clamped[i], &from.data[(z * height + y) * got.row() + x * sizeof(T)], sizeof(T)) != 0;
  }
  if (bad > 0) printf("surfaces, %s, kind %d, %d bits, %d channels: %d texels are wrong\n", shape_names[S], kind, bits, channels, bad);
  wrong += bad;
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaDestroySurfaceObject(t));
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
  CHECK(cudaFree(out));
  return true;
}
template <int S> static bool all_surfaces() {
  return surface<S, unsigned char>(1, 8, 1) && surface<S, char2>(0, 8, 2) && surface<S, uchar4>(1, 8, 4) && surface<S, short>(0, 16, 1) && surface<S, ushort2>(1, 16, 2) &&
         surface<S, short4>(0, 16, 4) && surface<S, int>(0, 32, 1) && surface<S, float2>(2, 32, 2) && surface<S, uint4>(1, 32, 4);
}

// few compares a shape in three formats.
template <int S> static bool few(Point *at, uint4 *out) { return textures<S>(7, 1, at, out) && textures<S>(1, 4, at, out) && textures<S>(2, 2, at, out); }

static bool all() {
  Point *at;
  uint4 *out;
  CHECK(cudaMalloc(&at, points * sizeof *at));
  CHECK(cudaMalloc(&out, points * sizeof *out));
  for (int f = 0; f < 8; f++)
    for (int channels = 1; channels <= 4; channels *= 2)
      if (!textures<Plane>(f, channels, at, out) || !textures<Fetch>(f, channels, at, out)) return false;
  const bool done = few<Line>(at, out) && few<Pitched>(at, out) && few<Volume>(at, out) && few<Lines>(at, out) && few<Planes>(at, out) && few<Cube>(at, out) && few<Cubes>(at, out) &&
                    gathers(true, at, out) && gathers(false, at, out) && all_levels(at) && all_surfaces<Line>() && all_surfaces<Plane>() && all_surfaces<Volume>() && all_surfaces<Lines>() &&
                    all_surfaces<Planes>();
  CHECK(cudaFree(at));
  CHECK(cudaFree(out));
  return done;
}

int main() {
  if (!all()) return 1;
  printf("%d modes, %d wrong\n", modes, wrong);
  return wrong != 0;
}
