package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"
	"unsafe"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/device/warm"
	"irgl/internal/host"
	"irgl/internal/run"
	"irgl/mesh"
)

// A Session is a GPU, or the emulator, kept open for many programs with many
// choices of switches on the same inputs. A graph is made to fit once for all
// programs that require the same of it, and its arrays are copied to the device
// once; code is compiled ahead, and some that was loaded stays. It is not safe for
// use by several goroutines at once.
type Session struct {
	o           Options
	kind, about string
	ordinal     int
	dev         device.Device
	store       *host.Store
	preparer    *preparer // nil where graphs are prepared on the host
	graphs      fittings
	meshes      map[meshKey]*run.Mesh
	checks      *checks
	slots       chan struct{} // one taken by each compilation ahead of its use
	cold        []*build      // compiled ahead, but not by the device's compiler
	pool        *warm.Pool    // nil when that has no help
	loading     Loading
	firstWarm   Loading       // when the first texts had been compiled ahead
	idleWait    time.Duration // see the constant
	lost        error         // what made the device unusable
}

type meshKey struct {
	mesh     *mesh.Mesh
	requires check.Requires
}

// OpenSession opens the device of o, cuda or simt, for the programs that
// [Session.Compile] compiles; of the other options count those about devices and
// runs.
func OpenSession(o Options) (*Session, error) {
	kind, ordinal, err := ParseDevice(o.Device)
	if err != nil {
		return nil, err
	}
	o.Weights = RandomWeights{}
	s := &Session{o: o, kind: kind, ordinal: ordinal, slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), checks: newChecks(), idleWait: idleWait}
	switch kind {
	case "auto", "cuda":
		s.kind = "cuda"
	case "simt":
	default:
		return nil, fmt.Errorf("the device %s has no switches to tune: cuda and simt have", kind)
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	s.forget()
	return s, nil
}

// open opens the device.
func (s *Session) open() (err error) {
	if s.kind == "cuda" {
		if s.dev, err = openGPU(s.ordinal); err != nil {
			return err
		}
	} else {
		o := simt.Checked()
		if s.o.Unchecked {
			o = simt.Options{}
		}
		o.Seed, o.Stdout = s.o.Seed, s.o.Stdout
		s.dev = simt.Open(o)
	}
	s.about, s.store = s.dev.Info().Name, host.NewStore(s.dev)
	s.preparer = newPreparer(s.o, s.kind, s.dev, s.store)
	return nil
}

// Renew reopens the device, after an error that may have left it unusable. The
// executables must have been closed.
func (s *Session) Renew() error {
	if s.lost != nil {
		return s.lost
	}
	_ = s.dev.Close() // it repeats the error that is known
	maps.DeleteFunc(s.graphs, func(_ fitKey, f *fitted) bool { return f.device != nil })
	err := s.open()
	if err != nil {
		s.lost = fmt.Errorf("the device cannot be opened any more: %w", err)
	}
	return err
}

// Device returns the kind of the device and its maker's name for it.
func (s *Session) Device() (kind, about string) { return s.kind, s.about }

// Forget drops what the session has of graphs and meshes, which may be closed then.
// The executables must have been closed. Verifications in progress are ended.
func (s *Session) Forget() error {
	s.forget()
	if s.lost != nil {
		return nil
	}
	return s.store.Forget()
}

func (s *Session) forget() {
	s.graphs, s.meshes = fittings{}, map[meshKey]*run.Mesh{}
	s.checks.forget()
}

// Drop forgets all forms of a graph, which may be closed then; what the session has of others stays. Executables
// that were prepared for it must have dropped it. Verifications in progress are ended.
func (s *Session) Drop(g *graph.Graph) error {
	s.graphs.drop(g)
	used, onDevice := map[unsafe.Pointer]bool{}, map[device.Ptr]bool{}
	use := func(g *graph.Graph) {
		if g != nil {
			used[unsafe.Pointer(unsafe.SliceData(g.RowStart))] = true
			used[unsafe.Pointer(unsafe.SliceData(g.Dst))] = true
			used[unsafe.Pointer(unsafe.SliceData(g.Weight))] = true
		}
	}
	for _, f := range s.graphs {
		if f.device != nil { // other programs may have graphs made of the one that was given
			use(f.given)
			for _, p := range arraysOf(f.device) {
				onDevice[p] = true
			}
			continue
		}
		use(f.host)
		views, err := f.views(context.Background()) // they are known
		if err != nil {
			return err
		}
		use(views.In)
		used[unsafe.Pointer(unsafe.SliceData(views.Src))] = true
	}
	s.checks.forget()
	if s.lost != nil {
		return nil
	}
	return s.store.Retain(func(first unsafe.Pointer) bool { return used[first] }, func(array device.Ptr) bool { return onDevice[array] })
}

// WaitIdle waits until the device has finished the kernels of a run that was cut off, or
// until ctx ends. In the latter case the device is lost: nothing stops a kernel, and the
// session refuses all further runs.
func (s *Session) WaitIdle(ctx context.Context) error {
	if s.lost != nil {
		return s.lost
	}
	if err := s.dev.Sync(ctx); err != nil {
		s.lost = fmt.Errorf("the device does not answer any more: %w", err)
	}
	return s.lost
}

// Lost returns the error that made the device unusable, nil if it is usable: it does not
// answer, or cannot be opened. Another process may be able to use it, since the end of
// this one ends its kernels.
func (s *Session) Lost() error { return s.lost }

// Close gives the device and all its memory back. A device that was lost is left
// to the end of the process.
func (s *Session) Close() error {
	s.checks.forget()
	var err error
	if s.pool != nil {
		err = s.pool.Close()
	}
	if s.lost != nil {
		return err
	}
	if s.preparer != nil {
		err = errors.Join(err, s.preparer.close())
	}
	return errors.Join(err, s.dev.Close())
}

// elements makes a mesh fit what a program requires.
func (s *Session) elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error) {
	key := meshKey{m, r}
	if e := s.meshes[key]; e != nil {
		return e, nil
	}
	e, err := run.PrepareMesh(ctx, m, r)
	if err == nil {
		s.meshes[key] = e
	}
	return e, err
}
