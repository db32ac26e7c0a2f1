package simt

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"irgl/internal/device"
)

// TestProducts compares mma.sync with products of matrices whose elements are where the tables of the PTX manual have them: of A
// at row lane/4, or 8 below in odd registers, of B at column lane/4, neighbours of k in one register.
func TestProducts(t *testing.T) {
	bytes := func(v uint64, i int) float64 { return float64(int8(v >> (8 * i))) }
	e4m3, e5m2 := byteTable(3, 7, 0x7e), byteTable(2, 15, 0x7b)
	small := func(list []float64, bits uint64) func(v uint64, i int) float64 {
		return func(v uint64, i int) float64 {
			b := v >> (8 * i) & 0xff
			return list[b&bits] * float64(1-2*int(b>>7))
		}
	}
	for _, c := range []struct {
		mods   string
		na, nb int
		pack   int // elements of a register
		typ    string
		mask   uint64 // of the words of A and B, for numbers whose products are exact
		at     func(v uint64, i int) float64
	}{
		{"m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, "s32", math.MaxUint32, bytes},
		{"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "s32", math.MaxUint32, bytes},
		{"m16n8k32.row.col.s32.s4.s4.s32", 2, 1, 8, "s32", math.MaxUint32, func(v uint64, i int) float64 { return float64(int8(v>>(4*i)<<4) >> 4) }},
		{"m16n8k64.row.col.satfinite.s32.u4.u4.s32", 4, 2, 8, "s32", math.MaxUint32, func(v uint64, i int) float64 { return float64(v >> (4 * i) & 15) }},
		{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, "f32", 0xbfbfbfbf, small(e4m3, 0x7f)},
		{"m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, "f32", 0xbebebebe, small(e5m2, 0x7f)},
		{"m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 2, "f32", 0x40c040c0, func(v uint64, i int) float64 { return float64(math.Float32frombits(uint32(v>>(16*i)) << 16)) }},
		{"m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 1, "f32", 0x40c00000, func(v uint64, _ int) float64 { return float64(math.Float32frombits(uint32(v))) }},
	} {
		text := productKernel(c.mods, c.na, c.nb, c.typ)
		assembles(t, text)
		r := newRigText(t, Checked(), text)
		word := func(seed, i int) uint64 { return uint64(i*seed*2654435761+seed) * 0x9e3779b97f4a7c15 >> 20 & c.mask }
		in := func(seed, n int) []int32 {
			return values(32*n, func(i int) int32 { return int32(uint32(word(seed, i))) })
		}
		sum := func(lane, i int) int32 {
			g, row, col := lane/4, lane/4+8*(i/2), lane%4*2+i%2
			x := float64(lane - i)
			for reg := range c.nb {
				for thread := range 4 {
					for e := range c.pack { // k is pack*thread + e + 4*pack*reg
						a := word(3, (4*g+thread)*c.na+2*reg+row/8)
						b := word(5, (4*col+thread)*c.nb+reg)
						x += c.at(a, e) * c.at(b, e)
					}
				}
			}
			if c.typ == "f32" {
				return int32(math.Float32bits(float32(x)))
			}
			return int32(x)
		}
		out := r.buffer("out", values(128, func(i int) int32 {
			if c.typ == "f32" {
				return int32(math.Float32bits(float32(i/4 - i%4)))
			}
			return int32(i/4 - i%4)
		}))
		r.ok("k", 1, 32, r.buffer("a", in(3, c.na)), r.buffer("b", in(5, c.nb)), out)
		equal(t, c.mods, r.read(out, 128), values(128, func(i int) int32 { return sum(i/4, i%4) }))
		r.clean()
	}
}

// productKernel returns a kernel that multiplies what each lane has in its words of a and b, and adds its four words of out.
func productKernel(mods string, na, nb int, typ string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.4\n.target sm_90\n.address_size 64\n"+`.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out) {
.reg .b32 %%a<4>; .reg .b32 %%b<4>; .reg .%s %%c<4>; .reg .b32 %%r<2>; .reg .b64 %%rd<4>;
ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; ld.param.u64 %%rd3, [out]; mov.u32 %%r1, %%laneid;
mad.wide.u32 %%rd1, %%r1, %d, %%rd1; mad.wide.u32 %%rd2, %%r1, %d, %%rd2; mad.wide.u32 %%rd3, %%r1, 16, %%rd3;
`, typ, 4*na, 4*nb)
	list := func(name string, n int, at string, op string) string {
		var regs []string
		for i := range n {
			regs = append(regs, fmt.Sprintf("%%%s%d", name, i))
			if op == "st" {
				fmt.Fprintf(&b, "st.global.%s [%s+%d], %s; ", typ, at, 4*i, regs[i])
			} else if op != "" {
				fmt.Fprintf(&b, "ld.global.%s %s, [%s+%d]; ", op, regs[i], at, 4*i)
			}
		}
		return "{" + strings.Join(regs, ", ") + "}"
	}
	x, y, z := list("a", na, "%rd1", "b32"), list("b", nb, "%rd2", "b32"), list("c", 4, "%rd3", typ)
	fmt.Fprintf(&b, "\nmma.sync.aligned.%s %s, %s, %s, %s;\n", mods, z, x, y, z)
	list("c", 4, "%rd3", "st")
	b.WriteString("ret; }\n")
	return b.String()
}

// TestGridWorkspace: blocks of a cooperative launch meet at the barrier whose address the driver gives.
func TestGridWorkspace(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.address_size 64\n" + `.visible .entry k(.param .u64 out) {
.reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd2, {%r2, %r1};
mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; add.u32 %r4, %r3, 7; st.global.u32 [%rd3], %r4;
atom.add.release.gpu.u32 %r5, [%rd2+4], 1;
L: ld.acquire.gpu.u32 %r6, [%rd2+4]; setp.lt.u32 %p1, %r6, 4; @%p1 bra L;
xor.b32 %r3, %r3, 3; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd1, %rd4; ld.global.u32 %r7, [%rd4]; st.global.u32 [%rd3+16], %r7; ret; }
`
	r := newRigText(t, Checked(), text)
	out := r.buffer("out", make([]int32, 8))
	k, err := r.mod.Kernel("k")
	if err == nil {
		err = r.d.Launch(k, device.Launch{Grid: device.Dim3{X: 4}, Params: params(t, out), Cooperative: true})
	}
	if err == nil {
		err = r.d.Sync(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "out", r.read(out, 8), []int32{7, 8, 9, 10, 10, 9, 8, 7})
	r.clean()
}
