package host

import (
	"cmp"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/run"
)

// recorded runs a program that records everything and returns the numbers of its
// kernels, without times and counters, in order of their names.
func recorded(t *testing.T, r irglRun, dev device.Device) ([]run.KernelStats, *run.Result) {
	t.Helper()
	e, in, _ := r.start(t, dev)
	defer e.Close()
	in.Collect = run.CollectEvents
	res, err := e.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	kernels := slices.Clone(res.Kernels)
	var launches int64
	for i := range kernels {
		k := &kernels[i]
		launches += k.Launches
		if k.Time < 0 {
			t.Errorf("%s took %v ms", k.Name, k.Time)
		}
		k.Time, k.Counters = 0, nil
	}
	if launches != res.Launches {
		t.Errorf("the kernels have %d launches, the run %d", launches, res.Launches)
	}
	slices.SortFunc(kernels, func(a, b run.KernelStats) int { return cmp.Compare(a.Name, b.Name) })
	return kernels, res
}

const wave = `Graph graph { Output Node int level = INF; }
Kernel step(graph, int k) { ForAll (i In WL) { n = WL.pop(i); ForAll (e In n.edges) { if (e.dst.level == INF) { e.dst.level = k; WL.push(e.dst); } } } }
Kernel seed(graph) { ForAll (n In graph.nodes) { if (n.degree == 1) { n.level = 0; WL.push(n); } } }
`

// TestRecord checks the items that kernels pop, push and retry, in lists that are
// swapped, shared, given up with items in them, and filled again for a retry.
func TestRecord(t *testing.T) {
	init := func(n int64) run.KernelStats { return run.KernelStats{Name: "irgl_init_nodes", Launches: n} }
	for _, tt := range []struct {
		name, text string
		want       []run.KernelStats
	}{
		{"iterate", wave + "Host f() { int k = 1; graph.nodes(0).level = 0; Iterate step(graph, k) Initial [0] { k++; } }",
			[]run.KernelStats{init(1), {Name: "step", Launches: 5, Items: 5, Pushes: 4}}},
		{"pipe", wave + "Host f() { int k = 0; Pipe { if (k == 0) { Invoke seed(graph); } k++; Invoke step(graph, k); } }",
			[]run.KernelStats{init(1), {Name: "seed", Launches: 1, Pushes: 2}, {Name: "step", Launches: 3, Items: 2 + 2 + 1, Pushes: 2 + 1}}},
		{"left", wave + "Host f() { int k = 1; Iterate step(graph, k) Initial [0, 4] { k++; break; } Iterate step(graph, k) Initial [2, 2, 2] { break; } }",
			[]run.KernelStats{init(1), {Name: "step", Launches: 2, Items: 2 + 3, Pushes: 2}}},
		{"retry", `Graph graph { Node int tries = 0; }
Kernel work(graph) { ForAll (i In WL) { n = WL.pop(i); n.tries += 1; if (n.tries == 1 && n.id < 3) { Respawn n; } else if (n.tries < 4) { WL.push(n); } } }
Host f() { Iterate work(graph) Initial [0, 1, 2, 3]; }`,
			[]run.KernelStats{init(1), {Name: "work", Launches: 5, Items: 4 + 3 + 4 + 4 + 1, Pushes: 1 + 3 + 4 + 1, Retries: 3}}},
		{"nothing", "Graph graph { Output Node int a; }\nKernel k(graph) { ForAll (n In graph.nodes) { n.a = 1; } }\nHost f() { Invoke k(graph); Invoke k(graph); }",
			[]run.KernelStats{{Name: "k", Launches: 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dev := track()
			defer dev.Close()
			got, res := recorded(t, irglRun{text: tt.text, graph: "path:5"}, dev)
			got = slices.DeleteFunc(got, func(k run.KernelStats) bool { return tt.name == "nothing" && k.Name == "irgl_init_nodes" })
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			checkEvents(t, res)
			if len(dev.live) > 0 {
				t.Errorf("left on the device: %v", dev.live)
			}
		})
	}
}

// checkEvents checks that events have the same sums as the kernels, that kernels
// run one after the other, and within the time of the host functions.
func checkEvents(t *testing.T, res *run.Result) {
	t.Helper()
	sums := map[string]run.KernelStats{}
	end := 0.0
	var host run.Event
	for _, e := range res.Events {
		switch {
		case e.Kind == run.HostEvent && e.Name == "host functions":
			host = e
		case e.Kind == run.KernelEvent:
			if e.Start < end-0.01 || e.Time < 0 || e.Blocks < 1 || e.Threads < 1 {
				t.Errorf("%+v, after one that ended at %v", e, end)
			}
			end = e.Start + e.Time
			k := sums[e.Name]
			k.Name, k.Launches, k.Items, k.Pushes, k.Retries = e.Name, k.Launches+1, k.Items+e.Items, k.Pushes+e.Pushes, k.Retries+e.Retries
			sums[e.Name] = k
		}
	}
	if host.Time == 0 || host.Start+host.Time < end {
		t.Errorf("the host functions end at %v, the last kernel at %v", host.Start+host.Time, end)
	}
	for _, k := range res.Kernels {
		if k.Time, k.Counters = 0, nil; sums[k.Name] != k {
			t.Errorf("the events of %s sum up to %+v, not %+v", k.Name, sums[k.Name], k)
		}
	}
}

// TestRecordCounters checks that what simt counts goes to the kernels of the run,
// not to those of the one before.
func TestRecordCounters(t *testing.T) {
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	e, in, _ := irglRun{text: wave + "Host f() { int k = 1; graph.nodes(0).level = 0; Iterate step(graph, k) Initial [0] { k++; } }", graph: "path:5"}.start(t, dev)
	defer e.Close()
	in.Collect = run.CollectKernels
	for range 2 {
		res, err := e.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range res.Kernels {
			want := uint64(0)
			if k.Name == "step" {
				want = 4
			}
			if c := k.Counters; c == nil || c.AtomicsGlobal != want || c.Transactions == 0 || c.Barriers != 0 {
				t.Errorf("%s: %+v", k.Name, c)
			}
		}
		if len(res.Kernels) != 2 || res.Events != nil {
			t.Errorf("%+v", res.Stats)
		}
	}
}

// TestRecordRestart checks that the numbers are those of the last attempt, and
// the events those of all.
func TestRecordRestart(t *testing.T) {
	dev := track()
	defer dev.Close()
	kernels, res := recorded(t, irglRun{text: spread, graph: "empty:8", args: []run.Value{run.IntValue(1)}, capacity: 1}, dev)
	restarts, launches, attempts := int64(0), 0, int64(0)
	for _, e := range res.Events {
		switch {
		case e.Kind == run.RestartEvent:
			restarts++
		case e.Kind == run.KernelEvent:
			launches++
			if e.Time == 0 || e.Start == 0 {
				t.Errorf("a launch without a time: %+v", e)
			}
		case e.Name == "host functions":
			attempts++
		}
	}
	if restarts != res.Restarts || restarts == 0 || attempts != restarts+1 || launches <= int(res.Launches) {
		t.Errorf("%d restarts in events, %d counted; %d attempts; %d launches, in the last %d", restarts, res.Restarts, attempts, launches, res.Launches)
	}
	pushes, _ := res.Global("pushes")
	if k := kernels[0]; k.Name != "all" || k.Pushes != pushes.Values[0].Int-1 || k.Items != 1+8 {
		t.Errorf("%+v, and the program counted %d pushes", k, pushes.Values[0].Int-1)
	}
}

// A clocked device does nothing, and its events count how often they were
// recorded in all.
type clocked struct {
	nullDevice
	clock        float64
	events, live int
	lost         bool
}

type tick struct {
	d  *clocked
	at float64
}

func (d *clocked) NewEvent() (device.Event, error) {
	d.events++
	d.live++
	return &tick{d: d}, nil
}

func (d *clocked) Sync(context.Context) error { return nil }

func (d *clocked) Launch(device.Kernel, device.Launch) error {
	if d.lost {
		return errors.New("lost")
	}
	return nil
}

func (e *tick) Record() error { e.d.clock++; e.at = e.d.clock; return nil }
func (e *tick) Close() error  { e.d.live--; return nil }
func (e *tick) Since(start device.Event) (float64, error) {
	return e.at - start.(*tick).at, nil
}

// TestRecordMany runs so many kernels that their times are read on the way, with
// the same events again, and again in the next run; a launch that fails leaves
// none behind.
func TestRecordMany(t *testing.T) {
	emulator := simt.Open(simt.Options{})
	defer emulator.Close()
	dev := &clocked{nullDevice: nullDevice{emulator}}
	text := strings.Replace(wave, "INF", "0", 1) + "Host f() { int k = 1; Iterate step(graph, k) Initial [0] { k++; if (k > 10000) break; } }"
	e, in, _ := irglRun{text: text, graph: "path:5"}.start(t, dev)
	in.Collect = run.CollectEvents
	for range 2 {
		res, err := e.Run(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		var kernels []run.Event
		for _, ev := range res.Events {
			if ev.Kind == run.KernelEvent {
				kernels = append(kernels, ev)
			}
		}
		if len(kernels) != 10001 || len(e.timers) != 2*maxOpen || dev.events != 2*maxOpen+2 {
			t.Fatalf("%d launches, %d events kept, %d made", len(kernels), len(e.timers), dev.events)
		}
		for i, ev := range kernels {
			if i > 0 && (ev.Time != 1 || math.Abs(ev.Start-kernels[i-1].Start-2) > 1e-6) {
				t.Fatalf("launch %d: %+v after %+v", i, ev, kernels[i-1])
			}
		}
	}
	dev.lost = true
	if _, err := e.Run(context.Background(), in); err == nil || len(e.timers) != 2*maxOpen {
		t.Errorf("a failed launch: %v, %d events kept", err, len(e.timers))
	}
	if err := e.Close(); err != nil || dev.live != 0 {
		t.Errorf("%v, %d events are left", err, dev.live)
	}
}
