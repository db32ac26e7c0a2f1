package engine

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/warm"
	"irgl/internal/host"
	"irgl/internal/run"
)

// An idle device holds memory and does nothing: kernels change nothing, so that
// worklists are empty and flags are down. What a run takes on it is the host's.
type idle struct {
	device.Device
	next    device.Ptr
	live    map[device.Ptr]int64
	uploads map[string]int // allocations of arrays of graphs, by name
	out     int64          // bytes that were read
	loaded  []string       // PTX
	hang    int            // launches after which the device does not answer any more; 0 for none
	flip    int64          // reads of so many bytes and more give others than zeros; 0 for none
}

type idleEvent struct{ device.Event }
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
	if d.flip > 0 && int64(len(dst)) >= d.flip {
		dst[len(dst)/2] = 1
	}
	return nil
}
func (d *idle) Launch(device.Kernel, device.Launch) error {
	if d.hang > 0 {
		d.hang = max(1, d.hang-1)
	}
	return nil
}
func (d *idle) Sync(ctx context.Context) error {
	if d.hang == 1 {
		<-ctx.Done()
	}
	return ctx.Err()
}
func (d *idle) Load(_, ptx string) (device.Module, error) {
	d.loaded = append(d.loaded, ptx)
	return idleModule{d}, nil
}
func (d *idle) Copy(_, _ device.Ptr, _ int64) error            { return nil }
func (d *idle) Fill(device.Ptr, byte, int64) error             { return nil }
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
func (k idleKernel) Clusters(threads int, _ uint32) (int, error)  { return 2048 / threads, nil }

// onIdle returns a session on an idle device.
func onIdle() (*Session, *idle) {
	d := newIdle()
	s := &Session{kind: "cuda", about: "idle", dev: d, store: host.NewStore(d), checks: newChecks(), slots: make(chan struct{}, 2), idleWait: 10 * time.Millisecond}
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
			args[p.Params()[0].Name] = 0
		}
		if err := x.Prepare(ctx, g); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: prepare %v", name, time.Since(start))
		list := choices("outline=auto", "outline=auto batch=4", "outline=auto coop=warp", "outline=auto")
		x.Ahead(list...)
		for _, switches := range list {
			start = time.Now()
			if err := x.Use(t.Context(), switches); err != nil {
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
			if err != nil || len(r.Properties()) != 0 || d.out-before > 1024+int64(8*g.NumNodes()) || !x.ChecksTimedRuns() {
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

// bundledOn returns a bundled program that is ready to run on a graph.
func bundledOn(t *testing.T, s *Session, name string, g *graph.Graph) *SessionExecutable {
	t.Helper()
	x, err := s.Compile(bundledProgram(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Prepare(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	return x
}

// sessionOn opens a session for the time of a test.
func sessionOn(t *testing.T, o Options) *Session {
	t.Helper()
	s, err := OpenSession(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestVerifyLater checks that a result is verified once for all that agree with it, of
// other programs that solve the problem too; that one that differs is verified itself;
// and that what was found to be wrong is no measure for what comes after.
// choices returns switches by their texts.
func choices(texts ...string) []compile.Switches {
	var out []compile.Switches
	for _, text := range texts {
		out = append(out, compile.MustSwitches(text))
	}
	return out
}

func TestVerifyLater(t *testing.T) {
	ctx := context.Background()
	g := generated(t, "rmat:6:4")
	s := sessionOn(t, Options{Device: "simt", Unchecked: true})
	run := func(name, switches string) (*SessionExecutable, *Result) {
		x := bundledOn(t, s, name, g)
		if err := x.Use(t.Context(), compile.MustSwitches(switches)); err != nil {
			t.Fatal(err)
		}
		r, err := x.RunOn(ctx, Input{Graph: g}, Args{"src": 0})
		if err != nil {
			t.Fatal(err)
		}
		return x, r
	}
	x, wrong := run("bfs", "")
	wrong.raw.Props[0].Data.([]int32)[3] += 7
	first := x.VerifyLater(wrong)
	if err := first.Wait(ctx); err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("a wrong answer: %v", err)
	}
	x, right := run("bfs", "outline=auto")
	second := x.VerifyLater(right)
	if err := second.Wait(ctx); err != nil || second == first {
		t.Errorf("a right answer after a wrong one: %v", err)
	}
	y, same := run("bfs_st", "batch=4")
	if third := y.VerifyLater(same); third != second {
		t.Error("an answer that agrees was verified again")
	}
	if err := y.VerifyOnce(ctx, same); err != nil || same.Verified() == nil || !*same.Verified() {
		t.Errorf("%v, %v", same.Verified(), err)
	}
	if v := x.VerifyLater(wrong); v == second || v.Wait(ctx) == nil {
		t.Error("a wrong answer after a right one counts")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	never := &Verification{done: make(chan struct{})}
	if err := never.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was ended: %v", err)
	}
}

// TestTimedAnswers checks that the answer of a run that is timed is looked at where
// there is but one: a run whose memory differs is an error.
func TestTimedAnswers(t *testing.T) {
	ctx := context.Background()
	g := generated(t, "path:3000")
	s, d := onIdle()
	for name, looks := range map[string]bool{"bfs": true, "mis": false} {
		x := bundledOn(t, s, name, g)
		args := Args{}
		if name == "bfs" {
			args["src"] = 0
		}
		r, err := x.RunOn(ctx, Input{Graph: g}, args)
		if err != nil {
			t.Fatal(err)
		}
		_ = x.VerifyLater(r) // zeros are no answer, but that is not the point here
		if _, err := x.Time(ctx, Input{Graph: g}, args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d.flip = 3000
		_, err = x.Time(ctx, Input{Graph: g}, args)
		d.flip = 0
		if x.ChecksTimedRuns() != looks || (err != nil) != looks {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.checks.forget()
}

// A recorder is a compiler that notes what it got.
type recorder struct{ texts map[string]bool }

func (r recorder) Compile(t warm.Text) error { r.texts[t.PTX] = true; return nil }
func (r recorder) Close() error              { return nil }

// TestWarm checks that what is compiled ahead is what is loaded afterwards, and once.
func TestWarm(t *testing.T) {
	ctx := context.Background()
	s, d := onIdle()
	made := recorder{map[string]bool{}}
	s.pool = warm.NewPool(1, func() (warm.Compiler, error) { return made, nil })
	x := bundledOn(t, s, "cc", generated(t, "path:9"))
	list := choices("outline=auto", "coop=warp", "batch=4")
	for range 2 {
		x.Ahead(list...)
		if err := s.Warm(ctx); err != nil || len(made.texts) != 3 {
			t.Fatalf("%d texts, %v", len(made.texts), err)
		}
	}
	for _, switches := range choices("batch=4", "outline=auto", "coop=warp") {
		if err := x.Use(t.Context(), switches); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range d.loaded {
		if !made.texts[text] {
			t.Error("a text was loaded that was not compiled before")
		}
	}
	if l := s.Loading(); l.Modules != 3 || l.Warmed != 3 || l.Refused != 0 || !strings.HasPrefix(l.String(), "3 modules were loaded in ") {
		t.Errorf("%+v", l)
	}
	// What was compiled ahead and takes as long to load is of no use.
	s.loading.Modules, s.loading.Took = s.loading.Modules+manyLoads, time.Hour
	if err := s.Warm(ctx); err == nil || !strings.Contains(err.Error(), "it does not help") {
		t.Errorf("loads that take for ever: %v", err)
	}
	s.pool = warm.NewPool(1, func() (warm.Compiler, error) { return made, nil })
	s.firstWarm = Loading{}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	x.Ahead(choices("block=512")...)
	if err := s.Warm(ended); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
}

// TestCloseEndsBuilds checks that an executable's builds end with it: those that wait for a
// processor at once, and those in progress before Close returns.
func TestCloseEndsBuilds(t *testing.T) {
	for name, busy := range map[string]bool{"waiting": true, "in progress": false} {
		s, _ := onIdle()
		s.pool = warm.NewPool(1, func() (warm.Compiler, error) { return recorder{map[string]bool{}}, nil })
		x := bundledOn(t, s, "sssp", generated(t, "path:9"))
		for range cap(s.slots) {
			if busy {
				s.slots <- struct{}{}
			}
		}
		x.Ahead(choices("outline=auto", "coop=warp", "batch=4", "block=512")...)
		if len(x.ahead) != 4 {
			t.Fatalf("%s: %d builds", name, len(x.ahead))
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		for _, b := range x.ahead {
			select {
			case <-b.done:
			default:
				t.Fatalf("%s: a build goes on after Close", name)
			}
			if busy && !errors.Is(b.err, context.Canceled) {
				t.Errorf("%s: a build ends with %v", name, b.err)
			}
		}
		if err := errors.Join(s.Warm(t.Context()), x.Close()); err != nil {
			t.Errorf("%s: after that: %v", name, err)
		}
	}
}

// TestDistancesOfOtherData checks that data that are no integers are no distances.
func TestDistancesOfOtherData(t *testing.T) {
	r := &Result{isDistance: func(string) bool { return true }, raw: &run.Result{Props: []*run.Column{{Name: "d", Data: []float64{1}}}}}
	for _, name := range []string{"d", "other"} {
		if d, ok := r.Distances(name); ok || d != nil {
			t.Errorf("%s: %v, %t", name, d, ok)
		}
	}
}

// TestCutOff checks what a run leaves behind that is cut off: the emulator stops at
// once, and the session goes on; after an error it opens the device anew.
func TestCutOff(t *testing.T) {
	ctx := context.Background()
	s := sessionOn(t, Options{Device: "simt", Unchecked: true})
	g := generated(t, "path:9")
	p, err := Parse("ever.irgl", []byte("Graph g { Output Node int a = 0; }\nKernel K(g) { ForAll (n In g.nodes) { n.a += 1; } }\nHost ever(int rounds) { for (int i = 0; i < rounds; i++) { Invoke K(g); } }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, switches := range choices("", "outline=auto") {
		x, err := s.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(x.Prepare(ctx, g), x.Use(t.Context(), switches)); err != nil {
			t.Fatal(err)
		}
		soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		_, err = x.RunOn(soon, Input{Graph: g}, Args{"rounds": 1 << 30})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: %v", switches, err)
		}
		if err := s.cut(ctx); err != nil {
			t.Errorf("%q: %v", switches, err)
		}
		r, err := x.RunOn(ctx, Input{Graph: g}, Args{"rounds": 3})
		if err != nil || r.Properties()[0].Int(8) != 3 {
			t.Errorf("%q: after that: %v, %v", switches, r, err)
		}
		if err := x.Close(); err != nil || x.Stale() {
			t.Error(err)
		}
		if err := s.Renew(); err != nil || !x.Stale() {
			t.Errorf("opened anew: %v", err)
		}
	}
}

// TestLost checks that a session whose device does not answer refuses everything, and
// waits for nothing.
func TestLost(t *testing.T) {
	ctx := context.Background()
	s, _ := onIdle()
	g := generated(t, "path:9")
	x := bundledOn(t, s, "cc", g)
	if err := s.WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.WaitIdle(ended); err == nil || !strings.Contains(err.Error(), "does not answer any more") {
		t.Fatal(err)
	}
	_, err := x.RunOn(ctx, Input{Graph: g}, nil)
	for _, err := range []error{err, x.Use(t.Context(), compile.MustSwitches("batch=4")), s.Renew(), s.WaitIdle(ctx)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if err := errors.Join(x.Close(), s.Forget(), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestTuneLost checks that a search ends when the device does not answer any more: the
// candidate that was at work has failed, and none after it.
func TestTuneLost(t *testing.T) {
	p, err := Parse("own.irgl", []byte("Graph g { Output Node int a = 0; }\nKernel K(g) { ForAll (n In g.nodes) { ForAll (e In n.edges) { e.dst.a = 1; } } }\nHost own() { Invoke K(g); }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, hang := range []int{1, 30} {
		s, d := onIdle()
		d.hang = hang
		var trials []TuneTrial
		rep, err := s.Tune(context.Background(), p, Input{Graph: generated(t, "path:9")}, nil, TuneOptions{
			Candidates: 30, Limit: 400 * time.Millisecond, Progress: func(trial *TuneTrial, _ int) { trials = append(trials, *trial) },
		})
		if s.Lost() == nil || len(trials) == 0 {
			t.Fatalf("after %d launches: %v, %v, %v", hang, s.Lost(), rep, err)
		}
		for i, trial := range trials {
			if last := i == len(trials)-1; last != (trial.Failed != "") {
				t.Errorf("after %d launches: %+v", hang, trial)
			}
		}
		if hang == 1 && !errors.Is(err, s.Lost()) || hang > 1 && (err != nil || rep.Stopped != "the loss of the device") {
			t.Errorf("after %d launches: %+v, %v", hang, rep, err)
		}
	}
}
