package ptxtest_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/device/ptxtest"
	"irgl/internal/device/simt"
)

// faults are mistakes that an emulator might make: an instruction, and what it takes it for.
var faults = []struct{ name, old, by string }{
	{"bfloat16 is rounded to zero", `cvt\.rn\.bf16\.f32`, "cvt.rz.bf16.f32"},
	{"pairs of bfloat16 are rounded to zero", `cvt\.rn\.bf16x2\.f32`, "cvt.rz.bf16x2.f32"},
	{"half precision is rounded to zero", `cvt\.rn\.f16\.f32`, "cvt.rz.f16.f32"},
	{"a rectifier is lost", `fma\.rn\.relu\.f16x2`, "fma.rn.f16x2"},
	{"tf32 is rounded to even", `cvt\.rna\.tf32`, "cvt.rn.tf32"},
	{"one format of bytes for the other", `e4m3x2\.f32`, "e5m2x2.f32"},
	{"one format of bytes read as the other", `cvt\.rn\.f16x2\.e5m2x2`, "cvt.rn.f16x2.e4m3x2"},
	{"the sign of bytes in a sum of products", `dp4a\.s32\.u32`, "dp4a.u32.u32"},
	{"the sign of the other bytes", `dp4a\.u32\.s32`, "dp4a.u32.u32"},
	{"the other half of a register", `dp2a\.hi`, "dp2a.lo"},
	{"a sum of bytes that does not saturate", `(v(?:add|sub)[24]\.\S+)\.sat`, "$1"},
	{"differences of unsigned halves", `vabsdiff2\.s32\.s32\.s32`, "vabsdiff2.u32.u32.u32"},
	{"a mode of permutations", `prmt\.b32\.ecl`, "prmt.b32.ecr"},
	{"a funnel shift that wraps", `shf\.(.)\.clamp`, "shf.$1.wrap"},
	{"a bit field without its sign", `bfe\.s32`, "bfe.u32"},
	{"a mask of bits that wraps", `bmsk\.clamp\.b32 %r`, "bmsk.wrap.b32 %r"},
	{"a lost carry", `addc\.cc\.u32`, "add.cc.u32"},
	{"subnormal numbers that are kept", `(add|sub|mul|fma)\.(r.)\.ftz`, "$1.$2"},
	{"a minimum that forgets NaN", `min\.NaN\.f16x2`, "min.f16x2"},
	{"a comparison that is true of NaN", `setp\.([lg][te])\.f16 `, "setp.${1}u.f16 "},
	{"a maximum without signs", `redux\.sync\.max\.s32`, "redux.sync.max.u32"},
	{"all lanes for any", `vote\.sync\.any\.pred (%p)`, "vote.sync.all.pred $1"},
	{"a shuffle in the other direction", `shfl\.sync\.up`, "shfl.sync.down"},
	{"a matrix that is not transposed", `(ldmatrix\.sync\.aligned\.m8n8\.x[124])\.trans`, "$1"},
	{"the sign of a matrix of bytes", `(mma\.sync\.aligned\.m16n8k32\.row\.col\.s32)\.s8`, "$1.u8"},
	{"the sign of a matrix of nibbles", `(mma\.sync\.aligned\.m16n8k64\.row\.col\.s32)\.s4`, "$1.u4"},
	{"a matrix by columns taken for one by rows", `(wmma\.load\.a\.sync\.aligned)\.col\.m16n16k16`, "$1.row.m16n16k16"},
	{"a copy without zeros", `(cp\.async\.cg\.shared\.global [^,]*, [^,]*, 16), %t1`, "$1"},
	{"a counter that goes down", `atom\.shared\.inc`, "atom.shared.dec"},
	{"a byte without its sign", `ld\.shared\.s8`, "ld.shared.u8"},
	{"a barrier that counts threads twice", `bar\.red\.and\.pred`, "bar.red.or.pred"},
	{"an arrival that counts twice", `(mbarrier\.arrive\.noComplete\S* \S+ \S+) 2`, "$1 1"},
}

// TestFaults: programs show mistakes.
func TestFaults(t *testing.T) {
	if testing.Short() {
		faults = faults[:4]
	}
	const at, most = 20, 600
	left := faults
	for first := uint64(0); first < most && len(left) > 0; first += at {
		programs := group(first, at)
		want, err := emulate(simt.Options{}, programs...)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, p := range programs {
			texts = append(texts, ptxtest.Module(p))
		}
		var hidden []struct{ name, old, by string }
		for _, f := range left {
			d := wrong{simt.Open(simt.Options{}), regexp.MustCompile(f.old), f.by}
			shown := false
			for i, p := range programs {
				if shown || !d.old.MatchString(texts[i]) {
					continue
				}
				got, err := ptxtest.Run(context.Background(), d, p)
				if err != nil {
					t.Fatalf("%s: %v", f.name, err)
				}
				shown = p.Compare(got[0], want[i]) != nil
			}
			if !shown {
				hidden = append(hidden, f)
			}
		}
		left = hidden
	}
	for _, f := range left {
		t.Errorf("%s: no program shows it", f.name)
	}
}

// TestReduce: a program is cut down to the instruction that a device gets wrong, whatever is around it.
func TestReduce(t *testing.T) {
	right := func(p *ptxtest.Program) []byte {
		out, err := emulate(simt.Options{}, p)
		if err != nil {
			t.Fatalf("a smaller program is not defined: %v\n%s", err, ptxtest.Module(p))
		}
		return out[0]
	}
	n := 2
	if testing.Short() {
		n = 1
	}
	for _, f := range faults[:n] {
		d := wrong{simt.Open(simt.Options{}), regexp.MustCompile(f.old), f.by}
		difference := func(p *ptxtest.Program) *ptxtest.Difference {
			got, err := ptxtest.Run(context.Background(), d, p)
			if err != nil {
				t.Fatal(err)
			}
			return p.Compare(got[0], right(p))
		}
		seed := uint64(0)
		for ; difference(ptxtest.Generate(seed)) == nil; seed++ {
			if seed == 400 {
				t.Fatalf("%s: no program shows it", f.name)
			}
		}
		p := ptxtest.Reduce(ptxtest.Generate(seed), func(p *ptxtest.Program) bool { return difference(p) != nil })
		if n := p.Statements(); n > 4 {
			t.Errorf("%s: %d statements are left of program %d:\n%s", f.name, n, seed, ptxtest.Module(p))
		}
		if diff := difference(p); diff == nil || strings.Contains(diff.Value, "digest") && p.Statements() < 2 {
			t.Errorf("%s: %v of\n%s", f.name, diff, ptxtest.Module(p))
		}
		// With all checks on, a program that was cut is as clean as one that was made.
		if _, err := emulate(simt.Checked(), p); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}
