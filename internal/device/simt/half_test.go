package simt

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// halfTable lists the finite numbers of a format from zero upward, by its definition: the
// reference of these tests looks a result up among them.
type halfTable struct {
	f    halfFormat
	list []float64 // of bits 0, 1, 2 ...
}

func newHalfTable(f halfFormat) *halfTable {
	t := &halfTable{f: f}
	for e := 0; e < 1<<(15-f.mant)-1; e++ {
		for m := range 1 << f.mant {
			lead, exp := 1, e
			if e == 0 {
				lead, exp = 0, 1
			}
			t.list = append(t.list, math.Ldexp(float64(lead<<f.mant+m), exp-f.bias-int(f.mant)))
		}
	}
	return t
}

func (t *halfTable) value(h uint16) float64 {
	x := math.NaN()
	if m := int(h & 0x7fff); m < len(t.list) {
		x = t.list[m]
	} else if m == len(t.list) {
		x = math.Inf(1)
	}
	return math.Copysign(x, map[bool]float64{true: -1, false: 1}[h>>15 != 0])
}

// round rounds a finite number that is not zero.
func (t *halfTable) round(x *big.Float, mode string) uint16 {
	sign, up := uint16(0), mode == "rp"
	if x.Sign() < 0 {
		sign, up = 0x8000, mode == "rm"
	}
	mag := new(big.Float).Abs(x)
	above := sort.Search(len(t.list), func(i int) bool { return mag.Cmp(big.NewFloat(t.list[i])) < 0 })
	below := above - 1
	if mag.Cmp(big.NewFloat(t.list[below])) == 0 {
		return sign | uint16(below)
	}
	next := new(big.Float).SetMantExp(big.NewFloat(1), t.f.bias+1) // where infinity stands
	if above < len(t.list) {
		next = big.NewFloat(t.list[above])
	}
	switch {
	case mode == "rn":
		twice := new(big.Float).SetPrec(2000).Add(mag, mag)
		middle := new(big.Float).SetPrec(2000).Add(big.NewFloat(t.list[below]), next)
		switch c := twice.Cmp(middle); {
		case c < 0, c == 0 && below&1 == 0:
			return sign | uint16(below)
		}
		return sign | uint16(above)
	case up:
		return sign | uint16(above)
	}
	return sign | uint16(below)
}

// result is the reference of an operation: special is its value in double, which decides
// where the exact one is zero or not a number.
func (t *halfTable) result(special float64, mode string, exact func() *big.Float) uint16 {
	switch {
	case special != special:
		return halfNaN
	case math.IsInf(special, 0):
		return uint16(len(t.list)) | map[bool]uint16{true: 0x8000}[special < 0]
	}
	x := exact()
	if x.Sign() == 0 {
		return map[bool]uint16{true: 0x8000}[math.Signbit(special)]
	}
	return t.round(x, mode)
}

const halfHead = ".version 8.0\n.target sm_90\n.address_size 64\n"

// halfKernel returns a kernel that computes d from the inputs a, b and c of a thread, all in
// 64 bits: the body has them in %rd1, %rd2, %rd3, %r1, %r2, %r3, %h1, %h2, %h3 and %f1, %f2, %f3.
func halfKernel(name, body string) string {
	return ".visible .entry " + name + `(.param .u64 a, .param .u64 out) {
.reg .pred %p<4>; .reg .b16 %h<6>; .reg .b32 %r<6>; .reg .b64 %rd<12>; .reg .f32 %f<6>; .reg .f64 %fd<6>; .reg .u32 %i<4>; .reg .u64 %o<4>;
ld.param.u64 %rd8, [a]; ld.param.u64 %rd9, [out];
mov.u32 %i1, %tid.x; mov.u32 %i2, %ctaid.x; mov.u32 %i3, %ntid.x; mad.lo.u32 %i1, %i2, %i3, %i1;
mul.wide.u32 %o1, %i1, 24; add.u64 %rd8, %rd8, %o1; mul.wide.u32 %o1, %i1, 8; add.u64 %rd9, %rd9, %o1;
ld.global.u64 %rd1, [%rd8]; ld.global.u64 %rd2, [%rd8+8]; ld.global.u64 %rd3, [%rd8+16];
cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r3, %rd3;
cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, %r3;
mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3; mov.b64 %fd1, %rd1;
mov.u64 %rd4, 0; mov.u32 %r4, 0; mov.u16 %h4, 0;
` + body + `
st.global.u64 [%rd9], %rd4;
ret;
}
`
}

// A halfCase is an instruction and what it must give.
type halfCase struct {
	body  string
	times int // inputs that are tried
	input func(i int) [3]uint64
	want  func(a, b, c uint64) uint64
}

// assembles has ptxas read a text, where there is one.
func assembles(t *testing.T, text string) {
	t.Helper()
	ptxas := os.Getenv("PTXAS")
	if ptxas == "" {
		return
	}
	file := filepath.Join(t.TempDir(), "test.ptx")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(ptxas, "-arch=sm_90", file, "-o", file+".cubin").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func runHalfCases(t *testing.T, cases []halfCase) {
	t.Helper()
	var text strings.Builder
	text.WriteString(halfHead)
	for i, c := range cases {
		text.WriteString(halfKernel(fmt.Sprintf("k%d", i), c.body))
	}
	assembles(t, text.String())
	r := newRigText(t, Checked(), text.String())
	stride := 1
	if testing.Short() {
		stride = 9 // of all inputs
	}
	for i, c := range cases {
		n := (c.times/stride + 255) / 256 * 256
		in, got := make([]uint64, 0, 3*n), make([]uint64, n)
		for j := range n {
			x := c.input(j * stride)
			in = append(in, x[:]...)
		}
		a, err := r.d.Alloc("a", int64(24*n))
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.d.Alloc("out", int64(8*n))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.d.CopyIn(a, params(t, in)); err != nil {
			t.Fatal(err)
		}
		r.ok(fmt.Sprintf("k%d", i), uint32(n/256), 256, a, out)
		data := make([]byte, 8*n)
		if err := r.d.CopyOut(data, out); err != nil {
			t.Fatal(err)
		}
		bad := 0
		for j := range got {
			got[j] = load(data[8*j:], 8)
			x := in[3*j:]
			if want := c.want(x[0], x[1], x[2]); got[j] != want {
				if bad++; bad <= 4 {
					t.Errorf("%s: %#x, %#x, %#x give %#x, want %#x", c.body, x[0], x[1], x[2], got[j], want)
				}
			}
		}
		_ = r.d.Free(a)
		_ = r.d.Free(out)
	}
	r.clean()
}

// all inputs of 16 bits, in order.
func every(i int) [3]uint64 { return [3]uint64{uint64(i & 0xffff)} }

// pairs returns random triples of halves: any bits, numbers near each other, and small ones.
func pairs(seed uint64) func(int) [3]uint64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	return func(i int) [3]uint64 {
		a, b, c := rng.Uint32(), rng.Uint32(), rng.Uint32()
		switch i % 4 {
		case 1:
			b = a ^ rng.Uint32()&0x80ff80ff
			c = a ^ rng.Uint32()&0x8fff8fff
		case 2:
			a, b, c = a&0x83ff83ff, b&0x87ff87ff, c&0x81ff81ff
		case 3:
			a = a&0x83ff83ff | 0x3c003c00
		}
		return [3]uint64{uint64(a), uint64(b), uint64(c)}
	}
}

// both applies a reference to the halves of pairs.
func both(f func(a, b, c uint16) uint16) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		return uint64(f(uint16(a), uint16(b), uint16(c))) | uint64(f(uint16(a>>16), uint16(b>>16), uint16(c>>16)))<<16
	}
}

func exactFloat(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }

// TestHalfArithmetic compares sums, products and fused ones of random halves with exact
// arithmetic, rounded by table.
func TestHalfArithmetic(t *testing.T) {
	n := 1 << 16
	if testing.Short() {
		n = 1 << 13
	}
	var cases []halfCase
	for name, f := range map[string]halfFormat{"f16": f16, "bf16": bf16} {
		tab := newHalfTable(f)
		sum := func(a, b, c float64) uint16 { // a*b + c
			return tab.result(a*b+c, "rn", func() *big.Float {
				return exactFloat(0).Add(exactFloat(0).Mul(exactFloat(a), exactFloat(b)), exactFloat(c))
			})
		}
		v := tab.value
		ops := map[string]func(a, b, c uint16) uint16{
			"add": func(a, b, _ uint16) uint16 { return sum(v(a), 1, v(b)) },
			"sub": func(a, b, _ uint16) uint16 { return sum(v(a), 1, -v(b)) },
			"mul": func(a, b, _ uint16) uint16 {
				return tab.result(v(a)*v(b), "rn", func() *big.Float { return exactFloat(0).Mul(exactFloat(v(a)), exactFloat(v(b))) })
			},
			"fma.rn": func(a, b, c uint16) uint16 { return sum(v(a), v(b), v(c)) },
		}
		for op, want := range ops {
			third, mods := "", []string{""}
			if op == "fma.rn" {
				third = ", %r3"
				mods = append(mods, ".relu")
			}
			if name == "f16" {
				mods = append(mods, ".sat", ".ftz")
			}
			for _, mod := range mods {
				want := finished(tab, want, mod)
				cases = append(cases,
					halfCase{fmt.Sprintf("%s%s.%sx2 %%r4, %%r1, %%r2%s; cvt.u64.u32 %%rd4, %%r4;", op, mod, name, third), n, pairs(uint64(len(cases))), both(want)},
					halfCase{fmt.Sprintf("%s%s.%s %%h4, %%h1, %%h2%s; cvt.u64.u16 %%rd4, %%h4;", op, mod, name, strings.Replace(third, "r", "h", 1)), n / 4, pairs(uint64(len(cases))), func(a, b, c uint64) uint64 {
						return uint64(want(uint16(a), uint16(b), uint16(c)))
					}})
			}
		}
	}
	runHalfCases(t, cases)
}

// finished returns a reference with what .sat, .relu and .ftz do.
func finished(tab *halfTable, want func(a, b, c uint16) uint16, mod string) func(a, b, c uint16) uint16 {
	flush := func(h uint16) uint16 {
		if math.Abs(tab.value(h)) < math.Ldexp(1, 1-tab.f.bias) {
			return h & 0x8000
		}
		return h
	}
	return func(a, b, c uint16) uint16 {
		if mod == ".ftz" {
			return flush(want(flush(a), flush(b), flush(c)))
		}
		h := want(a, b, c)
		switch x := tab.value(h); {
		case mod == ".sat" && !(x > 0), mod == ".relu" && x <= 0:
			return 0
		case mod == ".sat" && x > 1:
			return uint16(tab.f.bias) << tab.f.mant
		}
		return h
	}
}

// TestHalfConversions tries every half, and floats, doubles and integers at and beside every
// half and every middle between two, in all roundings.
func TestHalfConversions(t *testing.T) {
	var cases []halfCase
	for name, f := range map[string]halfFormat{"f16": f16, "bf16": bf16} {
		tab := newHalfTable(f)
		cases = append(cases,
			halfCase{"cvt.f32." + name + " %f4, %h1; mov.b32 %r4, %f4; cvt.u64.u32 %rd4, %r4;", 1 << 16, every, func(a, _, _ uint64) uint64 {
				if x := tab.value(uint16(a)); x == x || name == "f16" {
					return bits32(float32(x))
				}
				return a << 16 // with its payload, as an H200 does
			}},
			halfCase{"cvt.f64." + name + " %fd4, %h1; mov.b64 %rd4, %fd4; and.b64 %rd3, %rd4, 0x7fffffffffffffff; setp.gt.u64 %p1, %rd3, 0x7ff0000000000000; selp.b64 %rd4, 1, %rd4, %p1;", 1 << 16, every, func(a, _, _ uint64) uint64 {
				if x := tab.value(uint16(a)); x == x {
					return math.Float64bits(x)
				}
				return 1
			}})
		for _, mode := range []string{"rn", "rz", "rm", "rp"} {
			to := func(x float64) uint64 {
				return uint64(tab.result(x, mode, func() *big.Float { return exactFloat(x) }))
			}
			cases = append(cases,
				halfCase{"cvt." + mode + "." + name + ".f32 %h4, %f1; cvt.u64.u16 %rd4, %h4;", 1 << 17, func(i int) [3]uint64 { return [3]uint64{uint64(math.Float32bits(nearHalf(tab, i)))} },
					func(a, _, _ uint64) uint64 { return to(float64(f32of(a))) }},
				halfCase{"cvt." + mode + "." + name + ".f64 %h4, %fd1; cvt.u64.u16 %rd4, %h4;", 1 << 17, func(i int) [3]uint64 {
					x := float64(nearHalf(tab, i))
					return [3]uint64{math.Float64bits(math.Nextafter(x, float64(i%3-1)*math.MaxFloat64))}
				}, func(a, _, _ uint64) uint64 {
					if x := f64of(a); x == x || name != "f16" {
						return to(x)
					}
					return a>>63<<15 | 0x7e00 | a>>42&0x1ff // the payload is cut off, as by an H200
				}},
				halfCase{"cvt." + mode + "." + name + ".s32 %h4, %r1; cvt.u64.u16 %rd4, %h4;", 1 << 14, func(i int) [3]uint64 { return [3]uint64{uint64(uint32(i*i*i*2654435) >> (i % 32))} },
					func(a, _, _ uint64) uint64 { return to(float64(int32(a))) }})
		}
		for _, mode := range []string{"rni", "rzi", "rmi", "rpi"} {
			cases = append(cases, halfCase{"cvt." + mode + ".s32." + name + " %r4, %h1; cvt.u64.u32 %rd4, %r4;", 1 << 16, every, func(a, _, _ uint64) uint64 {
				x := map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}[mode](tab.value(uint16(a)))
				switch {
				case x != x:
					return 0
				case x >= 1<<31:
					return 1<<31 - 1
				case x < -1<<31:
					return 1 << 31
				}
				return uint64(uint32(int32(x)))
			}})
		}
		cases = append(cases, halfCase{"cvt.rz.relu." + name + "x2.f32 %r4, %f1, %f2; cvt.u64.u32 %rd4, %r4;", 1 << 14, func(i int) [3]uint64 {
			return [3]uint64{uint64(math.Float32bits(nearHalf(tab, i*8))), uint64(math.Float32bits(nearHalf(tab, i*5+3)))}
		}, func(a, b, _ uint64) uint64 {
			one := func(a uint64) uint64 {
				if x := float64(f32of(a)); !(x <= 0) {
					return uint64(tab.result(x, "rz", func() *big.Float { return exactFloat(x) }))
				}
				return 0
			}
			return one(a)<<16 | one(b)
		}})
	}
	runHalfCases(t, cases)
}

// nearHalf returns the i-th of the floats at, between and beside the halves.
func nearHalf(tab *halfTable, i int) float32 {
	h := uint16(i * 40503)
	x := tab.value(h)
	if next := tab.value(h + 1); i&1 != 0 && next-next == 0 {
		x = (x + next) / 2
	}
	y := float32(x)
	switch i / 2 % 3 {
	case 1:
		y = math.Nextafter32(y, float32(math.Inf(1)))
	case 2:
		y = math.Nextafter32(y, float32(math.Inf(-1)))
	}
	return y
}

// TestHalfComparisons tries comparisons, minima and signs.
func TestHalfComparisons(t *testing.T) {
	var cases []halfCase
	for name, f := range map[string]halfFormat{"f16": f16, "bf16": bf16} {
		tab := newHalfTable(f)
		v := tab.value
		for op, holds := range map[string]func(a, b float64) bool{
			"eq": func(a, b float64) bool { return a == b }, "ltu": func(a, b float64) bool { return !(a >= b) },
			"ge": func(a, b float64) bool { return a >= b }, "nan": func(a, b float64) bool { return a != a || b != b },
		} {
			both := func(one, two uint64) func(a, b, c uint64) uint64 {
				return func(a, b, _ uint64) (r uint64) {
					if holds(v(uint16(a)), v(uint16(b))) {
						r = one
					}
					if holds(v(uint16(a>>16)), v(uint16(b>>16))) {
						r |= two
					}
					return r
				}
			}
			one := uint64(f.bias) << f.mant
			cases = append(cases,
				halfCase{"setp." + op + "." + name + " %p1, %h1, %h2; selp.b64 %rd4, 1, 0, %p1;", 1 << 12, pairs(1), both(1, 0)},
				halfCase{"setp." + op + "." + name + "x2 %p1|%p2, %r1, %r2; selp.b64 %rd4, 1, 0, %p1; selp.b64 %rd3, 2, 0, %p2; or.b64 %rd4, %rd4, %rd3;", 1 << 12, pairs(2), both(1, 2)},
				halfCase{"set." + op + "." + name + "x2." + name + "x2 %r4, %r1, %r2; cvt.u64.u32 %rd4, %r4;", 1 << 12, pairs(3), both(one, one<<16)},
				halfCase{"set." + op + ".u32." + name + "x2 %r4, %r1, %r2; cvt.u64.u32 %rd4, %r4;", 1 << 12, pairs(4), both(0xffff, 0xffff0000)},
				halfCase{"set." + op + ".u32." + name + " %r4, %h1, %h2; cvt.u64.u32 %rd4, %r4;", 1 << 12, pairs(4), both(0xffffffff, 0)})
		}
		for _, op := range []string{"min", "max", "min.NaN", "max.NaN"} {
			want := func(a, b, _ uint16) uint16 {
				x, y, nan := v(a), v(b), strings.HasSuffix(op, "NaN")
				switch {
				case x != x && y != y, nan && (x != x || y != y):
					return halfNaN
				case x != x:
					return b
				case y != y:
					return a
				}
				m := math.Min(x, y)
				if op[:3] == "max" {
					m = math.Max(x, y)
				}
				if math.Float64bits(m) == math.Float64bits(x) {
					return a
				}
				return b
			}
			cases = append(cases, halfCase{op + "." + name + "x2 %r4, %r1, %r2; cvt.u64.u32 %rd4, %r4;", 1 << 13, pairs(5), both(want)})
		}
		cases = append(cases,
			halfCase{"neg." + name + " %h4, %h1; cvt.u64.u16 %rd4, %h4;", 1 << 16, every, func(a, _, _ uint64) uint64 { return a ^ 0x8000 }},
			halfCase{"abs." + name + "x2 %r4, %r1; cvt.u64.u32 %rd4, %r4;", 1 << 12, pairs(6), func(a, _, _ uint64) uint64 { return a & 0x7fff7fff }},
			halfCase{"tanh.approx." + name + " %h4, %h1; cvt.u64.u16 %rd4, %h4;", 1 << 16, every, func(a, _, _ uint64) uint64 {
				x := math.Tanh(v(uint16(a)))
				return uint64(tab.result(x, "rn", func() *big.Float { return exactFloat(x) }))
			}})
	}
	tab := newHalfTable(f16)
	cases = append(cases, halfCase{"ex2.approx.f16 %h4, %h1; cvt.u64.u16 %rd4, %h4;", 1 << 16, every, func(a, _, _ uint64) uint64 {
		x := math.Exp2(tab.value(uint16(a)))
		return uint64(tab.result(x, "rn", func() *big.Float { return exactFloat(x) }))
	}})
	runHalfCases(t, cases)
}

// TestHalfAtomics adds pairs of halves from all lanes: the sum of small integers is exact.
func TestHalfAtomics(t *testing.T) {
	r := newRigText(t, Checked(), halfHead+`
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .b16 %h<2>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, 0x40003c00; // (1, 2)
red.global.add.noftz.f16x2 [%rd1], %r1;
atom.global.add.noftz.f16x2 %r2, [%rd1+4], %r1;
mov.u32 %r1, 0x40003f80;
red.add.noftz.bf16x2 [%rd1+8], %r1;
cvt.u16.u32 %h1, %r1;
atom.add.noftz.bf16 %h1, [%rd1+14], %h1;
ret; }`)
	p := r.buffer("p", make([]int32, 4))
	r.ok("k", 1, 64, p)
	got := r.read(p, 4)
	want := []int32{0x58005400, 0x58005400, 0x43004280, 0x42800000}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("word %d is %#x, want %#x", i, got[i], want[i])
		}
	}
	r.clean()
}
