package simt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// directedFMA is a*b+c in exact arithmetic, rounded once.
func directedFMA(a, b, c float64, mode string) float64 {
	exact := exactly(0).Mul(exactly(a), exactly(b))
	exact.Add(exact, exactly(c))
	if exact.Sign() == 0 {
		x, y := math.Signbit(a) != math.Signbit(b), math.Signbit(c)
		if x && y || x != y && mode == "rm" {
			return math.Copysign(0, -1)
		}
		return 0
	}
	r, _ := exact.Float64()
	up := mode == "rp" || mode == "rz" && exact.Sign() < 0
	switch side := exact.Cmp(exactly(r)); {
	case up && side > 0:
		return math.Nextafter(r, math.Inf(1))
	case !up && side < 0:
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// TestDirectedFMA compares rounded sums with exact arithmetic: zeros of both signs, sums that cancel, halves of units in the last
// place, and numbers near the ends of the range.
func TestDirectedFMA(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, 3, 0x1p-52, 1 + 0x1p-52, 1 - 0x1p-53, 0x1p300, -0x1p-300, 0x1p-540, 0x1p-1022, 0x1p1023, -0x1p-1074, 7, 64}
	draw := func() float64 {
		if rng.IntN(2) == 0 {
			return special[rng.IntN(len(special))]
		}
		x := math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(1020+rng.IntN(6))<<52)
		if rng.IntN(3) == 0 {
			x = math.Trunc(x * 8)
		}
		return x
	}
	cancelled := 0
	for range 200_000 {
		a, b, c := draw(), draw(), draw()
		switch rng.IntN(4) {
		case 0:
			c = -a * b
		case 1:
			c = -(1 / a)
		}
		if !finite(a, b, c, a*b) {
			continue
		}
		for _, mode := range []string{"rz", "rm", "rp"} {
			got, want := fma64(a, b, c, mode), directedFMA(a, b, c, mode)
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("fma.%s.f64 %x, %x, %x is %x, want %x", mode, a, b, c, got, want)
			}
			if want == 0 && c != 0 {
				cancelled++
			}
		}
	}
	if cancelled == 0 {
		t.Error("no sum cancels")
	}
}
