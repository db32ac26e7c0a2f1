// Device functions whose symbols must be those that g++ gives them.
#ifdef __CUDACC__
namespace std { template <class T> struct is_integral { static constexpr bool value = sizeof(T) >= 1; }; template <bool B, class T = void> struct enable_if {}; template <class T> struct enable_if<true, T> { using type = T; }; template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type; }
#else
#define __device__
#define __global__
#include <type_traits>
#endif
namespace std { template <class T, class U> struct pr {}; }
template <class T, int N> struct vec { T v[N]; };
namespace ns {
template <class T> struct box {
	struct in {};
	__device__ void f(T) {}
	__device__ box() {}
	__device__ ~box() {}
	template <class U> __device__ box(U) {}
	__device__ static T s;
	__device__ T operator+(const box &) const { return T(); }
	__device__ operator T() const { return T(); }
	__device__ void g(int) volatile && {}
	template <class U> __device__ void m(T, U) { static int q; q++; }
	template <class U> __device__ operator U *() { return nullptr; }
};
enum class E { A, B };
enum F { X = -3 };
struct S {};
template <class... T> struct tup {};
namespace { __device__ int an; }
__device__ static int st;
__device__ static void sf() { st++; }
__device__ int var;
__device__ void use() { an++; sf(); }
}
template <class T> __device__ T ns::box<T>::s;
template <class T> __device__ void k1(T *, T *, T) {}
template <class T, int N> __device__ void k2(vec<T, N> &, vec<T, N> const *) {}
template <class... T> __device__ void k3(T...) {}
template <class... T> __device__ void k4(ns::tup<T...>, ns::tup<T *...> *) {}
template <class T> __device__ typename std::enable_if<std::is_integral<T>::value, T>::type k5(T t) { return t; }
template <class T> __device__ std::enable_if_t<(sizeof(T) > 2), T> k6(T t) { return t; }
template <class T, int N> __device__ void k7(T (&)[N]) {}
template <class T> __device__ typename ns::box<T>::in k8(typename ns::box<T>::in, T) { return {}; }
template <bool B, char C, ns::E E, ns::F F, unsigned U, long long L> __device__ void k9() {}
template <template <class> class C, class T> __device__ void k11(C<T>, C<int>) {}
template <class R, class... A> __device__ R k13(R (*f)(A...), A... a) { return f(a...); }
template <class T> __device__ void k14(T &&) {}
template <class T, class C> __device__ void k15(T C::*, T (C::*)(int) const) {}
template <int... N> __device__ void k16(ns::tup<vec<int, N>...>) {}
template <class T, int N> __device__ void k17(vec<T, N + 1>) {}
template <class T> __device__ void k18(T, typename T::type *) {}
struct ht { using type = int; __device__ int m(int) const { return 0; } int d; };
template <class T> __device__ T v1 = T();
__device__ void q1(const char *, std::pr<int, float>, std::pr<float, std::pr<int, float>>, ns::box<int>, ns::box<float>, ns::box<int>::in) {}
__device__ void q2(int (*)(float), int (&)[3], const int (*)[4][5], int (*const)(int (*)(int)), void (*)(...), void (*)() noexcept) {}
__device__ void q3(const volatile int *const *, int &&, decltype(nullptr), __int128, unsigned __int128, long double, wchar_t, char16_t, char32_t, bool, signed char, unsigned char) {}
__device__ int gi;
__device__ void gf() {}
extern "C" __device__ void cf() {}
__device__ ns::S operator""_x(unsigned long long) { return {}; }
__device__ ns::S operator-(ns::S) { return {}; }
__device__ ns::S operator-(ns::S, ns::S) { return {}; }
__device__ void loc() {
	{ struct L { __device__ void g() {} } l; l.g(); k14(l); }
	{ struct L { __device__ void g() {} } l; l.g(); k14(l); { static int x; x++; } { static int x; x++; } }
	auto a = [](int x) { return x; };
	auto b = [](int x) { return x; };
	a(1);
	b(2);
	k14(a);
}
__device__ void use() {
	int a[3];
	float f;
	vec<float, 3> v;
	k1(&f, &f, f); k2(v, &v); k3(1, 2.f, 'c'); k3<>(); k4(ns::tup<int, float>(), (ns::tup<int *, float *> *)0);
	k5(3); k6(3L); k7(a); k8<int>({}, 1); k9<true, 'a', ns::E::B, ns::X, 7u, -9>(); k11(ns::box<int>(), ns::box<int>());
	int (*fp)(float, char) = 0;
	k13(fp, 1.f, 'c'); k14(f); k14(3); k15(&ht::d, &ht::m); k16<1, 2>({}); k17<int, 2>({}); k18(ht(), (int *)0); v1<double> = 2;
	ns::box<int> b;
	b.f(1);
	ns::box<float> bf(1L);
	(void)(b + b); (void)(int)b; ns::box<int>::s = 1; ns::var++; 
	((ns::box<int> &&)b).g(1);
	b.m(1, 2.f);
	(void)(char *)b;
}

// Closures, members of dependent types, the standard library's abbreviations, and more
// substitutions than there are digits.
namespace std {
template <class T> struct char_traits;
template <class T> struct allocator;
template <class T, class U> struct basic_ostream;
template <class T, class U, class V> struct basic_string;
template <class T, class U> struct vector;
}
using str = std::basic_string<char, std::char_traits<char>, std::allocator<char>>;
__device__ void strs(str *, const str &, std::vector<str, std::allocator<str>> *, std::basic_ostream<char, std::char_traits<char>> &, std::allocator<int> *) {}
struct C { int m; __device__ void mf() {} };
__device__ void many(C *, C **, C ***, C ****, const C *, const C **, C &, C &&, C (*)(C), int *, int **, int ***, float *, float **, float ***, double *, double **, double ***, long *, long **, long ***, char *, char **, char ***, short *, short **, short ***, unsigned *, unsigned **, unsigned ***, bool *, bool **, bool ***, bool ****, C *, bool ****, bool **, char ***) {}
template <class F> __device__ void each(F f, int n) { f(n); }
template <void (C::*M)()> __device__ void mp2() {}
template <class A, class B> __device__ void two(typename A::template R<B>::type, A, B, typename A::template R<int>::type) {}
struct Q { template <class B> struct R { using type = B; }; };
template <class T, class = void> struct tr { static constexpr bool value = true; };
template <bool... B> struct bs {};
template <class... T> __device__ void fold(bs<tr<T>::value...>, T...) {}
template <class... T> __device__ void sz(vec<int, sizeof...(T)>, T...) {}
template <class T> __device__ std::enable_if_t<!tr<T>::value || sizeof(T) == 4u, int> neg(T) { return 0; }
template <class T> __device__ void cc(const T, T const *const &, volatile T *, const T[3]) {}
template <class T> struct H { template <class U> struct I { template <class V> __device__ void g(V, T, U) {} }; };
typedef struct { __device__ void tf() {} } TD;
struct An { struct { __device__ void fa() {} } x; };
template <class T> __device__ void gen() {
	auto l = [](auto x, T) { return x; };
	each([=] __device__ (int) { l(1.f, T()); }, 3);
}
__device__ void use2() {
	mp2<&C::mf>(); two(1, Q(), 1, 2); fold(bs<true, true>(), 1, 2.f); sz(vec<int, 2>(), 1, 2); neg(1);
	int q;
	const int *const p = &q;
	cc<int>(1, p, &q, &q);
	H<int>::I<float>().g('c', 1, 2);
	TD().tf(); An().x.fa(); gen<char>();
}

__device__ const int cn = 3;
__device__ const float cs[2] = {1, 2};
__device__ constexpr int ce = 4;
__device__ inline const int ci = 5;
extern __device__ const int cx;
__device__ const int cx = 6;
__device__ const int *take(const int *p, const float *) { return p; }
__global__ void kern() { take(&cn, cs); take(&ce, nullptr); take(&ci, nullptr); take(&cx, nullptr); q2(nullptr, *(int (*)[3])nullptr, nullptr, nullptr, nullptr, nullptr); cf(); (void)(-(ns::S() - ns::S())); ::use(); ns::use(); use2(); loc(); q1(nullptr,{},{},{},{},{}); }

// Expressions in signatures, and exception specifications in types.
template <class F> __device__ void take1(F) {}
__device__ void nx1(int) noexcept {}
__device__ void nx2(int) noexcept(sizeof(int) == 4) {}
__device__ void nx3(int) noexcept(false) {}
template <class T> struct Op { T v; };
struct Wi { int m; __device__ int f(int) const { return 0; } template <class T> __device__ T g() const { return T(); } };
namespace ns { template <class T> __device__ T &&dv(); template <class T> __device__ T id(T t) { return t; } }
template <class T> __device__ void e1(Op<decltype(T() + T())>) {}
template <class T> __device__ void e2(T a, decltype(a.m) *, decltype(a.f(1))) {}
template <class T> __device__ auto e3(T a, const T b) -> decltype(a + b) { return a; }
template <class T> __device__ auto e4(T *p) -> decltype(p[0] + *p) { return p[0]; }
template <class T> __device__ auto e5(T *p) -> decltype(p->m + (*p).m) { return 0; }
template <class T> __device__ auto e6(T t) -> decltype(id(t)) { return t; }
template <class T> __device__ auto e7(T t) -> decltype(ns::id(t)) { return t; }
template <class T> __device__ auto e8(T t) -> decltype(static_cast<long>(t) + (int)t) { return 0; }
template <class T> __device__ auto e9(T t) -> decltype(ns::dv<T>() + ns::dv<T &>()) { return 0; }
template <class T> __device__ auto e10(T t) -> decltype(T{} + T(1)) { return 0; }
template <class T> __device__ void e11(vec<int, sizeof(T() + 1)>) {}
template <class T> __device__ auto e12(T t) -> decltype(t) { return t; }
template <class T> __device__ auto e13(T t) -> decltype(-t + ~t + +t) { return 0; }
template <class... T> __device__ auto e14(T... t) -> decltype(sum(t...)) { return 0; }
template <class T> __device__ auto e15(T &t) -> decltype(++t, t--) { return 0; }
namespace ns { __device__ int id(Wi) { return 0; } }
__device__ Wi id(Wi w) { return w; }
__device__ int sum(Wi, int) { return 0; }
__global__ void kern2() {
	take1(nx1); take1(nx2); take1(nx3); take1(&nx1);
	int i = 0;
	Wi w;
	e1<int>({}); e2(w, &i, 1); e3(1, 2); e4(&i); e5(&w); e6(w); e7(1); e8(1); e9(1); e10(1); e11<int>({}); e12(1); e13(1); e14(w, 1); e15(i);
}
// The first use of an enumeration is a conversion to it.
enum late { late_a, late_b, late_c };
template <late V> __global__ void of_late() { }
template __global__ void of_late<(late)2>();

// References and pointers to members as arguments of templates.
__device__ int rvar = 7, rarr[3] = {1, 2, 3};
struct Rs { int x, y; static __device__ int m; };
struct Rt : ht, Rs {};
__device__ Rs rs = {4, 5};
__device__ int Rs::m = 9;
template <int &R> __device__ int r1() { return R++; }
template <Rs &Q> struct RH { __device__ static int f() { return Q.x + Q.y; } };
template <int (&A)[3]> __device__ int r2() { return A[1]; }
template <int Rs::*P> __device__ int r3(Rs &q) { return q.*P; }
template <int *P> __device__ int r4() { return *P; }
template <int Rs::*P> struct which { static constexpr int v = 0; };
template <> struct which<&Rs::y> { static constexpr int v = 2; };
static_assert(which<&Rs::y>::v == 2 && which<&Rs::x>::v == 0 && which<nullptr>::v == 0, "");
__global__ void kern3() { r1<rvar>(); r1<Rs::m>(); RH<rs>::f(); r2<rarr>(); r3<&Rs::x>(rs); r3<&Rs::y>(rs); r4<&rvar>(); r4<rarr>(); }
// Exception specifications that depend on parameters.
template <bool B> __global__ void nk1(int (*)() noexcept(B)) {}
template <class T> __global__ void nk2(T, int (*)() noexcept(sizeof(T) > 2)) {}
template __global__ void nk1<true>(int (*)() noexcept);
template __global__ void nk1<false>(int (*)());
template __global__ void nk2<int>(int, int (*)() noexcept);
