//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// A fakeDriver stands in for the driver library where there is no GPU: a table of
// functions with the driver's signatures, called as the library is, that do their
// work on emulated devices. It is strict where the driver crashes or forgives: a
// call needs the right context current on its thread, and handles that were not
// given out, or were given back, are errors.
type fakeDriver struct {
	mu      sync.Mutex
	cu      *driver
	system  []*simt.Device // whose devices the next contexts use
	threads map[int]*fakeContext
	primary map[int]*fakeContext
	things  map[uintptr]any // by handle
	handles uintptr
	log     []string
	fail    map[string]int // the code that the next call of the function returns
	engine  *fakeEngine    // runs the emulator for a query; nil when idle
	asked   uintptr        // handle of the last query, if nothing was called since
}

// A fakeEngine is a call that waits for the emulator, on a goroutine.
type fakeEngine struct {
	c    *fakeContext
	done chan struct{}
	err  error // once done is closed
}

// A fakeContext has one emulated device.
type fakeContext struct {
	dev     *simt.Device
	ordinal int
	retains int // of a primary context
	broken  int
	memory  map[uintptr]uintptr // sizes by address
	peers   map[*fakeContext]bool
	legacy  device.Stream // orders the default stream after events
}

type fakeStream struct {
	c        *fakeContext
	s        device.Stream
	flags    uintptr
	priority int32
}

type fakeEvent struct {
	c        *fakeContext
	e        device.Event
	recorded bool
}

type fakeModule struct {
	c *fakeContext
	m device.Module
}

type fakeFunction struct {
	c *fakeContext
	k device.Kernel
}

type fakeHost struct {
	c *fakeContext
	h device.HostMemory
}

// Results that only the fake gives.
const (
	codeInvalidValue   = 1
	codeInvalidContext = 201
	codeInvalidHandle  = 400
	codeLeak           = 9999 // something was not given back to a primary context
)

// A fakeEntry is a function of the driver: its number of arguments, and what it
// does in the context that is current; nil for functions that need none.
type fakeEntry struct {
	args int
	bare func(a []uintptr) int
	f    func(c *fakeContext, a []uintptr) int
}

// newFake returns the one fake of the process: callbacks cannot be given back.
var newFake = sync.OnceValue(func() *fakeDriver {
	f := &fakeDriver{
		cu: &driver{version: 12040}, threads: map[int]*fakeContext{}, primary: map[int]*fakeContext{},
		things: map[uintptr]any{}, handles: 0x1000, fail: map[string]int{},
	}
	entries := f.entries()
	for _, fn := range f.cu.functions() {
		if e, ok := entries[fn.name]; ok {
			*fn.p = f.callback(fn.name, e)
		} else if !fn.optional {
			panic("the fake driver has no " + fn.name)
		}
	}
	return f
})

// openFake opens GPU 0 of a new fake system.
func openFake(t testing.TB, o Options) (*fakeDriver, *gpu) {
	t.Helper()
	f := fakeSystem(t)
	d, err := f.cu.open(0, o)
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

// fakeSystem gives the fake driver two new GPUs.
func fakeSystem(t testing.TB) *fakeDriver {
	t.Helper()
	f := newFake()
	system, err := simt.OpenSystem(2, simt.Options{SpinLimit: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.system, f.log = system, nil
	clear(f.fail)
	clear(f.primary)
	return f
}

// callback makes a C function of an entry.
func (f *fakeDriver) callback(name string, e fakeEntry) uintptr {
	g := func(a ...uintptr) uintptr { return uintptr(f.call(name, e, a)) }
	switch e.args {
	case 1:
		return purego.NewCallback(func(a uintptr) uintptr { return g(a) })
	case 2:
		return purego.NewCallback(func(a, b uintptr) uintptr { return g(a, b) })
	case 3:
		return purego.NewCallback(func(a, b, c uintptr) uintptr { return g(a, b, c) })
	case 4:
		return purego.NewCallback(func(a, b, c, d uintptr) uintptr { return g(a, b, c, d) })
	case 5:
		return purego.NewCallback(func(a, b, c, d, e uintptr) uintptr { return g(a, b, c, d, e) })
	case 6:
		return purego.NewCallback(func(a, b, c, d, e, f uintptr) uintptr { return g(a, b, c, d, e, f) })
	case 8:
		return purego.NewCallback(func(a, b, c, d, e, f, h, i uintptr) uintptr { return g(a, b, c, d, e, f, h, i) })
	case 11:
		return purego.NewCallback(func(a, b, c, d, e, f, h, i, j, k, l uintptr) uintptr { return g(a, b, c, d, e, f, h, i, j, k, l) })
	}
	panic(fmt.Sprintf("%s has %d arguments", name, e.args))
}

// call is every call of the driver.
func (f *fakeDriver) call(name string, e fakeEntry, a []uintptr) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	line := name
	for _, v := range a {
		line += fmt.Sprintf(" %#x", v)
	}
	f.log = append(f.log, line)
	if code := f.fail[name]; code != 0 {
		delete(f.fail, name)
		return code
	}
	query := strings.HasSuffix(name, "Query")
	if !query && e.f != nil {
		f.asked = 0
		if f.engine != nil {
			<-f.engine.done
			f.ended()
		}
	}
	if e.bare != nil {
		return e.bare(a)
	}
	c := f.threads[syscall.Gettid()]
	if c == nil {
		return codeInvalidContext
	}
	if c.broken != 0 {
		return c.broken
	}
	return e.f(c, a)
}

// calls returns the logged calls since the last time.
func (f *fakeDriver) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// add gives out a handle for a thing.
func (f *fakeDriver) add(thing any) uintptr {
	f.handles += 0x10
	f.things[f.handles] = thing
	return f.handles
}

// thing returns the object of a handle, or nil if it is not a T.
func thing[T any](f *fakeDriver, handle uintptr) *T {
	t, _ := f.things[handle].(*T)
	return t
}

// live returns how many handles and pieces of memory of a context are not given back.
func (f *fakeDriver) live(c *fakeContext) int {
	n := len(c.memory)
	for _, t := range f.things {
		switch t := t.(type) {
		case *fakeStream:
			n += one(t.c == c)
		case *fakeEvent:
			n += one(t.c == c)
		case *fakeModule:
			n += one(t.c == c)
		case *fakeHost:
			n += one(t.c == c)
		}
	}
	return n
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// code turns an error of the emulator into a result. An error of a kernel ruins the
// context, as on a GPU.
func (c *fakeContext) code(err error) int {
	var oom *device.OutOfMemoryError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &oom):
		return codeOutOfMemory
	}
	return codeInvalidValue
}

// query answers cuStreamQuery and cuEventQuery. A GPU works on its own, the emulator
// only in a call that waits: the first query of a thing answers as things are, and
// the second one starts such a call on another goroutine, as a caller that asks
// again and again waits.
func (f *fakeDriver) query(c *fakeContext, handle uintptr, idle func() (bool, error), wait func(context.Context) error) int {
	if f.engine != nil {
		select {
		case <-f.engine.done:
			f.ended()
		case <-time.After(100 * time.Microsecond):
			return codeNotReady
		}
		if c.broken != 0 {
			return c.broken
		}
	}
	done, err := idle()
	if err != nil {
		c.broken = codeIllegalAddress
		return c.broken
	}
	if done {
		return 0
	}
	if f.asked != handle {
		f.asked = handle
		return codeNotReady
	}
	engine := &fakeEngine{c: c, done: make(chan struct{})}
	f.engine = engine
	go func() {
		defer close(engine.done)
		engine.err = wait(context.Background())
	}()
	return codeNotReady
}

// ended takes the outcome of the engine, which is done.
func (f *fakeDriver) ended() {
	if f.engine.err != nil {
		f.engine.c.broken = codeIllegalAddress
	}
	f.engine = nil
}

// pointer makes a pointer of an argument.
func pointer[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

func bytesAt(p, n uintptr) []byte { return unsafe.Slice(pointer[byte](p), n) }

func stringAt(p uintptr) string { return goString(pointer[byte](p)) }

// constants are strings that live for ever.
var constants = map[int][2][]byte{}

func (f *fakeDriver) errorText(which int) func(a []uintptr) int {
	return func(a []uintptr) int {
		code := int(a[0])
		if _, ok := constants[code]; !ok {
			constants[code] = [2][]byte{cString(fmt.Sprintf("CUDA_ERROR_%d", code)), cString(fmt.Sprintf("result %d", code))}
		}
		*pointer[*byte](a[1]) = &constants[code][which][0]
		return 0
	}
}

// names returns the names of logged calls, without those that only read or select.
func names(calls []string) []string {
	var list []string
	for _, c := range calls {
		name, _, _ := strings.Cut(c, " ")
		switch name {
		case "cuCtxSetCurrent", "cuStreamQuery", "cuEventQuery", "cuDeviceGetCount", "cuDeviceGetAttribute", "cuFuncGetAttribute":
			continue
		}
		list = append(list, name)
	}
	return slices.Clip(list)
}
