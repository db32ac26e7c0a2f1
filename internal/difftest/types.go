package difftest

import "fmt"

// A ctype is an arithmetic type of C.
type ctype struct {
	name   string
	size   int // bytes
	signed bool
	float  bool
	rank   int // C's conversion rank; floats have the highest
}

var (
	tBool   = &ctype{"bool", 1, false, false, 0}
	tI8     = &ctype{"signed char", 1, true, false, 1}
	tU8     = &ctype{"unsigned char", 1, false, false, 1}
	tI16    = &ctype{"short", 2, true, false, 2}
	tU16    = &ctype{"unsigned short", 2, false, false, 2}
	tInt    = &ctype{"int", 4, true, false, 3}
	tUInt   = &ctype{"unsigned", 4, false, false, 3}
	tLong   = &ctype{"long", 8, true, false, 4}
	tULong  = &ctype{"unsigned long", 8, false, false, 4}
	tLLong  = &ctype{"long long", 8, true, false, 5}
	tULLong = &ctype{"unsigned long long", 8, false, false, 5}
	tFloat  = &ctype{"float", 4, true, true, 6}
	tDouble = &ctype{"double", 8, true, true, 7}
)

// allTypes has the types by how often they are wanted.
var allTypes = []*ctype{
	tBool, tI8, tU8, tI16, tU16, tInt, tInt, tInt, tUInt, tUInt, tUInt, tLong, tULong, tLLong, tLLong, tULLong, tULLong,
	tFloat, tFloat, tFloat, tDouble, tDouble,
}

// wide has the integer types that builtins are overloaded on, and their floats.
var wide = []*ctype{tInt, tUInt, tLLong, tULLong, tFloat, tDouble}

// isInt includes bool.
func (t *ctype) isInt() bool { return !t.float }

// unsignedOf returns the unsigned type of t's rank.
func (t *ctype) unsignedOf() *ctype {
	switch t {
	case tI8:
		return tU8
	case tI16:
		return tU16
	case tInt:
		return tUInt
	case tLong:
		return tULong
	case tLLong:
		return tULLong
	}
	return t
}

// promote is C's integer promotion.
func promote(t *ctype) *ctype {
	if t.rank < tInt.rank {
		return tInt
	}
	return t
}

// common is C's usual arithmetic conversion.
func common(a, b *ctype) *ctype {
	a, b = promote(a), promote(b)
	if a.rank < b.rank {
		a, b = b, a
	}
	switch {
	case a.float || a.signed == b.signed || !a.signed:
		return a
	case b.rank == a.rank:
		return b
	case a.size > b.size:
		return a
	}
	return a.unsignedOf()
}

// convert returns e as a value that may be assigned to a t: C's own conversion
// does it, save for floats that become integers, which must be in range.
func convert(t *ctype, e *exp) *exp {
	if !e.t.float || t.float || t == tBool {
		return e
	}
	from, to := "d", "i"
	if e.t == tFloat {
		from = "f"
	}
	if t.size == 8 {
		to = "l"
	}
	r := map[string]*ctype{"iu": tUInt, "is": tInt, "lu": tULLong, "ls": tLLong}
	sign := "s"
	if !t.signed {
		sign = "u"
	}
	return &exp{r[to+sign], fmt.Sprintf("%s2%s%s($)", from, to, sign), []*exp{e}}
}

// cast returns e as an expression of type t.
func cast(t *ctype, e *exp) *exp {
	if e.t == t {
		return e
	}
	e = convert(t, e)
	return &exp{t, "(" + t.name + ")($)", []*exp{e}}
}

// helpers is the text that every program begins with. In C, the macros it
// tests are defined before.
const helpers = `#ifndef DIFFTEST
#define DIFFTEST
#ifndef KERNEL
#define KERNEL extern "C" __global__ void
#endif
struct arg { int a; short b; double c; unsigned char d; long long e[2]; };
union pun { unsigned long long w; int i[2]; short h[4]; unsigned char b[8]; };
__device__ int f2is(float x) { return x > -2.0e9f && x < 2.0e9f ? (int)x : 0; }
__device__ unsigned f2iu(float x) { return x > -1.0f && x < 4.0e9f ? (unsigned)x : 0u; }
__device__ long long f2ls(float x) { return x > -9.0e18f && x < 9.0e18f ? (long long)x : 0ll; }
__device__ unsigned long long f2lu(float x) { return x > -1.0f && x < 1.8e19f ? (unsigned long long)x : 0ull; }
__device__ int d2is(double x) { return x > -2147483649.0 && x < 2147483648.0 ? (int)x : 0; }
__device__ unsigned d2iu(double x) { return x > -1.0 && x < 4294967296.0 ? (unsigned)x : 0u; }
__device__ long long d2ls(double x) { return x > -9.0e18 && x < 9.0e18 ? (long long)x : 0ll; }
__device__ unsigned long long d2lu(double x) { return x > -1.0 && x < 1.8e19 ? (unsigned long long)x : 0ull; }
__device__ unsigned cf(float x) { return x == x ? __float_as_uint(x) : 0x7fc00000u; }
__device__ unsigned long long cd(double x) { return x == x ? (unsigned long long)__double_as_longlong(x) : 0x7ff8000000000000ull; }
__device__ unsigned wsum(unsigned v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o); return v; }
__device__ __noinline__ int divs(int a, int b) { return b == 0 || b == -1 ? a : a / b; }
__device__ long long mods(long long a, long long b) { if (b == 0 || b == -1) return b; return a % b; }
#endif
`
