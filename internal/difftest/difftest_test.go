package difftest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/ssa"
)

// search checks the programs of n seeds from first on, with two others of the
// variants each, and reduces what it finds.
func search(t *testing.T, c *Checker, first, n uint64) {
	const batch = 8
	next := make(chan uint64)
	go func() {
		defer close(next)
		for s := first; s < first+n; s += batch {
			next <- s
		}
	}()
	var wg sync.WaitGroup
	var done atomic.Uint64
	for range 2 {
		wg.Go(func() {
			for s := range next {
				var programs []*Program
				for i := s; i < min(s+batch, first+n); i++ {
					programs = append(programs, Generate(i))
				}
				found, err := c.Check(programs)
				if err != nil {
					t.Errorf("seeds from %d: %v", s, err)
				}
				for _, f := range found {
					report(t, c, f)
				}
				if checked := done.Add(uint64(len(programs))); checked%200 < batch {
					t.Logf("%d programs", checked)
				}
			}
		})
	}
	wg.Wait()
}

// report reduces a finding and keeps it under testdata/new.
func report(t *testing.T, c *Checker, f *Finding) {
	small := c.Reduce(f, 600)
	path := filepath.Join("testdata", "new", f.Program.Name+".cu")
	text := fmt.Sprintf("// %v\n// reduced: %v\n%s", f, small, small.Program.body())
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
		_ = os.WriteFile(path, []byte(text), 0o666)
	}
	t.Errorf("%v\nreduced, in %s: %v\n%s", f, path, small, small.Program.body())
}

// TestSeeds checks a fixed set of programs. IRGL_DIFFTEST="FIRST COUNT" checks
// other ones instead.
func TestSeeds(t *testing.T) {
	c := NewChecker()
	c.Others = 2
	first, n := uint64(0), uint64(20)
	if testing.Short() {
		n = 2
	}
	if s := os.Getenv("IRGL_DIFFTEST"); s != "" {
		if _, err := fmt.Sscan(s, &first, &n); err != nil {
			t.Fatalf("IRGL_DIFFTEST=%q: %v", s, err)
		}
	}
	if c.GCC == "" {
		t.Log("no gcc in PATH: the variants are compared with one another only")
	}
	search(t, c, first, n)
}

// FuzzPasses checks the program of any seed with a few variants, without the C
// compiler, which takes too long for fuzzing.
func FuzzPasses(f *testing.F) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		f.Add(1000 + seed)
	}
	c := &Checker{Variants: Variants(), Others: 3}
	f.Fuzz(func(t *testing.T, seed uint64) {
		found, err := c.Check([]*Program{Generate(seed)})
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range found {
			report(t, c, finding)
		}
	})
}

// TestSameSeed: a seed gives one program, and other seeds others.
func TestSameSeed(t *testing.T) {
	for seed := range uint64(20) {
		if a, b := Generate(seed).Text(), Generate(seed).Text(); a != b {
			t.Errorf("seed %d gives two programs", seed)
		}
	}
	if Generate(1).body() == Generate(3).body() {
		t.Error("two seeds give one program")
	}
}

// TestDefined: no program does what C leaves undefined, so that compilers which
// make use of it agree with those which do not. IRGL_DIFFTEST chooses the seeds.
func TestDefined(t *testing.T) {
	path, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc in PATH to check with")
	}
	first, n := uint64(80), uint64(8)
	if testing.Short() {
		n = 2
	}
	if s := os.Getenv("IRGL_DIFFTEST"); s != "" {
		if _, err := fmt.Sscan(s, &first, &n); err != nil {
			t.Fatalf("IRGL_DIFFTEST=%q: %v", s, err)
		}
	}
	wrong := &Program{Name: "k", Grid: 1, Block: 32, Slots: 4, root: &block{}}
	wrong.root.add("KERNEL k(unsigned long long *out, const int *__restrict__ in, short *gs, float *gf, unsigned char *gb, long long *gl,\n" +
		"unsigned *gu, unsigned *acc, unsigned long long *acc64, struct arg pa, int n) { out[0] = (n | 0x7fffff00) + 0x7fffff00; }\n")
	if messages, err := Undefined(path, []*Program{wrong}); err == nil && !strings.Contains(messages, "signed integer overflow") {
		t.Errorf("an overflow was not found: %s", messages)
	}
	for s := first; s < first+n; s += 8 {
		var programs []*Program
		for i := s; i < min(s+8, first+n); i++ {
			programs = append(programs, Generate(i))
		}
		messages, err := Undefined(path, programs)
		if err != nil && strings.Contains(err.Error(), "ubsan") {
			t.Skip("gcc has no checks here: ", err)
		}
		if err != nil || messages != "" {
			t.Errorf("seeds from %d: %v\n%s", s, err, messages)
		}
	}
}

// TestFindsAndReduces breaks the compiler on purpose, once with a wrong
// subtraction and once with a wrong comparison, and wants both found, and the
// programs reduced to few lines.
func TestFindsAndReduces(t *testing.T) {
	changes := []map[ssa.Op]ssa.Op{{ssa.OpSub: ssa.OpAdd}, {ssa.OpSLt: ssa.OpSLe}, {ssa.OpSExt: ssa.OpZExt}}
	if testing.Short() {
		changes = changes[:1]
	}
	for _, change := range changes {
		broken := Variants()[1]
		broken.Name = "broken"
		broken.Options.Opt.Before = func(pass string, m *ssa.Module) {
			if pass != "gvn" {
				return
			}
			for _, f := range m.Funcs {
				for _, b := range f.Blocks {
					for _, v := range b.Values {
						if op, ok := change[v.Op]; ok && v.Args[0].Op != ssa.OpConst {
							v.Op = op
						}
					}
				}
			}
		}
		c := &Checker{Variants: []Variant{Variants()[0], broken}, Others: -1}
		ok := false
		for seed := uint64(1); seed < 20 && !ok; seed++ {
			p := Generate(seed)
			before := strings.Count(p.body(), "\n")
			found, err := c.Check([]*Program{p})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				continue
			}
			small := c.Reduce(found[0], 24)
			after := strings.Count(small.Program.body(), "\n")
			if small.Kind != found[0].Kind || after >= before {
				t.Errorf("%v: %d lines became %d: %v\n%s", change, before, after, small, small.Program.body())
			}
			t.Logf("%v: %d lines became %d", change, before, after)
			ok = true
		}
		if !ok {
			t.Errorf("%v was not found", change)
		}
	}
}

// findNVCC returns the path of nvcc, or "".
func findNVCC() string {
	if path := os.Getenv("NVCC"); path != "" {
		return path
	}
	path, err := exec.LookPath("nvcc")
	if err != nil {
		return ""
	}
	return path
}

// theirPTX returns what nvcc makes of the programs as one module, "" when its
// own assembler does not take that. IRGL_NVCC_PTX names a directory that keeps
// it, with which a machine needs no nvcc.
func theirPTX(t *testing.T, nvcc, target string, first uint64, programs []*Program) string {
	t.Helper()
	kept := ""
	if dir := os.Getenv("IRGL_NVCC_PTX"); dir != "" {
		kept = filepath.Join(dir, fmt.Sprintf("nvcc-%s-%d-%d.ptx", target, first, len(programs)))
		if text, err := os.ReadFile(kept); err == nil {
			return string(text)
		}
	}
	if nvcc == "" {
		return ""
	}
	text, err := NVCC(nvcc, target, programs)
	if err != nil {
		t.Errorf("seeds from %d: %v", first, err)
		return ""
	}
	ok, err := Assembles(nvcc, target, text)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Logf("seeds from %d: nvcc's assembler does not take nvcc's PTX", first)
		text = ""
	}
	if kept != "" {
		if err := os.WriteFile(kept, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	return text
}

// TestNVCC compares nvcc's code for the same text, on the emulator: it checks
// the emulator and the C that both compilers read.
func TestNVCC(t *testing.T) {
	if testing.Short() {
		t.Skip("nvcc takes seconds")
	}
	nvcc := findNVCC()
	if nvcc == "" {
		t.Skip("no nvcc in PATH or named by NVCC to compare with")
	}
	first, n := uint64(5000), uint64(4)
	if s := os.Getenv("IRGL_DIFFTEST"); s != "" {
		if _, err := fmt.Sscan(s, &first, &n); err != nil {
			t.Fatalf("IRGL_DIFFTEST=%q: %v", s, err)
		}
	}
	const batch = 25
	for s := first; s < first+n; s += batch {
		compareNVCC(t, simt.Open(simt.Options{}), nil, nvcc, "sm_90", s, min(batch, first+n-s))
	}
}

// compareNVCC runs nvcc's PTX and ours on the device, which it closes, and
// compares both with ours on the emulator. A device that assembles the PTX
// comes with plain, which it closes too: the same with an assembler that
// optimises nothing. There, ours runs without passes, so that nobody optimises it;
// and what is wrong of nvcc's only with the assembler's optimiser is that one's
// fault, which is counted in the result and is no failure.
func compareNVCC(t *testing.T, d, plain device.Device, nvcc, target string, first, n uint64) (assembler int) {
	t.Helper()
	defer d.Close()
	if plain != nil {
		defer plain.Close()
	}
	var programs []*Program
	for i := range n {
		programs = append(programs, Generate(first+i))
	}
	theirs := theirPTX(t, nvcc, target, first, programs)
	var module device.Module
	if theirs != "" {
		var err error
		if module, err = d.Load("nvcc", theirs); err != nil {
			t.Errorf("seeds from %d, nvcc's on %s: %v", first, d.Info().Name, err)
			return 0
		}
		defer module.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for _, p := range programs {
		none, all := Variants()[0], Variants()[1]
		ours, err := p.PTX(all.Options)
		if err != nil {
			t.Errorf("seed %d: %v", p.Seed, err)
			continue
		}
		want, err := runPTX(p, ours, all.Device)
		if err != nil {
			t.Errorf("seed %d: %v", p.Seed, err)
			continue
		}
		got, err := Launch(ctx, d, p, ours)
		if diff := difference(d, p, got, want, err); diff != "" {
			t.Errorf("seed %d, ours %s", p.Seed, diff)
		}
		if plain != nil { // the emulator has seen it in TestSeeds, an assembler not
			if ours, err = p.PTX(none.Options); err == nil {
				got, err = Launch(ctx, plain, p, ours)
			}
			if diff := difference(plain, p, got, want, err); diff != "" {
				t.Errorf("seed %d, ours without passes %s", p.Seed, diff)
			}
		}
		if module == nil {
			continue
		}
		got, err = LaunchIn(ctx, d, p, module)
		diff := difference(d, p, got, want, err)
		if diff == "" {
			continue
		}
		if plain != nil && again(ctx, t, plain, p, theirs, want) {
			t.Logf("seed %d, nvcc's %s; assembled without optimisation it agrees", p.Seed, diff)
			assembler++
			continue
		}
		t.Errorf("seed %d, nvcc's %s", p.Seed, diff)
	}
	return assembler
}

// again reports whether the program of the module ptx leaves the wanted memory
// on d.
func again(ctx context.Context, t *testing.T, d device.Device, p *Program, ptx string, want []byte) bool {
	t.Helper()
	module, err := d.Load("nvcc", ptx)
	if err != nil {
		t.Errorf("seed %d, nvcc's: %v", p.Seed, err)
		return false
	}
	defer module.Close()
	got, err := LaunchIn(ctx, d, p, module)
	diff := difference(d, p, got, want, err)
	if diff != "" {
		t.Logf("seed %d, nvcc's without optimisation %s", p.Seed, diff)
	}
	return diff == ""
}

// difference says in what the memory got from a launch, or its error, differs
// from what is wanted, "" for nothing.
func difference(d device.Device, p *Program, got, want []byte, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("on %s: %v", d.Info().Name, err)
	case !bytes.Equal(got, want):
		return fmt.Sprintf("on %s differs from ours on the emulator in %s", d.Info().Name, p.Diff(got, want))
	}
	return ""
}

// TestGPU runs programs on the machine's GPU, ours and, when there is nvcc or
// its PTX, nvcc's. IRGL_DIFFTEST chooses the seeds; several processes with
// seeds of their own share a GPU well, since most of the time is compilation.
func TestGPU(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Skip(err)
	}
	target := d.Info().Target()
	d.Close()
	nvcc := findNVCC()
	if nvcc == "" {
		t.Log("no nvcc in PATH or named by NVCC: only our code is run")
	}
	first, n := uint64(0), uint64(32)
	if s := os.Getenv("IRGL_DIFFTEST"); s != "" {
		if _, err := fmt.Sscan(s, &first, &n); err != nil {
			t.Fatalf("IRGL_DIFFTEST=%q: %v", s, err)
		}
	}
	const batch = 25 // kernels in a module of nvcc's
	assembler := 0
	for s := first; s < first+n; s += batch {
		d, err := cuda.Open(0)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := cuda.OpenWith(0, cuda.Options{Unoptimised: true})
		if err != nil {
			t.Fatal(err)
		}
		assembler += compareNVCC(t, d, plain, nvcc, target, s, min(batch, first+n-s))
	}
	t.Logf("%d of %d programs of nvcc's differ by the assembler's optimiser", assembler, n)
}

// TestWriteCorpus: the files are there, and the sizes in the index are theirs.
func TestWriteCorpus(t *testing.T) {
	dir := t.TempDir()
	if s := os.Getenv("IRGL_CORPUS"); s != "" {
		dir = s
	}
	const n = 3
	if err := WriteCorpus(dir, n); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(index)), "\n")
	if len(lines) != n {
		t.Fatalf("the index has %d lines", len(lines))
	}
	for _, line := range lines {
		fields := strings.Fields(line)
		total := 0
		for _, f := range fields[3:] {
			var size int
			fmt.Sscan(f, &size)
			total += size
		}
		for ext, size := range map[string]int{".want": total, ".in": total + argSize + 4} {
			data, err := os.ReadFile(filepath.Join(dir, fields[0]+ext))
			if err != nil || len(data) != size {
				t.Errorf("%s%s has %d bytes (%v), want %d", fields[0], ext, len(data), err, size)
			}
		}
	}
}

// TestFound runs testdata/found/*.cu, reduced programs that once showed a fault
// of the compiler or the emulator: each has a kernel named k, whose 64 threads
// a block write four values each.
func TestFound(t *testing.T) {
	paths, err := filepath.Glob("testdata/found/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	c := NewChecker()
	if testing.Short() {
		c.Others = 15 // not every order of the passes
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := &Program{Name: "k", Grid: 2, Block: 64, Slots: 4, root: &block{}}
		p.root.add(string(text))
		found, err := c.Check([]*Program{p})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, f := range found {
			t.Errorf("%s: %v", path, f)
		}
	}
}
