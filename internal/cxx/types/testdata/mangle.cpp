// Declarations whose symbols the test of mangling builds: g++ -c, nm, compare.
#include <type_traits>
namespace std { template <class T, class U> struct pr {}; }
template <class T, int N> struct vec { T v[N]; };
namespace ns {
template <class T> struct box {
	struct in {};
	void f(T) {}
	box() {}
	~box() {}
	template <class U> box(U) {}
	static T s;
	T operator+(const box &) const { return T(); }
	operator T() const { return T(); }
	void g(int) volatile && {}
	template <class U> void m(T, U) { static int q; q++; }
	template <class U> operator U *() { return nullptr; }
};
enum class E { A, B };
enum F { X = -3 };
struct S {};
template <class... T> struct tup {};
namespace { int an; }
static int st;
static void sf() { st++; }
template <class T> static void si(T) {}
int var;
void use() { an++; sf(); si(1); }
}
template <class T> static void si(T) {}
void usesi() { si(1); }
template <class T> T ns::box<T>::s;
template <class T> void k1(T *, T *, T) {}
template <class T, int N> void k2(vec<T, N> &, vec<T, N> const *) {}
template <class... T> void k3(T...) {}
template <class... T> void k4(ns::tup<T...>, ns::tup<T *...> *) {}
template <class T> typename std::enable_if<std::is_integral<T>::value, T>::type k5(T t) { return t; }
template <class T> std::enable_if_t<(sizeof(T) > 2), T> k6(T t) { return t; }
template <class T, int N> void k7(T (&)[N]) {}
template <class T> typename ns::box<T>::in k8(typename ns::box<T>::in, T) { return {}; }
template <bool B, char C, ns::E E, ns::F F, unsigned U, long long L> void k9() {}
template <class T> auto k10(T a, T b) -> decltype(a + b) { return a + b; }
template <template <class> class C, class T> void k11(C<T>, C<int>) {}
template <int *P, void (*F)(), int &R> void k12() {}
template <class R, class... A> R k13(R (*f)(A...), A... a) { return f(a...); }
template <class T> void k14(T &&) {}
template <class T, class C> void k15(T C::*, T (C::*)(int) const) {}
template <int... N> void k16(ns::tup<vec<int, N>...>) {}
template <class T, int N> void k17(vec<T, N + 1>) {}
template <class T> void k18(T, typename T::type *) {}
struct ht { using type = int; int m(int) const { return 0; } int d; };
template <class T> T v1 = T();
void q1(const char *, std::pr<int, float>, std::pr<float, std::pr<int, float>>, ns::box<int>, ns::box<float>, ns::box<int>::in) {}
void q2(int (*)(float), int (&)[3], const int (*)[4][5], int (*const)(int (*)(int)), void (*)(...), void (*)() noexcept) {}
void q3(const volatile int *const *, int &&, decltype(nullptr), __int128, unsigned __int128, long double, wchar_t, char16_t, char32_t, bool, signed char, unsigned char) {}
int gi;
void gf() {}
extern "C" void cf() {}
ns::S operator""_x(unsigned long long) { return {}; }
ns::S operator-(ns::S) { return {}; }
ns::S operator-(ns::S, ns::S) { return {}; }
void loc() {
	{ struct L { void g() {} } l; l.g(); k14(l); }
	{ struct L { void g() {} } l; l.g(); k14(l); { static int x; x++; } { static int x; x++; } }
	auto a = [](int x) { return x; };
	auto b = [](int x) { return x; };
	a(1);
	b(2);
	k14(a);
}
void use() {
	int a[3];
	float f;
	vec<float, 3> v;
	k1(&f, &f, f); k2(v, &v); k3(1, 2.f, 'c'); k3<>(); k4(ns::tup<int, float>(), (ns::tup<int *, float *> *)0);
	k5(3); k6(3L); k7(a); k8<int>({}, 1); k9<true, 'a', ns::E::B, ns::X, 7u, -9>(); k10(1, 2); k11(ns::box<int>(), ns::box<int>());
	k12<&gi, gf, gi>(); k12<nullptr, cf, gi>();
	int (*fp)(float, char) = 0;
	k13(fp, 1.f, 'c'); k14(f); k14(3); k15(&ht::d, &ht::m); k16<1, 2>({}); k17<int, 2>({}); k18(ht(), (int *)0); v1<double> = 2;
	ns::box<int> b;
	b.f(1);
	ns::box<float> bf(1L);
	(void)(b + b); (void)(int)b; ns::box<int>::s = 1;
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
void strs(str *, const str &, std::vector<str, std::allocator<str>> *, std::basic_ostream<char, std::char_traits<char>> &, std::allocator<int> *) {}
struct C { int m; void mf() {} };
void many(C *, C **, C ***, C ****, const C *, const C **, C &, C &&, C (*)(C), int *, int **, int ***, float *, float **, float ***, double *, double **, double ***, long *, long **, long ***, char *, char **, char ***, short *, short **, short ***, unsigned *, unsigned **, unsigned ***, bool *, bool **, bool ***, bool ****, C *, bool ****, bool **, char ***) {}
template <class F> void each(F f, int n) { f(n); }
template <int C::*M> void mp1() {}
template <void (C::*M)()> void mp2() {}
template <class A, class B> void two(typename A::template R<B>::type, A, B, typename A::template R<int>::type) {}
struct Q { template <class B> struct R { using type = B; }; };
template <class T> void ddt(decltype(T().d) *, T) {}
template <class T, class = void> struct tr { static constexpr bool value = true; };
template <bool... B> struct bs {};
template <class... T> void fold(bs<tr<T>::value...>, T...) {}
template <class... T> void sz(vec<int, sizeof...(T)>, T...) {}
template <class T> std::enable_if_t<!tr<T>::value || sizeof(T) == 4u, int> neg(T) { return 0; }
template <class T> void cc(const T, T const *const &, volatile T *, const T[3]) {}
template <class T> struct H { template <class U> struct I { template <class V> void g(V, T, U) {} }; };
typedef struct { void tf() {} } TD;
struct An { struct { void fa() {} } x; };
template <class T> void gen() {
	auto l = [](auto x, T) { return x; };
	each([=](int) { l(1.f, T()); }, 3);
}
void use2() {
	mp1<&C::m>(); mp2<&C::mf>(); two(1, Q(), 1, 2); ddt((int *)0, ht()); fold(bs<true, true>(), 1, 2.f); sz(vec<int, 2>(), 1, 2); neg(1);
	int q;
	const int *const p = &q;
	cc<int>(1, p, &q, &q);
	H<int>::I<float>().g('c', 1, 2);
	TD().tf(); An().x.fa(); gen<char>();
}
