// Constants that g++ and this package must both find. Run by g++ with __global__ and
// __device__ empty.
struct point {
	int x, y;
	constexpr point(int a, int b) : x(a), y(b) {}
	constexpr int dot(const point &o) const { return x * o.x + y * o.y; }
	constexpr point operator+(const point &o) const { return point(x + o.x, y + o.y); }
	constexpr point &operator+=(int k) { x += k; y += k; return *this; }
};
struct base { int b = 7; constexpr int get() const { return b; } };
struct derived : base { int d = 3; constexpr int sum() const { return get() + d; } };
struct bits { unsigned lo : 3; int hi : 4; };
template <int N> struct fact { static constexpr long value = N * fact<N - 1>::value; };
template <> struct fact<0> { static constexpr long value = 1; };
template <typename T, int N> struct array {
	T v[N];
	constexpr T &operator[](int i) { return v[i]; }
	constexpr const T &operator[](int i) const { return v[i]; }
	constexpr int size() const { return N; }
};
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constexpr int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
constexpr int log2(unsigned n) { int k = -1; do { n >>= 1; k++; } while (n); return k; }
constexpr unsigned hash(const char *s) { unsigned h = 2166136261u; for (; *s; ++s) h = (h ^ (unsigned char)*s) * 16777619u; return h; }
constexpr array<int, 10> squares() { array<int, 10> a = {}; for (int i = 0; i < 10; ++i) a[i] = i * i; return a; }
constexpr void swap(int &a, int &b) { int t = a; a = b; b = t; }
constexpr int sorted(int a, int b, int c) { int v[3] = {a, b, c}; for (int i = 0; i < 3; i++) for (int j = 0; j + 1 < 3; j++) if (v[j] > v[j + 1]) swap(v[j], v[j + 1]); return v[0] * 100 + v[1] * 10 + v[2]; }
constexpr int choose(int k) {
	switch (k) {
	case 1: return 10;
	case 2:
	case 3: k += 5; break;
	default: k = -1;
	}
	return k;
}
constexpr int collatz(long n) { int steps = 0; for (;; steps++) { if (n == 1) break; if (n % 2) { n = 3 * n + 1; continue; } n /= 2; } return steps; }
constexpr int sum(const int *p, const int *end) { int s = 0; while (p != end) s += *p++; return s; }
constexpr const int *last(const int *p, int n) { return p + n - 1; }
constexpr int table[] = {1, 2, 3, 4, 5};
constexpr const int *third = &table[2];
constexpr auto sq = squares();
constexpr point origin(1, 2);
constexpr double half(float f) { return f / 2; }
enum color { red, green = 5, blue };
constexpr color next(color c) { return c == red ? green : blue; }
constexpr int pointerToMember(int point::*m) { return origin.*m; }
constexpr int apply(int (*f)(int), int x) { return f(x); }
constexpr int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
constexpr bits field() { bits b = {}; b.lo = 13; b.hi = 9; return b; }
__global__ void k() {
	static_assert(fib(15) == 610 && gcd(48, 36) == 12 && log2(1024) == 10, "");
	static_assert(hash("hello") == 1335831723u, "");
	static_assert(sq[3] == 9 && sq.size() == 10 && squares()[9] == 81, "");
	static_assert(sorted(3, 1, 2) == 123, "");
	static_assert(choose(1) == 10 && choose(2) == 7 && choose(3) == 8 && choose(9) == -1, "");
	static_assert(collatz(27) == 111, "");
	static_assert(sum(table, table + 5) == 15 && *third == 3 && third - table == 2 && *last(table, 5) == 5, "");
	static_assert(third > table && &table[1] == table + 1 && third != nullptr, "");
	static_assert((origin + point(3, 4)).dot(point(1, 1)) == 10, "");
	static_assert((point(1, 1) += 4).y == 5, "");
	static_assert(derived().sum() == 10, "");
	static_assert(fact<10>::value == 3628800, "");
	static_assert(half(3.0f) == 1.5 && (float)0.1 != 0.1 && 0.1f + 0.2f == 0.3f, "");
	static_assert(next(red) == green && next(green) == blue && blue == 6, "");
	static_assert(pointerToMember(&point::y) == 2, "");
	static_assert(apply(fib, 10) == 55, "");
	static_assert(grid[1][2] == 6 && sizeof(grid) == 24, "");
	static_assert(field().lo == 5 && field().hi == -7, "");
	static_assert("abc"[1] == 'b' && sizeof("abc") == 4, "");
	static_assert((unsigned char)300 == 44 && (signed char)200 == -56 && -1 > 1u && ~0u == 4294967295u, "");
	static_assert((1ll << 40) / 3 == 366503875925ll && -7 / 2 == -3 && -7 % 2 == -1 && (-8 >> 1) == -4, "");
	static_assert([](int a, int b) { return a * b; }(6, 7) == 42, "");
}
