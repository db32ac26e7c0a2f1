package programs_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/mesh"
	"irgl/syntax"
)

// args are the arguments that each program is run with.
var args = map[string][]run.Value{
	"bfs":      {run.IntValue(0)},
	"bfs_do":   {run.IntValue(0), run.IntValue(15), run.IntValue(18), run.IntValue(8)},
	"bfs_st":   {run.IntValue(0)},
	"sssp":     {run.IntValue(0)},
	"sssp_bf":  {run.IntValue(0)},
	"sssp_nf":  {run.IntValue(0), run.IntValue(0)},
	"sssp_ds":  {run.IntValue(0), run.IntValue(0), run.IntValue(16)},
	"mst":      nil,
	"mst_lock": nil,
	"cc_af":    nil,
	"tri_or":   nil,
	"mis":      nil,
	"tri":      nil,
	"cc":       nil,
	"dmr":      {run.FloatValue(30)},
	"pr":       {run.FloatValue(0.85), run.FloatValue(1e-9), run.IntValue(12)},
	"pr_row":   {run.FloatValue(0.85), run.FloatValue(1e-9), run.IntValue(12)},
	"pr_pull":  {run.FloatValue(0.85), run.FloatValue(1e-9), run.IntValue(12)},
	"pr_dd":    {run.FloatValue(0.85), run.FloatValue(1e-4)},
}

// compiled returns a program after all stages, every one verified.
func compiled(t testing.TB, name string, o compile.Options) *compile.Unit {
	t.Helper()
	text, ok := programs.Text(name)
	if !ok {
		t.Fatalf("no program %s", name)
	}
	o.Check = true
	u, err := compile.Compile(source.NewFile(name+".irgl", text), syntax.IrGL, "", o)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// prepared generates a graph and fits it to a program.
func prepared(t testing.TB, u *compile.Unit, spec string) *graph.Graph {
	t.Helper()
	g, err := graph.Generate(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = run.Prepare(context.Background(), g, u.Info.Requires); err != nil {
		t.Fatal(err)
	}
	return g
}

// An input is what a program runs on, by the spec that it was made from.
type input struct {
	spec string
	run.Input
}

// inputs returns what the specs stand for: graphs, or for a program with a mesh
// meshes of about as many points as the graphs have nodes. It leaves out those
// without a node for a program that begins at one.
func inputs(t testing.TB, u *compile.Unit, specs []string) []input {
	t.Helper()
	ctx := context.Background()
	var list []input
	for _, spec := range specs {
		if entry := u.Info.Entry; spec == "empty:0" && len(entry.Params) > 0 && entry.Params[0].Type == check.Node {
			continue
		}
		g := prepared(t, u, spec)
		if u.Info.Mesh == nil {
			list = append(list, input{spec, run.Input{Graph: g}})
			continue
		}
		n := max(3, min(g.NumNodes(), 48))
		spec = fmt.Sprintf("points:%d", n)
		if slices.ContainsFunc(list, func(in input) bool { return in.spec == spec }) {
			continue
		}
		m, err := mesh.Generate(ctx, n, 7)
		if err != nil {
			t.Fatal(err)
		}
		prepared, err := run.PrepareMesh(ctx, m, u.Info.Requires)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, input{spec, run.Input{Mesh: prepared}})
	}
	return list
}

// verified runs PTX on the emulator, with all its checks, and compares the
// result with the reference, for every initial size of worklists and room of
// the mesh. Only declared races may be reported.
func verified(t *testing.T, name string, u *compile.Unit, ptx string, seed uint64, graphs []string, capacities ...int) {
	t.Helper()
	verifiedOn(t, name, u, ptx, machine{seed: seed}, inputs(t, u, graphs), capacities...)
}

// A machine is an emulated GPU and how a program is run on it.
type machine struct {
	seed            uint64 // of the schedule, whose turns are coarse, fine or medium by it
	multiprocessors int    // 0 for the usual number
	blocks          int    // of a launch, at most; 0 for the usual number
}

// verifiedOn is verified for inputs that are there already.
func verifiedOn(t *testing.T, name string, u *compile.Unit, ptx string, m machine, inputs []input, capacities ...int) {
	t.Helper()
	ctx := context.Background()
	o := simt.Checked()
	o.Seed, o.Schedule, o.Multiprocessors = m.seed, simt.Schedule(m.seed%3), m.multiprocessors
	dev := simt.Open(o)
	defer dev.Close()
	e, err := host.New(dev, u.Info, u.CUDAInfo, ptx, host.Options{MaxBlocks: m.blocks, Launches: u.Dynpar})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, in := range inputs {
		for _, capacity := range capacities {
			in.Args, in.Capacity, in.Room = args[name], capacity, capacity
			res, err := e.Run(ctx, in.Input)
			if err == nil {
				err = programs.Verify(ctx, name, in.Input, res)
			}
			if err != nil {
				t.Errorf("%s, seed %d, capacity %d: %v", in.spec, m.seed, capacity, err)
			}
		}
	}
	for _, r := range dev.Reports() {
		if ptx != u.PTXText() && r.Kind == "uninitialised" && strings.Contains(r.String(), "reads a register") {
			// nvcc computes addresses of what threads without an item never set,
			// ahead of the question whether they have one.
			continue
		}
		if r.Kind != "race" || u.Info.Racy[strings.TrimPrefix(r.Buffer, "property ")] == "" {
			t.Errorf("seed %d: %v (%s)", m.seed, r, r.Buffer)
		}
	}
}

// long skips a test that takes long in a run with -short.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}

// exhaustive reports whether sweeps of switches run all cases, and not a sample.
func exhaustive() bool { return os.Getenv("IRGL_ALL") != "" }

var someGraphs = []string{"empty:1", "path:1", "path:5", "star:20", "clique:8", "grid:8:8", "rmat:7:8", "rmat:6:6:perm"}

// forms are the ways to lower the loops of Host functions: on the host, on the
// device in small blocks, of which there are several, as it is done unless
// something else is asked for, and by launches in device code.
var forms = map[string]lower.Options{
	"host":  {},
	"small": {Outline: lower.Outline{Auto: true}, OutlineThreads: 32, OutlineBlocks: 4},
	"":      {Outline: lower.Outline{Auto: true}},
	"dp":    {Outline: lower.Outline{Auto: true, Launches: true}},
}

// TestSIMT runs every program, with its loops on the host and outlined, on many
// graphs, schedules and worklist sizes; $IRGL_SCHEDULES is how many schedules, 3
// if it is not set: one with turns of each length. With -short it runs each in
// one of the forms, on two of the graphs, others for each program.
func TestSIMT(t *testing.T) {
	seeds, err := strconv.ParseUint(cmp.Or(os.Getenv("IRGL_SCHEDULES"), "3"), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	for k, name := range programs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				u := compiled(t, name, compile.Options{Lower: forms[[]string{"host", "small", "dp"}[k%3]]})
				some := []string{someGraphs[k%len(someGraphs)], someGraphs[(k+3)%len(someGraphs)]}
				verified(t, name, u, u.PTXText(), uint64(k), some, k/2%2)
				return
			}
			for form, o := range forms {
				u := compiled(t, name, compile.Options{Lower: o})
				schedules := seeds
				if form == "" {
					schedules = 1 // but for the blocks it is like small
				}
				in := inputs(t, u, someGraphs)
				for seed := range schedules {
					capacities := []int{int(seed) % 2}
					if seed == 0 {
						capacities = []int{0, 1}
					}
					verifiedOn(t, name, u, u.PTXText(), machine{seed: seed}, in, capacities...)
				}
			}
		})
	}
}

// TestLaunches checks that a run of an outlined program is one launch, besides
// the one that initialises properties, and counts as many rounds as on the
// host.
func TestLaunches(t *testing.T) {
	long(t)
	exact := map[string]bool{"bfs": true, "bfs_st": true, "mst": true, "mst_lock": true, "mis": true}
	for _, tt := range []struct {
		name     string
		launches int64
	}{{"bfs", 2}, {"bfs_do", 2}, {"bfs_st", 2}, {"pr_pull", 3}, {"sssp", 2}, {"sssp_bf", 2}, {"sssp_nf", 3}, {"sssp_ds", 2}, {"cc", 2}, {"pr", 2}, {"mis", 2}, {"mst", 3}, {"mst_lock", 3}} {
		var rounds, launches []int64
		for _, o := range []lower.Options{forms["host"], forms["small"], forms[""], forms["dp"]} {
			u := compiled(t, tt.name, compile.Options{Lower: o})
			dev := simt.Open(simt.Options{})
			e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{Launches: u.Dynpar})
			if err != nil {
				t.Fatal(err)
			}
			in := run.Input{Graph: prepared(t, u, "grid:20:20"), Args: args[tt.name]}
			res, err := e.Run(context.Background(), in)
			if err == nil {
				err = programs.Verify(context.Background(), tt.name, in, res)
			}
			if err != nil {
				t.Fatal(err)
			}
			outlined := o.Outline.Auto && !o.Outline.Launches
			if outlined && res.Launches != tt.launches || !outlined && res.Launches <= tt.launches {
				t.Errorf("%s with %v: %d launches, want %d", tt.name, o, res.Launches, tt.launches)
			}
			launches = append(launches, res.Launches)
			rounds = append(rounds, res.Iterations)
			if err := errors.Join(e.Close(), dev.Close()); err != nil {
				t.Fatal(err)
			}
		}
		// How many rounds other programs take depends on the order of threads.
		if name := tt.name; exact[name] && (rounds[0] != rounds[1] || rounds[0] != rounds[2] || rounds[0] != rounds[3]) {
			t.Errorf("%s: %v rounds", name, rounds)
		} else if want := tt.launches + 2*(launches[0]-(tt.launches-1)); exact[name] && launches[3] != want {
			// A control kernel launches each kernel and, behind it, itself.
			t.Errorf("%s: %v launches, want %d by launches in device code", name, launches, want)
		}
	}
}

// TestEmptyGraph runs the programs that take no node on a graph without any.
func TestEmptyGraph(t *testing.T) {
	for _, name := range []string{"cc", "cc_af", "mis", "mst", "mst_lock", "pr", "pr_dd", "pr_pull", "pr_row", "tri", "tri_or"} {
		u := compiled(t, name, compile.Options{})
		verified(t, name, u, u.PTXText(), 0, []string{"empty:0"}, 0)
	}
}

// TestWideIndex runs the programs compiled for 64-bit row offsets.
func TestWideIndex(t *testing.T) {
	long(t)
	for _, name := range programs.Names() {
		o := compile.Options{}
		o.Lower.Index64 = true
		u := compiled(t, name, o)
		verified(t, name, u, u.PTXText(), 1, []string{"star:20", "rmat:6:6"}, 0)
	}
}

// TestSwitches runs every program with all scalar passes off and without
// inlining in both forms, and each pass off in one of them for a third of the
// programs, others for each pass; with -short every third program without any pass,
// in one form, and with IRGL_ALL=1 each pass for each program.
func TestSwitches(t *testing.T) {
	names := opt.Passes().Names()
	graphs := []string{"rmat:5:4"}
	for first, program := range programs.Names() {
		if testing.Short() && first%3 != 1 {
			continue
		}
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			off := map[string]bool{}
			for _, pass := range names {
				off[pass] = false
			}
			settings := []opt.Options{{Switch: off}, {InlineBudget: -1}}
			for _, pass := range names {
				settings = append(settings, opt.Options{Switch: map[string]bool{pass: false}})
			}
			for i, o := range settings {
				for k, form := range []string{"host", "small"} {
					switch {
					case exhaustive():
					case testing.Short() && (i > 0 || first%2 != k):
						continue
					case i >= 2 && ((i+first)%3 != 0 || (i+first)/3%2 != k):
						continue // other programs, and the other form, have it off
					}
					u := compiled(t, program, compile.Options{Lower: forms[form], Opt: o})
					verified(t, program, u, u.PTXText(), uint64(i), graphs, 0)
				}
			}
		})
	}
}

// TestNVCC runs the PTX that nvcc makes of the .cu texts in place of ours.
func TestNVCC(t *testing.T) {
	tool := os.Getenv("NVCC")
	if tool == "" {
		var err error
		if tool, err = exec.LookPath("nvcc"); err != nil {
			t.Skip("$NVCC is not set, and there is no nvcc in PATH")
		}
	}
	if out, err := exec.Command(tool, "--version").CombinedOutput(); err != nil {
		t.Skipf("%s does not run: %v\n%s", tool, err, out)
	}
	for _, name := range programs.Names() {
		for _, lo := range []lower.Options{
			{Outline: lower.Outline{Auto: true}},
			{NP: lower.ByBlock | lower.ByWarp | lower.FineGrained, Coop: lower.CoopBlock, Batch: 4, BlockThreads: 64},
			{NP: lower.ByWarp | lower.Serially, Coop: lower.CoopWarp, Batch: 2, Eager: true},
		} {
			t.Run(fmt.Sprintf("%s,np=%v,coop=%d", name, lo.NP, lo.Coop), func(t *testing.T) {
				t.Parallel()
				u := compiled(t, name, compile.Options{Lower: lo})
				verified(t, name, u, nvccPTX(t, tool, u), 2, []string{"star:70", "grid:8:8", "rmat:7:8"}, 0, 1)
			})
		}
	}
}

// nvccPTX returns what nvcc makes of a program.
func nvccPTX(t *testing.T, tool string, u *compile.Unit) string {
	t.Helper()
	var cu bytes.Buffer
	if err := u.Emit(&cu, "cu"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.cu"), cu.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "-ptx", "-arch=sm_90", "-o", "p.ptx", "p.cu")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ptx, err := os.ReadFile(filepath.Join(dir, "p.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return string(ptx)
}

// TestReferences checks that every reference accepts a right result and
// refuses one with a single wrong value, naming the node as the file does.
func TestReferences(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"bfs", "bfs_do", "bfs_st", "cc", "cc_af", "pr", "pr_pull", "sssp", "sssp_bf", "sssp_ds", "sssp_nf"} {
		t.Run(name, func(t *testing.T) {
			u := compiled(t, name, compile.Options{})
			g := prepared(t, u, "rmat:6:4")
			named := *g
			named.IDs = make([]uint64, g.NumNodes())
			for v := range named.IDs {
				named.IDs[v] = uint64(1000 + v)
			}
			dev := simt.Open(simt.Options{})
			defer dev.Close()
			e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{Launches: u.Dynpar})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			in := run.Input{Graph: &named, Args: args[name]}
			res, err := e.Run(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			if err := programs.Verify(ctx, name, in, res); err != nil {
				t.Fatal("a right result is refused: ", err)
			}
			col := res.Props[0]
			for _, v := range []int{0, 17, col.Len() - 1} {
				old := col.Value(v)
				wrong := old
				wrong.Int++
				wrong.Float += 1e-3
				col.Set(v, wrong)
				err := programs.Verify(ctx, name, in, res)
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("node %d ", 1000+v)) {
					t.Errorf("node %d is wrong: %v", v, err)
				}
				col.Set(v, old)
			}
			for i := range col.Len() {
				v := col.Value(i)
				v.Int, v.Float = v.Int+1, math.NaN()
				col.Set(i, v)
			}
			if err := programs.Verify(ctx, name, in, res); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("and %d more", col.Len()-1)) {
				t.Errorf("all nodes are wrong: %v", err)
			}
			res.Props = nil
			if err := programs.Verify(ctx, name, in, res); err == nil || !strings.Contains(err.Error(), "no property") {
				t.Errorf("a result without the property: %v", err)
			}
		})
	}
}

// TestReferenceErrors checks what the references say of inputs and results
// that no run gives.
func TestReferenceErrors(t *testing.T) {
	ctx := context.Background()
	g, err := graph.Generate(ctx, "path:3")
	if err != nil {
		t.Fatal(err)
	}
	if err := programs.Verify(ctx, "nothing", run.Input{Graph: g}, &run.Result{}); !errors.Is(err, programs.ErrNoReference) {
		t.Errorf("no reference: %v", err)
	}
	if err := programs.Verify(ctx, "bfs", run.Input{Graph: g, Args: []run.Value{run.IntValue(7)}}, &run.Result{}); err == nil {
		t.Error("a source that is no node")
	}
	if err := programs.Verify(ctx, "pr", run.Input{Graph: g}, &run.Result{}); err == nil {
		t.Error("arguments are missing")
	}
	negative := &graph.Graph{RowStart: []uint64{0, 1, 1}, Dst: []uint32{1}, Weight: []int32{-1}}
	negative.Dst[0] = 0
	dist := &run.Result{Props: []*run.Column{run.NewColumn("dist", syntax.NodeDomain, check.Int, 2)}}
	if err := programs.Verify(ctx, "sssp", run.Input{Graph: negative, Args: args["sssp"]}, dist); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("a cycle of negative weight: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, name := range []string{"sssp", "pr"} {
		w := *g
		res := &run.Result{Props: dist.Props}
		dist.Props[0] = run.NewColumn("dist", syntax.NodeDomain, check.Int, g.NumNodes())
		if name == "pr" {
			res.Props = append(res.Props, run.NewColumn("rank", syntax.NodeDomain, check.Double, g.NumNodes()))
		}
		if err := programs.Verify(cancelled, name, run.Input{Graph: &w, Args: args[name]}, res); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// TestComponents checks that the count of components is verified, too.
func TestComponents(t *testing.T) {
	ctx := context.Background()
	u := compiled(t, "cc", compile.Options{})
	g := prepared(t, u, "path:3")
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{Launches: u.Dynpar})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := run.Input{Graph: g}
	res, err := e.Run(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	res.Globals[0].Values[0].Int++
	if err := programs.Verify(ctx, "cc", in, res); err == nil || !strings.Contains(err.Error(), "components is") {
		t.Errorf("a wrong count: %v", err)
	}
}

// TestFamilies checks that every program is in one family, with programs of the
// same outputs, and that a program's name stands for its problem.
func TestFamilies(t *testing.T) {
	in := map[string]string{}
	for _, problem := range programs.Problems() {
		list := programs.Family(problem)
		if !slices.Contains(list, problem) {
			t.Errorf("no program is called %s", problem)
		}
		for _, name := range list {
			if other := in[name]; other != "" {
				t.Errorf("%s solves %s and %s", name, other, problem)
			}
			in[name] = problem
			if got := programs.Family(name); !slices.Equal(got, list) {
				t.Errorf("the family of %s is %v, that of %s %v", name, got, problem, list)
			}
			if got, want := outputs(t, name), outputs(t, problem); !slices.Equal(got, want) && problem != "pr" {
				t.Errorf("the outputs of %s are %v, those of %s %v", name, got, problem, want)
			}
		}
		list[0] = "changed"
		if programs.Family(problem)[0] == "changed" {
			t.Error("the list is shared")
		}
	}
	for _, name := range programs.Names() {
		if in[name] == "" {
			t.Errorf("%s solves no problem", name)
		}
	}
	if got := programs.Family("nothing"); got != nil {
		t.Errorf("nothing is solved by %v", got)
	}
}

// outputs returns the names of a program's outputs, sorted.
func outputs(t *testing.T, name string) []string {
	t.Helper()
	u := compiled(t, name, compile.Options{})
	var list []string
	for _, p := range u.Info.Props {
		if p.Output {
			list = append(list, p.Object.Name)
		}
	}
	for _, g := range u.Info.Globals {
		if g.Attrs.Has(syntax.Output) {
			list = append(list, g.Name)
		}
	}
	slices.Sort(list)
	return list
}

// TestText checks the access to the embedded texts.
func TestText(t *testing.T) {
	if got, want := programs.Names(), slices.Sorted(maps.Keys(args)); !slices.Equal(got, want) {
		t.Errorf("the programs are %s; there are arguments for %s", got, want)
	}
	for _, name := range []string{"nothing", "", "bfs.irgl", "../programs/bfs", `a\b`} {
		if _, ok := programs.Text(name); ok {
			t.Errorf("%q is a program", name)
		}
	}
	for name := range args {
		if text, ok := programs.Text(name); !ok || !bytes.HasPrefix(text, []byte("// ")) {
			t.Errorf("%s does not begin with what it does", name)
		}
	}
}
