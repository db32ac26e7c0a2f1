// Templates, classes and functors in device code.

template <typename T> struct Plus {
  static constexpr T neutral = T(0);
  __device__ T operator()(T a, T b) const { return a + b; }
};

template <typename T> struct Least {
  static constexpr T neutral = T(1 << 20);
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};

template <typename T, template <typename> class Op, int Threads> __device__ T reduceBlock(T value) {
  __shared__ T part[Threads];
  Op<T> op;
  const int t = threadIdx.x;
  part[t] = value;
  __syncthreads();
#pragma unroll
  for (int step = Threads / 2; step > 0; step /= 2) {
    if (t < step)
      part[t] = op(part[t], part[t + step]);
    __syncthreads();
  }
  return part[0];
}

template <typename T, template <typename> class Op, int Threads>
__global__ void __launch_bounds__(Threads) reduce(const T *__restrict__ in, T *__restrict__ out, int n) {
  T sum = Op<T>::neutral;
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += Threads * gridDim.x)
    sum = Op<T>()(sum, in[i]);
  if (threadIdx.x >= Threads)
    return;
  sum = reduceBlock<T, Op, Threads>(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

template __global__ void reduce<int, Plus, 32>(const int *, int *, int);
template __global__ void reduce<int, Least, 32>(const int *, int *, int);
template __global__ void reduce<float, Least, 32>(const float *, float *, int);
template __global__ void reduce<unsigned long long, Plus, 32>(const unsigned long long *, unsigned long long *, int);

namespace geometry {

template <typename T> class Vec {
public:
  __host__ __device__ Vec() : x_(0), y_(0), z_(0) {}
  __host__ __device__ Vec(T x, T y, T z) : x_(x), y_(y), z_(z) {}
  __host__ __device__ Vec operator+(const Vec &o) const { return {x_ + o.x_, y_ + o.y_, z_ + o.z_}; }
  __host__ __device__ Vec operator-(const Vec &o) const { return {x_ - o.x_, y_ - o.y_, z_ - o.z_}; }
  __host__ __device__ Vec &operator+=(const Vec &o) { return *this = *this + o; }
  __host__ __device__ friend Vec operator*(T s, const Vec &v) { return {s * v.x_, s * v.y_, s * v.z_}; }
  __host__ __device__ T dot(const Vec &o) const { return x_ * o.x_ + y_ * o.y_ + z_ * o.z_; }
  __host__ __device__ Vec cross(const Vec &o) const {
    return {y_ * o.z_ - z_ * o.y_, z_ * o.x_ - x_ * o.z_, x_ * o.y_ - y_ * o.x_};
  }

private:
  T x_, y_, z_;
};

using Vecf = Vec<float>;

struct Body {
  Vecf at, speed;
  float mass;
  int steps;
};

} // namespace geometry

__global__ void advance(geometry::Body *bodies, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  geometry::Body &b = bodies[i];
  b.at += dt * b.speed;
  b.steps++;
  if (b.at.dot(b.at) > 1.5f)
    b.speed = -1.0f * b.speed;
}

__global__ void torque(const geometry::Body *bodies, geometry::Vecf *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = bodies[i].at.cross(bodies[i].speed);
}

template <typename F> __device__ void forEach(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
}

__global__ void lambdas(const int *a, const int *b, int *c, int n) {
  int scale = n % 7 + 1;
  forEach(n, [=](int i) { c[i] = a[i] * scale - b[i]; });
}

template <int N> struct Power {
  template <typename T> __device__ static T of(T x) {
    if constexpr (N == 0)
      return T(1);
    else
      return x * Power<N - 1>::of(x);
  }
};

template <int N, typename T> __global__ void polynomial(T *x, int n) {
  forEach(n, [x](int i) { x[i] = Power<N>::of(x[i]) + Power<N - 1>::of(x[i]) + T(1); });
}

template __global__ void polynomial<3, float>(float *, int);
template __global__ void polynomial<5, long long>(long long *, int);
template __global__ void polynomial<4, double>(double *, int);

template <typename... T> __device__ auto sumOf(T... values) { return (values + ... + 0); }

__global__ void folds(const int *a, int *out, int n) {
  forEach(n, [=](int i) { out[i] = sumOf(a[i], 2 * a[i], i); });
}
