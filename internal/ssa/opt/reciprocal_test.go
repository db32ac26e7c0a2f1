package opt

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/ssa"
)

// An approximation computes the reciprocal of a double like a device: with the
// lower 32 bits 0, and within the error that the pass allows.
type approximation func(y float64) float64

// offBy returns the approximation with an error of n parts of 2^18, up to the
// precision of the upper 32 bits.
func offBy(n float64) approximation {
	return func(y float64) float64 {
		if y == 0 {
			return math.Inf(1)
		}
		const unit = 1 << 32
		r := 1 / y * (1 + n/(1<<18))
		near := math.Float64bits(r) + unit/2
		return math.Float64frombits(near - near%unit)
	}
}

// approximations have an error of at most 0.87 before they are rounded to 20
// bits, which may add 1/8: both bounds, and values in between.
func approximations(rng *rand.Rand) []approximation {
	return []approximation{offBy(0), offBy(0.87), offBy(-0.87), func(y float64) float64 { return offBy(1.74*rng.Float64() - 0.87)(y) }}
}

// fma returns a*b + c, rounded once: "rn" to the nearest, "rz" toward zero, "rm"
// down, "rp" up.
func fma(a, b, c float64, mode string) float64 {
	r := math.FMA(a, b, c)
	if mode == "rn" || math.IsInf(r, 0) || r != r {
		return r
	}
	// The exact result is s + e + pe, with sums and products split in two.
	p := a * b
	pe := math.FMA(a, b, -p)
	s := p + c
	t := s - p
	e := (p - (s - t)) + (c - t)
	rest := (s - r) + e + pe
	size := math.Abs(s-r) + math.Abs(e) + math.Abs(pe)
	side := 0
	switch {
	case size == 0:
	case math.Abs(pe) < math.Abs(s)/8 && math.Abs(rest) > size/(1<<50):
		side = 1
		if rest < 0 {
			side = -1
		}
	default: // near enough to a double that it must be known exactly
		exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
		sum := exact(a)
		sum.Mul(sum, exact(b)).Add(sum, exact(c))
		side = sum.Cmp(exact(r))
	}
	switch {
	case side > 0 && (mode == "rp" || mode == "rz" && r < 0):
		return math.Nextafter(r, math.Inf(1))
	case side < 0 && (mode == "rm" || mode == "rz" && r > 0):
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// native evaluates the native instructions that the pass emits.
func native(v *ssa.Value, a []uint64, approximate approximation) uint64 {
	x := make([]float64, 3)
	for i, n := range a {
		x[i] = math.Float64frombits(n)
	}
	var r float64
	parts := strings.Split(v.Sym.String(), ".")
	switch {
	case v.Sym == ssa.Instruction("rcp.approx.ftz.f64"):
		r = approximate(x[0])
	case parts[0] == "add" && parts[2] == "f64":
		r = fma(x[0], 1, x[1], parts[1])
	case parts[0] == "fma" && parts[2] == "f64":
		r = fma(x[0], x[1], x[2], parts[1])
	case v.Sym == ssa.Instruction("cvt.rn.f64.u32"):
		r = float64(uint32(a[0]))
	case v.Sym == ssa.Instruction("cvt.rp.f64.u64") || v.Sym == ssa.Instruction("cvt.rz.f64.u64"):
		r = double(a[0], parts[1])
	default:
		panic("no instruction " + v.Sym.String())
	}
	return math.Float64bits(r)
}

// double converts n, rounded up (rp) or toward zero (rz). Halves are added, each exact, so
// that fma rounds once.
func double(n uint64, mode string) float64 {
	return fma(float64(n>>32<<32), 1, float64(n&(1<<32-1)), mode)
}

// model64 is the expansion of a 64-bit division, in Go.
func model64(x, y uint64, approximate approximation) (q, r uint64) {
	den := double(y, "rp")
	rec := approximate(den)
	rec = fma(rec, fma(-den, rec, 1, "rm"), rec, "rz")
	digit := func(n float64) uint64 { return math.Float64bits(fma(-n, rec, signs, "rp")) - signedWord<<32 }
	first := digit(float64(x>>32)) & (1<<32 - 1)
	high := (x>>32 + first*y) & (1<<32 - 1)
	second := digit(double(high<<32|x&(1<<32-1), "rz"))
	r = (high<<32 | x&(1<<32-1)) + second*y
	q = -(first<<32 + second)
	if r >= y {
		q, r = q+1, r-y
	}
	return q, r
}

// model32 is model64 for 32 bits.
func model32(x, y uint32, approximate approximation) uint32 {
	rec := approximate(float64(y))
	rec = fma(rec, fma(-float64(y), rec, slightlyMore, "rn"), rec, "rn")
	down := uint32(math.Float64bits(fma(float64(x), rec, units, "rz")))
	up := -uint32(math.Float64bits(fma(-float64(x), rec, signs, "rp")))
	if up != down {
		return up ^ down // neither, most likely
	}
	return down
}

// edges are boundary values.
func edges() []uint64 {
	var list []uint64
	for k := range 64 {
		for d := range uint64(3) {
			list = append(list, 1<<k+d-1)
		}
	}
	for d := range uint64(8) {
		for _, k := range []int{32, 53, 63} {
			list = append(list, 1<<k+d, 1<<k-d)
		}
		list = append(list, -d, -d<<32, 1<<33-d, 3<<31+d, 3<<61-d, (1<<32-d)*(1<<32-1), (1<<32-d)*(1<<31+d))
	}
	return list
}

// someNumber returns a number of a random length.
func someNumber(rng *rand.Rand) uint64 { return rng.Uint64() >> rng.IntN(64) }

// TestReciprocalModel compares the algorithm with the processor's division
// for all pairs of edges and many random pairs: of random lengths, and with
// a dividend next to a multiple of the divisor, where an estimate is most
// likely wrong.
func TestReciprocalModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	check := func(x, y uint64, approximate approximation) {
		if y == 0 {
			return
		}
		if q, r := model64(x, y, approximate); q != x/y || r != x%y {
			t.Fatalf("%#x / %#x: got %#x, %#x, want %#x, %#x", x, y, q, r, x/y, x%y)
		}
		if x, y := uint32(x), uint32(y); y != 0 && model32(x, y, approximate) != x/y {
			t.Fatalf("32 bits: %#x / %#x is not %#x", x, y, x/y)
		}
	}
	n := 1_000_000
	if testing.Short() {
		n /= 10
	}
	for i, approximate := range approximations(rng) {
		list := edges()
		for _, x := range list {
			for _, y := range list {
				if !testing.Short() || rng.IntN(10) == 0 {
					check(x, y, approximate)
				}
			}
		}
		for range n / 4 {
			x, y := someNumber(rng), someNumber(rng)
			check(x, y, approximate)
			if hi, lo := bits.Mul64(x, y); hi == 0 {
				check(lo+uint64(i)-1, y, approximate)
			}
			if y := y >> 32; y != 0 { // the same in 32 bits
				check((x>>32)/y*y-uint64(rng.IntN(2)), y, approximate)
			}
		}
	}
}

// reciprocalForms are functions whose divisions the pass expands: with a test
// of the operands, and in a loop with an invariant divisor.
const reciprocalForms = `func @fork(%%x: i64, %%y: i64, %%p: ptr) {
b0:
  v0 = param i64 0
  v1 = param i64 1
  v2 = param ptr 2
  v3 = %[1]s i64 v0, v1
  v4 = %[2]s i64 v0, v1
  store v2, v3 align 8
  v5 = const i64 8
  v6 = ptradd ptr v2, v5
  store v6, v4 align 8
  ret
}

func @kept(%%x: %[3]s, %%y: %[3]s, %%p: ptr) {
b0:
  v0 = param %[3]s 0
  v1 = param %[3]s 1
  v2 = param ptr 2
  v3 = const i64 8
  v4 = ptradd ptr v2, v3
  v5 = const i1 0
  jump b1
b1: <- b0, b1
  v6 = %[1]s %[3]s v0, v1
  v7 = %[2]s %[3]s v0, v1
  store v2, v6 align 8
  store v4, v7 align 8
  if v5, b1, b2
b2: <- b1
  ret
}

func @alone(%%x: i64, %%y: i64, %%p: ptr) {
b0:
  v0 = param i64 0
  v1 = param i64 1
  v2 = param ptr 2
  v3 = const i64 8
  v4 = ptradd ptr v2, v3
  v5 = %[1]s i64 v0, v1
  store v2, v5 align 8
  v6 = xor i64 v0, v3
  v7 = %[2]s i64 v6, v1
  store v4, v7 align 8
  ret
}
`

// TestReciprocals interprets the expansions of divisions, with the worst
// approximations, and compares with the divisions: also by 0.
func TestReciprocals(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	list := append(edges(), 0)
	n := 600
	if testing.Short() {
		n = 60
	}
	for _, form := range []struct {
		div, rem ssa.Op
		kept     ssa.Type
	}{{ssa.OpUDiv, ssa.OpURem, ssa.I64}, {ssa.OpSDiv, ssa.OpSRem, ssa.I64}, {ssa.OpUDiv, ssa.OpURem, ssa.I32}, {ssa.OpSDiv, ssa.OpSRem, ssa.I32}} {
		m := mustParse(t, fmt.Sprintf(reciprocalForms, form.div, form.rem, form.kept))
		report, err := Run(m, Options{Switch: only("reciprocal"), Doubles: true, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if divides(m.Func("fork"), true) || divides(m.Func("kept"), true) || divides(m.Func("alone"), true) {
			t.Fatalf("divisions are left:\n%s%s", report.Stats.String(), m)
		}
		for _, approximate := range approximations(rng) {
			for i := range n {
				x, y := list[rng.IntN(len(list))], list[rng.IntN(len(list))]
				if i%3 == 0 {
					x, y = someNumber(rng), someNumber(rng)
				}
				if i%7 == 0 {
					y = 0
				}
				for _, f := range m.Funcs {
					u, typ := x, ssa.I64
					if f.Name == "kept" {
						typ = form.kept
					}
					vm := &machine{mod: m, memory: map[uint64]byte{}, fuel: 1000, approximate: approximate}
					if _, err := vm.call(f, []uint64{mask(typ, x), mask(typ, y), 1 << 20}); err != nil {
						t.Fatal(err)
					}
					if f.Name == "alone" {
						u ^= 8
					}
					q, r := vm.read(1<<20, typ), vm.read(1<<20+8, typ)
					wantQ := mask(typ, integerOp(form.div, typ, mask(typ, x), mask(typ, y)))
					wantR := mask(typ, integerOp(form.rem, typ, mask(typ, u), mask(typ, y)))
					if q != wantQ || r != wantR {
						t.Fatalf("%s %s @%s: %#x, %#x: got %#x, %#x, want %#x, %#x", form.div, typ, f.Name, x, y, q, r, wantQ, wantR)
					}
				}
			}
		}
	}
}

// TestReciprocalLimit: more than maxReciprocals in a function are not expanded.
func TestReciprocalLimit(t *testing.T) {
	for _, n := range []int{maxReciprocals, maxReciprocals + 1} {
		var b strings.Builder
		b.WriteString("func @f(%x: i64, %y: i64) i64 {\nb0:\n  v0 = param i64 0\n  v1 = param i64 1\n")
		for i := range n {
			fmt.Fprintf(&b, "  v%d = udiv i64 v%d, v0\n", i+2, i+1)
		}
		fmt.Fprintf(&b, "  ret v%d\n}\n", n+1)
		m := mustParse(t, b.String())
		if _, err := Run(m, Options{Switch: only("reciprocal"), Doubles: true, Verify: true}); err != nil {
			t.Fatal(err)
		}
		if left := divides(m.Funcs[0], true); left != (n > maxReciprocals) {
			t.Errorf("%d divisions: left is %v", n, left)
		}
	}
}
