package serve

import (
	"fmt"
	"sync"
	"sync/atomic"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// A gpu is an open device.
type gpu struct {
	dev    device.Device
	kind   string
	stacks map[string][]device.Frame // of calls in host code, by their text
	number int                       // of an emulated device
	mu     sync.Mutex                // of calls that are not safe with others at a time
	said   *printed                  // of the emulator
	told   atomic.Int64              // reports that the client has
	sys    uint64                    // number of its system, 0 when it is alone

	sizesMu sync.Mutex
	sizes   map[device.Ptr]int64 // of allocations
	used    int64
}

// note counts an allocation.
func (g *gpu) note(p device.Ptr, size int64) {
	g.sizesMu.Lock()
	defer g.sizesMu.Unlock()
	if g.sizes == nil {
		g.sizes = map[device.Ptr]int64{}
	}
	g.sizes[p] = size
	g.used += size
}

// forget counts an allocation no longer.
func (g *gpu) forget(p device.Ptr) {
	g.sizesMu.Lock()
	defer g.sizesMu.Unlock()
	g.used -= g.sizes[p]
	delete(g.sizes, p)
}

// inUse returns the bytes of all allocations.
func (g *gpu) inUse() int64 {
	g.sizesMu.Lock()
	defer g.sizesMu.Unlock()
	return g.used
}

// enter begins a call that does not wait.
func (g *gpu) enter() func() {
	g.mu.Lock()
	return g.mu.Unlock
}

// enterToWait begins a call that waits. The emulator gives way to other calls in
// between; a GPU is held.
func (g *gpu) enterToWait() func() {
	if g.kind == "simt" {
		return func() {}
	}
	return g.enter()
}

// abandon has calls that wait for the device return soon.
func (g *gpu) abandon() {
	if a, ok := g.dev.(device.Abandoning); ok {
		a.Abandon()
	}
}

// news reports whether there is something that the client has not fetched.
func (g *gpu) news() bool {
	if g.said != nil && g.said.pending() {
		return true
	}
	c, ok := g.dev.(device.Checking)
	return ok && int64(len(c.Reports())) > g.told.Load()
}

type stream struct {
	g *gpu
	s device.Stream
}

type event struct {
	g *gpu
	e device.Event
}

type module struct {
	g *gpu
	m device.Module
}

type kernel struct {
	g *gpu
	k device.Kernel
}

// hostMemory is page-locked memory in the arena.
type hostMemory struct {
	g *gpu
	m device.HostMemory
	r span
}

// handles are the client's names of objects.
type handles map[uint64]any

// check returns an error if a number cannot name a new object.
func (h handles) check(as uint64) error {
	if as == 0 {
		return argumentf("handle 0: handles are above zero")
	}
	if o, ok := h.get(as); ok {
		return argumentf("handle %d is in use: it is %s", as, kindName(o))
	}
	return nil
}

// get returns the object of a handle. One that turned out not to be there has none.
func (h handles) get(n uint64) (any, bool) {
	o, ok := h[n]
	if f, may := o.(mayFail); may && f.failed() {
		return nil, false
	}
	return o, ok
}

// lookup returns the object of a handle, which must be a T.
func lookup[T any](h handles, n uint64) (T, error) {
	o, ok := h.get(n)
	if v, is := o.(T); is {
		return v, nil
	}
	var want T
	if !ok {
		return want, argumentf("there is no handle %d (%s is expected)", n, kindName(want))
	}
	return want, argumentf("handle %d is %s, not %s", n, kindName(o), kindName(want))
}

func kindName(o any) string {
	switch o.(type) {
	case *gpu:
		return "a device"
	case *stream:
		return "a stream"
	case *event:
		return "an event"
	case *module:
		return "a module"
	case *kernel:
		return "a kernel"
	case *hostMemory:
		return "host memory"
	case *room:
		return "a room"
	case *dataset:
		return "a graph"
	case *program:
		return "a program"
	case *lent:
		return "a result"
	}
	return fmt.Sprintf("a %T", o)
}

// An order is a stream, or the default stream of a device.
type order struct {
	g *gpu
	s device.Stream // nil for the default stream
}

// order returns the stream of a handle, which may be a device's: its default stream.
func (h handles) order(n uint64) (order, error) {
	if g, ok := h[n].(*gpu); ok {
		return order{g, nil}, nil
	}
	s, err := lookup[*stream](h, n)
	if err != nil {
		return order{}, err
	}
	return order{s.g, s.s}, nil
}

// queuing is what devices and streams have in common.
type queuing interface {
	Launch(k device.Kernel, l device.Launch) error
	CopyIn(dst device.Ptr, src []byte) error
	CopyOut(dst []byte, src device.Ptr) error
	Copy(dst, src device.Ptr, size int64) error
	Fill(dst device.Ptr, value byte, size int64) error
}

func (o order) queue() queuing {
	if o.s == nil {
		return o.g.dev
	}
	return o.s
}

var _ = []queuing{(device.Device)(nil), (device.Stream)(nil)}

// adopts is implemented by devices whose host memory may be in the arena.
type adopts interface {
	AdoptHost(name string, at device.Ptr, data []byte) (device.HostMemory, error)
}

var _ adopts = (*simt.Device)(nil)

// printed is what kernels have printed and the client has not fetched.
type printed struct {
	mu   sync.Mutex
	text []byte
	lost int64
}

// maxPrinted bounds it.
const maxPrinted = 16 << 20

// Write implements [io.Writer]. What there is no room for is counted.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(b), maxPrinted-len(p.text))
	p.text = append(p.text, b[:n]...)
	p.lost += int64(len(b) - n)
	return len(b), nil
}

func (p *printed) pending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.text) > 0 || p.lost > 0
}

// take returns up to n bytes, and, with the last of them, how many were lost behind.
func (p *printed) take(n int) ([]byte, int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = min(n, len(p.text))
	out := p.text[:n:n]
	p.text = p.text[n:]
	var lost int64
	if len(p.text) == 0 {
		p.text, lost, p.lost = nil, p.lost, 0
	}
	return out, lost
}
