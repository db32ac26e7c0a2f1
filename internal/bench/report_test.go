package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/device/warm"
	"irgl/internal/golden"
	"irgl/internal/journal"
	"irgl/internal/measured"
	"irgl/internal/pass"
)

// made is a report whose numbers can be checked by hand.
func made() *Report {
	ms := func(v float64) Variant { return Variant{Measure: Measure{Value: v}} }
	same := func(v float64) Variant { return Variant{Measure: Measure{Value: v}, Same: true} }
	cost := func(ms time.Duration) Cost { return Cost{ms * time.Millisecond, ms * time.Millisecond / 2} }
	return &Report{
		Device: device.Info{Kind: "cuda", Name: "GPU"}, Target: "sm_90", Large: true, Metric: "ms", Repeat: 15, Passes: []string{"fold", "merge"},
		CompileRepeat: 3, Start: cost(4),
		Results: []Result{
			{
				Name: "a", Suite: "one", Ours: Measure{Value: 2}, NVCC: Measure{Value: 4},
				OursUse: Usage{Known: true, Registers: 10, Spills: 8, Code: 30}, NVCCUse: Usage{Known: true, Registers: 20, Stack: 16, Code: 60},
				OursCost: cost(10), NVCCCost: cost(1000), InProcess: time.Millisecond, Instructions: [2]int{5, 6},
				Counts: []pass.Count{{Pass: "fold", Name: "folded", N: 3}, {Pass: "merge", Name: "merged", N: 1}},
				Off:    []Variant{ms(3), same(2)}, Steps: []Variant{ms(8), ms(4), same(2)},
			}, {
				Name: "b", Suite: "two", Ours: Measure{Value: 1}, NVCC: Measure{Value: 0.5},
				OursUse: Usage{Known: true, Registers: 16, Code: 40}, NVCCUse: Usage{Known: true, Registers: 16, Code: 20},
				OursCost: cost(20), NVCCCost: cost(1000),
				Counts: []pass.Count{{Pass: "fold", Name: "folded", N: 4}},
				Off:    []Variant{ms(0.9), ms(1.029)}, Steps: []Variant{ms(2), ms(1), same(1)},
			},
			{Name: "c", Suite: "two", Failed: "refused"},
			{
				Name: "d", Suite: "two", Ours: Measure{Value: 1}, NVCCFailed: "3 of 4 elements of y differ\nin d",
				Off: []Variant{{Failed: "wrong"}, same(1)}, Steps: []Variant{ms(1), {Failed: "wrong"}, same(1)},
			},
		},
	}
}

func TestStatistics(t *testing.T) {
	if median(nil) != 0 || median([]float64{3, 1, 2}) != 2 || median([]float64{4, 1, 2, 3}) != 2.5 {
		t.Error("median")
	}
	if geomean(nil) != 0 || math.Abs(geomean([]float64{1, 4, 2})-2) > 1e-12 {
		t.Error("geomean")
	}
	rep := made()
	if v, n := rep.Ratio(""); math.Abs(v-1) > 1e-12 || n != 2 {
		t.Errorf("ratio %v of %d", v, n)
	}
	if v, n := rep.Ratio("two"); v != 2 || n != 1 {
		t.Errorf("ratio of two %v of %d", v, n)
	}
	if c := rep.Compile(); c.Wall != 75 || c.CPU != 75 || math.Abs(c.Total-2000.0/30) > 1e-9 || c.N != 2 || c.Least != 50 || c.LeastName != "b" || c.Ours.Wall != 15*time.Millisecond {
		t.Errorf("compile times %+v", c)
	}
	rows := rep.PassTable()
	fold, merge := rows[0], rows[1]
	if fold.Kernels != 2 || fold.Improved != 1 || fold.Slowed != 1 || fold.Unchanged != 0 || math.Abs(fold.Max-50) > 1e-9 || math.Abs(fold.Min+10) > 1e-9 ||
		fold.Changed != 3 || fold.Actions != 7 || fold.Counted != "b" || len(fold.Failed) != 1 || fold.MinKernel != "b" {
		t.Errorf("%+v", fold)
	}
	if merge.Kernels != 3 || merge.Unchanged != 3 || merge.Changed != 1 || len(merge.Failed) != 0 {
		t.Errorf("3 percent is not unchanged: %+v", merge)
	}
	steps := rep.Cumulative()
	if len(steps) != 3 || steps[0].All != 1 || math.Abs(steps[1].All-2) > 1e-12 || math.Abs(steps[2].All-math.Sqrt(8)) > 1e-12 || steps[2].Suites[0] != 4 {
		t.Errorf("%+v", steps)
	}
	if u := rep.Usage(); u.N != 2 || u.Fewer != 1 || u.Equal != 1 || u.Spills[0] != 8 || u.Stack[1] != 16 || math.Abs(u.Code-1) > 1e-12 {
		t.Errorf("%+v", u)
	}
	if n := instructions("\t.reg .b32 %r<3>;\n\tmov.u32 %r1, 3;\n$L:\n\t@%p1 bra $L; \n// ret;\n\tret;\n"); n != 3 {
		t.Errorf("%d instructions", n)
	}
}

// TestForms compares the forms of a report with the goldens, and reads back
// what has a reader.
func TestForms(t *testing.T) {
	rep := made()
	for name, write := range map[string]func(io.Writer) error{
		"report.md": rep.WriteMarkdown, "kernels.csv": rep.WriteKernelsCSV,
		"measurements.csv": func(w io.Writer) error {
			return measured.Write(w, rep.Blocks(journal.Origin{Command: "irgl bench scalar", Host: "a host", Tree: "2026-11-22"}))
		},
		"ratio.svg": rep.WriteRatioSVG, "passes.svg": rep.WritePassesSVG, "cumulative.svg": rep.WriteCumulativeSVG,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		golden.File(t, path, b.String())
		switch {
		case name == "kernels.csv":
			if _, err := csv.NewReader(&b).ReadAll(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case filepath.Ext(name) == ".svg":
			d := xml.NewDecoder(&b)
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Errorf("%s: %v", name, err)
					break
				}
			}
		}
		if err := write(full{}); !errors.Is(err, errFull) {
			t.Errorf("%s to a full disk: %v", name, err)
		}
	}
	kept(t, rep)
	empty := &Report{Metric: "ms"}
	for _, write := range []func(io.Writer) error{empty.WriteMarkdown, empty.WriteRatioSVG, empty.WriteCumulativeSVG} {
		var b strings.Builder
		if err := write(&b); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("an empty report: %v\n%s", err, b.String())
		}
	}
}

// kept writes a report to a file of measurements and reads it back: its tables are those
// of the report.
func kept(t *testing.T, rep *Report) {
	t.Helper()
	var file, tables, want strings.Builder
	if err := errors.Join(measured.Write(&file, rep.Blocks(journal.Origin{})), rep.WriteMarkdown(&want)); err != nil {
		t.Fatal(err)
	}
	blocks, err := measured.Parse([]byte(file.String()))
	if err != nil || len(blocks) != 2 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	if err := errors.Join(WriteKernelsBlock(&tables, blocks[0]), WritePassesBlock(&tables, blocks[1])); err != nil {
		t.Fatal(err)
	}
	// A line break in a message is a space in a file.
	golden.Equal(t, "the tables of the file", strings.ReplaceAll(want.String(), "differ\n  in d", "differ in d"), tables.String())
	for i, write := range []func(io.Writer, *measured.Block) error{WriteKernelsBlock, WritePassesBlock} {
		if err := write(full{}, blocks[i]); !errors.Is(err, errFull) {
			t.Errorf("to a full disk: %v", err)
		}
	}
	blocks[1].Table.Rows = blocks[1].Table.Rows[1:]
	if err := WritePassesBlock(io.Discard, blocks[1]); err == nil || !strings.Contains(err.Error(), "a has 1 passes of 2") {
		t.Error(err)
	}
	blocks[0].Table.Rows[0][3] = "fast"
	if err := WriteKernelsBlock(io.Discard, blocks[0]); err == nil || !strings.Contains(err.Error(), "row 1: column irgl") {
		t.Error(err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestScalar runs part of the set with texts in nvcc's place: slower ones, a
// wrong one, one with other kernels, and none.
func TestScalar(t *testing.T) {
	dir := t.TempDir()
	for _, s := range kernels(t) {
		text := ""
		switch s.Name {
		case "spmv_scalar":
			text = compiled(t, s, Without(PassNames()...))
		case "spmv_vector":
			wrong := *s
			wrong.Text = strings.Replace(s.Text, "sum += val[e]", "sum -= val[e]", 1)
			text = compiled(t, &wrong, nil)
		case "stencil1d":
			text = strings.ReplaceAll(compiled(t, s, nil), "stencil1d", "other")
		default:
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, s.Name+".ptx"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	save := t.TempDir()
	var seen []string
	rep, err := Scalar(t.Context(), Options{
		Device: dev, Match: regexp.MustCompile("^(spmv|stencil1d)"), Tools: Tools{NVCCTexts: dir}, Passes: true, Save: save,
		Progress: func(_, _ int, name string) { seen = append(seen, name) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 4 || len(rep.Results) != 4 || rep.Metric != "instructions" || rep.Target != "sm_90" {
		t.Fatalf("%v, %+v", seen, rep)
	}
	want := map[string]string{"spmv_scalar": "", "spmv_vector": "elements of y differ", "spmv_ell": "spmv_ell.ptx", "stencil1d": "no kernel stencil1d"}
	passes := PassNames()
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.Failed != "" || r.Ours.Value < 100 || r.Ours.Transactions == 0 || r.InProcess <= 0 {
			t.Errorf("%s: %+v", r.Name, r)
		}
		if w := want[r.Name]; (w == "") != (r.NVCCFailed == "") || !strings.Contains(r.NVCCFailed, w) {
			t.Errorf("%s: %q, want %q", r.Name, r.NVCCFailed, w)
		}
		if len(r.Off) != len(passes) || len(r.Steps) != len(passes)+1 || r.Steps[len(passes)].Value != r.Ours.Value || !r.Steps[len(passes)].Same {
			t.Errorf("%s: %d without a pass, steps %v", r.Name, len(r.Off), r.Steps)
		}
		if r.Steps[0].Value <= r.Ours.Value {
			t.Errorf("%s: %v without passes, %v with", r.Name, r.Steps[0].Value, r.Ours.Value)
		}
		if v, ok := r.Ratio(); ok != (r.Name == "spmv_scalar") || ok && (v >= 1 || r.NVCC.Value != r.Steps[0].Value) {
			t.Errorf("%s: ratio %v, %t", r.Name, v, ok)
		}
	}
	for _, path := range []string{"irgl/spmv_ell.ptx", "nvcc/spmv_scalar.ptx"} {
		if _, err := os.Stat(filepath.Join(save, path)); err != nil {
			t.Error(err)
		}
	}
	if _, err := Scalar(t.Context(), Options{Device: dev, Match: regexp.MustCompile("^no$")}); err == nil {
		t.Error("nothing matches, and there is no error")
	}
}

// TestCompileOnly times stand-ins for both compilers: nothing runs, no device
// is needed, and one that fails is an error of its kernel.
func TestCompileOnly(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the stand-ins are scripts: ", err)
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nvcc := script("nvcc", "echo called >> "+dir+"/calls\ncase $4 in *aos.cu) echo no such thing >&2; exit 3;; esac\nsleep 0.02; cp $4 $6\n")
	o := Options{
		CompileOnly: true, CompileRepeat: 3, Passes: true, Match: regexp.MustCompile("^(aos|soa)$"),
		Tools: Tools{NVCC: nvcc, Self: []string{script("irgl", "echo called >> "+dir+"/calls\nexit 0\n")}},
	}
	rep, err := Scalar(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	aos, soa := &rep.Results[0], &rep.Results[1]
	if !strings.Contains(aos.Failed, "no such thing") || aos.OursCost.Wall != 0 {
		t.Errorf("%+v", aos)
	}
	if soa.Failed != "" || soa.OursCost.Wall <= 0 || soa.NVCCCost.Wall < 20*time.Millisecond || soa.InProcess <= 0 || soa.Ours.Value != 0 {
		t.Errorf("%+v", soa)
	}
	// --version, then aos until nvcc fails, then soa and nvcc's text of it.
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if n := strings.Count(string(calls), "called"); err != nil || n != 3+2+6+1 {
		t.Errorf("%d processes, %v", n, err)
	}
	if s := rep.Compile(); s.N != 1 || s.LeastName != "soa" || rep.Start.Wall <= 0 {
		t.Errorf("%+v, start %v", s, rep.Start)
	}
	var b strings.Builder
	if err := rep.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "3 of each in turns") || strings.Contains(b.String(), "### Kernels") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// A timed is the emulator behind the interface of a device that cannot count,
// as a GPU's.
type timed struct{ device.Device }

func (d timed) Info() device.Info {
	i := d.Device.Info()
	i.Kind, i.Major, i.Minor = "cuda", 9, 0
	return i
}

// TestTimed takes the way of a GPU: times between events, registers from the
// driver.
func TestTimed(t *testing.T) {
	dir := t.TempDir()
	for _, s := range kernels(t) {
		if s.Name == "bytes" { // it changes its input
			if err := os.WriteFile(filepath.Join(dir, s.Name+".ptx"), []byte(compiled(t, s, Without("gvn"))), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	rep, err := Scalar(t.Context(), Options{Device: timed{dev}, Match: regexp.MustCompile("^bytes$"), Tools: Tools{NVCCTexts: dir}, Repeat: 3})
	if err != nil {
		t.Fatal(err)
	}
	r := &rep.Results[0]
	if rep.Metric != "ms" || rep.Target != "sm_90" || rep.Repeat != 3 || r.Failed != "" || r.NVCCFailed != "" || r.Ours.Value <= 0 || r.NVCC.Value <= 0 {
		t.Errorf("%+v", rep)
	}
	if !r.OursUse.Known || !r.NVCCUse.Known || len(r.Off) != 0 {
		t.Errorf("%+v", r)
	}
	if n := dev.Counters().Launches; n != 2*(1+3) {
		t.Errorf("%d launches, want one to compare and three to time for each text", n)
	}
}

// TestInterrupt ends a run in the middle of a kernel: nothing waits for the
// rest of it.
func TestInterrupt(t *testing.T) {
	dev := simt.Open(simt.Options{}) // closing it would wait for the kernel
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Scalar(ctx, Options{Device: dev, Large: true, Match: regexp.MustCompile("^matmul_naive$")})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if d := time.Since(start); d > 20*time.Second { // the kernel takes more than a minute
		t.Errorf("it took %v", d)
	}
}

// TestInterruptBetween ends a run when a benchmark is done: the report has that one.
func TestInterruptBetween(t *testing.T) {
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	ctx, cancel := context.WithCancel(t.Context())
	rep, err := Scalar(ctx, Options{Device: dev, Match: regexp.MustCompile("^(bytes|string_match)$"), Progress: func(done, _ int, _ string) {
		if done == 1 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || rep == nil || len(rep.Results) != 1 || rep.Results[0].Failed != "" || rep.Results[0].Ours.Value == 0 {
		t.Errorf("%v, report %+v: want the first benchmark", err, rep)
	}
}

// A counter notes what it is to compile.
type counter struct {
	mu    *sync.Mutex
	texts map[string]int
}

func (c counter) Compile(t warm.Text) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts[t.PTX]++
	return nil
}

func (c counter) Close() error { return nil }

// TestAhead: all that a benchmark becomes under the passes, but what is loaded
// already, goes to those who compile ahead, once each.
func TestAhead(t *testing.T) {
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	c := counter{new(sync.Mutex), map[string]int{}}
	o := Options{Device: dev, Match: regexp.MustCompile("^bytes$"), Passes: true, Ahead: warm.NewPool(2, func() (warm.Compiler, error) { return c, nil })}
	rep, err := Scalar(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var changed int
	for _, v := range append(rep.Results[0].Off, rep.Results[0].Steps...) {
		if !v.Same {
			changed++
		}
	}
	if len(c.texts) < 5 || len(c.texts) > changed {
		t.Errorf("%d texts, want some, and at most the %d variants that differ", len(c.texts), changed)
	}
	for text, n := range c.texts {
		if n != 1 {
			t.Errorf("a text is compiled %d times:\n%s", n, text)
		}
	}
}

// TestTools runs a stand-in for nvcc and ptxas, and a real ptxas where $PTXAS
// names one.
func TestTools(t *testing.T) {
	u, err := parseUsage(`ptxas info    : Function properties for a
    96 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 27 registers, used 1 barriers, 8192 bytes smem
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers`)
	if err != nil || u != (Usage{Known: true, Registers: 40, Spills: 32, Stack: 96, Shared: 8192}) {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := parseUsage("nothing"); err == nil {
		t.Error("a report without registers is taken")
	}
	s := kernels(t)[0]
	none := Tools{NVCC: filepath.Join(t.TempDir(), "nvcc"), Self: []string{"irgl"}, PTXAS: filepath.Join(t.TempDir(), "ptxas")}
	if _, _, err := none.nvcc(t.Context(), t.TempDir(), s, target); err == nil {
		t.Error("an nvcc that is not there has run")
	}
	if _, _, err := none.compileTimes(t.Context(), t.TempDir(), s, target, 1); err == nil {
		t.Error("an nvcc that is not there was timed")
	}
	if _, err := none.ptxas(t.Context(), t.TempDir(), "x", target); err == nil {
		t.Error("a ptxas that is not there has run")
	}
	path := os.Getenv("PTXAS")
	if path == "" {
		t.Skip("PTXAS is not set")
	}
	for _, s := range kernels(t) {
		if testing.Short() && s.Suite != "dense" {
			continue
		}
		u, err := (&Tools{PTXAS: path}).ptxas(t.Context(), t.TempDir(), compiled(t, s, nil), target)
		if err != nil || u.Registers < 4 || u.Code < 4 {
			t.Errorf("%s: %+v, %v", s.Name, u, err)
		}
	}
}
