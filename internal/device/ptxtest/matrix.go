package ptxtest

import (
	"fmt"
	"strings"
)

// This file has the products of matrices. A warp has 2 KiB of shared memory at %mat, of which a lane fills
// what is its own between two barriers of the warp.

// A fragment makes an element register of a matrix from a register of the program.
type fragment struct {
	prefix string // of its registers
	code   string // $D is written
}

// fragments are, by type, numbers whose sums of products are exact in any order: small integers, and of bytes anything.
var fragments = map[string]fragment{
	"bits": {"%a", "mov.b32 $D, $R"},
	"f16":  {"%a", "and.b32 %t0, $R, 0x30003\nor.b32 %t0, %t0, 0x64006400\nmov.b32 %t1, 0x64016401\nsub.rn.f16x2 $D, %t0, %t1"},
	"bf16": {"%a", "and.b32 %t0, $R, 0x30003\nor.b32 %t0, %t0, 0x43004300\nmov.b32 %t1, 0x43014301\nsub.rn.bf16x2 $D, %t0, %t1"},
	"tf32": {"%a", "and.b32 %t0, $R, 7\nsub.s32 %t0, %t0, 3\ncvt.rn.f32.s32 $D, %t0"},
	"e4m3": {"%a", "and.b32 %t0, $R, 0x7777\nmov.b32 %t1, 0x38b84000\nmov.b32 %t2, 0x303cb8c4\nprmt.b32 $D, %t1, %t2, %t0"},
	"e5m2": {"%a", "and.b32 %t0, $R, 0x7777\nmov.b32 %t1, 0x3cbc4000\nmov.b32 %t2, 0x383ebcc2\nprmt.b32 $D, %t1, %t2, %t0"},
	"f64":  {"%e", "and.b32 %t0, $R, 0xff\nsub.s32 %t0, %t0, 100\ncvt.rn.f64.s32 $D, %t0"},
	"f32":  {"%a", "and.b32 %t0, $R, 0x7f\nsub.s32 %t0, %t0, 60\ncvt.rn.f32.s32 $D, %t0"},
	"s32":  {"%a", "mov.b32 $D, $R"},
	// Sums that stay within 32 bits, so that it does not matter after which product .satfinite is applied.
	"bounded": {"%a", "shr.s32 $D, $R, 2"},
}

// A product is an mma instruction: its shape and types, and how many registers of which kind it has.
type product struct {
	mods       string
	na, nb, nc int
	ab, c      string
}

var mmas = []product{
	{"m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f16", "f32"},
	{"m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, "f16", "f16"},
	{"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f16", "f32"},
	{"m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "f16", "f16"},
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "bf16", "f32"},
	{"m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, "bf16", "f32"},
	{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "tf32", "f32"},
	{"m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "tf32", "f32"},
	{"m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "f64", "f64"},
	{"m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, "f64", "f64"},
	{"m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, "f64", "f64"},
	{"m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, "f64", "f64"},
	{"m8n8k16.row.col.s32.<s8|u8>.<s8|u8>.s32", 1, 1, 2, "bits", "s32"},
	{"m16n8k16.row.col.s32.<s8|u8>.<s8|u8>.s32", 2, 1, 4, "bits", "s32"},
	{"m16n8k32.row.col.s32.<s8|u8>.<s8|u8>.s32", 4, 2, 4, "bits", "s32"},
	{"m16n8k32.row.col.s32.<s4|u4>.<s4|u4>.s32", 2, 1, 4, "bits", "s32"},
	{"m16n8k64.row.col.s32.<s4|u4>.<s4|u4>.s32", 4, 2, 4, "bits", "s32"},
	{"m16n8k32.row.col.satfinite.s32.<s8|u8>.<s8|u8>.s32", 4, 2, 4, "bits", "bounded"},
	{"m16n8k64.row.col.satfinite.s32.<s4|u4>.<s4|u4>.s32", 4, 2, 4, "bits", "bounded"},
	{"m16n8k32.row.col.satfinite.s32.u8.u8.s32", 4, 2, 4, "bits", "s32"},
	{"m16n8k32.row.col.f32.<e4m3.e4m3|e5m2.e5m2>.f32", 4, 2, 4, "", "f32"},
}

// part returns the code that makes n registers of a fragment, from number first on, and their list.
func part(kind string, first, n int) (code, list string) {
	f := fragments[kind]
	var lines, regs []string
	for i := range n {
		r := fmt.Sprintf("%s%d", f.prefix, first+i)
		lines = append(lines, strings.ReplaceAll(f.code, "$D", r))
		regs = append(regs, r)
	}
	return strings.Join(lines, "\n") + "\n", "{" + strings.Join(regs, ", ") + "}"
}

var products = append(productTemplates(), wmmaTemplates()...)

// productTemplates returns the templates of mma.
func productTemplates() (list []template) {
	for _, p := range mmas {
		for _, ab := range strings.Fields(map[bool]string{true: p.ab, false: "e4m3 e5m2"}[p.ab != ""]) {
			if p.ab == "" {
				p.mods = strings.ReplaceAll(p.mods, "<e4m3.e4m3|e5m2.e5m2>", "e4m3.e4m3")
				p.mods = strings.ReplaceAll(p.mods, "e4m3", ab)
			}
			codeA, a := part(ab, 0, p.na)
			codeB, b := part(ab, 8, p.nb)
			codeC, c := part(p.c, 16, p.nc)
			text := codeA + codeB + codeC + "mma.sync.aligned." + p.mods + " " + c + ", " + a + ", " + b + ", " + c
			list = append(list, template{text: text + "\n" + results(c)})
		}
	}
	return list
}

// results returns code that copies the registers of a list to registers of the program.
func results(list string) string {
	var lines []string
	for r := range strings.SplitSeq(strings.Trim(list, "{}"), ", ") {
		if strings.HasPrefix(r, "%e") {
			lines = append(lines, "mov.b64 $=L, "+r)
		} else {
			lines = append(lines, "mov.b32 $=R, "+r)
		}
	}
	return strings.Join(lines[:min(len(lines), 4)], "\n")
}

// fill returns code that fills n bytes a lane of the warp's memory, from an offset on.
func fill(kind string, offset, n int) string {
	f := fragments[kind]
	words := 4
	typ := "b32"
	if f.prefix == "%e" {
		words, typ = 8, "b64"
	}
	code := fmt.Sprintf("mad.lo.u32 %%t3, %%lane, %d, %%mat\n", n)
	for i := 0; i < n; i += words {
		c, regs := part(kind, 0, 1)
		code += c + fmt.Sprintf("st.shared.%s [%%t3+%d], %s\n", typ, offset+i, strings.Trim(regs, "{}"))
	}
	return code
}

// wmmaTemplates returns the templates of wmma: the matrices go through the warp's memory, a and b in any layout.
func wmmaTemplates() (list []template) {
	for _, w := range []struct {
		shape, kind, types string
		na, nb, nc         int
		bytes              int // of a and of b, a lane
		c                  string
		lda, ldb, ldc      [2]int // by row and by column
	}{
		{"m16n16k16", "f16", "f32.f32", 8, 8, 8, 16, "f32", [2]int{16, 16}, [2]int{16, 16}, [2]int{16, 16}},
		{"m32n8k16", "f16", "f32.f32", 8, 8, 8, 32, "f32", [2]int{16, 32}, [2]int{8, 16}, [2]int{8, 32}},
		{"m8n32k16", "f16", "f32.f32", 8, 8, 8, 32, "f32", [2]int{16, 8}, [2]int{32, 16}, [2]int{32, 8}},
		{"m16n16k16", "f16", "f16.f16", 8, 8, 4, 16, "f16", [2]int{16, 16}, [2]int{16, 16}, [2]int{16, 16}},
		{"m16n16k16", "bf16", "f32.bf16.bf16.f32", 4, 4, 8, 16, "f32", [2]int{16, 16}, [2]int{16, 16}, [2]int{16, 16}},
		{"m32n8k16", "bf16", "f32.bf16.bf16.f32", 8, 2, 8, 32, "f32", [2]int{16, 32}, [2]int{8, 16}, [2]int{8, 32}},
		{"m16n16k16", "s8", "s32.s8.s8.s32", 2, 2, 8, 8, "s32", [2]int{16, 16}, [2]int{16, 16}, [2]int{16, 16}},
		{"m8n32k16", "u8", "s32.u8.u8.s32.satfinite", 1, 4, 8, 16, "bounded", [2]int{16, 8 + 8}, [2]int{32, 16}, [2]int{32, 8}},
		{"m16n16k8", "tf32", "f32.tf32.tf32.f32", 4, 4, 8, 16, "f32", [2]int{8, 16}, [2]int{16, 8}, [2]int{16, 16}},
		{"m8n8k4", "f64", "f64.f64.f64.f64", 1, 1, 2, 8, "f64", [2]int{4, 8}, [2]int{8, 4}, [2]int{8, 8}},
	} {
		elements := w.kind
		if w.kind == "s8" || w.kind == "u8" {
			elements = "bits"
		}
		kindC := map[bool]string{true: "s32", false: w.c}[w.c == "bounded"]
		bytesC := 32
		if w.c == "f16" || w.c == "f64" {
			bytesC = 16
		}
		for layout := range 4 {
			la, lb := layout&1, layout>>1
			row := [2]string{"row", "col"}
			_, a := part(elements, 0, w.na)
			_, b := part(elements, 8, w.nb)
			_, c := part(w.c, 16, w.nc)
			text := "bar.warp.sync -1\n" + fill(elements, 0, w.bytes) + fill(w.c, 1024, bytesC) + "bar.warp.sync -1\nadd.u32 %t2, %mat, 1024\n" +
				fmt.Sprintf("wmma.load.a.sync.aligned.%s.%s.shared.%s %s, [%%mat], %d\n", row[la], w.shape, w.kind, a, w.lda[la]) +
				fmt.Sprintf("wmma.load.b.sync.aligned.%s.%s.shared.%s %s, [%%mat], %d\n", row[lb], w.shape, w.kind, b, w.ldb[lb]) +
				fmt.Sprintf("wmma.load.c.sync.aligned.row.%s.shared.%s %s, [%%t2], %d\n", w.shape, kindC, c, w.ldc[0]) +
				fmt.Sprintf("wmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s\nbar.warp.sync -1\n", row[la], row[lb], w.shape, w.types, c, a, b, c) +
				fmt.Sprintf("wmma.store.d.sync.aligned.%s.%s.shared.%s [%%t2], %s, %d\nbar.warp.sync -1\n", row[la], w.shape, kindC, c, w.ldc[la]) +
				fmt.Sprintf("mad.lo.u32 %%t3, %%lane, %d, %%t2\nld.shared.v4.b32 {$=R, $=R, $=R, $=R}, [%%t3]\nbar.warp.sync -1", bytesC)
			list = append(list, template{text: text})
		}
	}
	return list
}

const rows = "bar.warp.sync -1\nmad.lo.u32 %t3, %lane, 16, %mat\nst.shared.v4.b32 [%t3], {$R, $R, $R, $R}\nbar.warp.sync -1\n" +
	"xor.b32 %t0, %lane, $N31\nmad.lo.u32 %t2, %t0, 16, %mat\n"

// matrices are moves of matrices of 16-bit elements between registers and shared memory.
var matrices = of(
	rows+"ldmatrix.sync.aligned.m8n8.x1<|.trans>.shared.b16 {$=R}, [%t2]\nbar.warp.sync -1",
	rows+"ldmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 {$=R, $=R}, [%t2]\nbar.warp.sync -1",
	rows+"ldmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 {$=R, $=R, $=R, $=R}, [%t2]\nbar.warp.sync -1",
	rows+"stmatrix.sync.aligned.m8n8.x1<|.trans>.shared.b16 [%t2], {$R}\nbar.warp.sync -1\nld.shared.v4.b32 {$=R, $=R, $=R, $=R}, [%t3]\nbar.warp.sync -1",
	rows+"stmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 [%t2], {$R, $R}\nbar.warp.sync -1\nld.shared.v4.b32 {$=R, $=R, $=R, $=R}, [%t3]\nbar.warp.sync -1",
	rows+"stmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 [%t2], {$R, $R, $R, $R}\nbar.warp.sync -1\nld.shared.v4.b32 {$=R, $=R, $=R, $=R}, [%t3]\nbar.warp.sync -1",
	"movmatrix.sync.aligned.m8n8.trans.b16 $=R, $R",
)
