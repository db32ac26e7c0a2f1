package ssagen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
)

// A mathFunc is a function of float under test: the bound that NVIDIA documents
// for it, as the distance in ulps from the correctly rounded result, and a
// reference in double, whose own error does not show.
type mathFunc struct {
	name   string
	bound  int
	lo, hi float64 // where to look most closely
	one    func(x float64) float64
	two    func(x, y float64) float64
	// body sets z[i] where that is more than a call with x[i] and y[i].
	body string
}

// exempt reports whether the bound does not hold at x: that of lgamma leaves
// out the interval with its negative zeros.
func exempt(name string, x float64) bool {
	return strings.HasPrefix(name, "lgamma") && x > -11.0001 && x < -2.2637
}

// floatFuncs are the functions of float. The bounds are those of the CUDA C++
// Programming Guide, appendix Mathematical Functions.
var floatFuncs = []mathFunc{
	{"sqrtf", 0, 0, 100, math.Sqrt, nil, ""},
	{"rsqrtf", 2, 0, 100, func(x float64) float64 { return 1 / math.Sqrt(x) }, nil, ""},
	{"cbrtf", 1, -10, 10, math.Cbrt, nil, ""},
	{"rcbrtf", 1, -10, 10, func(x float64) float64 { return 1 / math.Cbrt(x) }, nil, ""},
	{"expf", 2, -105, 90, math.Exp, nil, ""},
	{"exp2f", 2, -151, 129, math.Exp2, nil, ""},
	{"exp10f", 2, -46, 39, exp10, nil, ""},
	{"expm1f", 1, -3, 90, math.Expm1, nil, ""},
	{"logf", 1, 0.2, 3, math.Log, nil, ""},
	{"log2f", 1, 0.2, 3, log2, nil, ""},
	{"log10f", 2, 0.2, 3, func(x float64) float64 { return math.Log(x) / math.Ln10 }, nil, ""},
	{"log1pf", 1, -1, 4, math.Log1p, nil, ""},
	{"sinf", 2, -10, 10, math.Sin, nil, ""},
	{"cosf", 2, -10, 10, math.Cos, nil, ""},
	{"tanf", 4, -10, 10, math.Tan, nil, ""},
	{"sinpif", 1, -5, 5, sinpi, nil, ""},
	{"cospif", 1, -5, 5, cospi, nil, ""},
	{"asinf", 2, -1, 1, math.Asin, nil, ""},
	{"acosf", 2, -1, 1, math.Acos, nil, ""},
	{"atanf", 2, -4, 4, math.Atan, nil, ""},
	{"sinhf", 3, -90, 90, math.Sinh, nil, ""},
	{"coshf", 2, -90, 90, math.Cosh, nil, ""},
	{"tanhf", 2, -3, 3, math.Tanh, nil, ""},
	{"asinhf", 3, -4, 4, math.Asinh, nil, ""},
	{"acoshf", 4, 1, 4, math.Acosh, nil, ""},
	{"atanhf", 3, -1, 1, math.Atanh, nil, ""},
	{"erff", 2, -4, 4, math.Erf, nil, ""},
	{"erfcf", 4, -4, 10.1, math.Erfc, nil, ""},
	{"floorf", 0, -10, 10, math.Floor, nil, ""},
	{"ceilf", 0, -10, 10, math.Ceil, nil, ""},
	{"truncf", 0, -10, 10, math.Trunc, nil, ""},
	{"roundf", 0, -10, 10, math.Round, nil, ""},
	{"rintf", 0, -10, 10, math.RoundToEven, nil, ""},
	{"nearbyintf", 0, -10, 10, math.RoundToEven, nil, ""},
	{"fabsf", 0, -10, 10, math.Abs, nil, ""},
	{"powf", 4, 0, 10, nil, math.Pow, ""},
	{"atan2f", 3, -4, 4, nil, math.Atan2, ""},
	{"hypotf", 3, -4, 4, nil, math.Hypot, ""},
	{"rhypotf", 2, -4, 4, nil, func(x, y float64) float64 { return 1 / math.Hypot(x, y) }, ""},
	{"fminf", 0, -4, 4, nil, fmin, ""},
	{"fmaxf", 0, -4, 4, nil, func(x, y float64) float64 { return -fmin(-x, -y) }, ""},
	{"copysignf", 0, -4, 4, nil, math.Copysign, ""},
	{"fmodf", 0, -40, 40, nil, math.Mod, ""},
	{"remainderf", 0, -40, 40, nil, math.Remainder, ""},
	{"remquof", 0, -40, 40, nil, math.Remainder, "int q; z[i] = remquof(x[i], y[i], &q);"},
	{"remquof's quotient", 0, -40, 40, nil, quotient, "int q; remquof(x[i], y[i], &q); z[i] = (float)q;"},
	{"fdimf", 0, -4, 4, nil, fdim, ""},
	{"nextafterf", 0, -4, 4, nil, func(x, y float64) float64 {
		if x == y {
			return y
		}
		return float64(math.Nextafter32(float32(x), float32(y)))
	}, ""},
	{"ldexpf", 0, -300, 300, nil, ldexp, "z[i] = ldexpf(x[i], (int)y[i]);"},
	{"scalbnf", 0, -300, 300, nil, ldexp, "z[i] = scalbnf(x[i], (int)y[i]);"},
	{"scalblnf", 0, -300, 300, nil, ldexp, "z[i] = scalblnf(x[i], (long)(int)y[i]);"},
	{"frexpf", 0, -4, 4, func(x float64) float64 { m, _ := math.Frexp(x); return m }, nil, "int e; z[i] = frexpf(x[i], &e);"},
	{"frexpf's exponent", 0, -4, 4, func(x float64) float64 { _, e := math.Frexp(x); return float64(e) }, nil, "int e; frexpf(x[i], &e); z[i] = (float)e;"},
	{"modff", 0, -4, 4, fraction, nil, "float w; z[i] = modff(x[i], &w);"},
	{"modff's whole", 0, -4, 4, math.Trunc, nil, "float w; modff(x[i], &w); z[i] = w;"},
	{"logbf", 0, -4, 4, math.Logb, nil, ""},
	{"ilogbf", 0, -4, 4, ilogb, nil, "z[i] = (float)ilogbf(x[i]);"},
	{"lroundf", 0, -40, 40, func(x float64) float64 { return toLong(math.Round(x)) }, nil, "z[i] = (float)lroundf(x[i]);"},
	{"llroundf", 0, -40, 40, func(x float64) float64 { return toLong(math.Round(x)) }, nil, "z[i] = (float)llroundf(x[i]);"},
	{"lrintf", 0, -40, 40, func(x float64) float64 { return toLong(math.RoundToEven(x)) }, nil, "z[i] = (float)lrintf(x[i]);"},
	{"llrintf", 0, -40, 40, func(x float64) float64 { return toLong(math.RoundToEven(x)) }, nil, "z[i] = (float)llrintf(x[i]);"},
	{"sincosf's sine", 2, -10, 10, math.Sin, nil, "float s, c; sincosf(x[i], &s, &c); z[i] = s;"},
	{"sincosf's cosine", 2, -10, 10, math.Cos, nil, "float s, c; sincosf(x[i], &s, &c); z[i] = c;"},
	{"sincospif's sine", 1, -5, 5, sinpi, nil, "float s, c; sincospif(x[i], &s, &c); z[i] = s;"},
	{"sincospif's cosine", 1, -5, 5, cospi, nil, "float s, c; sincospif(x[i], &s, &c); z[i] = c;"},
	{"tgammaf", 5, -10, 36, gamma, nil, ""},
	{"lgammaf", 6, -10, 36, lgamma, nil, ""},
	{"isnan", 0, -4, 4, func(x float64) float64 { return truth(x != x) }, nil, "z[i] = (float)(isnan(x[i]) != 0);"},
	{"isinf", 0, -4, 4, func(x float64) float64 { return truth(math.IsInf(x, 0)) }, nil, "z[i] = (float)(isinf(x[i]) != 0);"},
	{"isfinite", 0, -4, 4, func(x float64) float64 { return truth(x-x == 0) }, nil, "z[i] = (float)(isfinite(x[i]) != 0);"},
	{"signbit", 0, -4, 4, func(x float64) float64 { return truth(x == x && math.Signbit(x)) }, nil, "z[i] = x[i] != x[i] ? 0.0f : (float)(signbit(x[i]) != 0);"},
	{"isnormal", 0, -4, 4, func(x float64) float64 { return truth(x-x == 0 && math.Abs(x) >= 0x1p-126) }, nil, "z[i] = (float)(isnormal(x[i]) != 0);"},
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// quotient is what remquo stores: the low bits of the quotient to nearest.
func quotient(x, y float64) float64 {
	if x-x != 0 || y != y || y == 0 || math.IsInf(y, 0) {
		return 0
	}
	a, b := math.Abs(x), math.Abs(y)
	q := 0.0 // of the nearest multiple, modulo 8
	if r := math.Mod(a, 8*b); 8*b <= math.MaxFloat64 {
		q = math.RoundToEven(r / b)
		if r/b-math.Trunc(r/b) == 0.5 { // perhaps only nearly half
			rest := math.Mod(r, b)
			q = math.Floor(r / b)
			if rest > b-rest || rest == b-rest && math.Mod(q, 2) != 0 {
				q++
			}
		}
	}
	q = math.Mod(q, 8)
	if math.Signbit(x) != math.Signbit(y) && q != 0 {
		return -q
	}
	return q
}

func fdim(x, y float64) float64 {
	switch {
	case x != x || y != y:
		return math.NaN()
	case x > y:
		return x - y
	}
	return 0
}

func ldexp(x, y float64) float64 {
	n := 0 // of a NaN
	if y == y {
		n = int(max(-1e9, min(1e9, y)))
	}
	return math.Ldexp(x, n)
}

func fraction(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(0, x)
	}
	return math.Copysign(x-math.Trunc(x), x)
}

func ilogb(x float64) float64 {
	switch {
	case x == 0 || x != x:
		return math.MinInt32
	case math.IsInf(x, 0):
		return math.MaxInt32
	}
	return math.Logb(x)
}

// toLong is a conversion to a 64-bit integer and back.
func toLong(x float64) float64 {
	if x != x {
		return math.MinInt64
	}
	x = max(math.MinInt64, min(math.MaxInt64, x))
	return x + 0 // no integer is -0
}

func gamma(x float64) float64 {
	if x < 0 && x == math.Trunc(x) || math.IsInf(x, -1) {
		return math.NaN()
	}
	if x < -30 && x > -200 { // math.Gamma gives up early
		return -math.Pi / (-x * sinpi(-x) * math.Gamma(-x))
	}
	return math.Gamma(x)
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	if math.IsInf(x, 0) {
		return math.Inf(1)
	}
	return v
}

func exp10(x float64) float64 {
	if n := math.RoundToEven(x); math.Abs(n) < 300 {
		return math.Pow(10, n) * math.Exp((x-n)*math.Ln10)
	}
	return math.Pow(10, x)
}

// log2 keeps the relative precision near 1, which math.Log2 does not need to.
func log2(x float64) float64 { return math.Log(x) / math.Ln2 }

func sinpi(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	r := math.Mod(x, 2)
	switch t := math.RoundToEven(2 * r); int(t) & 3 {
	case 0:
		if r == t/2 {
			return math.Copysign(0, x)
		}
		return math.Sin(math.Pi * (r - t/2))
	case 1:
		return math.Cos(math.Pi * (r - t/2))
	case 2:
		if r == t/2 {
			return math.Copysign(0, x)
		}
		return -math.Sin(math.Pi * (r - t/2))
	default:
		return -math.Cos(math.Pi * (r - t/2))
	}
}

func cospi(x float64) float64 {
	r := math.Mod(math.Abs(x), 2) // exact, as is what follows
	if r > 1 {
		r = 2 - r
	}
	if r == 0.5 {
		return 0
	}
	if r < 0.25 {
		return math.Cos(math.Pi * r)
	}
	if r > 0.75 {
		return -math.Cos(math.Pi * (1 - r))
	}
	return sinpi(0.5 - r)
}

func fmin(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}

// ordered maps floats to integers so that neighbours differ by 1 and both
// zeros are 0.
func ordered(f float32) int64 {
	b := int64(math.Float32bits(f))
	if b >= 1<<31 {
		return 1<<31 - b
	}
	return b
}

// A worst collects the largest error of a function.
type worst struct {
	ulps float64 // from the exact value
	dist int     // from the nearest float
	at   [2]float32
	got  float32
	want float64
	bad  int // where a special value or the sign of zero is wrong
}

// add compares one result with the exact value.
func (w *worst) add(x, y, got float32, want float64) {
	near := float32(want)
	switch {
	case want != want || got != got:
		if (want != want) != (got != got) {
			w.note(x, y, got, want, math.Inf(1), math.MaxInt32)
		}
		return
	case got == near:
		if near == 0 && math.Signbit(want) != math.Signbit(float64(got)) {
			w.note(x, y, got, want, math.Inf(1), math.MaxInt32)
			return
		}
	}
	d := ordered(got) - ordered(near)
	if d < 0 {
		d = -d
	}
	e := 0.0
	if !math.IsInf(float64(got), 0) && !math.IsInf(float64(near), 0) {
		_, exp := math.Frexp(want)
		e = math.Abs(float64(got)-want) / math.Ldexp(1, max(exp-24, -149))
	}
	w.note(x, y, got, want, e, int(d))
}

func (w *worst) note(x, y, got float32, want, e float64, d int) {
	if d > w.dist || d == w.dist && e > w.ulps {
		w.at, w.got, w.want = [2]float32{x, y}, got, want
	}
	if d == math.MaxInt32 {
		w.bad++
	}
	w.ulps, w.dist = max(w.ulps, e), max(w.dist, d)
}

func (w *worst) String() string {
	return fmt.Sprintf("%.3f ulp, distance %d, %d wrong; at (%g, %g) = (%x, %x): got %g (%x), want %g", w.ulps, w.dist, w.bad,
		w.at[0], w.at[1], math.Float32bits(w.at[0]), math.Float32bits(w.at[1]), w.got, math.Float32bits(w.got), w.want)
}

// specialFloats are tried in all combinations.
var specialFloats = func() []float32 {
	inf := float32(math.Inf(1))
	list := []float32{0, 1, 2, 3, 0.5, 1.5, 2.5, 0.25, inf, float32(math.NaN()), math.MaxFloat32, 0x1p-126, 0x1p-149, 0x1.fffffcp-127,
		0x1p-127, 0x1p127, 0x1.fffffep-1, 0x1.000002p0, 8388607.5, 8388609, 16777215, 16777216, 88.72283, 88.7229, 103.97, 126, 127, 128, 149, 150}
	for _, v := range list[:len(list):len(list)] {
		list = append(list, -v)
	}
	return list
}()

// samples returns n arguments: special ones, any bits, and of those in the
// function's interesting range.
func (f *mathFunc) samples(n int) (xs, ys []float32) {
	r := rand.New(rand.NewPCG(5, uint64(len(f.name))))
	for _, a := range specialFloats {
		if f.two == nil {
			xs, ys = append(xs, a), append(ys, 0)
			continue
		}
		for _, b := range specialFloats {
			xs, ys = append(xs, a), append(ys, b)
		}
	}
	inside := func() float32 { return float32(f.lo + (f.hi-f.lo)*r.Float64()) }
	for range n {
		x, y := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		switch r.IntN(4) {
		case 0:
			x = inside()
		case 1:
			x, y = inside(), inside()
		case 2:
			y = inside()
		}
		xs, ys = append(xs, x), append(ys, y)
	}
	return xs, ys
}

// kernelText returns the program that computes f for every element.
func (f *mathFunc) kernelText() string {
	set := f.body
	switch {
	case set != "":
	case f.two != nil:
		set = "z[i] = " + f.name + "(x[i], y[i]);"
	default:
		set = "z[i] = " + f.name + "(x[i]);"
	}
	return "__global__ void k(const float *x, const float *y, float *z, int n) {\n" +
		"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) { " + set + " }\n}\n"
}

// runMath runs a kernel k(x, y, z, n) on arrays of n elements of the given
// size and returns z.
func runMath(d device.Device, name, text string, x, y []byte, size, n int) ([]byte, error) {
	mod, err := translate(name, []byte(text), true)
	if err != nil {
		return nil, err
	}
	return runPTX(d, name, mod, x, y, size, n)
}

// runPTX is runMath of a compiled program.
func runPTX(d device.Device, name string, mod *ptx.Module, x, y []byte, size, n int) ([]byte, error) {
	m, err := d.Load(name, ptx.Print(mod))
	if err != nil {
		return nil, err
	}
	defer m.Close()
	k, err := m.Kernel("k")
	if err != nil {
		return nil, err
	}
	var params []byte
	var ptrs []device.Ptr
	for _, in := range [][]byte{x, y, make([]byte, n*size)} {
		p, err := d.Alloc("array", int64(max(1, len(in))))
		if err != nil {
			return nil, err
		}
		defer d.Free(p)
		if err := d.CopyIn(p, in); err != nil {
			return nil, err
		}
		ptrs = append(ptrs, p)
		params = binary.LittleEndian.AppendUint64(params, uint64(p))
	}
	params = binary.LittleEndian.AppendUint32(params, uint32(n))
	l := device.Launch{Grid: device.Dim3{X: uint32(n+255) / 256}, Block: device.Dim3{X: 256}, Params: params}
	if err := d.Launch(k, l); err != nil {
		return nil, err
	}
	if err := d.Sync(context.Background()); err != nil {
		return nil, err
	}
	out := make([]byte, n*size)
	return out, d.CopyOut(out, ptrs[2])
}

func floatBytes(list []float32) []byte {
	var b []byte
	for _, f := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// A measurement is the worst error of a function: in ulps from the exact value,
// as the distance from the nearest float, and where.
type measurement struct {
	ulps   float64
	dist   int
	report string
}

// emulated measures all functions on the emulator, once.
var emulated = sync.OnceValue(func() map[string]measurement {
	d := simt.Open(simt.Options{})
	defer d.Close()
	return measureAll(d)
})

// measureAll measures all functions on a device, by name.
func measureAll(d device.Device) map[string]measurement {
	all := map[string]measurement{}
	for _, f := range floatFuncs {
		all[f.name] = f.measure(d, 2000)
	}
	for _, f := range doubleFuncs {
		all[f.name] = f.measure(d, 500)
	}
	return all
}

// TestMath measures the functions of <math.h> on the emulator, and on a GPU
// where there is one.
func TestMath(t *testing.T) {
	results := map[string]map[string]measurement{"emulator": emulated()}
	if g := gpu(); g != nil {
		results["GPU"] = measureAll(g)
	}
	for device, list := range results {
		check := func(name string, bound int) {
			m := list[name]
			if m.dist > bound || m.report == "" && m.dist > 0 {
				t.Errorf("%s: %s: bound %d, distance %d, %.3f ulp %s", device, name, bound, m.dist, m.ulps, m.report)
			}
			t.Logf("%s: %-20s %d %.3f", device, name, m.dist, m.ulps)
		}
		for _, f := range floatFuncs {
			check(f.name, f.bound)
		}
		for _, f := range doubleFuncs {
			check(f.name, f.bound)
		}
	}
}

// measure runs f on n samples.
func (f *mathFunc) measure(d device.Device, n int) measurement {
	xs, ys := f.samples(n)
	out, err := runMath(d, f.name, f.kernelText(), floatBytes(xs), floatBytes(ys), 4, len(xs))
	if err != nil {
		return measurement{dist: math.MaxInt32, report: err.Error()}
	}
	var w worst
	for i := range xs {
		got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
		x, y := float64(xs[i]), float64(ys[i])
		want := 0.0
		if f.two != nil {
			want = f.two(x, y)
		} else {
			want = f.one(x)
		}
		if absolute, ok := within(f.name, x, float64(got), want); absolute {
			if !ok {
				w.note(xs[i], ys[i], got, want, math.Inf(1), math.MaxInt32)
			}
		} else if !exempt(f.name, x) {
			w.add(xs[i], ys[i], got, want)
		}
	}
	return measurement{w.ulps, w.dist, w.String()}
}

// TestMathUnoptimised checks that the scalar passes change no bit of any
// function's results for the special arguments.
func TestMathUnoptimised(t *testing.T) {
	d := simt.Open(simt.Options{})
	defer d.Close()
	for _, f := range floatFuncs {
		xs, ys := f.samples(0)
		n := min(len(xs), 200)
		var got [2][]byte
		for i, optimise := range []bool{false, true} {
			mod, err := translate(f.name, []byte(f.kernelText()), optimise)
			if err != nil {
				t.Fatal(err)
			}
			if got[i], err = runPTX(d, f.name, mod, floatBytes(xs[:n]), floatBytes(ys[:n]), 4, n); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got[0], got[1]) {
			t.Errorf("%s differs", f.name)
		}
	}
}

// TestMathFast holds the fast intrinsics to the errors that CUDA documents for
// them: absolute ones within pi for the trigonometric functions, relative ones
// for the others.
func TestMathFast(t *testing.T) {
	for _, c := range []struct {
		call     string
		lo, hi   float64
		absolute bool
		eps      float64
		want     func(x float64) float64
	}{
		{"__expf(x[i])", -20, 20, false, 0x1p-18, math.Exp},
		{"__exp10f(x[i])", -10, 10, false, 0x1p-18, exp10},
		{"__logf(x[i])", 0.5, 2, true, 4e-7, math.Log},
		{"__log2f(x[i])", 0.5, 2, true, 0x1p-21, log2},
		{"__log10f(x[i])", 2, 1000, false, 0x1p-21, math.Log10},
		{"__sinf(x[i])", -math.Pi, math.Pi, true, 0x1p-21, math.Sin},
		{"__cosf(x[i])", -math.Pi, math.Pi, true, 0x1p-21, math.Cos},
		{"__tanf(x[i])", -1, 1, true, 0x1p-20, math.Tan},
		{"__powf(x[i], 3.5f)", 0.1, 30, false, 0x1p-18, func(x float64) float64 { return math.Pow(x, 3.5) }},
		{"__fdividef(x[i], 3.0f)", -30, 30, false, 0x1p-22, func(x float64) float64 { return x / 3 }},
		{"__saturatef(x[i])", -2, 2, true, 0, func(x float64) float64 { return max(0, min(1, x)) }},
		{"__frsqrt_rn(x[i])", 0.1, 100, false, 0x1p-24, func(x float64) float64 { return 1 / math.Sqrt(x) }},
	} {
		f := mathFunc{name: c.call, body: "z[i] = " + c.call + ";"}
		var xs []float32
		for i := range 500 {
			xs = append(xs, float32(c.lo+(c.hi-c.lo)*(float64(i)+0.5)/500))
		}
		devices := map[string]device.Device{"emulator": simt.Open(simt.Options{})}
		if g := gpu(); g != nil {
			devices["GPU"] = g
		}
		for name, d := range devices {
			out, err := runMath(d, c.call, f.kernelText(), floatBytes(xs), nil, 4, len(xs))
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range xs {
				got, want := float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))), c.want(float64(x))
				e := math.Abs(got - want)
				if !c.absolute {
					e /= math.Abs(want)
				}
				if !(e <= c.eps) {
					t.Errorf("%s: %s at %g: %g, want %g, error 2^%.2f", name, c.call, x, got, want, math.Log2(e))
					break
				}
			}
		}
	}
}
