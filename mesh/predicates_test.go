package mesh

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// rat is the predicate's determinant in rational numbers: an implementation
// that shares nothing with the one under test.
func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func ratSub(a, b float64) *big.Rat { return new(big.Rat).Sub(rat(a), rat(b)) }

func ratMul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func orientRat(v []float64) int {
	l := ratMul(ratSub(v[2], v[0]), ratSub(v[5], v[1]))
	r := ratMul(ratSub(v[3], v[1]), ratSub(v[4], v[0]))
	return l.Cmp(r)
}

// inCircleRat expands the 3x3 determinant by its first row.
func inCircleRat(v []float64) int {
	var row [3][3]*big.Rat
	for i := range row {
		x, y := ratSub(v[2*i], v[6]), ratSub(v[2*i+1], v[7])
		row[i] = [3]*big.Rat{x, y, new(big.Rat).Add(ratMul(x, x), ratMul(y, y))}
	}
	det := new(big.Rat)
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		minor := new(big.Rat).Sub(ratMul(row[1][i], row[2][j]), ratMul(row[1][j], row[2][i]))
		det.Add(det, ratMul(row[0][k], minor))
	}
	return det.Sign()
}

func checkPredicates(t *testing.T, v []float64) {
	t.Helper()
	if got, want := Orient2D(v[0], v[1], v[2], v[3], v[4], v[5]), orientRat(v); got != want {
		t.Fatalf("Orient2D(%v) = %d, want %d", v[:6], got, want)
	}
	if got, want := InCircle(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]), inCircleRat(v); got != want {
		t.Fatalf("InCircle(%v) = %d, want %d", v, got, want)
	}
}

// families are ways to draw eight coordinates, most of them close to the cases
// that rounding decides wrongly.
var families = []struct {
	name string
	draw func(r *rand.Rand, v []float64)
}{
	{"uniform", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = r.Float64()
		}
	}},
	{"small grid", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = float64(r.IntN(5))
		}
	}},
	{"tenths", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = 0.1 * float64(r.IntN(20))
		}
	}},
	{"near a line", func(r *rand.Rand, v []float64) {
		for i := 0; i < len(v); i += 2 {
			x := r.Float64()
			v[i], v[i+1] = x, nudge(r, 0.1+0.7*x)
		}
	}},
	{"near a circle", func(r *rand.Rand, v []float64) {
		cx, cy, rad := r.Float64(), r.Float64(), math.Ldexp(r.Float64(), r.IntN(20)-10)
		for i := 0; i < len(v); i += 2 {
			s, c := math.Sincos(r.Float64() * 7)
			v[i], v[i+1] = nudge(r, cx+rad*c), nudge(r, cy+rad*s)
		}
	}},
	{"one place", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = nudge(r, 0.3)
		}
	}},
	{"wild exponents", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = math.Ldexp(r.Float64()-0.5, r.IntN(100)-50)
		}
	}},
	{"any bits", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = math.Float64frombits(r.Uint64())
			if !finite(v[i]) {
				v[i] = math.MaxFloat64
			}
		}
	}},
	{"tiny", func(r *rand.Rand, v []float64) {
		for i := range v {
			v[i] = float64(r.IntN(5)) * math.SmallestNonzeroFloat64
		}
	}},
	{"huge and tiny", func(r *rand.Rand, v []float64) {
		scales := []float64{1, 0x1p-600, 0x1p500, 0x1p1020, 0x1p-1070, 0x1p199}
		for i := range v {
			v[i] = float64(r.IntN(5)-2) * scales[r.IntN(len(scales))]
		}
	}},
}

// nudge moves v by a few units in the last place.
func nudge(r *rand.Rand, v float64) float64 {
	for range r.IntN(3) {
		v = math.Nextafter(v, 10*float64(r.IntN(2)))
	}
	return v
}

func TestPredicatesAreExact(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			v := make([]float64, 8)
			count := 2000
			if f.name == "any bits" {
				count = 300 // rationals of four thousand bits
			}
			if testing.Short() {
				count /= 4
			}
			var signs [3]int
			for range count {
				f.draw(r, v)
				checkPredicates(t, v)
				signs[1+InCircle(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])]++
			}
			if signs[0] == 0 || signs[2] == 0 {
				t.Errorf("the family has no case of some sign: %v", signs)
			}
		})
	}
}

// The stages must agree where each may be used: expansions against integers.
func TestExpansionsAgreeWithIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	v := make([]float64, 8)
	for _, f := range families[:7] {
		for range 2000 {
			f.draw(r, v)
			if got, want := orientExact(v[0], v[1], v[2], v[3], v[4], v[5]), orientBig(v[0], v[1], v[2], v[3], v[4], v[5]); got != want {
				t.Fatalf("%s: orientation of %v: expansions %d, integers %d", f.name, v[:6], got, want)
			}
			a := inCircleExact(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])
			if b := inCircleBig(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]); a != b {
				t.Fatalf("%s: in circle %v: expansions %d, integers %d", f.name, v, a, b)
			}
		}
	}
}

func TestPredicatesOfWhatIsNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 8 {
			v := []float64{0, 0, 1, 0, 0, 1, 0.5, 0.25}
			v[i] = bad
			if i < 6 {
				if got := Orient2D(v[0], v[1], v[2], v[3], v[4], v[5]); got != 0 {
					t.Errorf("Orient2D(%v) = %d", v[:6], got)
				}
			}
			if got := InCircle(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]); got != 0 {
				t.Errorf("InCircle(%v) = %d", v, got)
			}
		}
	}
}

func FuzzPredicates(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, family := range families {
		v := make([]float64, 8)
		family.draw(r, v)
		f.Add(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])
	}
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i float64) {
		v := []float64{a, b, c, d, e, g, h, i}
		for _, x := range v {
			if !finite(x) {
				return
			}
		}
		checkPredicates(t, v)
	})
}
