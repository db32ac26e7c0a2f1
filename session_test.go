package irgl

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/device"
	"irgl/internal/host"
)

// An idle device holds memory and does nothing: kernels change nothing, so that
// worklists are empty and flags are down. What a run takes on it is the host's.
type idle struct {
	next    device.Ptr
	live    map[device.Ptr]int64
	uploads map[string]int // allocations of arrays of graphs, by name
	out     int64          // bytes that were read
}

type idleEvent struct{}
type idleModule struct{ d *idle }
type idleKernel string

func newIdle() *idle {
	return &idle{next: 4096, live: map[device.Ptr]int64{}, uploads: map[string]int{}}
}

func (d *idle) Info() device.Info {
	return device.Info{Kind: "cuda", Name: "idle", Major: 9, Multiprocessors: 132, WarpSize: 32, MaxThreadsPerBlock: 1024, MaxThreadsPerSM: 2048, SharedMemoryPerBlock: 48 << 10, Memory: 1 << 37, Cooperative: true}
}
func (d *idle) Alloc(name string, size int64) (device.Ptr, error) {
	if strings.HasPrefix(name, "graph ") {
		d.uploads[name]++
	}
	p := d.next
	d.next += device.Ptr(size+511) &^ 255
	d.live[p] = size
	return p, nil
}
func (d *idle) Free(p device.Ptr) error         { delete(d.live, p); return nil }
func (d *idle) CopyIn(device.Ptr, []byte) error { return nil }
func (d *idle) CopyOut(dst []byte, _ device.Ptr) error {
	d.out += int64(len(dst))
	clear(dst)
	return nil
}
func (d *idle) Copy(_, _ device.Ptr, _ int64) error            { return nil }
func (d *idle) Fill(device.Ptr, byte, int64) error             { return nil }
func (d *idle) Load(string, string) (device.Module, error)     { return idleModule{d}, nil }
func (d *idle) Launch(device.Kernel, device.Launch) error      { return nil }
func (d *idle) Sync(ctx context.Context) error                 { return ctx.Err() }
func (d *idle) NewEvent() (device.Event, error)                { return idleEvent{}, nil }
func (d *idle) Close() error                                   { return nil }
func (idleEvent) Record() error                                { return nil }
func (idleEvent) Since(device.Event) (float64, error)          { return 1, nil }
func (idleEvent) Close() error                                 { return nil }
func (m idleModule) Kernel(name string) (device.Kernel, error) { return idleKernel(name), nil }
func (m idleModule) Global(string) (device.Ptr, int64, error)  { return m.d.next, 8, nil }
func (m idleModule) Close() error                              { return nil }
func (k idleKernel) Info() device.KernelInfo {
	return device.KernelInfo{Name: string(k), MaxThreads: 1024}
}
func (k idleKernel) Occupancy(threads int, _ uint32) (int, error) { return 2048 / threads, nil }

// onIdle returns a session on an idle device.
func onIdle() (*Session, *idle) {
	d := newIdle()
	s := &Session{kind: "cuda", about: "idle", dev: d, store: host.NewStore(d), checks: newChecks(), slots: make(chan struct{}, 2)}
	s.forget()
	return s, d
}

// TestSessionKeeps checks that the arrays of a graph are copied once for all
// candidates and programs, that a run for its time alone reads none of the
// outputs, and that nothing is left on the device when the input is forgotten. With
// IRGL_HOST_GRAPH=uniform:2000000:4:wmax=100 it says what the host takes.
func TestSessionKeeps(t *testing.T) {
	ctx := context.Background()
	spec := "uniform:3000:4:wmax=100"
	if big := os.Getenv("IRGL_HOST_GRAPH"); big != "" {
		spec = big
	}
	g, err := graph.Generate(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	s, d := onIdle()
	in := Input{Graph: g}
	for _, name := range []string{"bfs", "bfs_do", "sssp", "cc_af"} {
		p, err := Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		x, err := s.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		args := Args{}
		if len(p.Params()) > 0 && p.Params()[0].Type == "node" {
			args[p.Params()[0].Name] = Node(0)
		}
		if err := x.Prepare(ctx, g); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: prepare %v", name, time.Since(start))
		list := []string{"outline=auto", "outline=auto batch=4", "outline=auto coop=warp", "outline=auto"}
		x.Ahead(list...)
		for _, switches := range list {
			start = time.Now()
			if err := x.Use(switches); err != nil {
				t.Fatal(err)
			}
			used := time.Since(start)
			start = time.Now()
			r, err := x.RunOn(ctx, in, args)
			if err != nil || len(r.Properties()) == 0 {
				t.Fatalf("%s: %v", name, err)
			}
			full := time.Since(start)
			before := d.out
			start = time.Now()
			r, err = x.Time(ctx, in, args)
			// Of a program with one answer, its bytes are digested.
			if err != nil || len(r.Properties()) != 0 || d.out-before > 1024+int64(8*g.NumNodes()) || !x.Repeats() {
				t.Fatalf("%s: %d properties, %d bytes read, %v", name, len(r.Properties()), d.out-before, err)
			}
			t.Logf("%s, %s: use %v, run %v, timed run %v", name, switches, used, full, time.Since(start))
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// The directed rows and the symmetric ones, each once.
	for _, name := range []string{"graph row", "graph dst"} {
		if n := d.uploads[name]; n != 2 {
			t.Errorf("%s was copied %d times: %v", name, n, d.uploads)
		}
	}
	if err := s.Forget(); err != nil || len(d.live) != 0 {
		t.Errorf("%d buffers are left, %v", len(d.live), err)
	}
}
