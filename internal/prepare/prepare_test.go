package prepare

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/run"
)

// open returns a kit on an emulated device that looks for faults.
func open(t testing.TB, o simt.Options) (*Kit, *simt.Device) {
	t.Helper()
	dev := simt.Open(o)
	k := load(t, dev)
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		for _, r := range dev.Reports() {
			t.Error(r)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return k, dev
}

// load compiles the kernels for a device and loads them.
func load(t testing.TB, dev device.Device) *Kit {
	t.Helper()
	ptx, err := Compile(t.Context(), dev.Info().Target())
	if err != nil {
		t.Fatal(err)
	}
	k, err := New(dev, ptx)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// upload copies a graph to the device.
func upload(t testing.TB, k *Kit, g *graph.Graph) *Graph {
	t.Helper()
	row := make([]uint32, g.NumNodes()+1)
	for i, r := range g.RowStart {
		row[i] = uint32(r)
	}
	m := k.memory()
	to := func(name string, list []uint32) device.Ptr {
		p := m.result(name, uint32(len(list)))
		if m.err == nil && len(list) > 0 {
			m.err = m.dev.CopyIn(p, words(list))
		}
		return p
	}
	out := &Graph{Nodes: uint32(g.NumNodes()), Arcs: uint32(g.NumEdges()), Row: to("row", row), Dst: to("dst", g.Dst)}
	if g.Weight != nil {
		weights := make([]uint32, len(g.Weight))
		for i, w := range g.Weight {
			weights[i] = uint32(w)
		}
		out.Weight = to("weight", weights)
	}
	if err := m.end(); err != nil {
		t.Fatal(err)
	}
	return out
}

// download copies a graph from the device.
func download(t testing.TB, k *Kit, g *Graph) *graph.Graph {
	t.Helper()
	m := k.memory()
	out := &graph.Graph{Dst: m.read(t.Context(), g.Dst, g.Arcs)}
	for _, r := range m.read(t.Context(), g.Row, g.Nodes+1) {
		out.RowStart = append(out.RowStart, uint64(r))
	}
	if g.Weight != 0 {
		out.Weight = make([]int32, g.Arcs)
		for i, w := range m.read(t.Context(), g.Weight, g.Arcs) {
			out.Weight[i] = int32(w)
		}
	}
	if err := m.end(); err != nil {
		t.Fatal(err)
	}
	return out
}

// same compares a graph on a device with what package graph has made.
func same(t *testing.T, k *Kit, name string, made *Graph, want *graph.Graph, weights bool) {
	t.Helper()
	got := download(t, k, made)
	if err := got.Validate(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	w := want.Weight
	if !weights {
		w = nil
	}
	if !slices.Equal(got.RowStart, want.RowStart) || !slices.Equal(got.Dst, want.Dst) || !slices.Equal(got.Weight, w) || (got.Weight == nil) != (w == nil) {
		t.Errorf("%s differs: %d arcs, want %d", name, got.NumEdges(), want.NumEdges())
	}
}

// random returns a graph with self-loops, repeats and unsorted rows; one node has many of
// the arcs.
func random(t testing.TB, n, m int, weighted bool) *graph.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(m)))
	src, dst := make([]uint32, m), make([]uint32, m)
	var w []int32
	for i := range src {
		src[i], dst[i] = uint32(r.IntN(n)), uint32(r.IntN(1+r.IntN(n)))
		if i%3 == 0 {
			src[i] = uint32(n / 2)
		}
		if weighted {
			w = append(w, int32(r.Uint32()))
		}
	}
	g, err := graph.FromEdges(n, src, dst, w)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// compare compares all transforms of g on a device with those of package graph.
func compare(t *testing.T, k *Kit, name string, g *graph.Graph) {
	t.Helper()
	ctx := t.Context()
	on := upload(t, k, g)
	for _, c := range []struct {
		what string
		on   func(context.Context, *Graph) (*Graph, error)
		want func(context.Context) (*graph.Graph, error)
	}{
		{"transpose", k.Transpose, g.Transpose}, {"symmetrize", k.Symmetrize, g.Symmetrize}, {"sort", k.SortAdjacency, g.SortAdjacency},
		{"deduplicate", k.Deduplicate, g.Deduplicate}, {"drop loops", k.DropSelfLoops, g.DropSelfLoops},
	} {
		want, err := c.want(ctx)
		if err != nil {
			t.Fatal(err)
		}
		made, err := c.on(ctx, on)
		if err != nil {
			t.Fatalf("%s %s: %v", c.what, name, err)
		}
		same(t, k, c.what+" "+name, made, want, g.Weight != nil)
		if c.what == "symmetrize" {
			compareFacts(t, k, name+" made symmetric", want, made)
		}
		if err := k.Free(made); err != nil {
			t.Error(err)
		}
	}
	compareFacts(t, k, name, g, on)
	weighed, err := k.RandomWeights(ctx, on, 77, 5)
	if err != nil {
		t.Fatal(err)
	}
	want, err := g.RandomWeights(ctx, 77, 5)
	if err != nil {
		t.Fatal(err)
	}
	same(t, k, "random weights "+name, &Graph{Nodes: on.Nodes, Arcs: on.Arcs, Row: on.Row, Dst: on.Dst, Weight: weighed}, want, true)
	compareFits(t, k, name, g, on)
	if err := errors.Join(k.dev.Free(weighed), k.Free(on)); err != nil {
		t.Error(err)
	}
}

// compareFacts compares what a device finds out about a graph with what package graph does.
func compareFacts(t *testing.T, k *Kit, name string, g *graph.Graph, on *Graph) {
	t.Helper()
	ctx := t.Context()
	got, err := k.Facts(ctx, on)
	if err != nil {
		t.Fatal(err)
	}
	var want Facts
	is := func(b bool, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want.Sorted, want.LoopFree, want.Simple = is(g.IsSorted(ctx)), !is(g.HasSelfLoops(ctx)), !is(g.HasDuplicates(ctx))
	want.Symmetric = is(g.IsSymmetric(ctx, false))
	want.Mirrored = is(g.IsSymmetric(ctx, true))
	if !got.Sorted {
		got.Simple = want.Simple
	}
	if got != want {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
}

// compareFits compares what Fit makes of g with run.Prepare and run.ViewsOf.
func compareFits(t *testing.T, k *Kit, name string, g *graph.Graph, on *Graph) {
	t.Helper()
	ctx := t.Context()
	all := []check.Requires{
		{Symmetric: true}, {NoLoops: true, NoDups: true, Weights: true}, {}, {Symmetric: true, Weights: true},
		{Symmetric: true, Sorted: true, NoLoops: true, NoDups: true}, {Sorted: true}, {NoLoops: true}, {NoDups: true}, {NoLoops: true, Sorted: true},
	}
	if testing.Short() || g.NumEdges() > 5000 {
		all = all[:2]
	}
	for _, r := range all {
		if r.Weights && g.Weight == nil && g.NumEdges() > 0 {
			continue
		}
		want, err := run.Prepare(ctx, g, r)
		if err != nil {
			t.Fatal(err)
		}
		needs := check.Needs{InEdges: true, Sources: true}
		views, err := run.ViewsOf(ctx, want, needs, r)
		if err != nil {
			t.Fatal(err)
		}
		given := *on
		if r.Weights && g.Weight == nil {
			given.Weight = on.Dst // none
		}
		f, err := k.Fit(ctx, &given, r, needs)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%s for %+v", name, r)
		same(t, k, what, f.Graph, want, r.Weights)
		same(t, k, what+", transposed", f.In, views.In, r.Weights)
		if fits := slices.Equal(want.Dst, g.Dst) && slices.Equal(want.RowStart, g.RowStart); (f.Graph.Row == on.Row) != fits {
			t.Errorf("%s: fits %t, want %t", what, f.Graph.Row == on.Row, fits)
		}
		m := k.memory()
		if got := m.read(ctx, f.Src, f.Graph.Arcs); !slices.Equal(got, views.Src) || m.err != nil {
			t.Errorf("%s: other sources, %v", what, m.err)
		}
		if r.Weights {
			least, largest, err := k.WeightRange(ctx, f.Graph)
			if w, _ := want.WeightRange(ctx); err != nil || least != w.Min || largest != w.Max {
				t.Errorf("%s: weights from %d to %d, want %+v: %v", what, least, largest, w, err)
			}
		}
		if err := k.FreeFitted(f, on); err != nil {
			t.Error(err)
		}
	}
}

// The results on a device are those of package graph, bit for bit: of all generators, and
// of sizes around those of warps, blocks and tiles.
func TestTransforms(t *testing.T) {
	k, _ := open(t, simt.Checked())
	specs := []string{"empty:0", "empty:1", "path:2", "rmat:6:4:raw", "empty:300", "cycle:31", "clique:17", "star:300", "grid:9:7", "road:16:16",
		"rmat:7:6", "uniform:100:5:raw:wmax=0", "rmat:5:3:sym:perm:wmax=2147483647"}
	if testing.Short() {
		specs = specs[:4]
	}
	for _, spec := range specs {
		g, err := graph.Generate(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, k, spec, g)
	}
	sizes := [][2]int{{1, 40}, {257, 2049}}
	if !testing.Short() {
		sizes = append(sizes, [2]int{1, 1}, [2]int{2, 33}, [2]int{256, 255}, [2]int{300, 2048}, [2]int{5000, 4096}, [2]int{70_000, 4097})
	}
	for _, size := range sizes {
		for _, weighted := range []bool{false, true} {
			compare(t, k, fmt.Sprintf("random graph of %d nodes, %d arcs, weighted %t", size[0], size[1], weighted), random(t, size[0], size[1], weighted))
		}
	}
}

// unchecked is a device that does not check what kernels access.
type unchecked struct{ device.Device }

// A hub costs what its arcs cost, and scans have several levels.
func TestHub(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 100,000 arcs on the emulator")
	}
	_, dev := open(t, simt.Options{})
	k := load(t, unchecked{dev}) // temporary arrays are one allocation
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	compare(t, k, "hub", random(t, 1000, 100_000, true))
	g, err := graph.Generate(t.Context(), "star:100001")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, k, "star", g)
}

// The order in which threads run changes nothing.
func TestOrders(t *testing.T) {
	seeds, m := uint64(3), 5000
	if testing.Short() {
		seeds, m = 1, 500
	}
	for seed := range seeds {
		o := simt.Checked()
		o.Seed = seed + 1
		k, _ := open(t, o)
		compare(t, k, fmt.Sprintf("seed %d", o.Seed), random(t, 60, m, true))
	}
}

// endless is a device on which a copy that no context ends is never done.
type endless struct {
	*simt.Device
	t *testing.T
}

func (d endless) CopyOut([]byte, device.Ptr) error {
	d.t.Error("a copy waits for kernels when the context has ended")
	return nil
}

// The end of a context ends the work between kernels, where it is known how many arcs stay, too.
func TestEndWhileArcsAreDropped(t *testing.T) {
	_, dev := open(t, simt.Options{})
	k := load(t, endless{dev, t})
	on := upload(t, k, random(t, 50, 500, true))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func(context.Context, *Graph) (*Graph, error){"symmetrize": k.Symmetrize, "loops": k.DropSelfLoops, "repeats": k.Deduplicate} {
		if _, err := f(ended, on); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := k.Facts(ended, on); !errors.Is(err, context.Canceled) {
		t.Errorf("facts: %v", err)
	}
	if err := errors.Join(k.Free(on), k.Close()); err != nil {
		t.Error(err)
	}
}

// full is a device without memory from the given allocation on.
type full struct {
	*simt.Device
	left, live int
}

func (d *full) Alloc(name string, size int64) (device.Ptr, error) {
	if d.left--; d.left < 0 {
		return 0, &device.OutOfMemoryError{}
	}
	d.live++
	return d.Device.Alloc(name, size)
}

func (d *full) Free(p device.Ptr) error {
	d.live--
	return d.Device.Free(p)
}

// What cannot be done is an error that leaves nothing behind on the device.
func TestErrors(t *testing.T) {
	ctx := t.Context()
	k, dev := open(t, simt.Checked())
	d := &full{Device: dev, left: 100}
	k.dev = d
	g := random(t, 12, 40, true)
	on := upload(t, k, g)
	made := 0
	const amounts = 60
	for n := range amounts {
		d.left = n
		live := d.live
		r, err := k.Fit(ctx, on, check.Requires{NoLoops: true, NoDups: true, Weights: true}, check.Needs{InEdges: true, Sources: true})
		if err == nil {
			made++
			d.left = 100
			if err := k.FreeFitted(r, on); err != nil {
				t.Error(err)
			}
		} else if !strings.Contains(err.Error(), "prepare on a device") {
			t.Errorf("memory for %d blocks: %v", n, err)
		}
		if d.live != live {
			t.Errorf("memory for %d blocks: %d are left", n, d.live-live)
		}
	}
	if made == 0 || made == amounts {
		t.Errorf("%d of %d amounts of memory are enough", made, amounts)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	d.left = 100
	if _, err := k.Transpose(ended, on); err == nil {
		t.Error("the context's end is ignored")
	}
	if _, err := k.Symmetrize(ctx, &Graph{Nodes: 1, Arcs: 1 << 31}); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too many arcs: %v", err)
	}
	for _, wmax := range []int{0, 1 << 31} {
		if _, err := k.RandomWeights(ctx, on, wmax, 1); err == nil {
			t.Errorf("largest weight %d is accepted", wmax)
		}
	}
	if err := k.Free(on); err != nil {
		t.Error(err)
	}
}
