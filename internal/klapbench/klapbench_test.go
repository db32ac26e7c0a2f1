//go:build linux

package klapbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"irgl/internal/cudabuild"
	"irgl/internal/golden"
	"irgl/internal/journal"
	"irgl/internal/klap/suite"
	"irgl/internal/serve"
)

// TestMain makes the test's binary the emulator's process, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve.Serve(context.Background(), os.Stdin, os.Stdout, serve.Options{Version: "test", Arena: 3, HasArena: true, Counters: os.Getenv("IRGL_COUNTERS")}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func options() Options {
	return Options{
		Device: "cuda", Benchmarks: suite.All(), Repeat: 3, Thresholds: []int{32}, Coarsens: []int{16}, Limit: time.Minute, Jobs: 2,
		Default: map[suite.Kind]string{suite.Aggregation: DefaultAggregation, suite.Promotion: DefaultPromotion},
	}
}

// TestReplay makes the report of a journal, and the same of the file of measurements that the report becomes.
func TestReplay(t *testing.T) {
	o := options()
	o.Journal, o.Replay = "testdata/journal.jsonl", true
	rep, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var page, again strings.Builder
	if err := rep.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/report.md", page.String())
	kept, err := FromBlock(rep.Block())
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.WriteMarkdown(&again); err != nil {
		t.Fatal(err)
	}
	if again.String() != page.String() {
		t.Errorf("the block of the report gives another one:\n%s", &again)
	}
	if n := rep.Failures(); n != 2 { // sssp at grid, and bfs's parts there; a plain form and P may fail
		t.Errorf("%d failures", n)
	}
	var chart strings.Builder
	if err := rep.Tables()[0].Chart.Write(&chart); err != nil || !strings.Contains(chart.String(), "<title>bfs block: 4.81</title>") {
		t.Errorf("%v\n%s", err, &chart)
	}
}

// TestBlockErrors refuses files that are not of a report.
func TestBlockErrors(t *testing.T) {
	o := options()
	o.Journal, o.Replay = "testdata/journal.jsonl", true
	for _, c := range []struct {
		change func(*Report)
		want   string
	}{
		{func(r *Report) { r.Metric = "cost" }, `metric: "cost" is neither ms nor instructions`},
		{func(r *Report) { r.Cells[0].Benchmark = "dmr" }, `row 1: there is no benchmark "dmr"`},
		{func(r *Report) { r.Cells[1] = r.Cells[0] }, "row 2: plain: bfs, large, plain forget is there twice"},
	} {
		rep, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		c.change(rep)
		if _, err := FromBlock(rep.Block()); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestProbed: the text of probes' values is read back; what is none is an error.
func TestProbed(t *testing.T) {
	want := [][]float64{{1.5, 0.25}, {2, 0}}
	if got, err := probedOf(probedText(want)); err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := probedOf("1:x 2:3"); err == nil || err.Error() != `probed: "x" is no number` {
		t.Error(err)
	}
}

// TestPlan: what tells most comes first, and stages bring the plain forms that they compare with.
func TestPlan(t *testing.T) {
	stages := func(o Options) []string {
		var out []string
		for _, g := range o.plan() {
			out = append(out, g.stage+" "+g.set.String())
		}
		return out
	}
	o := options()
	o.Benchmarks = []*suite.Benchmark{suite.Find("sc"), suite.Find("gc")}
	o.Inputs = map[string]string{"gc": "data/bcsstk13.mtx.gz"}
	want := []string{"plain gc, large", "aggregation gc, large", "plain sc, large", "promotion sc, large", "cost launches, large", "sweep gc, large", "best gc, large",
		"plain sc, medium", "promotion sc, medium", "plain sc, small", "promotion sc, small", "plain gc, bcsstk13.mtx", "aggregation gc, bcsstk13.mtx",
		"breakdown gc, large", "occupancy gc, large", "occupancy sc, medium"}
	if got := stages(o); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	o.Stages = []string{stageSweep}
	if got, want := stages(o), []string{"plain gc, large", "sweep gc, large", "plain gc, bcsstk13.mtx"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	o.Stages, o.Inputs, o.NVCC = []string{stageBreakdown, stageOccupancy}, nil, "nvcc"
	if got, want := stages(o), []string{"plain gc, large", "plain sc, medium", "breakdown gc, large", "occupancy gc, large", "occupancy sc, medium"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	o.Stages = []string{StageNVCC}
	if got, want := stages(o), []string{"plain gc, large", "plain sc, large", "nvcc gc, large", "nvcc sc, large"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	size := suite.Small
	o.Stages, o.Size, o.Inputs = []string{stagePromotion}, &size, nil
	if got, want := stages(o), []string{"plain sc, small", "promotion sc, small"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestOutcomes: what is wrong with a run is a failure, never a time.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct{ script, failed string }{
		{"echo 'time: 1.5 ms'; echo 'launches: 7'; echo 'check: ok'", ""},
		{"echo 'time: 1.5 ms'; echo 'check: FAILED node 3'; exit 1", "wrong: node 3"},
		{"echo 'time: 1.5 ms'; echo 'check: ok'; exit 3", "exit status 3"},
		{"echo 'out of memory' >&2; exit 2", "out of memory"},
		{"echo 'time: 1.5 ms'", suite.ErrOutput.Error()},
		{"kill -9 $$", "signal: killed"},
		{"exec sleep 60", "ran for longer than 300ms"},
	} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		o := options()
		o.Limit = 300 * time.Millisecond
		if c.failed == "" {
			o.Limit = time.Minute
		}
		s := &session{o: o, ctx: t.Context(), rep: newReport(&o)}
		out := s.run(path, set{Benchmark: "bfs", Size: "test"}, plain(suite.Forget), "cuda")
		if out.Failed != c.failed || (c.failed == "") != (out.Value == 1.5 && out.Launches == 7) {
			t.Errorf("%s: %+v", c.script, out)
		}
	}
}

// compiler skips the test where no host compiler is.
func compiler(t *testing.T) {
	t.Helper()
	o, err := cudabuild.ParseFlags([]string{"a.cu"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cudabuild.HasCompiler(o); err != nil {
		t.Skip(err)
	}
}

// tiny are options of a measurement on the emulator.
func tiny(t *testing.T) Options {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds programs")
	}
	compiler(t)
	o := options()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Device, o.Self, o.Stages, o.Benchmarks = "simt", self, []string{stageAggregation}, []*suite.Benchmark{suite.Find("bt")}
	o.Journal = filepath.Join(t.TempDir(), "journal.jsonl")
	return o
}

// TestResume: a measurement that was cut off in a line of its journal goes on behind the line before, and gives
// the same report. Launches are fewer the wider they are aggregated; the host has two of them.
func TestResume(t *testing.T) {
	o := tiny(t)
	rep, err := Run(t.Context(), o)
	if err != nil || rep.Failures() > 0 {
		t.Fatalf("%v: %+v", err, rep.Cells)
	}
	for _, c := range rep.Cells {
		if len(c.Values) != 1 {
			t.Errorf("%s, %s: %d turns", c.Stage, c.Choice, len(c.Values))
		}
	}
	text, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Journal, text[:len(text)*2/3], 0o666); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	again, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var pages [2]strings.Builder
	for i, r := range []*Report{rep, again} {
		if err := r.WriteMarkdown(&pages[i]); err != nil {
			t.Fatal(err)
		}
	}
	if pages[0].String() != pages[1].String() {
		t.Errorf("%s\n%s", &pages[0], &pages[1])
	}
	if now, err := os.ReadFile(o.Journal); string(now) != string(text) || err != nil {
		t.Errorf("the journal is another one: %v\n%s", err, now)
	}
	s := o.set(o.Benchmarks[0], suite.Test)
	var launches []uint64
	for _, c := range []Choice{rep.baseline(s), transformed(o.Benchmarks[0], "--granularity=warp"), transformed(o.Benchmarks[0], "--granularity=block"), transformed(o.Benchmarks[0], "--granularity=grid")} {
		launches = append(launches, rep.counted(stageAggregation, s, c).Counts.Launches)
	}
	if want := []uint64{202, 9, 6, 3}; !slices.Equal(launches, want) {
		t.Errorf("%d launches, want %d", launches, want)
	}
}

// TestEnds: a journal that cannot be written to, a budget and an interrupt end the measurement; what was measured remains.
func TestEnds(t *testing.T) {
	o := tiny(t)
	o.Budget = 1
	rep, err := Run(t.Context(), o)
	if err != nil || len(rep.Cells) > 0 || !slices.Equal(rep.Left, []string{"plain, test: 4 programs of bt", "aggregation, test: 6 programs of bt"}) {
		t.Errorf("%v, %q, %+v", err, rep.Left, rep.Cells)
	}
	o.Budget, o.Resume = 0, true
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	o.Progress = func(text string) {
		if strings.Contains(text, "turn 1 of 1: plain private") {
			cancel(stop)
		}
	}
	o.Repeat = 1
	if rep, err = Run(ctx, o); !errors.Is(err, stop) || len(rep.Cells) != 3 {
		t.Errorf("%v, %+v", err, rep.Cells)
	}
	s := &session{o: o, ctx: t.Context(), rep: newReport(&o), inputs: map[string]string{}}
	s.o.Progress = nil
	s.plan = s.o.plan()
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(s.dir)
	if err := s.journal.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.measure(); !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "journal "+o.Journal) {
		t.Error(err)
	}
	if _, lines, err := journal.Read(o.Journal); err != nil || len(lines) != 3 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// TestProbes measures parts and occupancy on the emulator: the parts of all programs are those of plain's launch, and what is
// left of it without its parts takes less.
func TestProbes(t *testing.T) {
	o := tiny(t)
	o.Stages, o.Benchmarks = []string{stageBreakdown, stageOccupancy}, []*suite.Benchmark{suite.Find("bfs")}
	s := o.set(o.Benchmarks[0], suite.Test)
	late, fine := []string{}, map[string]bool{}
	for range 6 { // the times are those of a machine that may do other things too: each program is in time once
		rep, err := Run(t.Context(), o)
		if err != nil || rep.Failures() > 0 {
			t.Fatalf("%v: %+v", err, rep.Cells)
		}
		cells := rep.of(stageBreakdown, s)
		if len(cells) != 2+len(granularities) || len(rep.of(stageOccupancy, s)) != 3+len(granularities) {
			t.Errorf("%d and %d programs", len(cells), len(rep.of(stageOccupancy, s)))
		}
		late = nil
		for _, c := range cells {
			if c.turn.Round == cells[0].turn.Round && c.probe(len(partNames)-1) < c.probe(0) {
				fine[c.Choice.String()] = true
			}
			if !fine[c.Choice.String()] {
				late = append(late, fmt.Sprintf("%s: launch %d, %v", c.Choice, c.turn.Round, c.Probed))
			}
		}
		for _, c := range rep.of(stageOccupancy, s) {
			if !(c.probe(0) > 0 && c.probe(0) <= 100) {
				t.Errorf("%s: occupancy %v", c.Choice, c.Probed)
			}
		}
		if late == nil || t.Failed() {
			return
		}
		o.Journal = filepath.Join(t.TempDir(), "journal.jsonl")
	}
	t.Error(strings.Join(late, "\n"))
}
