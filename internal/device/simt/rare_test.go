package simt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// byteTable lists the finite numbers of an 8-bit float from zero upward, by its definition.
func byteTable(mant uint, bias, most int) []float64 {
	var list []float64
	for b := 0; b <= most; b++ {
		e, m := b>>mant, b&(1<<mant-1)
		lead := 1
		if e == 0 {
			lead, e = 0, 1
		}
		list = append(list, math.Ldexp(float64(lead<<mant+m), e-bias-int(mant)))
	}
	return list
}

// nearestByte looks a number up in the table: the nearest, of two the even one, of those beyond the last one.
func nearestByte(list []float64, x float64, relu bool) uint64 {
	switch {
	case x != x:
		return 0x7f
	case relu && x <= 0:
		return 0
	}
	best, mag := 0, min(math.Abs(x), list[len(list)-1])
	for i, v := range list {
		d, old := math.Abs(mag-v), math.Abs(mag-list[best])
		if d < old || d == old && i%2 == 0 {
			best = i
		}
	}
	if math.Signbit(x) {
		best |= 0x80
	}
	return uint64(best)
}

// TestByteFloats compares conversions to and from 8-bit floats with tables of their numbers.
func TestByteFloats(t *testing.T) {
	var cases []halfCase
	for name, list := range map[string][]float64{"e4m3": byteTable(3, 7, 0x7e), "e5m2": byteTable(2, 15, 0x7b)} {
		half := newHalfTable(f16)
		for _, relu := range []string{"", ".relu"} {
			near := func(seed uint64) func(int) [3]uint64 {
				rng := rand.New(rand.NewPCG(seed, 7))
				return func(i int) [3]uint64 {
					one := func() uint64 {
						j := rng.IntN(len(list) - 1)
						x := list[j] + (list[j+1]-list[j])*float64(rng.IntN(5))/4
						x = math.Nextafter(x, float64(rng.IntN(3)-1)*1e30)
						v := math.Float32bits(float32(x)) | rng.Uint32()&0x80000000
						if i%16 == 0 {
							v = rng.Uint32()
						}
						return uint64(v)
					}
					return [3]uint64{one(), one()}
				}
			}
			cases = append(cases,
				halfCase{"cvt.rn.satfinite" + relu + "." + name + "x2.f32 %h4, %f1, %f2; cvt.u64.u16 %rd4, %h4;", 1 << 14, near(1), func(a, b, _ uint64) uint64 {
					return nearestByte(list, float64(f32of(a)), relu != "")<<8 | nearestByte(list, float64(f32of(b)), relu != "")
				}},
				halfCase{"cvt.rn.satfinite" + relu + "." + name + "x2.f16x2 %h4, %r1; cvt.u64.u16 %rd4, %h4;", 1 << 14, pairs(3), func(a, _, _ uint64) uint64 {
					return nearestByte(list, half.value(uint16(a>>16)), relu != "")<<8 | nearestByte(list, half.value(uint16(a)), relu != "")
				}},
				halfCase{"cvt.rn" + relu + ".f16x2." + name + "x2 %r4, %h1; cvt.u64.u32 %rd4, %r4;", 1 << 16, every, func(a, _, _ uint64) uint64 {
					one := func(b uint64) uint64 {
						x := math.NaN()
						if m := int(b & 0x7f); m < len(list) {
							x = list[m]
						} else if name == "e5m2" && m == len(list) {
							x = math.Inf(1)
						}
						if b&0x80 != 0 {
							x = -x
						}
						switch {
						case x != x:
							return halfNaN
						case relu != "" && math.Signbit(x):
							return 0
						}
						return uint64(f16.encode(x, "rn"))
					}
					return one(a>>8&0xff)<<16 | one(a&0xff)
				}})
		}
	}
	runHalfCases(t, cases)
}

// TestRare compares the other instructions that few programs use with what the PTX manual says.
func TestRare(t *testing.T) {
	words := func(i int) [3]uint64 {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		special := []uint32{0, 0x7fffffff, 0xffffffff, 0x7f800001, 0x7f807fc0, 0x7f800000, 0xff800000, 0x7e017fff, 0xfc00ff80, 0x7fc07fc0}
		one := func() uint64 {
			if rng.IntN(8) == 0 {
				return uint64(special[rng.IntN(len(special))])
			}
			return uint64(rng.Uint32())
		}
		return [3]uint64{one(), one(), one()}
	}
	const to64 = "; cvt.u64.u32 %rd4, %r4;"
	var cases []halfCase
	add := func(body string, want func(a, b, c uint32) uint32) {
		cases = append(cases, halfCase{body + to64, 1 << 12, words, func(a, b, c uint64) uint64 { return uint64(want(uint32(a), uint32(b), uint32(c))) }})
	}
	halves := func(f func(x, y int) int) func(a, b, c uint32) uint32 {
		return func(a, b, _ uint32) uint32 {
			return uint32(uint16(f(int(int16(a)), int(int16(b))))) | uint32(uint16(f(int(int16(a>>16)), int(int16(b>>16)))))<<16
		}
	}
	add("add.s16x2 %r4, %r1, %r2", halves(func(x, y int) int { return x + y }))
	add("min.s16x2 %r4, %r1, %r2", halves(func(x, y int) int { return min(x, y) }))
	add("max.u16x2 %r4, %r1, %r2", halves(func(x, y int) int { return int(max(uint16(x), uint16(y))) }))
	add("max.relu.s16x2 %r4, %r1, %r2", halves(func(x, y int) int { return max(x, y, 0) }))
	add("min.relu.s32 %r4, %r1, %r2", func(a, b, _ uint32) uint32 { return uint32(max(min(int32(a), int32(b)), 0)) })
	bytes := func(a, b uint32, f func(x, y int) int) (out [4]int) {
		for i := range out {
			out[i] = f(int(uint8(a>>(8*i))), int(uint8(b>>(8*i))))
		}
		return out
	}
	difference := func(x, y int) int { return max(x-y, y-x) }
	add("vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3", func(a, b, c uint32) uint32 {
		for _, v := range bytes(a, b, difference) {
			c += uint32(v)
		}
		return c
	})
	add("vabsdiff4.u32.u32.u32 %r4, %r1, %r2, %r3", func(a, b, _ uint32) (out uint32) {
		for i, v := range bytes(a, b, difference) {
			out |= uint32(v) << (8 * i)
		}
		return out
	})
	add("vadd4.u32.u32.u32.sat %r4, %r1, %r2, %r3", func(a, b, _ uint32) (out uint32) {
		for i, v := range bytes(a, b, func(x, y int) int { return min(x+y, 255) }) {
			out |= uint32(v) << (8 * i)
		}
		return out
	})
	add("cvt.rna.tf32.f32 %r4, %f1", func(a, _, _ uint32) uint32 {
		x := float64(math.Float32frombits(a))
		if x != x {
			return a &^ 0x1fff
		}
		_, e := math.Frexp(x)
		unit := math.Ldexp(1, max(e-1, -126)-10)
		v := float32(math.Round(x/unit) * unit)
		return math.Float32bits(v)
	})
	add("cvt.rn.tf32.f32 %r4, %f1", func(a, _, _ uint32) uint32 {
		x := float64(math.Float32frombits(a))
		if x != x {
			return 0x7fffe000 // an H200's answer
		}
		_, e := math.Frexp(x)
		unit := math.Ldexp(1, max(e-1, -126)-10)
		return math.Float32bits(float32(math.RoundToEven(x/unit) * unit))
	})
	add("min.NaN.xorsign.abs.f16x2 %r4, %r1, %r2", halves(func(x, y int) int {
		a, b := x&0x7fff, y&0x7fff
		if max(a, b) > 0x7c00 {
			return 0x7fff // an H200's answer
		}
		return min(a, b) | (x^y)&0x8000
	}))
	add("cvt.pack.sat.u8.s32.b32 %r4, %r1, %r2, %r3", func(a, b, c uint32) uint32 {
		one := func(v uint32) uint32 { return uint32(min(max(int32(v), 0), 255)) }
		return c<<16 | one(a)<<8 | one(b)
	})
	add("cvt.pack.sat.s16.s32 %r4, %r1, %r2", func(a, b, _ uint32) uint32 {
		one := func(v uint32) uint32 { return uint32(uint16(min(max(int32(v), -32768), 32767))) }
		return one(a)<<16 | one(b)
	})
	add("max.xorsign.abs.f32 %f4, %f1, %f2; mov.b32 %r4, %f4", func(a, b, _ uint32) uint32 {
		x, y := math.Float32frombits(a&0x7fffffff), math.Float32frombits(b&0x7fffffff)
		sign := (a ^ b) & 0x80000000
		switch {
		case x != x && y != y:
			return 0x7fffffff
		case x != x:
			return sign | b&0x7fffffff
		case y != y || x > y:
			return sign | a&0x7fffffff
		}
		return sign | b&0x7fffffff
	})
	add("{ .reg .b8 t; cvt.u8.u32 t, %r1; mov.b16 %h4, {t, 3}; } cvt.u32.u16 %r4, %h4", func(a, _, _ uint32) uint32 { return a&0xff | 0x300 })
	runHalfCases(t, cases)
}

// TestOrders: modifiers in another order, an unknown instruction beside a known one, and lanes that elect one.
func TestOrders(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.address_size 64\n" + `.visible .entry k(.param .u64 out) {
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1;
vote.ballot.sync.b32 %r3, %p1, -1;
atom.add.release.gpu.global.u32 %r4, [%rd1+4], %r2;
elect.sync %r5|%p2, -1;
@%p2 st.global.u32 [%rd1], %r3; @%p2 st.global.u32 [%rd1+8], %r5;
ret; }
.visible .entry other() { wgmma.fence.sync.aligned; ret; }
`
	r := newRigText(t, Checked(), text)
	out := r.buffer("out", make([]int32, 3))
	r.ok("k", 1, 32, out)
	equal(t, "out", r.read(out, 3), []int32{0x22222222, 48, 0})
	r.clean()
	if _, err := r.mod.Kernel("other"); err == nil || !strings.Contains(err.Error(), `instruction wgmma is not supported`) {
		t.Errorf("other: %v", err)
	}
}

// TestEnvironment: the barrier of the grid whose address the driver gives in registers.
func TestEnvironment(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.address_size 64\n" + `.visible .entry k(.param .u64 out) {
.reg .b32 %r<4>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd2, {%r2, %r1};
st.global.u64 [%rd1], %rd2; ret; }
`
	r := newRigText(t, Checked(), text)
	out := r.buffer("out", make([]int32, 2))
	r.ok("k", 1, 1, out)
	equal(t, "the workspace of a launch that is not cooperative", r.read(out, 2), []int32{0, 0})
}

// TestMatrixOperands has the lanes of a warp agree on the address and the stride of a matrix.
func TestMatrixOperands(t *testing.T) {
	const frag = "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}"
	text := ".version 9.0\n.target sm_90\n.address_size 64\n"
	for _, k := range [][2]string{{"address", "mad.wide.u32 %rd1, %r1, 32, %rd1;"}, {"stride", "shr.u32 %r3, %r1, 4; mad.lo.u32 %r2, %r3, 8, 16;"}, {"same", "shr.u32 %r3, %r1, 5; mad.wide.u32 %rd1, %r3, 512, %rd1;"}} {
		text += ".visible .entry " + k[0] + "(.param .u64 a) { .reg .b32 %a<8>; .reg .b32 %r<4>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, 16;\n" +
			k[1] + "\nwmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + frag + ", [%rd1], %r2; ret; }\n"
	}
	assembles(t, text)
	r := newRigText(t, Checked(), text)
	a := r.buffer("a", make([]int32, 4096))
	r.ok("same", 1, 64, a)
	for kernel, want := range map[string]string{
		"address": "thread 1 of block 0: the address of",
		"stride":  `thread 16 of block 0: the stride of "wmma.load.a.sync.aligned.row.m16n16k16.global.f16`,
	} {
		if err := r.run(kernel, 1, 64, a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kernel, err, want)
		}
	}
}

// TestMatrices multiplies matrices by wmma, and moves them by ldmatrix, stmatrix and movmatrix.
func TestMatrices(t *testing.T) {
	regs := func(prefix string, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(prefix, i))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	text := ".version 9.0\n.target sm_90\n.address_size 64\n" + `.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 d) {
.reg .b32 %a<8>; .reg .b32 %b<8>; .reg .f32 %c<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [d];
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 ` + regs("%a", 8) + `, [%rd1], 16;
wmma.load.b.sync.aligned.col.m16n16k16.global.f16 ` + regs("%b", 8) + `, [%rd2], 24;
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 ` + regs("%c", 8) + `, [%rd3], 16;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 ` + regs("%c", 8) + ", " + regs("%a", 8) + ", " + regs("%b", 8) + ", " + regs("%c", 8) + `;
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd3], ` + regs("%c", 8) + `, 16; ret; }
.visible .entry move(.param .u64 out) {
.shared .align 16 .b8 s[512]; .reg .b32 %r<12>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 16, %r2;
shl.b32 %r4, %r1, 3; mad.lo.u32 %r4, %r4, 65537, 65536;
st.shared.b32 [%r3], %r4; add.u32 %r4, %r4, 131074; st.shared.b32 [%r3+4], %r4; add.u32 %r4, %r4, 131074; st.shared.b32 [%r3+8], %r4; add.u32 %r4, %r4, 131074; st.shared.b32 [%r3+12], %r4;
bar.sync 0;
ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r3];
ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r7}, [%r3];
movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r5;
bar.sync 0;
stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r3], {%r7};
bar.sync 0;
ld.shared.b32 %r9, [%r3];
mad.wide.u32 %rd2, %r1, 20, %rd1;
st.global.b32 [%rd2], %r5; st.global.b32 [%rd2+4], %r6; st.global.b32 [%rd2+8], %r7; st.global.b32 [%rd2+12], %r8; st.global.b32 [%rd2+16], %r9; ret; }
`
	assembles(t, text)
	r := newRigText(t, Checked(), text)
	half := func(v int) int32 { return int32(f16.encode(float64(v), "rn")) }
	a := r.buffer("a", values(128, func(i int) int32 { return half(2*i%13) | half((2*i+1)%13)<<16 }))
	b := r.buffer("b", values(192, func(i int) int32 { return half(2*i%7) | half((2*i+1)%7)<<16 }))
	d := r.buffer("d", values(256, func(i int) int32 { return int32(math.Float32bits(float32(i))) }))
	r.ok("product", 1, 32, a, b, d)
	equal(t, "product", r.read(d, 256), values(256, func(i int) int32 {
		sum := i
		for k := range 16 {
			sum += (i/16*16 + k) % 13 * ((i%16*24 + k) % 7)
		}
		return int32(math.Float32bits(float32(sum)))
	}))
	out := r.buffer("out", make([]int32, 160))
	r.ok("move", 1, 32, out)
	at := func(matrix, row, col int) int32 { return int32(8*(8*matrix+row) + col) } // what shared memory holds
	equal(t, "move", r.read(out, 160), values(160, func(i int) int32 {
		lane, what := i/5, i%5
		row, col := lane/4, lane%4*2
		switch what {
		case 0, 1:
			return at(what, row, col) | at(what, row, col+1)<<16
		case 2, 3:
			return at(0, col, row) | at(0, col+1, row)<<16
		}
		return at(lane/8, lane%8, 0) | at(lane/8, lane%8, 1)<<16
	}))
	r.clean()
}

// TestTextureInstructions reads a description and its texels as <irgl/texture_loads.h> lays them out.
func TestTextureInstructions(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.address_size 64\n" + `.visible .entry k(.param .u64 object, .param .u64 out) {
.reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [object]; ld.param.u64 %rd2, [out];
mov.f32 %f1, 0f3FC00000; mov.f32 %f2, 0f40000000;
tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
mov.u32 %r1, 9; mov.u32 %r2, 1;
tex.level.2d.v4.f32.s32 {%f7, %f8, %f9, %f10}, [%rd1, {%r1, %r2}], %r2;
txq.width.b32 %r3, [%rd1]; tld4.r.2d.v4.f32.f32 {%f11, %f12, %f13, %f14}, [%rd1, {%f1, %f2}];
mov.u32 %r4, 8; sust.b.2d.b32.trap [%rd1, {%r4, %r2}], {%r3}; suld.b.2d.b32.zero {%r5}, [%rd1, {%r4, %r2}];
mov.u32 %r6, 16; suld.b.2d.b32.zero {%r7}, [%rd1, {%r6, %r2}];
st.global.f32 [%rd2], %f3; st.global.f32 [%rd2+4], %f6; st.global.f32 [%rd2+8], %f7; st.global.u32 [%rd2+12], %r3;
st.global.f32 [%rd2+16], %f11; st.global.f32 [%rd2+20], %f14; st.global.u32 [%rd2+24], %r5; st.global.u32 [%rd2+28], %r7;
suld.b.2d.b32.trap {%r7}, [%rd1, {%r6, %r2}]; ret; }
`
	assembles(t, text)
	r := newRigText(t, Checked(), text)
	bits := func(x float32) int32 { return int32(math.Float32bits(x)) }
	texels := r.buffer("texels", values(12, func(i int) int32 { return bits(float32(i * i)) })) // 4 by 3
	object := r.buffer("object", []int32{int32(texels), int32(texels >> 32), 16, 0, 48, 0, 4, 3, 1,
		2 | 32<<8 | 1<<16 | 1<<24, 0 | 0<<8 | 1<<16 | 1<<24, 1, 0, 0, 0, 0})
	out := r.buffer("out", make([]int32, 8))
	if err := r.run("k", 1, 1, object, out); err == nil || !strings.Contains(err.Error(), "surface out of its bounds") {
		t.Errorf("the last access: %v", err)
	}
	// Between rows 1 and 2, in column 1: (25 + 81) / 2.
	equal(t, "out", r.read(out, 8), []int32{bits(53), bits(1), bits(49), 4, bits(81), bits(25), 4, 0})
}
