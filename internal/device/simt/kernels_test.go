package simt

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/ptx"
)

// edges are values at which operations differ: of integers, and the bits of floats.
var edges = []uint64{
	0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
	1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64, 0x7ff0000000000000, 0x7ff8000000000001, 0x3ff0000000000000,
	0x3f800000, 0x3f800001, 0x33800000, 0x33800001, 0x00800000, 0x00000001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001,
}

// operand returns a value of a type: an edge, or random bits, of floats near one at times, so that sums round.
func operand(rng *rand.Rand, t ptx.Type) uint64 {
	v := rng.Uint64()
	switch rng.IntN(4) {
	case 0:
		v = edges[rng.IntN(len(edges))]
	case 1:
		v = uint64(rng.IntN(70))
	case 2:
		v = uint64(0x3f000000 + rng.IntN(1<<25))
		if t == "f64" {
			v = 0x3fe0000000000000 + rng.Uint64N(1<<54)
		}
	}
	return v & typeMask(t)
}

// lanesOf returns 32 operands.
func lanesOf(rng *rand.Rand, t ptx.Type) []uint64 {
	v := make([]uint64, 32)
	for i := range v {
		v[i] = operand(rng, t)
	}
	return v
}

// TestKernels compares the kernels with the functions that define the instructions, lane by lane.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := make([]uint64, 32)
	check := func(name string, f func(i int) uint64, operands ...[]uint64) {
		for i := range d {
			want := f(i)
			if strings.HasSuffix(name, "f64") && f64of(want) != f64of(want) && f64of(d[i]) != f64of(d[i]) {
				continue // of two NaNs, PTX leaves open whose payload the result has
			}
			if d[i] != want {
				at := make([]uint64, len(operands))
				for k, o := range operands {
					at[k] = o[i]
				}
				t.Fatalf("%s %#x = %#x, want %#x", name, at, d[i], want)
			}
		}
	}
	rounds := 2000
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		for name, k := range kernelsOf().unary {
			op, m := parts(name)
			f := func(a uint64) uint64 { return a }
			from := m.t
			switch {
			case op == "cvt":
				f, from = convert(m), m.u
			case op == "not", op == "neg" && !isFloat(m.t):
				f = intUnary(op, m)
			case isFloat(m.t):
				f = floatUnary(op, m)
			}
			a := lanesOf(rng, from)
			k(d, a)
			check(name, func(i int) uint64 { return f(a[i]) }, a)
		}
		for name, k := range kernelsOf().binary {
			op, m := parts(name)
			f := intBinary(op, m)
			switch {
			case isFloat(m.t):
				f = floatBinary(op, m)
			case m.has("wide"):
				f = wideMul(m.t)
			}
			a, b := lanesOf(rng, m.t), lanesOf(rng, m.t)
			if strings.HasPrefix(op, "sh") {
				b = lanesOf(rng, "u32")
			}
			k(d, a, b)
			check(name, func(i int) uint64 { return f(a[i], b[i]) }, a, b)
		}
		for name, k := range kernelsOf().ternary {
			op, m := parts(name)
			f, third := intMad(m), m.t
			switch {
			case op == "fma":
				f = floatFMA(m)
			case m.has("wide"):
				f, third = wideMad(m.t), wider(m.t)
			}
			a, b, c := lanesOf(rng, m.t), lanesOf(rng, m.t), lanesOf(rng, third)
			k(d, a, b, c)
			check(name, func(i int) uint64 { return f(a[i], b[i], c[i]) }, a, b, c)
		}
	}
}

// TestComparisonKernels does so for setp.
func TestComparisonKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	tried := 0
	for _, typ := range []string{"s32", "u32", "b32", "s64", "u64", "b64", "f32", "f64"} {
		for _, op := range strings.Fields("eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan") {
			m := newMods([]string{op, typ})
			name, swapped, negated := comparison(m)
			k := kernelsOf().compare[name]
			if k == nil {
				continue
			}
			tried++
			f := compare(op, m.t, false)
			for range 500 {
				a, b := lanesOf(rng, m.t), lanesOf(rng, m.t)
				copy(b, a[:4])
				got := k(a, b)
				if swapped {
					got = k(b, a)
				}
				for i := range a {
					if want := f(a[i], b[i]); got>>i&1 != 0 != (want != negated) {
						t.Fatalf("setp.%s.%s %#x, %#x: want %v", op, typ, a[i], b[i], want)
					}
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d comparisons have kernels", tried)
	}
}

// parts returns the opcode and the modifiers of a kernel's name.
func parts(name string) (string, mods) {
	list := strings.Split(name, ".")
	return list[0], newMods(list[1:])
}

// TestFMAError compares the side of the fused sum that fmaError gives with exact arithmetic, where products
// and addends cancel, differ in size, or are of an integer division's kind.
func TestFMAError(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	sides := map[float64]int{}
	for i := range 20000 {
		a, b := math.Ldexp(rng.NormFloat64(), rng.IntN(80)-40), math.Ldexp(rng.NormFloat64(), rng.IntN(80)-40)
		c := math.Ldexp(rng.NormFloat64(), rng.IntN(160)-80)
		switch i % 4 {
		case 0:
			c = -a * b
		case 1:
			c = -math.Nextafter(a*b, 0)
		case 2:
			a, b, c = float64(rng.Uint32()), 1/float64(1+rng.IntN(1000)), 0x1p52
		}
		r := math.FMA(a, b, c)
		exact := exactly(0).Add(exactly(0).Mul(exactly(a), exactly(b)), exactly(c))
		want := float64(exact.Cmp(exactly(r)))
		if got := fmaError(a, b, c, r); math.Copysign(1, got) != math.Copysign(1, want) || got == 0 != (want == 0) {
			t.Fatalf("%v*%v%+v is %v: error %v, want the sign %v", a, b, c, r, got, want)
		}
		sides[want]++
	}
	if len(sides) != 3 {
		t.Errorf("sides %v", sides)
	}
}
