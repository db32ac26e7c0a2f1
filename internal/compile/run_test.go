package compile_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/mesh"
	"irgl/syntax"
)

// A setting is a way to run a program on the emulator.
type setting struct {
	seed     uint64
	schedule simt.Schedule
	blocks   int // at most
	small    bool
	o        compile.Options
}

// outlined moves all loops to the device that can move.
var outlined = lower.Options{Outline: lower.Outline{Auto: true}}

// runs holds what the programs in testdata/run print.
var runs = map[string]string{
	"barriers":  "0 bad, any 0, arrived 171, 804 more\n",
	"exclusive": "0 bad, any 1, 200 rounds, 1\n",
	"grow":      "0 bad, 46 points, 48 elements\n0 bad, 100 elements, 52 deleted\n",
	"host":      "1:110 3:10 4:1 5:101 7:10 8:10 9:110 10:1 11:1 1 1 1\n",
	"outline":   "0 bad, 4 turns, 3 2600 200\n",
	"ranges":    "0 bad, 22, 247 picked, 540 lower, 109 found\n",
	"disjoint":  "0 lost, 800, 4 won, 4 first\n",
}

// TestRun runs the programs in testdata/run, which check themselves, under many
// schedules, with few threads and with many, and with lists and meshes that
// have no room; with -short each under one. The emulator reports no race and no
// deadlock.
func TestRun(t *testing.T) {
	off := map[string]bool{}
	for _, pass := range opt.Passes().Names() {
		off[pass] = false
	}
	for name := range runs {
		if name == "disjoint" {
			continue // needs one block
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, s := range []setting{
				{0, simt.Coarse, 0, false, compile.Options{Lower: outlined}},
				{1, simt.Fine, 2, true, compile.Options{Lower: outlined}},
				{2, simt.Medium, 1, false, compile.Options{Lower: outlined, Opt: opt.Options{Switch: off}}},
				{3, simt.Fine, 0, true, compile.Options{Lower: outlined, Opt: opt.Options{InlineBudget: -1}}},
				{4, simt.Medium, 3, false, compile.Options{Lower: outlined}},
				{5, simt.Medium, 0, true, compile.Options{Lower: lower.Options{}}},
				{6, simt.Fine, 0, true, compile.Options{Lower: lower.Options{Outline: lower.Outline{Auto: true}, OutlineThreads: 32, OutlineBlocks: 4}}},
				{7, simt.Medium, 0, false, compile.Options{Lower: lower.Options{Outline: lower.Outline{Auto: true}, OutlineThreads: 32}, Opt: opt.Options{Switch: off}}},
			} {
				if !testing.Short() || i == len(name)%8 {
					s.emulate(t, name)
				}
			}
		})
	}
}

// TestRanges runs loops over edges from either end, over all edges and over ints
// with the switches that give their iterations to other threads.
func TestRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	seed := uint64(0)
	for np := lower.Schedulers(0); np <= lower.ByBlock|lower.ByWarp|lower.FineGrained|lower.Serially; np++ {
		o := lower.Options{NP: np, Coop: lower.CoopLevel(np / 3 % 4), Batch: 1 + int(np%4), Eager: np%2 == 1, Index64: np%5 == 0}
		if np%2 == 0 {
			o.Outline = lower.Outline{Auto: true}
		}
		seed++
		setting{seed, simt.Schedule(seed % 3), 2, np%3 == 0, compile.Options{Lower: o}}.emulate(t, "ranges")
	}
}

// TestDisjoint runs a program in which it is known who wins its claims, but for
// a barrier that is missing.
func TestDisjoint(t *testing.T) {
	for seed := range uint64(6) {
		setting{seed, simt.Schedule(seed % 3), 1, false, compile.Options{Lower: outlined}}.emulate(t, "disjoint")
	}
}

// TestRunGPU runs the programs on a GPU, many times: what a schedule can spoil
// is rare there.
func TestRunGPU(t *testing.T) {
	dev, err := cuda.Open(0)
	if err != nil {
		t.Skipf("no GPU: %v", err)
	}
	defer dev.Close()
	for name := range runs {
		for i := range 40 {
			s := setting{seed: uint64(i), small: i%2 == 1, blocks: i % 4}
			if name == "disjoint" {
				s.blocks = 1
			}
			s.o.PTX.Target = dev.Info().Target()
			s.run(t, dev, name)
		}
	}
}

// emulate runs a program on the emulator.
func (s setting) emulate(t *testing.T, name string) {
	t.Helper()
	o := simt.Checked()
	o.Seed, o.Schedule = s.seed, s.schedule
	dev := simt.Open(o)
	defer dev.Close()
	s.run(t, dev, name)
	for _, r := range dev.Reports() {
		t.Errorf("%s under %d: %v", name, s.seed, r)
	}
}

func (s setting) run(t *testing.T, dev device.Device, name string) {
	t.Helper()
	path := filepath.Join("testdata", "run", name+".irgl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const threads = 64 // of a block: few, so that there are several blocks
	s.o.Check, s.o.Lower.BlockThreads = true, threads
	u, err := compile.Compile(source.NewFile(name+".irgl", text), syntax.IrGL, "", s.o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{BlockThreads: threads, MaxBlocks: s.blocks})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in, out := s.input(t, u), new(bytes.Buffer)
	in.Stdout = out
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := e.Run(ctx, in)
	if err != nil || out.String() != runs[name] {
		t.Errorf("%s under %d: %v\n%s", name, s.seed, err, out)
		return
	}
	if s.small && (u.Info.Mesh != nil || strings.Contains(string(text), "WL")) && res.Restarts == 0 {
		t.Errorf("%s: nothing was too small", name)
	}
}

// input returns a graph, a mesh and arguments for a program.
func (s setting) input(t *testing.T, u *compile.Unit) run.Input {
	t.Helper()
	in := run.Input{}
	if s.small {
		in.Capacity, in.Room = 1, 1
	}
	for range u.Info.Entry.Params {
		in.Args = append(in.Args, run.IntValue(2))
	}
	if u.Info.Graph != nil {
		g, err := graph.Generate(context.Background(), "grid:20:10")
		if err == nil {
			g, err = run.Prepare(context.Background(), g, u.Info.Requires)
		}
		if err != nil {
			t.Fatal(err)
		}
		in.Graph = g
	}
	if u.Info.Mesh != nil {
		// A square: two triangles and the four segments around them.
		m := &mesh.Mesh{X: []float64{0, 1, 1, 0}, Y: []float64{0, 0, 1, 1}, Triangles: [][3]int32{{0, 1, 2}, {0, 2, 3}}}
		p, err := run.PrepareMesh(context.Background(), m, u.Info.Requires)
		if err != nil {
			t.Fatal(err)
		}
		in.Mesh = p
	}
	return in
}
