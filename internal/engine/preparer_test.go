package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/prepare"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/tune"
)

// A meter is a device that counts what is allocated.
type meter struct {
	*simt.Device
	live     map[device.Ptr]string
	full     func(name string) bool // refuses an allocation
	launched func()                 // is called before each launch
}

func newMeter() *meter {
	return &meter{Device: simt.Open(simt.Options{}), live: map[device.Ptr]string{}, full: func(string) bool { return false }, launched: func() {}}
}

func (d *meter) Alloc(name string, size int64) (device.Ptr, error) {
	if d.full(name) {
		return 0, &device.OutOfMemoryError{Name: name, Size: size}
	}
	p, err := d.Device.Alloc(name, size)
	if err == nil {
		d.live[p] = name
	}
	return p, err
}

func (d *meter) Free(p device.Ptr) error {
	delete(d.live, p)
	return d.Device.Free(p)
}

func (d *meter) Launch(k device.Kernel, l device.Launch) error {
	d.launched()
	return d.Device.Launch(k, l)
}

func (d *meter) holds() []string { return slices.Sorted(maps.Values(d.live)) }

// on compiles a program for a device that is taken for a GPU.
func on(t *testing.T, dev device.Device, name string, o Options) *Executable {
	t.Helper()
	p := bundledProgram(t, name)
	o.Device, o.Opening = "cuda", openAhead(0, func(int) (device.Device, error) { return dev, nil }, noGPUs)
	x, err := p.Compile(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func generated(t *testing.T, spec string) *graph.Graph {
	t.Helper()
	g, err := graph.Generate(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// numbers returns n numbers of 32 bits of a device.
func numbers(t *testing.T, dev device.Device, p device.Ptr, n int) []uint32 {
	t.Helper()
	b := make([]byte, 4*n)
	if err := dev.CopyOut(b, p); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// compareArrays compares a graph on a device with one on the host.
func compareArrays(t *testing.T, dev device.Device, what string, made *prepare.Graph, want *graph.Graph, weights bool) {
	t.Helper()
	row := numbers(t, dev, made.Row, int(made.Nodes)+1)
	same := len(row) == len(want.RowStart)
	for i := range min(len(row), len(want.RowStart)) {
		same = same && uint64(row[i]) == want.RowStart[i]
	}
	if !same || !slices.Equal(numbers(t, dev, made.Dst, int(made.Arcs)), want.Dst) {
		t.Errorf("%s: other arcs", what)
	}
	if !weights {
		return
	}
	for i, w := range numbers(t, dev, made.Weight, int(made.Arcs)) {
		if int32(w) != want.Weight[i] {
			t.Errorf("%s: weight %d is %d, want %d", what, i, int32(w), want.Weight[i])
			break
		}
	}
}

// TestPreparedOnDevice: what a device prepares, what is known of it, and what programs make of
// it, are the same as on the host, on several graphs by turns.
func TestPreparedOnDevice(t *testing.T) {
	specs, seen := []string{"rmat:7:6:raw:wmax=9", "grid:9:7:wmax=5", "uniform:90:3:raw:wmax=3", "star:40:wmax=7", "path:1:wmax=1"}, 0
	if testing.Short() {
		specs = specs[:1]
	}
	for _, name := range Programs() {
		p, err := Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, mesh := p.Needs(); mesh || !changes(p.info) || testing.Short() && name != "mst" && name != "bfs_do" {
			continue
		}
		seen++
		args := Args{}
		if len(p.Params()) > 0 && p.Params()[0].Type == "node" {
			args[p.Params()[0].Name] = 0
		}
		dev, plain := newMeter(), newMeter()
		x, y := on(t, dev, name, Options{Auto: true}), on(t, plain, name, Options{Auto: true, Prepare: "host"})
		for _, spec := range specs {
			t.Run(name+" "+spec, func(t *testing.T) { compareRuns(t, x, y, generated(t, spec), args) })
		}
		if err := x.Close(); err != nil || len(dev.live) > 0 {
			t.Errorf("%s: %v; left on the device: %v", name, err, dev.holds())
		}
	}
	if seen == 0 {
		t.Error("no program requires anything of its graph")
	}
}

func compareRuns(t *testing.T, x, y *Executable, g *graph.Graph, args Args) {
	ctx, info := t.Context(), x.program.info
	outputs := func(x *Executable, place string) string {
		r, err := x.Run(ctx, g, args)
		if err == nil {
			err = x.Verify(ctx, r)
		}
		var b bytes.Buffer
		if err == nil {
			err = errors.Join(r.WriteSummary(&b), r.WriteValues(&b))
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.MarshalJSON()
		if err != nil || !strings.Contains(string(text), `"prepared_on":"`+place+`"`) || strings.Contains(string(text), "because") || (r.Times.PrepareOnDevice > 0) != (place == "device") || r.Times.PrepareOnDevice > r.Times.Prepare {
			t.Errorf("%s, %v: %s, %+v", place, err, text, r.Times)
		}
		return r.Switches.String() + r.SwitchesFrom + r.Size() + b.String()
	}
	got, want := outputs(x, "device"), outputs(y, "host")
	if got != want && (info.Requires.Symmetric || programs.OneAnswer(x.program.bundled)) { // the others' sums have no order
		t.Errorf("prepared on the device:\n%s\non the host:\n%s", got, want)
	}
	f, h := x.prepared, y.prepared
	if f.describe() != h.describe() || f.edges != h.edges {
		t.Errorf("%+v, want %+v", f.describe(), h.describe())
	}
	made, err := prepareOnHost(ctx, g, info.Requires, x.o.Weights)
	if err != nil {
		t.Fatal(err)
	}
	views, err := run.ViewsOf(ctx, made, info.Needs, info.Requires)
	if err != nil {
		t.Fatal(err)
	}
	compareArrays(t, x.dev, "the graph", f.device.Graph, made, info.Requires.Weights)
	if info.Needs.InEdges {
		compareArrays(t, x.dev, "the transpose", f.device.In, views.In, info.Requires.Weights)
	}
	if info.Needs.Sources && !slices.Equal(numbers(t, x.dev, f.device.Src, int(f.edges)), views.Src) {
		t.Error("other sources")
	}
	range1, err1 := f.weightRange(ctx)
	range2, err2 := h.weightRange(ctx)
	if info.Requires.Weights && (err1 != nil || err2 != nil || range1.Min != range2.Min || range1.Max != range2.Max) {
		t.Errorf("weights %+v, want %+v; %v, %v", range1, range2, err1, err2)
	}
}

// TestRandomWeights: the weights that a device makes are those of package graph, and so are
// the answers; they are not made for a program that requires none.
func TestRandomWeights(t *testing.T) {
	g := generated(t, "rmat:6:5:raw:wmax=0")
	weighed, err := g.RandomWeights(t.Context(), 50, 3)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Weights: RandomWeights{Max: 50, Seed: 3}}
	for name, args := range map[string]Args{"sssp": {"src": 0}, "sssp_ds": {"src": 0}, "mst": {}} {
		dev, host := newMeter(), o
		host.Prepare = "host"
		x, y := on(t, dev, name, o), on(t, newMeter(), name, host)
		compareRuns(t, x, y, g, args)
		r, err := x.Run(t.Context(), g, args)
		if err != nil {
			t.Fatal(err)
		}
		want, err := on(t, newMeter(), name, Options{}).Run(t.Context(), weighed, args)
		if err != nil {
			t.Fatal(err)
		}
		var a, b bytes.Buffer
		if err := errors.Join(r.WriteValues(&a), want.WriteValues(&b)); err != nil || a.String() != b.String() {
			t.Errorf("%s: %v, other values than with the same weights on the host", name, err)
		}
		if err := x.Close(); err != nil || len(dev.live) > 0 {
			t.Errorf("%s: %v; left on the device: %v", name, err, dev.holds())
		}
	}
	x := on(t, newMeter(), "bfs", o)
	if r, err := x.Run(t.Context(), g, Args{"src": 0}); err != nil || r.fitted.place() != "" || r.fitted.host != g {
		t.Errorf("bfs: %v, prepared on the %s", err, r.fitted.place())
	}
}

// TestPreparerFallsBack: what the device has no memory for is prepared on the host, which the
// result says, and nothing of the attempt is left; memory of earlier runs is freed for it.
func TestPreparerFallsBack(t *testing.T) {
	g, ctx := generated(t, "rmat:6:4:wmax=9"), t.Context()
	for name, attempts := range map[string]int{"prepare.": 2, "graph row": 4, "prepare.searches": 2} { // copies try twice themselves
		dev := newMeter()
		x := on(t, dev, "mst", Options{})
		refused := 0
		dev.full = func(array string) bool {
			is := strings.HasPrefix(array, name) && refused < attempts
			if is {
				refused++
			}
			return is
		}
		r, err := x.Run(ctx, g, nil)
		if err == nil {
			err = x.Verify(ctx, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.MarshalJSON()
		if err != nil || r.fitted.place() != "host" || !strings.Contains(string(text), `"prepared_on_host_because":"`) || refused != attempts {
			t.Errorf("%s: refused %d times, %v: %s", name, refused, err, text)
		}
		if notes := x.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "prepared on the host") || !strings.Contains(notes[0], "out of memory") {
			t.Errorf("notes: %q", notes)
		}
		for _, left := range dev.holds() {
			if strings.HasPrefix(left, "prepare.") {
				t.Errorf("%s: %s is left on the device", name, left)
			}
		}
		if err := x.Close(); err != nil || len(dev.live) > 0 {
			t.Errorf("%v; left on the device: %v", err, dev.holds())
		}
	}
	// Once is mended by what was freed.
	dev := newMeter()
	x := on(t, dev, "mst", Options{})
	refused := false
	dev.full = func(array string) bool {
		is := strings.HasPrefix(array, "prepare.") && !refused
		refused = refused || is
		return is
	}
	if r, err := x.Run(ctx, g, nil); err != nil || r.fitted.place() != "device" || !refused {
		t.Errorf("%v, refused %t", err, refused)
	}
}

// TestPreparerCancel: a context that ends during the preparation leaves nothing, and does not
// keep the executable from another run.
func TestPreparerCancel(t *testing.T) {
	g := generated(t, "rmat:5:4:wmax=9")
	dev := newMeter()
	x := on(t, dev, "mst", Options{})
	ended := 0
	for n := 0; ; n += 3 {
		ctx, cancel := context.WithCancel(t.Context())
		launches := 0
		dev.launched = func() {
			if launches++; launches > n {
				cancel()
			}
		}
		err := x.Prepare(ctx, g)
		cancel()
		if err == nil {
			break
		}
		ended++
		if !errors.Is(err, context.Canceled) || x.given != nil {
			t.Fatalf("after %d launches: %v", n, err)
		}
		for _, left := range dev.holds() {
			if strings.HasPrefix(left, "prepare.") || strings.HasPrefix(left, "graph ") {
				t.Errorf("after %d launches, %s is left on the device", n, left)
			}
		}
	}
	if ended == 0 {
		t.Error("no preparation was ended")
	}
	dev.launched = func() {}
	if r, err := x.Run(t.Context(), g, nil); err != nil || x.Verify(t.Context(), r) != nil {
		t.Error(err)
	}
}

// TestSessionPrepares: programs of a session share what the device has prepared; it is gone
// when the session forgets it, and made again when the device was opened again.
func TestSessionPrepares(t *testing.T) {
	s, err := OpenSession(Options{Device: "simt", Unchecked: true, Prepare: "device"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := generated(t, "rmat:6:4:raw:wmax=9")
	symmetric := func() (arrays map[device.Ptr]bool) {
		arrays = map[device.Ptr]bool{}
		for _, name := range []string{"mst", "mis", "tri"} {
			x, err := s.Compile(bundledProgram(t, name))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				r, err := x.Run(t.Context(), g, nil)
				if err == nil {
					err = x.VerifyOnce(t.Context(), r)
				}
				if err != nil {
					t.Fatal(err)
				}
				arrays[r.fitted.device.Graph.Dst] = true
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
		return arrays
	}
	for range 2 {
		if arrays := symmetric(); len(arrays) != 1 {
			t.Errorf("the graph was made symmetric %d times", len(arrays))
		}
		if err := s.Forget(); err != nil {
			t.Error(err)
		}
	}
	symmetric()
	if err := s.Renew(); err != nil {
		t.Fatal(err)
	}
	if arrays := symmetric(); len(arrays) != 1 {
		t.Errorf("the graph was made symmetric %d times", len(arrays))
	}
}

// TestDescribeOnDevice: what the choice of switches depends on is the same of graphs on the
// device and on the host, of all shapes.
func TestDescribeOnDevice(t *testing.T) {
	specs := []string{"rmat:9:8:raw", "star:5000", "path:300", "empty:3", "uniform:6000:3:raw", "cycle:5000", "clique:40", "road:40:30:wmax=8"}
	if testing.Short() {
		specs = []string{"star:600", "uniform:300:2:raw", "empty:3"}
	}
	dev := newMeter()
	p := newPreparer(Options{Prepare: "device"}, "simt", dev, host.NewStore(dev))
	p.begin()
	if err := p.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		g := generated(t, spec)
		for _, weights := range []bool{false, true} {
			if weights && g.Weight == nil {
				continue
			}
			at, _, err := p.store.Upload(g, weights)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tune.InputOnDevice(t.Context(), p.kit, at)
			got.Name = g.Info.Name
			if want := inputOf(g, check.Requires{Weights: weights}); err != nil || got != want {
				t.Errorf("%s: %+v, %v; want %+v", spec, got, err, want)
			}
		}
	}
	if err := errors.Join(p.close(), dev.Close()); err != nil || len(dev.live) > 0 {
		t.Errorf("%v; left on the device: %v", err, dev.holds())
	}
}
