// Expression templates over dense tensors, in the manner of gpucc's Tensor set: an expression is a type, an evaluator of it
// computes one coefficient, or a packet of four where they lie in a row, and assign evaluates it in one kernel. The
// last dimension varies fastest.

namespace tensor {

// Dims are the extents of a tensor of rank N, or one number a dimension.
template <int N> struct Dims {
  int n[N];
  __device__ int operator[](int i) const { return n[i]; }
  __device__ int &operator[](int i) { return n[i]; }
  __device__ int size() const {
    int s = 1;
    for (int i = 0; i < N; i++) s *= n[i];
    return s;
  }
  __device__ Dims strides() const {
    Dims s;
    s[N - 1] = 1;
    for (int i = N - 2; i >= 0; i--) s[i] = s[i + 1] * n[i + 1];
    return s;
  }
};
template <class... I> Dims(I...) -> Dims<sizeof...(I)>;

// A Divisor divides numbers below 2^31 by a number that stays the same: multiplication and shift.
struct Divisor {
  unsigned factor, shift, by;
  Divisor() = default;
  __device__ explicit Divisor(int d) : by(d) {
    shift = d > 1 ? 32 - __clz(d - 1) : 0;
    factor = d > 1 ? static_cast<unsigned>(((1ull << (31 + shift)) + d - 1) / d) : 0;
  }
  __device__ int quotient(int n) const { return by == 1 ? n : static_cast<int>(__umulhi(static_cast<unsigned>(n), factor) >> (shift - 1)); }
  __device__ int split(int n, int &rest) const {
    int q = quotient(n);
    rest = n - q * static_cast<int>(by);
    return q;
  }
};

template <class T> struct alignas(sizeof(T) * 4) Packet {
  T at[4];
};

template <class E> struct Evaluator;
template <class X, class F> struct Unary;
template <class L, class R, class F> struct Binary;
template <class T, int N> struct Constant;
template <class X> struct Broadcast;
template <class X> struct Shuffle;
template <class X> struct Slice;
template <class X> struct Stride;
template <class X> struct Pad;
template <class X, int D> struct Chip;

struct Add { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Subtract { template <class T> __device__ T operator()(T a, T b) const { return a - b; } };
struct Multiply { template <class T> __device__ T operator()(T a, T b) const { return a * b; } };
struct Divide { template <class T> __device__ T operator()(T a, T b) const { return a / b; } };
struct Maximum { template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
struct Negate { template <class T> __device__ T operator()(T a) const { return -a; } };
struct Square { template <class T> __device__ T operator()(T a) const { return a * a; } };
struct Root { __device__ float operator()(float a) const { return sqrtf(a); } };
struct InverseRoot { __device__ float operator()(float a) const { return rsqrtf(a); } };
struct Exponential { __device__ float operator()(float a) const { return expf(a); } };
struct Logarithm { __device__ float operator()(float a) const { return logf(a); } };
struct Tangent { __device__ float operator()(float a) const { return tanhf(a); } };
template <class T> struct Convert { template <class U> __device__ T operator()(U a) const { return static_cast<T>(a); } };

// Expression has the operations that all expressions have.
template <class E, class T, int N> struct Expression {
  using Value = T;
  static constexpr int rank = N;
  __device__ const E &self() const { return static_cast<const E &>(*this); }
  template <class F> __device__ Unary<E, F> map(F) const { return {{}, self()}; }
  template <class F, class R> __device__ Binary<E, R, F> zip(const R &r, F) const { return {{}, self(), r}; }
  template <class U> __device__ auto cast() const { return map(Convert<U>()); }
  __device__ auto square() const { return map(Square()); }
  __device__ auto sqrt() const { return map(Root()); }
  __device__ auto rsqrt() const { return map(InverseRoot()); }
  __device__ auto exp() const { return map(Exponential()); }
  __device__ auto log() const { return map(Logarithm()); }
  __device__ auto tanh() const { return map(Tangent()); }
  template <class R> __device__ auto max(const R &r) const { return zip(r, Maximum()); }
  __device__ Constant<T, N> constant(T v) const { return {{}, v, self().dims()}; }
  __device__ Broadcast<E> broadcast(Dims<N> times) const { return {{}, self(), times}; }
  __device__ Shuffle<E> shuffle(Dims<N> order) const { return {{}, self(), order}; }
  __device__ Slice<E> slice(Dims<N> from, Dims<N> extent) const { return {{}, self(), from, extent}; }
  __device__ Stride<E> stride(Dims<N> by) const { return {{}, self(), by}; }
  __device__ Pad<E> pad(Dims<N> before, Dims<N> after) const { return {{}, self(), before, after}; }
  template <int D> __device__ Chip<E, D> chip(int at) const { return {{}, self(), at}; }
};

template <class L, class R, class T, int N> __device__ auto operator+(const Expression<L, T, N> &a, const Expression<R, T, N> &b) { return a.zip(b.self(), Add()); }
template <class L, class R, class T, int N> __device__ auto operator-(const Expression<L, T, N> &a, const Expression<R, T, N> &b) { return a.zip(b.self(), Subtract()); }
template <class L, class R, class T, int N> __device__ auto operator*(const Expression<L, T, N> &a, const Expression<R, T, N> &b) { return a.zip(b.self(), Multiply()); }
template <class L, class R, class T, int N> __device__ auto operator/(const Expression<L, T, N> &a, const Expression<R, T, N> &b) { return a.zip(b.self(), Divide()); }
template <class E, class T, int N> __device__ auto operator+(const Expression<E, T, N> &a, T b) { return a.zip(a.constant(b), Add()); }
template <class E, class T, int N> __device__ auto operator*(const Expression<E, T, N> &a, T b) { return a.zip(a.constant(b), Multiply()); }
template <class E, class T, int N> __device__ auto operator-(const Expression<E, T, N> &a) { return a.map(Negate()); }

// Map is a tensor in memory.
template <class T, int N> struct Map : Expression<Map<T, N>, T, N> {
  T *data;
  Dims<N> extent;
  __device__ Map(T *data, Dims<N> extent) : data(data), extent(extent) {}
  __device__ Dims<N> dims() const { return extent; }
};

template <class T, int N> struct Evaluator<Map<T, N>> {
  static constexpr bool packets = true;
  const T *data;
  Dims<N> dims;
  __device__ Evaluator(const Map<T, N> &m) : data(m.data), dims(m.extent) {}
  __device__ T operator()(int i) const { return data[i]; }
  __device__ Packet<T> packet(int i) const { return *reinterpret_cast<const Packet<T> *>(data + i); }
};

template <class T, int N> struct Constant : Expression<Constant<T, N>, T, N> {
  T value;
  Dims<N> extent;
  __device__ Constant(Expression<Constant<T, N>, T, N>, T value, Dims<N> extent) : value(value), extent(extent) {}
  __device__ Dims<N> dims() const { return extent; }
};

template <class T, int N> struct Evaluator<Constant<T, N>> {
  static constexpr bool packets = true;
  T value;
  Dims<N> dims;
  __device__ Evaluator(const Constant<T, N> &c) : value(c.value), dims(c.extent) {}
  __device__ T operator()(int) const { return value; }
  __device__ Packet<T> packet(int) const { return {{value, value, value, value}}; }
};

template <class X, class F> using Mapped = decltype(F()(typename X::Value()));

template <class X, class F> struct Unary : Expression<Unary<X, F>, Mapped<X, F>, X::rank> {
  X x;
  __device__ Unary(Expression<Unary<X, F>, Mapped<X, F>, X::rank>, const X &x) : x(x) {}
  __device__ auto dims() const { return x.dims(); }
};

template <class X, class F> struct Evaluator<Unary<X, F>> {
  static constexpr bool packets = Evaluator<X>::packets;
  using T = Mapped<X, F>;
  Evaluator<X> x;
  Dims<X::rank> dims;
  __device__ Evaluator(const Unary<X, F> &u) : x(u.x), dims(x.dims) {}
  __device__ T operator()(int i) const { return F()(x(i)); }
  __device__ Packet<T> packet(int i) const {
    auto p = x.packet(i);
    Packet<T> r;
    for (int k = 0; k < 4; k++) r.at[k] = F()(p.at[k]);
    return r;
  }
};

template <class L, class R, class F> struct Binary : Expression<Binary<L, R, F>, typename L::Value, L::rank> {
  L l;
  R r;
  __device__ Binary(Expression<Binary<L, R, F>, typename L::Value, L::rank>, const L &l, const R &r) : l(l), r(r) {}
  __device__ auto dims() const { return l.dims(); }
};

template <class L, class R, class F> struct Evaluator<Binary<L, R, F>> {
  static_assert(L::rank == R::rank, "operands of two ranks");
  static constexpr bool packets = Evaluator<L>::packets && Evaluator<R>::packets;
  using T = typename L::Value;
  Evaluator<L> l;
  Evaluator<R> r;
  Dims<L::rank> dims;
  __device__ Evaluator(const Binary<L, R, F> &b) : l(b.l), r(b.r), dims(l.dims) {}
  __device__ T operator()(int i) const { return F()(l(i), r(i)); }
  __device__ Packet<T> packet(int i) const {
    auto p = l.packet(i);
    auto q = r.packet(i);
    for (int k = 0; k < 4; k++) p.at[k] = F()(p.at[k], q.at[k]);
    return p;
  }
};

// Moved is what evaluators have in common whose coefficients are those of x at other places: Self::source maps the
// coordinates of the result to an index of x, dimension by dimension.
template <class Self, class X> struct Moved {
  static constexpr bool packets = false;
  static constexpr int rank = X::rank;
  using T = typename X::Value;
  Evaluator<X> x;
  Dims<rank> dims;
  Divisor divisors[rank];
  __device__ Moved(const X &x, Dims<rank> dims) : x(x), dims(dims) {
    Dims<rank> s = dims.strides();
    for (int d = 0; d < rank; d++) divisors[d] = Divisor(s[d]);
  }
  __device__ int from(int i) const {
    int source = static_cast<const Self *>(this)->start();
    for (int d = 0; d < rank - 1; d++) source += static_cast<const Self *>(this)->step(d, divisors[d].split(i, i));
    return source + static_cast<const Self *>(this)->step(rank - 1, i);
  }
  __device__ int start() const { return 0; }
  __device__ T operator()(int i) const { return x(from(i)); }
};

template <class X> struct Broadcast : Expression<Broadcast<X>, typename X::Value, X::rank> {
  X x;
  Dims<X::rank> times;
  __device__ Broadcast(Expression<Broadcast<X>, typename X::Value, X::rank>, const X &x, Dims<X::rank> times) : x(x), times(times) {}
  __device__ Dims<X::rank> dims() const {
    Dims<X::rank> d = x.dims();
    for (int i = 0; i < X::rank; i++) d[i] *= times[i];
    return d;
  }
};

template <class X> struct Evaluator<Broadcast<X>> : Moved<Evaluator<Broadcast<X>>, X> {
  Dims<X::rank> strides;
  Divisor extents[X::rank];
  __device__ Evaluator(const Broadcast<X> &b) : Moved<Evaluator<Broadcast<X>>, X>(b.x, b.dims()), strides(b.x.dims().strides()) {
    for (int d = 0; d < X::rank; d++) extents[d] = Divisor(b.x.dims()[d]);
  }
  __device__ int step(int d, int c) const {
    extents[d].split(c, c);
    return c * strides[d];
  }
};

template <class X> struct Shuffle : Expression<Shuffle<X>, typename X::Value, X::rank> {
  X x;
  Dims<X::rank> order; // dimension d of the result is order[d] of x
  __device__ Shuffle(Expression<Shuffle<X>, typename X::Value, X::rank>, const X &x, Dims<X::rank> order) : x(x), order(order) {}
  __device__ Dims<X::rank> dims() const {
    Dims<X::rank> d;
    for (int i = 0; i < X::rank; i++) d[i] = x.dims()[order[i]];
    return d;
  }
};

template <class X> struct Evaluator<Shuffle<X>> : Moved<Evaluator<Shuffle<X>>, X> {
  Dims<X::rank> strides;
  __device__ Evaluator(const Shuffle<X> &s) : Moved<Evaluator<Shuffle<X>>, X>(s.x, s.dims()) {
    for (int d = 0; d < X::rank; d++) strides[d] = s.x.dims().strides()[s.order[d]];
  }
  __device__ int step(int d, int c) const { return c * strides[d]; }
};

template <class X> struct Slice : Expression<Slice<X>, typename X::Value, X::rank> {
  X x;
  Dims<X::rank> from, extent;
  __device__ Slice(Expression<Slice<X>, typename X::Value, X::rank>, const X &x, Dims<X::rank> from, Dims<X::rank> extent) : x(x), from(from), extent(extent) {}
  __device__ Dims<X::rank> dims() const { return extent; }
};

template <class X> struct Evaluator<Slice<X>> : Moved<Evaluator<Slice<X>>, X> {
  Dims<X::rank> strides;
  int first = 0;
  __device__ Evaluator(const Slice<X> &s) : Moved<Evaluator<Slice<X>>, X>(s.x, s.extent), strides(s.x.dims().strides()) {
    for (int d = 0; d < X::rank; d++) first += s.from[d] * strides[d];
  }
  __device__ int start() const { return first; }
  __device__ int step(int d, int c) const { return c * strides[d]; }
};

template <class X> struct Stride : Expression<Stride<X>, typename X::Value, X::rank> {
  X x;
  Dims<X::rank> by;
  __device__ Stride(Expression<Stride<X>, typename X::Value, X::rank>, const X &x, Dims<X::rank> by) : x(x), by(by) {}
  __device__ Dims<X::rank> dims() const {
    Dims<X::rank> d = x.dims();
    for (int i = 0; i < X::rank; i++) d[i] = (d[i] + by[i] - 1) / by[i];
    return d;
  }
};

template <class X> struct Evaluator<Stride<X>> : Moved<Evaluator<Stride<X>>, X> {
  Dims<X::rank> strides;
  __device__ Evaluator(const Stride<X> &s) : Moved<Evaluator<Stride<X>>, X>(s.x, s.dims()), strides(s.x.dims().strides()) {
    for (int d = 0; d < X::rank; d++) strides[d] *= s.by[d];
  }
  __device__ int step(int d, int c) const { return c * strides[d]; }
};

template <class X> struct Pad : Expression<Pad<X>, typename X::Value, X::rank> {
  X x;
  Dims<X::rank> before, after;
  __device__ Pad(Expression<Pad<X>, typename X::Value, X::rank>, const X &x, Dims<X::rank> before, Dims<X::rank> after) : x(x), before(before), after(after) {}
  __device__ Dims<X::rank> dims() const {
    Dims<X::rank> d = x.dims();
    for (int i = 0; i < X::rank; i++) d[i] += before[i] + after[i];
    return d;
  }
};

template <class X> struct Evaluator<Pad<X>> {
  static constexpr bool packets = false;
  static constexpr int rank = X::rank;
  using T = typename X::Value;
  Evaluator<X> x;
  Dims<rank> dims, before, extent, strides;
  Divisor divisors[rank];
  __device__ Evaluator(const Pad<X> &p) : x(p.x), dims(p.dims()), before(p.before), extent(p.x.dims()), strides(p.x.dims().strides()) {
    Dims<rank> s = dims.strides();
    for (int d = 0; d < rank; d++) divisors[d] = Divisor(s[d]);
  }
  __device__ T operator()(int i) const {
    int source = 0;
    for (int d = 0; d < rank; d++) {
      int c = d == rank - 1 ? i : divisors[d].split(i, i);
      c -= before[d];
      if (static_cast<unsigned>(c) >= static_cast<unsigned>(extent[d])) return T();
      source += c * strides[d];
    }
    return x(source);
  }
};

template <class X, int D> struct Chip : Expression<Chip<X, D>, typename X::Value, X::rank - 1> {
  X x;
  int at;
  __device__ Chip(Expression<Chip<X, D>, typename X::Value, X::rank - 1>, const X &x, int at) : x(x), at(at) {}
  __device__ Dims<X::rank - 1> dims() const {
    Dims<X::rank - 1> d;
    for (int i = 0; i < X::rank - 1; i++) d[i] = x.dims()[i + (i >= D)];
    return d;
  }
};

template <class X, int D> struct Evaluator<Chip<X, D>> {
  static constexpr bool packets = D == 0 && Evaluator<X>::packets;
  using T = typename X::Value;
  Evaluator<X> x;
  Dims<X::rank - 1> dims;
  int first, inner, jump;
  Divisor divisor;
  __device__ Evaluator(const Chip<X, D> &c) : x(c.x), dims(c.dims()) {
    Dims<X::rank> extent = c.x.dims();
    inner = extent.strides()[D];
    first = c.at * inner;
    jump = inner * extent[D];
    divisor = Divisor(inner);
  }
  __device__ int from(int i) const {
    if constexpr (D == 0) return first + i;
    int rest, q = divisor.split(i, rest);
    return first + q * jump + rest;
  }
  __device__ T operator()(int i) const { return x(from(i)); }
  __device__ Packet<T> packet(int i) const { return x.packet(first + i); }
};

// assign evaluates e for each element of out, which lie on 16 bytes where e has packets.
template <class T, int N, class E> __device__ void assign(Map<T, N> out, const E &expression) {
  const Evaluator<E> e(expression);
  const int size = out.dims().size(), first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  int done = 0;
  if constexpr (Evaluator<E>::packets) {
    done = size / 4 * 4;
    for (int i = first * 4; i < done; i += step * 4) *reinterpret_cast<Packet<T> *>(out.data + i) = e.packet(i);
  }
  for (int i = done + first; i < size; i += step) out.data[i] = e(i);
}

struct Sum {
  static constexpr float zero = 0;
  __device__ float operator()(float a, float b) const { return a + b; }
  __device__ static void into(float *p, float v) { atomicAdd(p, v); }
};

template <class F> __device__ float acrossWarp(float v, F f) {
  for (int lane = 16; lane > 0; lane /= 2) v = f(v, __shfl_down_sync(~0u, v, lane));
  return v;
}

// reduceRows reduces the last dimension of a matrix, a warp a row.
template <class E, class F> __device__ void reduceRows(float *out, const E &expression, F f) {
  const Evaluator<E> e(expression);
  const int columns = e.dims[1], lane = threadIdx.x % 32, step = gridDim.x * blockDim.x / 32;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < e.dims[0]; row += step) {
    float v = F::zero;
    if constexpr (Evaluator<E>::packets)
      for (int i = lane * 4; i < columns; i += 128) {
        auto p = e.packet(row * columns + i);
        v = f(v, f(f(p.at[0], p.at[1]), f(p.at[2], p.at[3])));
      }
    else
      for (int i = lane; i < columns; i += 32) v = f(v, e(row * columns + i));
    v = acrossWarp(v, f);
    if (lane == 0) out[row] = v;
  }
}

// reduceColumns adds the reduction of the first dimension of a matrix to out: a thread a column of Rows rows.
template <int Rows, class E, class F> __device__ void reduceColumns(float *out, const E &expression, F f) {
  const Evaluator<E> e(expression);
  const int columns = e.dims[1], column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  const int first = blockIdx.y * Rows, last = min(first + Rows, e.dims[0]);
  float v = F::zero;
  for (int row = first; row < last; row++) v = f(v, e(row * columns + column));
  F::into(out + column, v);
}

// reduceAll adds the reduction of all elements to out.
template <class E, class F> __device__ void reduceAll(float *out, const E &expression, F f) {
  __shared__ float warps[32];
  const Evaluator<E> e(expression);
  const int size = e.dims.size(), step = gridDim.x * blockDim.x;
  float v = F::zero;
  if constexpr (Evaluator<E>::packets)
    for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; i < size; i += step * 4) {
      auto p = e.packet(i);
      for (int k = 0; k < 4; k++) v = f(v, p.at[k]);
    }
  else
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step) v = f(v, e(i));
  v = acrossWarp(v, f);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : F::zero;
  v = acrossWarp(v, f);
  if (threadIdx.x == 0) F::into(out, v);
}

// contract is the product of two matrices, the second dimension of l with the first of r: a block of 256 threads
// computes a square of Tile elements, each thread Per by Per of them.
template <int Tile, int Deep, int Per, class L, class R> __device__ void contract(Map<float, 2> out, const L &left, const R &right) {
  static_assert(Tile / Per * (Tile / Per) == 256 && Tile * Deep % 256 == 0, "a block of 256 threads");
  __shared__ float a[Deep][Tile + 1], b[Deep][Tile];
  const Evaluator<L> l(left);
  const Evaluator<R> r(right);
  const int m = l.dims[0], depth = l.dims[1], n = r.dims[1];
  const int row0 = blockIdx.y * Tile, column0 = blockIdx.x * Tile;
  const int tx = threadIdx.x % (Tile / Per), ty = threadIdx.x / (Tile / Per);
  float sum[Per][Per] = {};
  for (int k0 = 0; k0 < depth; k0 += Deep) {
    for (int i = threadIdx.x; i < Tile * Deep; i += 256) {
      int row = row0 + i / Deep, k = k0 + i % Deep;
      a[i % Deep][i / Deep] = row < m && k < depth ? l(row * depth + k) : 0;
      int column = column0 + i % Tile;
      k = k0 + i / Tile;
      b[i / Tile][i % Tile] = column < n && k < depth ? r(k * n + column) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Deep; k++) {
      float x[Per], y[Per];
      for (int i = 0; i < Per; i++) x[i] = a[k][ty + i * (Tile / Per)];
      for (int i = 0; i < Per; i++) y[i] = b[k][tx + i * (Tile / Per)];
      for (int i = 0; i < Per; i++)
        for (int j = 0; j < Per; j++) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < Per; i++)
    for (int j = 0; j < Per; j++) {
      int row = row0 + ty + i * (Tile / Per), column = column0 + tx + j * (Tile / Per);
      if (row < m && column < n) out.data[row * n + column] = sum[i][j];
    }
}

// convolve is the convolution of the last two dimensions of images with a kernel of K by K, where it lies
// within: a block of 32 by 8 threads computes as many elements of one image.
template <int K, class X> __device__ void convolve(Map<float, 3> out, const X &images, const float *kernel) {
  constexpr int wide = 32 + K - 1, high = 8 + K - 1;
  __shared__ float tile[high][wide], weights[K][K];
  const Evaluator<X> x(images);
  const int rows = x.dims[1], columns = x.dims[2], t = threadIdx.y * 32 + threadIdx.x;
  const int row0 = blockIdx.y * 8, column0 = blockIdx.x * 32, image = blockIdx.z;
  for (int i = t; i < K * K; i += 256) weights[i / K][i % K] = kernel[i];
  for (int i = t; i < wide * high; i += 256) {
    int row = row0 + i / wide, column = column0 + i % wide;
    tile[i / wide][i % wide] = row < rows && column < columns ? x((image * rows + row) * columns + column) : 0;
  }
  __syncthreads();
  const int row = row0 + threadIdx.y, column = column0 + threadIdx.x;
  if (row >= out.dims()[1] || column >= out.dims()[2]) return;
  float sum = 0;
  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++) sum += tile[threadIdx.y + i][threadIdx.x + j] * weights[i][j];
  out.data[(image * out.dims()[1] + row) * out.dims()[2] + column] = sum;
}

} // namespace tensor
