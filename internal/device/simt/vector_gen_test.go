package simt

import (
	"fmt"
	"go/format"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/golden"
)

//go:generate go test -run ^TestGenerated -update .

// A vectorRow is a kernel of all 32 lanes: the instructions that compute four of them, and the names of the instructions of
// PTX that it executes. A, B and C are the operands, D is the result, T and U are temporary; LOW has the low halves
// of the lanes set, SIGN their highest bits, NAN is the canonical NaN of f32 in each half. Operands are in the order of Go's
// assembler: the destination is the last.
type vectorRow struct {
	name, ptx, code string
}

// Endings of rows: the low half of the result; and that of f32, whose NaN is canonical.
const (
	low32 = "; VPAND LOW, D, D"
	f32   = "; VCMPPS $3, D, D, T; VBLENDVPS T, NAN, D, D" + low32
)

// pack puts the low halves of A's lanes side by side.
const pack = "VEXTRACTI128 $1, A, XT; VSHUFPS $0x88, XT, XA, XA; "

// product64 computes the low half of a product of 64-bit numbers: there is no instruction for it.
const product64 = "VPSRLQ $32, A, T; VPMULUDQ B, T, T; VPSRLQ $32, B, U; VPMULUDQ A, U, U; VPADDQ T, U, U; VPSLLQ $32, U, U; VPMULUDQ B, A, D; VPADDQ U, D, D"

var unaryRows = []vectorRow{
	{"Same", "cvta.to.global.u64 cvta.global.u64", "VMOVDQA A, D"},
	{"ZeroExtend32", "cvt.u64.u32 cvt.u32.u64 cvt.s64.u32 cvt.u32.u32", "VPAND LOW, A, D"},
	{"SignExtend32", "cvt.s64.s32", "VPSRAD $31, A, T; VPSLLQ $32, T, T; VPAND LOW, A, A; VPOR T, A, D"},
	{"ToF64", "cvt.rn.f64.s32", pack + "VCVTDQ2PD XA, D"},
	{"ToF32", "cvt.rn.f32.s32", "VCVTDQ2PS A, D" + low32},
	{"Not32", "not.b32", "VPANDN LOW, A, D"},
	{"Not64", "not.b64", "VPCMPEQD T, T, T; VPXOR T, A, D"},
	{"Neg32", "neg.s32", "VPXOR T, T, T; VPSUBQ A, T, D" + low32},
	{"Neg64", "neg.s64", "VPXOR T, T, T; VPSUBQ A, T, D"},
	{"NegF64", "neg.f64", "VPXOR SIGN, A, D"},
	{"AbsF64", "abs.f64", "VPANDN A, SIGN, D"},
	{"SqrtF32", "sqrt.rn.f32", "VSQRTPS A, D" + f32},
	{"SqrtF64", "sqrt.rn.f64", "VSQRTPD A, D"},
	{"WidenF32", "cvt.f64.f32", pack + "VCVTPS2PD XA, D"},
}

var binaryRows = []vectorRow{
	{"Add32", "add.u32 add.s32", "VPADDQ B, A, D" + low32},
	{"Add64", "add.u64 add.s64", "VPADDQ B, A, D"},
	{"Sub32", "sub.u32 sub.s32", "VPSUBQ B, A, D" + low32},
	{"Sub64", "sub.u64 sub.s64", "VPSUBQ B, A, D"},
	{"Mul32", "mul.lo.u32 mul.lo.s32", "VPMULUDQ B, A, D" + low32},
	{"Mul64", "mul.lo.u64 mul.lo.s64", product64},
	{"MulWide", "mul.wide.u32", "VPMULUDQ B, A, D"},
	{"MulWideSigned", "mul.wide.s32", "VPMULDQ B, A, D"},
	{"And", "and.b32 and.b64", "VPAND B, A, D"},
	{"Or", "or.b32 or.b64", "VPOR B, A, D"},
	{"Xor", "xor.b32 xor.b64", "VPXOR B, A, D"},
	{"Shl32", "shl.b32", "VPSLLVQ B, A, D" + low32},
	{"Shl64", "shl.b64", "VPSLLVQ B, A, D"},
	{"Shr", "shr.u32 shr.b32 shr.u64 shr.b64", "VPSRLVQ B, A, D"},
	{"ShrSigned32", "shr.s32", "VPSRAVD B, A, D" + low32},
	{"ShrSigned64", "shr.s64", "VPXOR T, T, T; VPCMPGTQ A, T, T; VPXOR T, A, D; VPSRLVQ B, D, D; VPXOR T, D, D"},
	{"MulHigh", "mul.hi.u32", "VPMULUDQ B, A, D; VPSRLQ $32, D, D"},
	{"MulHighSigned", "mul.hi.s32", "VPMULDQ B, A, D; VPSRLQ $32, D, D"},
	{"Min32", "min.s32", "VPMINSD B, A, D" + low32},
	{"Max32", "max.s32", "VPMAXSD B, A, D" + low32},
	{"MinUnsigned32", "min.u32", "VPMINUD B, A, D" + low32},
	{"MaxUnsigned32", "max.u32", "VPMAXUD B, A, D" + low32},
	{"AddF32", "add.f32 add.rn.f32", "VADDPS B, A, D" + f32},
	{"SubF32", "sub.f32 sub.rn.f32", "VSUBPS B, A, D" + f32},
	{"MulF32", "mul.f32 mul.rn.f32", "VMULPS B, A, D" + f32},
	{"AddF64", "add.f64 add.rn.f64", "VADDPD B, A, D"},
	{"MulF64", "mul.f64 mul.rn.f64", "VMULPD B, A, D"},
	{"SubF64", "sub.f64 sub.rn.f64", "VPXOR SIGN, B, B; VADDPD A, B, D"},
	{"DivF32", "div.rn.f32", "VDIVPS B, A, D" + f32},
	{"DivF64", "div.rn.f64", "VDIVPD B, A, D"},
}

var ternaryRows = []vectorRow{
	{"Mad32", "mad.lo.u32 mad.lo.s32", "VPMULUDQ B, A, D; VPADDQ C, D, D" + low32},
	{"Mad64", "mad.lo.u64 mad.lo.s64", product64 + "; VPADDQ C, D, D"},
	{"MadWide", "mad.wide.u32", "VPMULUDQ B, A, D; VPADDQ C, D, D"},
	{"MadWideSigned", "mad.wide.s32", "VPMULDQ B, A, D; VPADDQ C, D, D"},
	{"FMAF32", "fma.rn.f32", "VFMADD231PS B, A, C; VMOVDQA C, D" + f32},
	{"FMAF64", "fma.rn.f64", "VFMADD231PD B, A, C; VMOVDQA C, D"},
}

// compareRows have the names of kernelTables.compare. The highest bits of the lanes of D are the result.
var compareRows = []vectorRow{
	{"Less32", "less32", "VPSLLQ $32, A, A; VPSLLQ $32, B, B; VPCMPGTQ A, B, D"},
	{"LessUnsigned32", "lessUnsigned32", "VPAND LOW, A, A; VPAND LOW, B, B; VPCMPGTQ A, B, D"},
	{"Less64", "less64", "VPCMPGTQ A, B, D"},
	{"LessUnsigned64", "lessUnsigned64", "VPXOR SIGN, A, A; VPXOR SIGN, B, B; VPCMPGTQ A, B, D"},
	{"Equal32", "equal32", "VPCMPEQD B, A, D; VPSLLQ $32, D, D"},
	{"Equal64", "equal64", "VPCMPEQQ B, A, D"},
	{"LessF32", "lessF32", "VCMPPS $0x11, B, A, D; VPSLLQ $32, D, D"},
	{"LessEqualF32", "lessEqualF32", "VCMPPS $0x12, B, A, D; VPSLLQ $32, D, D"},
	{"EqualF32", "equalF32", "VCMPPS $0, B, A, D; VPSLLQ $32, D, D"},
	{"LessF64", "lessF64", "VCMPPD $0x11, B, A, D"},
	{"LessEqualF64", "lessEqualF64", "VCMPPD $0x12, B, A, D"},
	{"EqualF64", "equalF64", "VCMPPD $0, B, A, D"},
}

// vectorConstants make the constants of rows.
var vectorConstants = []struct{ name, code string }{
	{"LOW", "VPCMPEQD LOW, LOW, LOW; VPSRLQ $32, LOW, LOW"},
	{"SIGN", "VPCMPEQD SIGN, SIGN, SIGN; VPSLLQ $63, SIGN, SIGN"},
	{"NAN", "VPCMPEQD NAN, NAN, NAN; VPSRLD $1, NAN, NAN"},
}

// registers are those of the names in a row's code.
var registers = map[string]string{"A": "Y0", "B": "Y1", "C": "Y2", "D": "Y3", "T": "Y4", "U": "Y5", "XA": "X0", "XT": "X4", "NAN": "Y13", "SIGN": "Y14", "LOW": "Y15"}

var word = regexp.MustCompile(`[A-Z]+\b`)

// assemble returns the lines of code of a row.
func assemble(code string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(code, "; ") {
		op, operands, _ := strings.Cut(line, " ")
		fmt.Fprintf(&b, "\t%s %s\n", op, word.ReplaceAllStringFunc(operands, func(s string) string { return registers[s] }))
	}
	return b.String()
}

// text returns the function of a row in assembly: a loop over the lanes, four at a time; from the last to the
// first where it compares, so that the bits of the first are the lowest.
func (r *vectorRow) text(operands int, compares bool) string {
	var b strings.Builder
	from, step, size := 0, "ADDQ $32, AX\n\tCMPQ AX, $256\n\tJNE  loop", 8*(operands+1)
	if compares {
		from, step = 224, "SUBQ $32, AX\n\tJGE  loop"
	}
	names, pointers := []string{"a", "b", "c"}[:operands], []string{"SI", "DX", "CX"}
	if compares {
		fmt.Fprintf(&b, "\nTEXT ·vector%s(SB), NOSPLIT, $0-%d\n", r.name, size-4)
	} else {
		fmt.Fprintf(&b, "\nTEXT ·vector%s(SB), NOSPLIT, $0-%d\n\tMOVQ d+0(FP), DI\n", r.name, size)
		names, pointers = append([]string{"d"}, names...), append([]string{"DI"}, pointers...)
	}
	for i, name := range names {
		if name != "d" {
			fmt.Fprintf(&b, "\tMOVQ %s+%d(FP), %s\n", name, 8*i, pointers[i])
		}
	}
	for _, c := range vectorConstants {
		if strings.Contains(r.code, c.name) {
			b.WriteString(assemble(c.code))
		}
	}
	fmt.Fprintf(&b, "\tMOVQ $%d, AX\n", from)
	if compares {
		b.WriteString("\tXORL R9, R9\n")
	}
	b.WriteString("\nloop:\n")
	for i, p := range []string{"SI", "DX", "CX"}[:operands] {
		fmt.Fprintf(&b, "\tVMOVDQU (%s)(AX*1), Y%d\n", p, i)
	}
	b.WriteString(assemble(r.code))
	if compares {
		b.WriteString("\tVMOVMSKPD Y3, R8\n\tSHLL $4, R9\n\tORL  R8, R9\n")
	} else {
		b.WriteString("\tVMOVDQU Y3, (DI)(AX*1)\n")
	}
	fmt.Fprintf(&b, "\t%s\n\tVZEROUPPER\n", step)
	if compares {
		fmt.Fprintf(&b, "\tMOVL R9, ret+16(FP)\n")
	}
	b.WriteString("\tRET\n")
	return b.String()
}

// TestGeneratedVectors makes the vector kernels: -update writes them.
func TestGeneratedVectors(t *testing.T) {
	const by = "// Code generated by TestGeneratedVectors of vector_gen_test.go. DO NOT EDIT.\n\n"
	var text, tables, decls strings.Builder
	text.WriteString(by + "#include \"textflag.h\"\n")
	tables.WriteString(by + "package simt\n\nimport \"sync\"\n\nvar vectorCode = sync.OnceValue(func() *vectorTables {\nreturn &vectorTables{\n")
	for _, k := range []struct {
		kind, signature string
		operands        int
		rows            []vectorRow
	}{
		{"unary", "(d, a *[32]uint64)", 1, unaryRows},
		{"binary", "(d, a, b *[32]uint64)", 2, binaryRows},
		{"ternary", "(d, a, b, c *[32]uint64)", 3, ternaryRows},
		{"compare", "(a, b *[32]uint64) uint32", 2, compareRows},
	} {
		fmt.Fprintf(&tables, "%s: map[string]%sVector{\n", k.kind, k.kind)
		for _, r := range k.rows {
			text.WriteString(r.text(k.operands, k.kind == "compare"))
			fmt.Fprintf(&decls, "\n//go:noescape\nfunc vector%s%s\n", r.name, k.signature)
			for _, name := range strings.Fields(r.ptx) {
				fmt.Fprintf(&tables, "\t%q: vector%s,\n", name, r.name)
			}
		}
		tables.WriteString("},\n")
	}
	source, err := format.Source([]byte(tables.String() + "}\n})\n" + decls.String()))
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "vector_amd64.s", text.String())
	golden.File(t, "vector_amd64.go", string(source))
}
