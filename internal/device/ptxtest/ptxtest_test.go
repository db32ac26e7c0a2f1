package ptxtest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/ptxtest"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// variants are the emulators that must agree.
func variants(seed uint64) map[string]simt.Options {
	fine, medium := simt.Checked(), simt.Options{Seed: seed + 2, Schedule: simt.Medium, Multiprocessors: 1}
	fine.Seed, fine.Schedule = seed+1, simt.Fine
	return map[string]simt.Options{"other schedule": fine, "without checks": medium}
}

// group returns the programs of seeds.
func group(first, n uint64) (list []*ptxtest.Program) {
	for s := range n {
		list = append(list, ptxtest.Generate(first+s))
	}
	return list
}

// emulate runs programs on an emulator, which must report nothing of them.
func emulate(o simt.Options, programs ...*ptxtest.Program) ([][]byte, error) {
	d := simt.Open(o)
	defer d.Close()
	out, err := ptxtest.Run(context.Background(), d, programs...)
	if err != nil {
		return nil, err
	}
	if r := d.Reports(); len(r) > 0 {
		return nil, fmt.Errorf("reported: %v", r[0])
	}
	return out, nil
}

// TestSeeds: every schedule gives the same values, with and without checks, and no report.
func TestSeeds(t *testing.T) {
	n := uint64(200)
	if testing.Short() {
		n = 40
	}
	const at = 20
	for first := uint64(0); first < n; first += at {
		programs := group(first, at)
		want, err := emulate(simt.Checked(), programs...)
		if err != nil {
			t.Fatalf("programs %d to %d: %v", first, first+at-1, err)
		}
		for name, o := range variants(first) {
			got, err := emulate(o, programs...)
			if err != nil {
				t.Fatalf("programs %d to %d, %s: %v", first, first+at-1, name, err)
			}
			for i, p := range programs {
				if d := p.Compare(got[i], want[i]); d != nil {
					t.Errorf("program %d, %s: %v", p.Seed, name, d)
				}
			}
		}
	}
}

// TestSameSeed: a seed gives one program, and other seeds others.
func TestSameSeed(t *testing.T) {
	for seed := range uint64(20) {
		text := ptxtest.Module(ptxtest.Generate(seed))
		if text != ptxtest.Module(ptxtest.Generate(seed)) {
			t.Errorf("seed %d gives two programs", seed)
		}
		if other := ptxtest.Module(ptxtest.Generate(seed + 1)); strings.ReplaceAll(other, fmt.Sprintf("p%d(", seed+1), fmt.Sprintf("p%d(", seed)) == text {
			t.Errorf("seeds %d and %d give one program", seed, seed+1)
		}
	}
}

// TestPtxas has NVIDIA's assembler, $PTXAS, accept programs.
func TestPtxas(t *testing.T) {
	ptxas := os.Getenv("PTXAS")
	if ptxas == "" {
		t.Skip("PTXAS is not set")
	}
	n := uint64(60)
	if testing.Short() {
		n = 20
	}
	const at = 20
	for first := uint64(0); first < n; first += at {
		path := filepath.Join(t.TempDir(), "programs.ptx")
		if err := os.WriteFile(path, []byte(ptxtest.Module(group(first, at)...)), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(ptxas, "-O1", "-arch=sm_90", path, "-o", path+".cubin").CombinedOutput(); err != nil {
			t.Errorf("programs %d to %d: %v\n%.2000s", first, first+at-1, err, out)
		}
	}
}

// opcodes are those that the programs of few seeds must have.
const opcodes = `add.rn.f16x2 fma.rn.relu.bf16x2 cvt.rn.bf16.f32 cvt.rz.relu.f16x2.f32 cvt.rn.satfinite.e4m3x2.f32 cvt.rn.f16x2.e5m2x2 cvt.rna.tf32.f32
vadd4 vabsdiff4 vavrg2 vmin2 dp4a dp2a.hi prmt.b32 prmt.b32.rc8 lop3.b32 bfi.b32 bfi.b64 bfe.s64 shf.l.clamp shf.r.wrap fns.b32 bmsk szext cvt.pack.sat.s8 min.xorsign.abs.f32
add.cc.u64 madc.hi vote.sync.ballot vote.sync.uni match.any.sync.b64 match.all.sync.b32 redux.sync.xor redux.sync.min.s32 elect.sync activemask
shfl.sync.up shfl.sync.bfly mma.sync.aligned.m16n8k16.row.col.f32.bf16 mma.sync.aligned.m16n8k32.row.col.f32.e4m3 mma.sync.aligned.m16n8k64 mma.sync.aligned.m16n8k8.row.col.f64
wmma.load.a.sync.aligned.col wmma.mma wmma.store.d ldmatrix.sync.aligned.m8n8.x4.trans stmatrix movmatrix cp.async.ca cp.async.cg cp.async.wait_group cp.async.mbarrier.arrive
mbarrier.try_wait mbarrier.pending_count mbarrier.arrive_drop mbarrier.complete_tx atom.global.add.noftz.bf16x2 atom.shared.cas.b32 atom.global.cas.b16 bar.red.popc bar.sync barrier.sync
brx.idx call setp.gtu.bf16x2 set.num testp.subnormal slct isspacep cvta.local ld.const ld.local.v2.b64 st.shared.v4.b16`

// TestCoverage: programs have the instructions that they are to compare.
func TestCoverage(t *testing.T) {
	text := ptxtest.Module(group(0, 600)...)
	for op := range strings.FieldsSeq(opcodes) {
		if !strings.Contains(text, op) {
			t.Errorf("no program has %s", op)
		}
	}
	ops := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s(?:@!?%\w+ )?([a-z][\w.:]*)`).FindAllStringSubmatch(text, -1) {
		ops[m[1]] = true
	}
	t.Logf("%d instructions with their modifiers", len(ops))
}

// A wrong device executes instructions as others.
type wrong struct {
	device.Device
	old *regexp.Regexp
	by  string
}

func (w wrong) Load(name, text string) (device.Module, error) {
	return w.Device.Load(name, w.old.ReplaceAllString(text, w.by))
}

// TestReadBack: what package ptx prints of programs is read as what it was, and runs as they do.
func TestReadBack(t *testing.T) {
	read := func(text string) *ptx.Module {
		m, err := ptx.Parse(source.NewFile("programs.ptx", []byte(text)))
		if err == nil {
			err = ptx.Verify(m)
		}
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for first := uint64(0); first < 40; first += 20 {
		programs := group(first, 20)
		text := ptx.Print(read(ptxtest.Module(programs...)))
		if again := ptx.Print(read(text)); again != text {
			t.Errorf("programs %d to %d: printed text is read as something else", first, first+19)
		}
		want, err := emulate(simt.Options{}, programs...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ptxtest.Run(context.Background(), printed{simt.Open(simt.Options{}), text}, programs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range programs {
			if d := p.Compare(got[i], want[i]); d != nil {
				t.Errorf("program %d, printed: %v", p.Seed, d)
			}
		}
	}
}

// A printed device loads a text whatever it is given.
type printed struct {
	device.Device
	text string
}

func (d printed) Load(name, _ string) (device.Module, error) { return d.Device.Load(name, d.text) }
