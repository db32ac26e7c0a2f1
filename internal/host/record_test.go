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

	"irgl/internal/check"
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

// Loops that print stay on the host, so that their kernels are launched one by one.

// TestRecord checks the items that kernels pop, push and retry, in lists that are
// swapped, shared, given up with items in them, and filled again for a retry.
func TestRecord(t *testing.T) {
	init := func(n int64) run.KernelStats { return run.KernelStats{Name: "irgl_init_nodes", Launches: n} }
	for _, tt := range []struct {
		name, text string
		want       []run.KernelStats
	}{
		{"iterate", wave + "Host f() { int k = 1; graph.nodes(0).level = 0; Iterate step(graph, k) Initial [0] { k++; printf(\"\"); } }",
			[]run.KernelStats{init(1), {Name: "step", Launches: 5, Items: 5, Pushes: 4}}},
		{"pipe", wave + "Host f() { int k = 0; Pipe { if (k == 0) { Invoke seed(graph); } k++; printf(\"\"); Invoke step(graph, k); } }",
			[]run.KernelStats{init(1), {Name: "seed", Launches: 1, Pushes: 2}, {Name: "step", Launches: 3, Items: 2 + 2 + 1, Pushes: 2 + 1}}},
		{"left", wave + "Host f() { int k = 1; Iterate step(graph, k) Initial [0, 4] { k++; printf(\"\"); break; } Iterate step(graph, k) Initial [2, 2, 2] { printf(\"\"); break; } }",
			[]run.KernelStats{init(1), {Name: "step", Launches: 2, Items: 2 + 3, Pushes: 2}}},
		{"retry", `Graph graph { Node int tries = 0; }
Kernel work(graph) { ForAll (i In WL) { n = WL.pop(i); n.tries += 1; if (n.tries == 1 && n.id < 3) { Respawn n; } else if (n.tries < 4) { WL.push(n); } } }
Host f() { Iterate work(graph) Initial [0, 1, 2, 3] { printf(""); } }`,
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
	e, in, _ := irglRun{text: wave + "Host f() { int k = 1; graph.nodes(0).level = 0; Iterate step(graph, k) Initial [0] { k++; printf(\"\"); } }", graph: "path:5"}.start(t, dev)
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
	device.Event
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
	text := strings.Replace(wave, "INF", "0", 1) + "Host f() { int k = 1; Iterate step(graph, k) Initial [0] { k++; printf(\"\"); if (k > 10000) break; } }"
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

// A reading device counts what is read from it, or waited for.
type reading struct {
	device.Device
	reads, waits int
}

func (d *reading) CopyOut(b []byte, p device.Ptr) error {
	d.reads++
	return d.Device.CopyOut(b, p)
}

func (d *reading) Sync(ctx context.Context) error {
	d.waits++
	return d.Device.Sync(ctx)
}

// TestRecordWaits checks that a run that is recorded waits for the device once
// more than others, when it begins.
func TestRecordWaits(t *testing.T) {
	dev := &reading{Device: simt.Open(simt.Options{})}
	defer dev.Close()
	text := wave + "Host f() { int k = 0; Pipe { if (k == 0) { Invoke seed(graph); } k++; printf(\"\"); Invoke step(graph, k); } Iterate step(graph, k) Initial [0] { k++; printf(\"\"); } }"
	e, in, _ := irglRun{text: text, graph: "path:9"}.start(t, dev)
	defer e.Close()
	var seen [2]reading
	for i, c := range []run.Collect{run.CollectNothing, run.CollectEvents} {
		in.Collect = c
		dev.reads, dev.waits = 0, 0
		if _, err := e.Run(context.Background(), in); err != nil {
			t.Fatal(err)
		}
		seen[i] = reading{reads: dev.reads, waits: dev.waits}
	}
	if seen[1].reads != seen[0].reads || seen[1].waits != seen[0].waits+1 {
		t.Errorf("%d reads and %d waits, without recording %d and %d", seen[1].reads, seen[1].waits, seen[0].reads, seen[0].waits)
	}
}

// TestRecordCounts checks what a recorder believes of counts that share an
// allocation: when it may take one for 0, when it must read, and that nothing is
// believed of memory that was freed, or of counts that a kernel had hidden from it.
func TestRecordCounts(t *testing.T) {
	emulator := simt.Open(simt.Options{})
	defer emulator.Close()
	dev := &reading{Device: emulator}
	base, err := dev.Alloc("counts", 640)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{Recorder: run.NewRecorder(run.CollectKernels), e: &Engine{dev: dev}, lists: map[device.Ptr]*listCount{}, areas: map[device.Ptr]*area{}}
	k := r.Kernel("k")
	// expect is what the recorder thinks a count is, and whether it had to read.
	expect := func(what string, p device.Ptr, n int64, read bool) {
		t.Helper()
		before := dev.reads
		c, err := r.size(p)
		if err != nil || c.size != n || (dev.reads > before) != read {
			t.Errorf("%s: %+v (%v), read %v", what, c, err, dev.reads > before)
		}
	}
	write := func(p device.Ptr, n byte) {
		t.Helper()
		b := []byte{n, 0, 0, 0}
		if err := errors.Join(r.overwrites(p, 4), dev.CopyIn(p, b)); err != nil {
			t.Fatal(err)
		}
		r.seen(p, b)
	}
	expect("unknown memory", base+512, 0, true)
	r.allocated(base, 640)
	if err := errors.Join(r.overwrites(base, 640), r.filled(base, 0, 640)); err != nil {
		t.Fatal(err)
	}
	expect("zeros", base, 0, false)
	write(base+128, 5)
	expect("written", base+128, 5, false)

	// A kernel pushes 4 to a list of 5 that the host then sets back.
	if err := r.expect(base+128, k, false); err != nil {
		t.Fatal(err)
	}
	if err := dev.CopyIn(base+128, []byte{9, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	write(base+128, 0)
	expect("set back", base+128, 0, false)
	if k.Pushes != 4 {
		t.Errorf("%d pushes, want 4", k.Pushes)
	}

	// It retries 2, and its lists go to a kernel that hides what it does.
	if err := r.expect(base+256, k, true); err != nil {
		t.Fatal(err)
	}
	if err := dev.CopyIn(base+256, []byte{2, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if err := r.overwrites(0, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	if k.Retries != 2 || k.Pushes != 4 || k.Outlined {
		t.Errorf("%+v", k)
	}
	expect("hidden", base+128, 0, true)
	expect("hidden, new", base+384, 0, true)

	if err := r.freed(base); err != nil || len(r.lists) != 0 || len(r.areas) != 0 {
		t.Errorf("after all is freed: %v, %v, %v", err, r.lists, r.areas)
	}
}

// TestHiddenLists checks which kernels are taken to hide what they do to lists.
func TestHiddenLists(t *testing.T) {
	u := build(t, "a.cu", `struct irgl_worklist { int *items; int *count; int capacity; };
struct pipe { int size; struct irgl_worklist in; struct irgl_worklist out; };
struct frame { struct pipe wl; int x; };
struct loop { struct loop *next; int *count; };
__global__ void seen(struct irgl_worklist in, int x, struct irgl_worklist out) { }
__global__ void framed(struct frame f) { }
__global__ void pointed(struct pipe *p) { }
__global__ void list(struct irgl_worklist *p) { }
__global__ void other(struct loop l, int *count) { }
int main() { return 0; }`)
	for name, want := range map[string]kernelLayout{
		"seen": {lists: []int64{8, 40}}, "framed": {hides: true}, "pointed": {hides: true}, "list": {hides: true}, "other": {},
	} {
		i := slices.IndexFunc(u.CUDAInfo.Funcs, func(f *check.FuncInfo) bool { return f.Decl.Name.Name == name })
		got := newKernelLayout(name, u.CUDAInfo.Funcs[i].Type)
		if !slices.Equal(got.lists, want.lists) || got.hides != want.hides {
			t.Errorf("%s: lists at %v, hides %v", name, got.lists, got.hides)
		}
	}
}

// TestRecordOutlined checks that a kernel with lists inside other parameters is
// known for one, and that what is believed of counts ends with its launch.
func TestRecordOutlined(t *testing.T) {
	emulator := simt.Open(simt.Options{})
	defer emulator.Close()
	dev := &clocked{nullDevice: nullDevice{emulator}}
	r := &recorder{Recorder: run.NewRecorder(run.CollectEvents), e: &Engine{dev: dev}, lists: map[device.Ptr]*listCount{256: {known: true, size: 7}}, areas: map[device.Ptr]*area{}}
	m := &machine{dev: dev, program: &Program{info: &check.Info{}}}
	if err := r.launch(m, &kernelLayout{name: "control", hides: true}, nil, device.Launch{}); err != nil {
		t.Fatal(err)
	}
	if k := r.Kernel("control"); !k.Outlined || k.Launches != 1 || len(r.open) != 1 || r.lists[256].known {
		t.Errorf("%+v, %d launches to be read, %+v", k, len(r.open), r.lists[256])
	}
}
