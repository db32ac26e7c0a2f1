//go:build linux

package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"irgl/internal/cudabuild"
	"irgl/internal/serve"
)

// TestMain makes the test's binary the emulator's process, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve.Serve(context.Background(), os.Stdin, os.Stdout, serve.Options{Version: "test", Arena: 3, HasArena: true}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// ofShort are the benchmarks that -short runs.
var ofShort = []string{"sssp", "bt", "qt", "sc"}

// variants returns the flags of the programs that are built of a benchmark. The tail launch is
// one line for all, so that one benchmark has it.
func variants(b *Benchmark) [][]string {
	list := [][]string{Flags(NoDP, Null), Flags(Plain, Null)}
	if b.Kind == Aggregation {
		list[1] = Flags(Plain, Forget)
	}
	if testing.Short() {
		return list
	}
	if b.Kind == Aggregation {
		list = append(list, Flags(Plain, Null))
	}
	if b.Name == "sc" {
		list = append(list, Flags(Plain, Tail))
	}
	if slices.Contains(b.Options, "DEVICE_MALLOC") {
		list = append(list, append(Flags(Plain, Private), "-DDEVICE_MALLOC"))
	}
	return list
}

// TestBenchmarks builds the forms of all benchmarks and runs them on the emulator: the results
// are right, and nothing is reported, races least of all.
func TestBenchmarks(t *testing.T) {
	compiler(t)
	for _, b := range All() {
		if testing.Short() && !slices.Contains(ofShort, b.Name) {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, err := b.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, flags := range variants(b) {
				t.Run(strings.Join(flags, " "), func(t *testing.T) { testForm(t, b, path, flags) })
			}
		})
	}
}

// testForm runs a form with two schedules and two inputs.
func testForm(t *testing.T, b *Benchmark, path string, flags []string) {
	program := build(t, path, flags...)
	for _, seed := range []string{"1", "2"} {
		r := run(t, program, "seed="+seed, append(b.Arguments(Test, ""), "--repeat", seed, "--seed", seed)...)
		got, err := ParseOutput(r.stdout)
		if err != nil || got.Check != "ok" || r.status != 0 || r.stderr != "" {
			t.Fatalf("status %d, %v\n%s%s", r.status, err, r.stdout, r.stderr)
		}
	}
}

// testOption: benchmarks are right when they are built with more flags.
func testOption(t *testing.T, names []string, flags ...string) {
	if testing.Short() {
		t.Skip("it builds programs for their transformations")
	}
	compiler(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Find(name)
			path, err := b.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			testForm(t, b, path, append(Flags(Plain, Forget), flags...))
		})
	}
}

// TestCoarse: benchmarks whose small children are done by threads, and whose blocks do several blocks, are right, aggregated too.
func TestCoarse(t *testing.T) {
	testOption(t, []string{"bt", "qt", "sssp"}, "--threshold=256", "--coarsen=4", "--granularity=block")
}

// TestBehind: benchmarks whose grids leave launches to a kernel behind them are right.
func TestBehind(t *testing.T) {
	testOption(t, []string{"bfs", "sssp"}, "--granularity=grid", "--grid-launch=host")
}

// TestLaunches: the launches that a program knows of are those that it counts.
func TestLaunches(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs for their launches alone")
	}
	compiler(t)
	for name, fixed := range map[string]bool{"bfs": true, "qt": true, "sc": true, "gc": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := Find(name).Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var launches [2]int64
			for i, flags := range [][]string{{}, {"-DCOUNT"}} {
				r := run(t, build(t, path, flags...), "", Find(name).Arguments(Test, "")...)
				got, err := ParseOutput(r.stdout)
				if err != nil {
					t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
				}
				launches[i] = got.Launches
			}
			if fixed && launches[0] != launches[1] || !fixed && launches[0] != 0 || launches[1] == 0 {
				t.Errorf("%d launches, counted %d", launches[0], launches[1])
			}
		})
	}
}

// faults are mistakes in kernels, as replacements in the plain form, that the checks of the
// programs must find.
var faults = []struct{ name, file, old, new string }{
	{"bfs", "bfs.cu", "col[start + i], next)", "col[start + i], next + (i == 7))"},
	{"bh", "bh.cu", "resume = cell.skip", "resume = cell.skip + 1"},
	{"bt", "bt.cu", "2.0f * u * w * c->control[1].y", "2.1f * u * w * c->control[1].y"},
	{"ccl", "ccl.cu", "row > 0 && pixel", "row > 2 && pixel"},
	{"gc", "gc.cu", "color[col[start + i]] == own", "i > 3 && color[col[start + i]] == own"},
	{"mstf", "mstf.cu", "mst_consider(m, v, own, weight, start + i)", "mst_consider(m, v, own, weight, start)"},
	{"mstv", "mstv.cu", "if (i < degree)", "if (i > 0 && i < degree)"},
	{"qt", "qt.cu", "if (quadrant == q) out", "if (p.id == 5) p.id = 6;\n\t\t\tif (quadrant == q) out"},
	{"sp", "sp.cu", "sign[e] == value", "sign[e] != value"},
	{"sp", "sp.cu", "float against = (1 - other) * same;", "float against = (1 - same) * other;"},
	{"sssp", "sssp.cu", "from + weight[start + i]", "from + weight[start + i] + (round == 3)"},
	{"los", "los.cu", "fmaxf(largest, all)", "all"},
	{"pd", "pd.cu", "data[to + p] = 0", "data[to + p] = 1"},
	{"pt", "pt.cu", "odd[i - place]", "odd[i - place ^ 1]"},
	{"sc", "sc.cu", "offset + count", "offset + count + (tile == 1)"},
	{"unq", "unq.cu", "? data[first + TILE]", "? data[first + TILE] + 1"},
	{"upd", "upd.cu", "tile + 1", "tile + 1 + (tile == 0)"},
}

// TestFaults: a mistake in a kernel is found by the program's check.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program for each fault")
	}
	compiler(t)
	for _, x := range faults {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			path, err := Find(x.name).Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			text := source(x.file)
			if !strings.Contains(text, x.old) {
				t.Fatalf("%s has no %q", x.file, x.old)
			}
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), x.file), []byte(strings.ReplaceAll(text, x.old, x.new)), 0o666); err != nil {
				t.Fatal(err)
			}
			r := run(t, build(t, path), "check=0", Find(x.name).Arguments(Test, "")...)
			if got, err := ParseOutput(r.stdout); r.status != 1 || err != nil || got.Check == "ok" {
				t.Errorf("status %d, %v\n%s%s", r.status, err, r.stdout, r.stderr)
			}
		})
	}
}

// TestInputs runs programs on the paper's inputs, where the environment variable DATA names
// their folder.
func TestInputs(t *testing.T) {
	data := os.Getenv("DATA")
	if data == "" {
		t.Skip("the environment variable DATA names no folder of graphs")
	}
	compiler(t)
	for _, b := range All() {
		for _, name := range b.Inputs {
			if b.Name == "sp" {
				continue // minutes on the emulator
			}
			t.Run(b.Name, func(t *testing.T) {
				dir := t.TempDir()
				input, err := Input(t.Context(), name, data, dir)
				if err != nil {
					t.Fatal(err)
				}
				path, err := b.Write(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, flags := range [][]string{Flags(Plain, Forget), Flags(NoDP, Null)} {
					r := run(t, build(t, path, flags...), "check=0", b.Arguments(Large, input)...)
					if got, err := ParseOutput(r.stdout); r.status != 0 || err != nil || got.Check != "ok" {
						t.Errorf("status %d, %v\n%s%s", r.status, err, r.stdout, r.stderr)
					}
				}
			})
		}
	}
}

// TestClauses: a clause that has a literal twice, or a literal and its opposite, does not make surveys wrong.
func TestClauses(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	compiler(t)
	dir := t.TempDir()
	path, err := Find("sp").Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Builder{}
	text.WriteString("c a formula\np cnf 40 120\n")
	for i := range 120 {
		bits := i * 2654435761 >> 7
		a, b, c := (1+i%40)*(1-2*(bits&1)), (1+(i*7+3)%40)*(1-bits&2), (1+(i*11+5)%40)*(1-bits>>1&2)
		switch {
		case i%9 == 0:
			b = a
		case i%10 == 1:
			c = -a
		}
		fmt.Fprintf(&text, "%d %d %d 0\n", a, b, c)
	}
	input := filepath.Join(dir, "small.cnf")
	if err := os.WriteFile(input, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	r := run(t, build(t, path, Flags(Plain, Forget)...), "", Find("sp").Arguments(Large, input)...)
	if got, err := ParseOutput(r.stdout); r.status != 0 || err != nil || got.Check != "ok" {
		t.Errorf("status %d, %v\n%s%s", r.status, err, r.stdout, r.stderr)
	}
}

// TestNVCC: nvcc compiles all forms without a warning. The environment variable NVCC names it.
func TestNVCC(t *testing.T) {
	nvcc := os.Getenv("NVCC")
	if nvcc == "" {
		t.Skip("the environment variable NVCC names no nvcc")
	}
	compiler(t)
	dir := t.TempDir()
	if err := WriteAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, b := range All() {
		for _, flags := range variants(b) {
			args := append([]string{"-std=c++17", "-arch=sm_90", "-rdc=true", "-ptx", filepath.Join(dir, b.Name+".cu"), "-o", filepath.Join(dir, "a.ptx")}, flags...)
			if out, err := exec.CommandContext(t.Context(), nvcc, args...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s %s: %v\n%s", b.Name, flags, err, out)
			}
		}
	}
}

// TestTable: the table has the sources that are there, and each source says the block sizes
// of the table.
func TestTable(t *testing.T) {
	var want []string
	used := map[string]bool{"common.cuh": true}
	for _, b := range All() {
		want = append(want, b.Name+".cu")
		for _, h := range b.headers {
			used[h] = true
		}
		if Find(b.Name) != b || b.Doc == "" || b.Data == "" {
			t.Errorf("%s: not found, or without a description", b.Name)
		}
		text := b.Source()
		for _, h := range b.headers {
			text += source(h)
		}
		for _, n := range []int{b.Parent, b.Child} {
			if !slices.ContainsFunc([]string{"PARENT", "CHILD", "BLOCK", "THREADS", "POINTS"}, func(name string) bool {
				return strings.Contains(text, fmt.Sprintf("#define %s %d", name, n))
			}) {
				t.Errorf("%s: no macro says a block of %d threads", b.Name, n)
			}
		}
	}
	for h := range used {
		want = append(want, h)
	}
	var got []string
	entries, err := texts.ReadDir("src")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %v, the table %v", got, want)
	}
	if Find("dmr") != nil {
		t.Error("there is a benchmark dmr")
	}
}

// TestOutput reads outputs of programs.
func TestOutput(t *testing.T) {
	r, err := ParseOutput("time: 1.2500 ms\nlaunches: 201\nleaves: 5\ncheck: ok\n")
	if want := (Result{Milliseconds: 1.25, Launches: 201, Check: "ok"}); !reflect.DeepEqual(r, want) || err != nil {
		t.Errorf("%v, %v", r, err)
	}
	r, err = ParseOutput("time: 0.5 ms\ncheck: FAILED level of node 1 is 2, want 3\n")
	if want := (Result{Milliseconds: 0.5, Check: "level of node 1 is 2, want 3"}); !reflect.DeepEqual(r, want) || err != nil {
		t.Errorf("%v, %v", r, err)
	}
	r, err = ParseOutput("round: 2\npart 0: 1.5 ms\npart 1: 0.5 ms\noccupancy: 12.5 %\ntime: 3 ms\ncheck: ok\n")
	if want := (Result{Milliseconds: 3, Check: "ok", Parts: []float64{1.5, 0.5}, Round: 2, Occupancy: 12.5}); !reflect.DeepEqual(r, want) || err != nil {
		t.Errorf("%v, %v", r, err)
	}
	for _, text := range []string{"", "time: 1 ms\n", "check: ok\n", "time: soon\ncheck: ok\n", "part 0: x ms\ntime: 1 ms\ncheck: ok\n", "round: x\ntime: 1 ms\ncheck: ok\n"} {
		if r, err := ParseOutput(text); err == nil {
			t.Errorf("%q: %v", text, r)
		}
	}
}

// TestInput unpacks files, and reports those that are missing.
func TestInput(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "a.gr"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	path, err := Input(t.Context(), "a.gr", data, dir)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Input(t.Context(), "b.gr", data, dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
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
	if runtime.GOARCH != "amd64" {
		t.Skip("programs are tested on amd64")
	}
}

// build builds a program beside its source.
func build(t *testing.T, path string, flags ...string) string {
	t.Helper()
	program := strings.TrimSuffix(path, ".cu")
	o, err := cudabuild.ParseFlags(append(flags, path, "-o", program))
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if err := cudabuild.Build(t.Context(), o, io.Discard, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return program
}

type result struct {
	stdout, stderr string
	status         int
}

// run runs a program on the emulator with its options.
func run(t *testing.T, program, options string, args ...string) result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "IRGL="+self, "IRGL_DEVICE=simt", "IRGL_SIMT="+options)
	cmd.WaitDelay = 2 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}
