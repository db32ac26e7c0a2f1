package irgl_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl"
	"irgl/graph"
)

// compiled returns a bundled program for a device, and a graph.
func compiled(t *testing.T, name, device, spec string) (*irgl.Executable, *graph.Graph) {
	t.Helper()
	ctx := context.Background()
	p, err := irgl.Bundled(name)
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Compile(ctx, irgl.Options{Device: device})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	g, err := graph.Generate(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	return x, g
}

// TestGoroutines runs one executable from several goroutines, on two graphs by turns,
// beside one of the same program that is compiled at the same time: each must get its
// own answer. The race detector watches where it is on.
func TestGoroutines(t *testing.T) {
	for _, device := range everywhere {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			x, path := compiled(t, "bfs_st", device, "path:50")
			star, err := graph.Generate(ctx, "star:40")
			if err != nil {
				t.Fatal(err)
			}
			run := func(x *irgl.Executable, i int) error {
				g, src, far := path, i, 49
				if i%2 == 1 {
					g, src, far = star, 0, 39
				}
				r, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(src)})
				if err != nil {
					return err
				}
				level, err := irgl.Values[int32](r, "level")
				if err != nil {
					return err
				}
				want := int32(1)
				if g == path {
					want = int32(far - src)
				}
				if len(level) != g.NumNodes() || level[src] != 0 || level[far] != want {
					t.Errorf("goroutine %d: level %v", i, level)
				}
				if i == 3 {
					return x.Verify(ctx, r)
				}
				return nil
			}
			var all sync.WaitGroup
			for i := range 6 {
				all.Go(func() {
					if err := run(x, i); err != nil {
						t.Errorf("goroutine %d: %v", i, err)
					}
				})
			}
			other, _ := compiled(t, "bfs_st", device, "path:2")
			if err := run(other, 0); err != nil {
				t.Error(err)
			}
			all.Wait()
		})
	}
}

// TestBeside calls the methods that do not wait for their turn beside runs that load
// other code, and a result's beside its verification. The race detector watches.
func TestBeside(t *testing.T) {
	ctx := t.Context()
	x, narrow := compiled(t, "sssp", "interp", "path:5:wmax=9")
	wide, err := graph.Generate(ctx, "path:5:wmax=2000000000")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if d := x.Device(); d.Name != "interp" || len(x.Notes()) > 0 {
					t.Errorf("%v, notes %q", d, x.Notes())
				}
			}
		}
	})
	for i := range 6 {
		r, err := x.Run(ctx, irgl.Input{Graph: []*graph.Graph{narrow, wide}[i%2]}, irgl.Args{"src": irgl.Node(0)})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if _, err := r.MarshalJSON(); err != nil {
				t.Error(err)
			}
		})
		if err := x.Verify(ctx, r); err != nil {
			t.Error(err)
		}
	}
	close(done)
	all.Wait()
}

// TestWaitingForTurn ends a call that waits for another one, by its context.
func TestWaitingForTurn(t *testing.T) {
	p, err := irgl.Parse("endless.irgl", []byte("Graph graph { Output Node int x; }\nKernel K(graph) { ForAll (n In graph.nodes) { n.x = n.x + 1; } }\nHost main() { while (true) { Invoke K(graph); } }\n"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.Compile(context.Background(), irgl.Options{Device: "interp"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Generate(context.Background(), "path:10")
	if err != nil {
		t.Fatal(err)
	}
	slow, stop := context.WithCancel(context.Background())
	started, ended := make(chan struct{}), make(chan error)
	go func() {
		close(started)
		_, err := x.Run(slow, irgl.Input{Graph: g}, nil)
		ended <- err
	}()
	<-started
	time.Sleep(20 * time.Millisecond) // let it take its turn
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err = x.Run(ctx, irgl.Input{Graph: g}, nil)
	var interrupted *irgl.InterruptedError
	if !errors.As(err, &interrupted) || !errors.Is(err, context.DeadlineExceeded) || interrupted.During != "run" {
		t.Errorf("the call that waits ends with %v", err)
	}
	stop()
	if err := <-ended; !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was under way ends with %v", err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Run(context.Background(), irgl.Input{Graph: g}, nil); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a run after Close: %v", err)
	}
}

// TestValues looks at the types of views, and that a result outlives the next run.
func TestValues(t *testing.T) {
	ctx := context.Background()
	for _, device := range everywhere {
		x, g := compiled(t, "bfs_st", device, "path:5")
		first, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(0)})
		if err != nil {
			t.Fatal(err)
		}
		level, err := irgl.Values[int32](first, "level")
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := irgl.Values[int32](first, "level"); &again[0] != &level[0] {
			t.Errorf("%s: the view is a copy", device)
		}
		if _, err := x.Run(ctx, irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(4)}); err != nil {
			t.Fatal(err)
		}
		if want := []int32{0, 1, 2, 3, 4}; !slices.Equal(level, want) {
			t.Errorf("%s: after another run the first result is %v, want %v", device, level, want)
		}
		_, err = irgl.Values[int64](first, "level")
		if wrong, ok := errors.AsType[*irgl.TypeError](err); !ok || wrong.Distance || !strings.Contains(err.Error(), "int32, not int64") {
			t.Errorf("%s: a view of the wrong type: %v", device, err)
		}
		_, err = irgl.Values[int32](first, "lvel")
		if err == nil || !strings.Contains(err.Error(), `did you mean "level"?`) {
			t.Errorf("%s: a view of nothing: %v", device, err)
		}
	}
}

// TestErrorTypes makes an error of each type that this machine can make.
func TestErrorTypes(t *testing.T) {
	ctx := context.Background()
	p, err := irgl.Bundled("bfs_st")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := irgl.Devices(); err != nil { // no GPU here
		var none *irgl.NoDeviceError
		if !errors.As(err, &none) {
			t.Errorf("devices: %T %v", err, err)
		}
		if _, err := p.Compile(ctx, irgl.Options{Device: "cuda"}); !errors.As(err, &none) {
			t.Errorf("compile for cuda: %T %v", err, err)
		}
	}
	big, err := irgl.Parse("big.irgl", []byte("int a[1 << 28][16];\nGraph graph { Output Node int x; }\nKernel K(graph) { ForAll (n In graph.nodes) { a[n.id][0] = 1; n.x = a[0][0]; } }\nHost main() { Invoke K(graph); }\n"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := big.Compile(ctx, irgl.Options{Device: "simt"})
	if err == nil {
		defer x.Close()
		var g *graph.Graph
		if g, err = graph.Generate(ctx, "path:3"); err != nil {
			t.Fatal(err)
		}
		_, err = x.Run(ctx, irgl.Input{Graph: g}, nil)
	}
	var memory *irgl.MemoryError
	if !errors.As(err, &memory) || memory.Size < 1<<34 || memory.What == "" {
		t.Errorf("16 GiB on the emulator: %T %v", err, err)
	}
}

// TestNoNode asks for the number of no node.
func TestNoNode(t *testing.T) {
	x, g := compiled(t, "bfs_st", "interp", "path:3")
	r, err := x.Run(t.Context(), irgl.Input{Graph: g}, irgl.Args{"src": irgl.Node(0)})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Node(2); n != 2 {
		t.Errorf("node 2 is %d", n)
	}
	for _, index := range []int{-1, 3} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "there is no node at index") {
					t.Errorf("index %d: %q", index, text)
				}
			}()
			r.Node(index)
		}()
	}
}

// TestLoad reads a program from a file, and not from a file that is larger than any
// program, nor after the end of the context.
func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.irgl")
	if err := os.WriteFile(path, []byte("Graph graph { Output Node int x; }\nHost main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := irgl.Load(t.Context(), path)
	if err != nil || p.Name() != "p" {
		t.Errorf("%v, %v", p, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var interrupted *irgl.InterruptedError
	if _, err := irgl.Load(ctx, path); !errors.As(err, &interrupted) || interrupted.During != "load" {
		t.Errorf("cancelled: %v", err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := irgl.Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "the most that is read") {
		t.Errorf("a file of 1 TiB: %v", err)
	}
}

// TestChoose solves a problem by the program that suits the graph.
func TestChoose(t *testing.T) {
	ctx := context.Background()
	for spec, want := range map[string]string{"rmat:12:8": "tri_or", "grid:20:20": "tri"} {
		g, err := graph.Generate(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		p, why, err := irgl.Choose(ctx, "tri", irgl.Input{Graph: g}, irgl.Options{Device: "cpu"})
		if err != nil || p.Name() != want || !strings.HasPrefix(why, "default for a graph") {
			t.Errorf("%s: %v, %s, %v", spec, p, why, err)
		}
	}
	if _, _, err := irgl.Choose(ctx, "tri_or", irgl.Input{}, irgl.Options{}); err == nil || !strings.Contains(err.Error(), `there is no problem "tri_or"`) {
		t.Errorf("a program is not a problem: %v", err)
	}
}

// TestSwitches reads switches back.
func TestSwitches(t *testing.T) {
	for text, want := range map[string]string{"": "auto", "auto": "auto", "none": "none", "batch=4  coop=warp": "batch=4 coop=warp", "np=fg;K2.1:none np=K2:wp": "np=fg np=K2:wp np=K2.1:none"} {
		s, err := irgl.ParseSwitches(text)
		if err != nil || s.String() != want {
			t.Errorf("%q is %q: %v", text, s, err)
		}
		again, err := irgl.ParseSwitches(s.String())
		if err != nil || again != s {
			t.Errorf("%q is not read back: %v %v", s, again, err)
		}
	}
	if _, err := irgl.ParseSwitches("bach=4"); err == nil || !strings.Contains(err.Error(), "batch") {
		t.Errorf("an unknown switch: %v", err)
	}
}

// TestMisuse: what cannot work is an error, and neither a panic nor a wait without end.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	p, err := irgl.Bundled("bfs")
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]irgl.Options{
		"workers -1: ":          {Device: "cpu", Workers: -1},
		"workers 100000: ":      {Device: "cpu", Workers: 100000},
		"capacity -1: ":         {Device: "interp", Capacity: -1},
		"capacity 4294967296: ": {Device: "simt", Capacity: 1 << 32},
		"room -1: ":             {Device: "simt", MeshRoom: -1},
	} {
		if x, err := p.Compile(ctx, o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, %v, want %q", o, x, err, want)
		}
	}
	var zero irgl.Executable
	_, runErr := zero.Run(ctx, irgl.Input{}, nil)
	for what, err := range map[string]error{"Run": runErr, "Prepare": zero.Prepare(ctx, irgl.Input{}), "Verify": zero.Verify(ctx, nil)} {
		if err == nil || !strings.Contains(err.Error(), "was not made by Program.Compile") {
			t.Errorf("%s of the zero Executable: %v", what, err)
		}
	}
	if err := zero.Close(); err != nil || len(zero.Notes()) > 0 || zero.Device() != (irgl.Device{}) {
		t.Errorf("the zero Executable: %v", err)
	}
	x, _ := compiled(t, "bfs", "interp", "path:3")
	for _, r := range []*irgl.Result{nil, {}} {
		if err := x.Verify(ctx, r); err == nil || err.Error() != "there is no result to verify" {
			t.Errorf("Verify of %v: %v", r, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, device := range everywhere {
		_, err := p.Compile(ended, irgl.Options{Device: device})
		if _, ok := errors.AsType[*irgl.InterruptedError](err); !ok {
			t.Errorf("compiled for %s with an ended context: %v", device, err)
		}
	}
}

// TestNoResult: a Result that no run returned has nothing, and says so.
func TestNoResult(t *testing.T) {
	for _, r := range []*irgl.Result{nil, {}} {
		_, valuesErr := irgl.Values[int32](r, "level")
		_, meshErr := r.Mesh()
		_, jsonErr := r.MarshalJSON()
		for what, err := range map[string]error{
			"Values": valuesErr, "Mesh": meshErr, "MarshalJSON": jsonErr, "WriteSummary": r.WriteSummary(io.Discard), "WriteValues": r.WriteValues(io.Discard),
		} {
			if err == nil || err.Error() != "the result is not that of a run" {
				t.Errorf("%s of %v: %v", what, r, err)
			}
		}
		if _, ok := r.Index(0); ok || r.Graph() != nil {
			t.Errorf("%v has nodes", r)
		}
	}
}
