package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"irgl/internal/engine"
	"irgl/internal/run"
)

// TestStats runs every bundled program on every device that is everywhere, and
// checks that the kernels' launches are the run's, that the trace is JSON with an
// event a launch, and that nothing is recorded without being asked for.
func TestStats(t *testing.T) {
	ctx := context.Background()
	for _, name := range somePrograms() {
		p := bundled(t, name)
		args := engine.Args{}
		if len(p.Params()) > 0 && p.Params()[0].Type == "node" {
			args[p.Params()[0].Name] = 0
		}
		in := inputFor(t, p, generate(t, "road:5:4"))
		for _, device := range everywhere {
			plain, err := prepare(t, p, engine.Options{Device: device}).RunOn(ctx, in, args)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(plain)
			if err != nil || plain.Kernels != nil || strings.Contains(string(text), "kernels") {
				t.Errorf("%s on %s records without being asked: %v %s", name, device, err, text)
			}
			r, err := prepare(t, p, engine.Options{Device: device, Trace: true}).RunOn(ctx, in, args)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, device, err)
			}
			var sum engine.KernelStats
			for i, k := range r.Kernels {
				sum.Launches += k.Launches
				sum.Items += k.Items
				sum.Pushes += k.Pushes
				if k.Launches < 1 || k.Pushes < 0 || k.Retries < 0 || i > 0 && k.Time > r.Kernels[i-1].Time || (k.Counters != nil) != (device == "simt") {
					t.Errorf("%s on %s: %+v", name, device, k)
				}
			}
			if sum.Launches != r.Launches {
				t.Errorf("%s on %s: kernels have %d launches, the run %d", name, device, sum.Launches, r.Launches)
			}
			if events := traced(t, r); int64(events["kernel"]) < r.Launches || r.Restarts == 0 && int64(events["kernel"]) != r.Launches || events["host"] == 0 {
				t.Errorf("%s on %s: %d launches, %v in the trace", name, device, r.Launches, events)
			}
		}
	}
}

// traced returns how many events of each category a result's trace has, and
// checks that it is well formed.
func traced(t *testing.T, r *engine.Result) map[string]int {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteTrace(&b); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Ph, Name, Cat string
			Pid, Tid      int
			Ts, Dur       float64
			Args          map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	counts := map[string]int{}
	for _, e := range trace.TraceEvents {
		counts[e.Cat]++
		if e.Pid == 0 || e.Name == "" || e.Ts < 0 || e.Dur < 0 || e.Cat == "kernel" != (e.Ph == "X" && e.Tid == 2) {
			t.Errorf("%+v", e)
		}
	}
	return counts
}

// A walk is a search whose loop stays on the host, since it prints.
const walk = `Graph graph { Output Node int level = INF; }
Kernel BFS(graph, int k) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { if (e.dst.level == INF) { e.dst.level = k; WL.push(e.dst); } } } }
Host f(node src) { int k = 1; src.level = 0; Iterate BFS(graph, k) Initial [src] { k++; printf(""); } }
`

// TestStatsAgree compares what the devices record of a search along a path, where
// no two items meet: all is known beforehand.
func TestStatsAgree(t *testing.T) {
	for device, p := range map[string]*engine.Program{"cpu": bundled(t, "bfs"), "interp": parse(t, "walk", walk), "simt": parse(t, "walk", walk)} {
		x := prepare(t, p, engine.Options{Device: device, Stats: true})
		r, err := x.Run(context.Background(), generate(t, "path:9"), engine.Args{"src": 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range r.Kernels {
			if k.Name == "irgl_init_nodes" && device == "simt" {
				continue
			}
			k.Time, k.Counters = 0, nil
			if want := (engine.KernelStats{Name: "BFS", Launches: 5, Items: 9, Pushes: 8}); k != want {
				t.Errorf("%s: %+v", device, k)
			}
		}
		if len(r.Kernels) == 0 || len(traced(t, r)) > 1 {
			t.Errorf("%s: %v, and a trace that was not asked for", device, r.Kernels)
		}
	}
}

// TestWriteStats pins the table, with the columns that only some runs have.
func TestWriteStats(t *testing.T) {
	r := engine.Result{Kernels: []engine.KernelStats{
		{Name: "relax", Launches: 12, Time: 3.25, Items: 1000, Pushes: 999},
		{Name: "a_long_name", Launches: 1, Time: 0.75, Pushes: 1},
	}}
	check := func(want string) {
		t.Helper()
		var b bytes.Buffer
		if err := r.WriteStats(&b); err != nil || b.String() != want {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
	check(`kernel          ms      %  launches  items  pushes
relax        3.250   81.2        12   1000     999
a_long_name  0.750   18.8         1      0       1
total        4.000  100.0        13   1000    1000
`)
	r.Kernels[0].Retries = 5
	r.Kernels[0].Counters = &run.Counters{AtomicsGlobal: 1, AtomicsShared: 2, Barriers: 3, Transactions: 123456}
	check(`kernel          ms      %  launches  items  pushes  retries  atomics  shared atomics  barriers  transactions
relax        3.250   81.2        12   1000     999        5        1               2         3        123456
a_long_name  0.750   18.8         1      0       1        0        -               -         -             -
total        4.000  100.0        13   1000    1000        5        1               2         3        123456
`)
	r.Kernels = []engine.KernelStats{{Name: "control", Launches: 1, Time: 3, Outlined: true}, {Name: "seed", Launches: 1, Time: 1, Pushes: 4}}
	check(`kernel      ms      %  launches  items  pushes
control  3.000   75.0         1      -       -
seed     1.000   25.0         1      0       4
total    4.000  100.0         2      0       4
`)
	r.Kernels = []engine.KernelStats{}
	check("kernel     ms    %  launches  items  pushes\ntotal   0.000  0.0         0      0       0\n")
}
