package prepare

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/source"
	"irgl/syntax"
)

//go:embed prepare.cu
var kernels []byte

// The shape of the kernels, as prepare.cu has it.
const (
	threads  = 256
	digits   = 256 // values of a digit of a sort
	digit    = 8   // its bits
	tile     = 4096
	listTile = 2048
	scanTile = 2048
)

// An UnsupportedError says that a graph cannot be prepared on a device.
type UnsupportedError struct{ Why string }

func (e *UnsupportedError) Error() string { return "prepare on a device: " + e.Why }

// tooMany is the error of a list of so many arcs.
func tooMany(arcs int64) error {
	return &UnsupportedError{fmt.Sprintf("a list of %d arcs, and at most %d are supported", arcs, int64(MaxArcs))}
}

// MaxArcs is the largest number of arcs of a list: indices of 32 bits do not wrap at the
// end of its last tile.
const MaxArcs = 1<<32 - 1 - tile

// compiled has the PTX of the kernels by target.
var compiled struct {
	sync.Mutex
	ptx map[string]string
}

// Compile compiles the kernels for a target, such as sm_90, once in a process, and returns
// their PTX, which [New] loads. It may be called by several goroutines at once.
func Compile(ctx context.Context, target string) (ptx string, err error) {
	compiled.Lock()
	defer compiled.Unlock()
	if ptx, ok := compiled.ptx[target]; ok {
		return ptx, nil
	}
	if ptx, err = compileFor(ctx, target); err == nil {
		if compiled.ptx == nil {
			compiled.ptx = map[string]string{}
		}
		compiled.ptx[target] = ptx
	}
	return ptx, err
}

func compileFor(ctx context.Context, target string) (ptx string, err error) {
	o := compile.Options{Context: ctx}
	o.PTX.Target = target
	u, err := compile.Compile(source.NewFile("prepare.cu", kernels), syntax.CUDA, "", o)
	if err != nil {
		return "", err
	}
	return u.PTXText(), nil
}

// A Kit is the kernels on a device. Like the device, it is not safe for use by several
// goroutines at once.
type Kit struct {
	dev    device.Device
	module device.Module
	kernel map[string]device.Kernel
}

// New loads the kernels, as [Compile] returns them for the device's target.
func New(dev device.Device, ptx string) (*Kit, error) {
	k := &Kit{dev: dev, kernel: map[string]device.Kernel{}}
	var err error
	if k.module, err = dev.Load("prepare.ptx", ptx); err != nil {
		return nil, err
	}
	for _, name := range []string{"list", "digits", "scatter", "scan", "add", "mark", "most", "keep", "rows", "look", "weigh", "extremes", "degrees", "search", "reverses", "pick"} {
		if k.kernel[name], err = k.module.Kernel(name); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

// Close unloads the kernels. Graphs stay.
func (k *Kit) Close() error { return k.module.Close() }

// A Graph is a graph in device memory.
type Graph struct {
	Nodes, Arcs uint32
	Row         device.Ptr // Nodes+1 offsets of 32 bits
	Dst         device.Ptr // Arcs nodes of 32 bits
	Weight      device.Ptr // Arcs integers of 32 bits; 0 without weights
}

// Free gives the memory of a graph back; nil has none.
func (k *Kit) Free(g *Graph) error {
	if g == nil {
		return nil
	}
	var err error
	for _, p := range []device.Ptr{g.Row, g.Dst, g.Weight} {
		if p != 0 {
			err = errors.Join(err, k.dev.Free(p))
		}
	}
	*g = Graph{}
	return err
}

// memory is the device memory of one piece of work, with its first error: after that
// nothing is done.
type memory struct {
	*Kit
	temporary []device.Ptr // freed at the end
	results   []device.Ptr // freed after an error
	room      device.Ptr   // of what was reserved, the part that is left
	left      int64
	err       error
}

func (k *Kit) memory() *memory { return &memory{Kit: k} }

// alignment is that of arrays in memory that was reserved: what devices give.
const alignment = 256

// bytes returns the size of an array of n numbers of 32 bits.
func bytes(n uint32) int64 { return (4*max(1, int64(n)) + alignment - 1) / alignment * alignment }

// reserve allocates the memory of several temporary arrays of 32-bit numbers at once: for a
// GPU an allocation of any size takes as long as sorting a million arcs. A device that checks
// what kernels access has each array apart.
func (m *memory) reserve(lengths ...uint32) {
	if _, checks := m.dev.(device.Checking); checks || m.err != nil {
		return
	}
	for _, n := range lengths {
		m.left += bytes(n)
	}
	if m.room, m.err = m.dev.Alloc("prepare.temporary", m.left); m.err == nil {
		m.temporary = append(m.temporary, m.room)
	}
}

// alloc returns memory for n numbers of 32 bits until the end, all 0.
func (m *memory) alloc(name string, n uint32) device.Ptr {
	if m.err != nil {
		return 0
	}
	if size := bytes(n); size <= m.left {
		p := m.room
		m.room, m.left = m.room+device.Ptr(size), m.left-size
		return p
	}
	return m.allocate(name, n, &m.temporary)
}

// result returns memory for n numbers of 32 bits that stays after the end, all 0.
func (m *memory) result(name string, n uint32) device.Ptr {
	if m.err != nil {
		return 0
	}
	return m.allocate(name, n, &m.results)
}

func (m *memory) allocate(name string, n uint32, list *[]device.Ptr) device.Ptr {
	var p device.Ptr
	if p, m.err = m.dev.Alloc("prepare."+name, 4*max(1, int64(n))); m.err == nil {
		*list = append(*list, p)
	}
	return p
}

// end frees the temporary memory; after an error, all.
func (m *memory) end() error {
	err := m.err
	if err != nil {
		err = fmt.Errorf("prepare on a device: %w", err)
		m.temporary = append(m.temporary, m.results...)
	}
	for _, p := range m.temporary {
		err = errors.Join(err, m.dev.Free(p))
	}
	return err
}

// read waits for the device, and returns n numbers from p.
func (m *memory) read(ctx context.Context, p device.Ptr, n uint32) []uint32 {
	out := make([]uint32, n)
	m.wait(ctx)
	if n > 0 {
		m.copyOut(ctx, words(out), p)
	}
	return out
}

// copyOut copies bytes from the device, which it waits for until ctx ends.
func (m *memory) copyOut(ctx context.Context, to []byte, from device.Ptr) {
	if m.err != nil {
		return
	}
	if d, ok := m.dev.(device.Waiting); ok {
		m.err = d.CopyOutContext(ctx, to, from)
	} else {
		m.err = m.dev.CopyOut(to, from)
	}
}

// wait waits for the device, so that a kernel's fault is the error of what launched it.
func (m *memory) wait(ctx context.Context) {
	if m.err == nil {
		m.err = m.dev.Sync(ctx)
	}
}

// words returns the memory of a list of numbers: all supported hosts have the byte order of
// devices.
func words(list []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
}

// launch launches a kernel for n items, so many for a block; for none it does nothing.
func (m *memory) launch(name string, n int64, each int64, args ...any) {
	if m.err != nil || n == 0 {
		return
	}
	var params []byte
	for _, a := range args {
		if p, ok := a.(device.Ptr); ok {
			a = uint64(p)
		}
		switch a := a.(type) {
		case uint64:
			for len(params)%8 > 0 {
				params = append(params, 0)
			}
			params = binary.LittleEndian.AppendUint64(params, a)
		case uint32:
			params = binary.LittleEndian.AppendUint32(params, a)
		case int:
			params = binary.LittleEndian.AppendUint32(params, uint32(a))
		case bool:
			v := uint32(0)
			if a {
				v = 1
			}
			params = binary.LittleEndian.AppendUint32(params, v)
		}
	}
	m.err = m.dev.Launch(m.kernel[name], device.Launch{
		Grid: device.Dim3{X: uint32((n + each - 1) / each)}, Block: device.Dim3{X: threads}, Params: params,
	})
}
