package simt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
)

// exactInstructions are those whose results PTX defines bit for bit, or that
// every NVIDIA GPU computes alike. A, B, C are the operands in registers of
// the type; the result is D, and the predicates P and Q.
func exactInstructions() []string {
	var list []string
	add := func(ops, types, form string) {
		for _, op := range strings.Fields(ops) {
			for _, t := range strings.Fields(types) {
				list = append(list, strings.NewReplacer("OP", op, "TY", t).Replace(form))
			}
		}
	}
	ints, wide := "u16 s16 u32 s32 u64 s64", "u32 s32 u64 s64"
	add("add sub mul.lo mul.hi min max", ints, "OP.TY D, A, B")
	add("add.sat sub.sat", "s32", "OP.TY D, A, B")
	add("mad.lo mad.hi sad", ints, "OP.TY D, A, B, C")
	add("mad.hi.sat", "s32", "OP.TY D, A, B, C")
	add("mul24.lo mul24.hi", "u32 s32", "OP.TY D, A, B")
	add("mad24.lo mad24.hi", "u32 s32", "OP.TY D, A, B, C")
	add("abs neg", "s16 s32 s64", "OP.TY D, A")
	add("popc clz", "b32", "OP.TY D, A")
	add("brev not cnot", "b32 b64", "OP.TY D, A")
	add("bfind bfind.shiftamt", "u32 s32", "OP.TY D, A")
	add("bfe", "u32 s32", "OP.TY D, A, B, C")
	add("and or xor", "b16 b32 b64", "OP.TY D, A, B")
	add("lop3", "b32", "OP.TY D, A, B, C, 0x1b")
	add("prmt.b32 prmt.b32.f4e prmt.b32.b4e prmt.b32.rc8 prmt.b32.ecl prmt.b32.ecr prmt.b32.rc16", "b32", "OP D, A, B, C")
	add("shf.l.wrap shf.r.wrap shf.l.clamp shf.r.clamp", "b32", "OP.TY D, A, B, C")
	add("szext.wrap szext.clamp", "u32 s32", "OP.TY D, A, B")
	add("bmsk.wrap bmsk.clamp", "b32", "OP.TY D, A, B")
	add("dp4a.u32.u32 dp4a.s32.s32 dp4a.u32.s32 dp2a.lo.s32.u32 dp2a.hi.s32.s32", "b32", "OP D, A, B, C")
	add("fns", "b32", "shr.s32 C, C, 1;\n\tand.b32 B, B, 63;\n\tOP.TY D, A, B, C")
	add("eq ne lt le gt ge", wide, "setp.OP.TY P|Q, A, B")
	add("lo ls hi hs", "u32", "setp.OP.TY P|Q, A, B")
	add("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "f32 f64", "setp.OP.TY P|Q, A, B")
	add("lt.ftz gtu.ftz", "f32", "setp.OP.TY P, A, B")
	add("add.cc sub.cc", "u32", "OP.TY D, A, B;\n\taddc.u32 D, C, D")
	add("add.cc sub.cc", "u32", "OP.TY D, A, B;\n\tsubc.u32 D, C, D")
	add("mad.lo.cc", "u32", "OP.TY D, A, B, C;\n\tmadc.hi.u32 D, A, B, D")
	add("add sub mul", "f32", "OP.rn.TY D, A, B")
	add("rn rz rm rp", "f32 f64", "add.OP.TY D, A, B")
	add("rn rz rm rp", "f32 f64", "sub.OP.TY D, A, B")
	add("rn rz rm rp", "f32 f64", "mul.OP.TY D, A, B")
	add("rn rz rm rp", "f32 f64", "fma.OP.TY D, A, B, C")
	add("rn rz rm rp", "f32 f64", "div.OP.TY D, A, B")
	add("rn rz rm rp", "f32 f64", "sqrt.OP.TY D, A")
	add("rn rz rm rp", "f32 f64", "rcp.OP.TY D, A")
	add("add mul", "f32", "OP.rn.ftz.TY D, A, B")
	add("add mul", "f32", "OP.rn.sat.TY D, A, B")
	add("fma.rn.ftz fma.rz.sat", "f32", "OP.TY D, A, B, C")
	add("div.rn.ftz", "f32", "OP.TY D, A, B")
	add("sqrt.rn.ftz rcp.rn.ftz", "f32", "OP.TY D, A")
	add("min max", "f32 f64", "OP.TY D, A, B")
	add("min.ftz max.ftz", "f32", "OP.TY D, A, B")
	add("abs neg", "f32 f64", "OP.TY D, A")
	add("abs.ftz neg.ftz", "f32", "OP.TY D, A")
	add("copysign", "f32 f64", "OP.TY D, A, B")
	add("finite infinite number notanumber normal subnormal", "f32 f64", "testp.OP.TY P, A")
	return list
}

// A conversion is tested with a source and a destination register of its own.
func conversions() (list [][2]string) {
	ints := strings.Fields("u8 s8 u16 s16 u32 s32 u64 s64")
	for _, to := range ints {
		for _, from := range ints {
			list = append(list, [2]string{"cvt." + to + "." + from, from})
		}
		for _, f := range []string{"f32", "f64"} {
			for _, r := range []string{"rni", "rzi", "rmi", "rpi"} {
				list = append(list, [2]string{"cvt." + r + "." + to + "." + f, f})
			}
			for _, r := range []string{"rn", "rz", "rm", "rp"} {
				list = append(list, [2]string{"cvt." + r + "." + f + "." + to, to})
			}
		}
	}
	for _, s := range []string{"sat.u8.s32", "sat.s8.s32", "sat.u16.s64", "sat.s32.u32", "sat.u32.s32", "sat.s16.u64", "sat.s32.s64"} {
		list = append(list, [2]string{"cvt." + s, s[strings.LastIndex(s, ".")+1:]})
	}
	for _, r := range []string{"rn", "rz", "rm", "rp"} {
		list = append(list, [2]string{"cvt." + r + ".f32.f64", "f64"}, [2]string{"cvt." + r + ".ftz.f32.f64", "f64"}, [2]string{"cvt." + r + "i.f32.f32", "f32"}, [2]string{"cvt." + r + "i.f64.f64", "f64"})
	}
	for _, r := range []string{"rn", "rz"} {
		list = append(list, [2]string{"cvt." + r + ".f16.f32", "f32"})
	}
	return append(list, [2]string{"cvt.f64.f32", "f32"}, [2]string{"cvt.sat.f32.f32", "f32"}, [2]string{"cvt.f32.f16", "f16"}, [2]string{"cvt.ftz.f32.f32", "f32"})
}

// regOf returns the letter of the registers of a type in numericKernel.
func regOf(t string) string {
	switch {
	case t == "f32":
		return "f"
	case t == "f64":
		return "d"
	case strings.HasSuffix(t, "16") || strings.HasSuffix(t, "8"):
		return "h"
	case strings.HasSuffix(t, "64"):
		return "l"
	}
	return "w"
}

// numericKernel makes a kernel that executes one instruction for each thread.
func numericKernel(name, code, in, out string) string {
	code = strings.NewReplacer("D", "%"+out+"0", "A", "%"+in+"1", "B", "%"+in+"2", "C", "%"+in+"3", "P", "%p0", "Q", "%p1").Replace(code)
	return fmt.Sprintf(`
.visible .entry %s(.param .u64 pin, .param .u64 pout)
{
	.reg .pred %%p<2>; .reg .b16 %%h<4>; .reg .b32 %%w<4>; .reg .b64 %%l<4>; .reg .f32 %%f<4>; .reg .f64 %%d<4>;
	.reg .b64 %%a, %%b; .reg .b32 %%t, %%u;
	ld.param.u64 %%a, [pin]; ld.param.u64 %%b, [pout];
	mov.u32 %%t, %%ctaid.x; mov.u32 %%u, %%ntid.x; mul.lo.u32 %%t, %%t, %%u; mov.u32 %%u, %%tid.x; add.u32 %%t, %%t, %%u;
	mul.wide.u32 %%l0, %%t, 24; add.u64 %%a, %%a, %%l0; mul.wide.u32 %%l0, %%t, 16; add.u64 %%b, %%b, %%l0;
	ld.global.u64 %%l1, [%%a]; ld.global.u64 %%l2, [%%a+8]; ld.global.u64 %%l3, [%%a+16];
	cvt.u32.u64 %%w1, %%l1; cvt.u32.u64 %%w2, %%l2; cvt.u32.u64 %%w3, %%l3;
	cvt.u16.u64 %%h1, %%l1; cvt.u16.u64 %%h2, %%l2; cvt.u16.u64 %%h3, %%l3;
	mov.b32 %%f1, %%w1; mov.b32 %%f2, %%w2; mov.b32 %%f3, %%w3;
	mov.b64 %%d1, %%l1; mov.b64 %%d2, %%l2; mov.b64 %%d3, %%l3;
	mov.b64 %%l0, 0; mov.b32 %%w0, 0; mov.b16 %%h0, 0; mov.f32 %%f0, 0f00000000; mov.f64 %%d0, 0d0000000000000000;
	setp.ne.u32 %%p0, %%t, %%t; setp.ne.u32 %%p1, %%t, %%t;
	%s;
	st.global.%s [%%b], %%%s0; selp.u32 %%u, 1, 0, %%p0; selp.u32 %%t, 2, 0, %%p1; or.b32 %%u, %%u, %%t; st.global.u32 [%%b+8], %%u;
	ret;
}
`, name, code, map[string]string{"h": "b16", "w": "b32", "l": "b64", "f": "f32", "d": "f64"}[out], out)
}

// numericCases returns a text with a kernel for each instruction, and the
// instructions by kernel number with their operands' type.
func numericCases() (text string, code, types []string) {
	var b strings.Builder
	b.WriteString(".version 7.8\n.target sm_75\n.address_size 64\n")
	add := func(c, in, out string) {
		t := in
		if len(c) > 0 && strings.HasPrefix(c, "cvt") {
			c += " D, A"
			t = strings.Split(c, " ")[0]
		}
		b.WriteString(numericKernel(fmt.Sprintf("k%d", len(code)), c, regOf(in), regOf(out)))
		code, types = append(code, c), append(types, t)
	}
	for _, c := range exactInstructions() {
		op := strings.Fields(strings.Split(c, ";")[0])[0]
		t := "b32"
		for _, m := range strings.Split(op, ".") {
			switch m {
			case "u16", "s16", "b16", "u64", "s64", "b64", "f32", "f64":
				t = m
			}
		}
		add(c, t, t)
	}
	for _, c := range conversions() {
		to := strings.Split(c[0], ".")
		add(c[0], c[1], to[len(to)-2])
	}
	return b.String(), code, types
}

// operands returns n triples: special values of every width in all pairs, and
// random ones of different magnitudes.
func operands(n int) []byte {
	special := []uint64{0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 0x7fffffff, 0x80000000, 0xffffffff,
		0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x007fffff, 0x00800000, 0x80000001, 0x7f7fffff, 0x4f000000, 0x5f000000, 0x4b800001, 0xcf000001,
		0x3ff0000000000000, 0xbff0000000000000, 0x400921fb54442d18, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x8000000000000000,
		0x0010000000000000, 0x000fffffffffffff, 0x43e0000000000000, 0x41dfffffffc00000, 0xc1e0000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x3ff0000010000000, 0x3ff0000030000000, 0x36a0000000000000}
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, 0, 24*n)
	pick := func() uint64 {
		switch rng.IntN(5) {
		case 0:
			return special[rng.IntN(len(special))]
		case 1:
			return rng.Uint64() >> rng.IntN(64)
		case 2: // a float near one
			return uint64(0x3f000000+rng.Uint32N(0x1800000)) | uint64(rng.Uint32())<<32
		case 3: // a double near one
			return 0x3fd0000000000000 + rng.Uint64N(0x80000000000000)
		}
		return rng.Uint64()
	}
	for range 3 * n {
		out = binary.LittleEndian.AppendUint64(out, pick())
	}
	return out
}

// runNumeric runs every kernel of text and returns 16 bytes a thread.
func runNumeric(t *testing.T, d device.Device, text string, kernels int, in []byte) [][]byte {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mod, err := d.Load("numeric.ptx", text)
	fatal(err)
	p, err := d.Alloc("in", int64(len(in)))
	fatal(err)
	fatal(d.CopyIn(p, in))
	n := len(in) / 24
	q, err := d.Alloc("out", int64(16*n))
	fatal(err)
	var results [][]byte
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(p)), uint64(q))
	for i := range kernels {
		k, err := mod.Kernel(fmt.Sprintf("k%d", i))
		fatal(err)
		fatal(d.Fill(q, 0, int64(16*n)))
		fatal(d.Launch(k, device.Launch{Grid: device.Dim3{X: uint32(n / 128)}, Block: device.Dim3{X: 128}, Params: params}))
		out := make([]byte, 16*n)
		fatal(d.CopyOut(out, q))
		results = append(results, out)
	}
	fatal(d.Sync(context.Background()))
	return results
}

// nanEqual reports whether two results are equal or both NaN of their type:
// PTX leaves the payload of f64 NaNs open.
func nanEqual(code string, a, b uint64) bool {
	if a == b {
		return true
	}
	isNaN := func(v uint64) bool { return v&0x7ff0000000000000 == 0x7ff0000000000000 && v<<12 != 0 }
	return strings.Contains(code, "f64") && isNaN(a) && isNaN(b)
}

// TestAgainstGPU compares every arithmetic instruction with a GPU, bit for
// bit, on special and random operands.
func TestAgainstGPU(t *testing.T) {
	text, code, _ := numericCases()
	emulated := Open(Checked())
	n := 4096
	if testing.Short() {
		n = 512
	}
	in := operands(n)
	got := runNumeric(t, emulated, text, len(code), in)
	for _, r := range emulated.Reports() {
		t.Errorf("false report: %v", r)
	}
	gpu, err := cuda.Open(0)
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		t.Skip("no GPU to compare with: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer gpu.Close()
	want := runNumeric(t, gpu, text, len(code), in)
	for k := range code {
		bad := 0
		for i := range len(in) / 24 {
			g, w := binary.LittleEndian.Uint64(got[k][16*i:]), binary.LittleEndian.Uint64(want[k][16*i:])
			gp, wp := got[k][16*i+8], want[k][16*i+8]
			if nanEqual(code[k], g, w) && gp == wp {
				continue
			}
			if bad++; bad <= 2 {
				t.Errorf("%s: operands %#x %#x %#x: emulator %#x %d, GPU %#x %d", code[k], binary.LittleEndian.Uint64(in[24*i:]),
					binary.LittleEndian.Uint64(in[24*i+8:]), binary.LittleEndian.Uint64(in[24*i+16:]), g, gp, w, wp)
			}
		}
		if bad > 2 {
			t.Errorf("%s: %d results differ", code[k], bad)
		}
	}
}
