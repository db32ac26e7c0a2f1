package simt

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"irgl/internal/device"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// A module is a loaded PTX text.
type module struct {
	d       *Device
	name    string
	tree    *ptx.Module
	funcs   map[string]*ptx.Func
	order   []string // function names by index: their addresses
	index   map[string]int
	vars    map[string]*buffer // .global and .const variables
	shared  map[string]*ptx.Var
	kernels map[string]*kernel
	wrong   map[*ptx.Func]error // what the verifier says of functions: it refuses the kernels that reach them
	refused map[string]error    // kernels that are not decoded
	closed  bool
	// positions are what lines of the text were made of, as far as it says.
	positions map[int32]position
	inlined   map[int32]*inlined // of lines that were made of functions that are inlined
	number    int                // of the modules that the system has loaded
	// titles names kernels in reports; nil for their names in the text.
	titles func(kernel string, at position) string
	// variables names shared variables in reports; nil for their names in the text.
	variables func(name string) string
	naming    sync.Mutex // of the calls of titles, variables and of what Restrict was given
}

// Load parses, verifies and decodes PTX text. What the emulator does not know refuses the kernels that
// have it, and [module.Kernel] says why; the text is refused if none of its kernels is left.
func (d *Device) Load(name, text string) (device.Module, error) {
	tree, err := ptx.Parse(source.NewFile(name, []byte(text)))
	var wrong map[*ptx.Func]error
	if err == nil {
		wrong, err = ptx.VerifyEach(tree)
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	d.sys.modules++
	m := &module{d: d, name: name, number: d.sys.modules, tree: tree, funcs: map[string]*ptx.Func{}, index: map[string]int{},
		vars: map[string]*buffer{}, shared: map[string]*ptx.Var{}, kernels: map[string]*kernel{}, positions: map[int32]position{}, inlined: map[int32]*inlined{},
		wrong: wrong, refused: map[string]error{}}
	if err := m.declare(); err != nil {
		m.releaseVars()
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	if err := m.decodeKernels(); err != nil && len(m.kernels) == 0 {
		m.releaseVars()
		return nil, err
	}
	return m, nil
}

// gridBarriers is in the name of the variable that <cooperative_groups.h> counts the arrivals at the
// barriers of grids in.
const gridBarriers = "irglL13grid_barriersE"

// declare collects functions and allocates and initialises variables.
func (m *module) declare() error {
	for _, decl := range m.tree.Decls {
		switch v := decl.(type) {
		case *ptx.Func:
			m.locate(v.Body)
			if old := m.funcs[v.Name]; old == nil || old.Proto {
				m.funcs[v.Name] = v
			}
			if _, ok := m.index[v.Name]; !ok {
				m.index[v.Name] = len(m.order)
				m.order = append(m.order, v.Name)
			}
		case *ptx.Var:
			if v.Space == ptx.Shared {
				m.shared[v.Name] = v
				continue
			}
			size, known := v.ByteSize()
			if !known {
				return fmt.Errorf("variable %s: its size is not known", v.Name)
			}
			if m.vars[v.Name] != nil {
				continue // extern and its definition
			}
			b, err := m.d.mem.alloc(v.Name, size)
			if err != nil {
				return err
			}
			b.readOnly, b.module = v.Space == ptx.Const, m
			b.barriers = strings.Contains(v.Name, gridBarriers)
			m.vars[v.Name] = b
		}
	}
	for _, decl := range m.tree.Decls {
		if v, ok := decl.(*ptx.Var); ok && len(v.Init) > 0 {
			m.initialise(v)
		}
	}
	return nil
}

// initialise writes a variable's initial values; Verify has checked that
// they fit and that their symbols exist.
func (m *module) initialise(v *ptx.Var) {
	b, size := m.vars[v.Name], v.Type.Size()
	for i, o := range v.Init {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], m.initialValue(v, o))
		copy(b.data[i*size:(i+1)*size], word[:])
	}
}

func (m *module) initialValue(v *ptx.Var, o ptx.Operand) uint64 {
	switch o.Kind {
	case ptx.KindF32:
		return o.Bits
	case ptx.KindF64:
		if v.Type == "f32" {
			return uint64(math.Float32bits(float32(math.Float64frombits(o.Bits))))
		}
		return o.Bits
	case ptx.KindSym:
		if g := m.vars[o.Name]; g != nil {
			return g.base + uint64(o.Int)
		}
		if i, ok := m.index[o.Name]; ok {
			return funcAddress(i)
		}
	}
	return uint64(o.Int)
}

func funcAddress(index int) uint64 { return funcWindow + 16 + 16*uint64(index) }

func (m *module) releaseVars() {
	for _, b := range m.vars {
		m.d.mem.release(b)
	}
}

// decodeKernels decodes every entry and what it calls. It returns why the first one that is refused is.
func (m *module) decodeKernels() (first error) {
	for _, decl := range m.tree.Decls {
		f, ok := decl.(*ptx.Func)
		if !ok || !f.Entry {
			continue
		}
		k, err := m.decodeKernel(f)
		if err != nil {
			err = fmt.Errorf("load %s: %w", m.name, err)
			m.refused[f.Name], first = err, cmp.Or(first, err)
			continue
		}
		m.kernels[f.Name] = k
	}
	return first
}

// Kernel returns an entry.
func (m *module) Kernel(name string) (device.Kernel, error) {
	if m.closed {
		return nil, fmt.Errorf("module %s is closed", m.name)
	}
	k := m.kernels[name]
	if k == nil {
		if err := m.refused[name]; err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("module %s has no kernel %s", m.name, name)
	}
	return k, nil
}

// Global returns a .global or .const variable.
func (m *module) Global(name string) (device.Ptr, int64, error) {
	if m.closed {
		return 0, 0, fmt.Errorf("module %s is closed", m.name)
	}
	b := m.vars[name]
	if b == nil {
		return 0, 0, fmt.Errorf("module %s has no variable %s", m.name, name)
	}
	return device.Ptr(b.base), int64(b.size), nil
}

// Close frees the module's variables after the work queued before.
func (m *module) Close() error {
	if m.closed {
		return nil
	}
	m.d.sys.mu.Lock()
	defer m.d.sys.mu.Unlock()
	err := m.d.wait(context.Background())
	m.closed = true
	m.releaseVars()
	if errors.Is(err, errClosed) {
		return nil
	}
	return err
}

// A kernel is a decoded entry.
type kernel struct {
	mod        *module
	fn         *function
	funcs      map[string]*function // what it may call, by name
	params     int                  // bytes
	shared     uint64               // static, bytes
	sharedVars []sharedVar
	maxThreads int
	reqThreads [3]uint32              // of .reqntid; zero when there is none
	cluster    device.Dim3            // of .reqnctapercluster; one block when there is none
	narrow     bool                   // some strong access or fence is for a block or cluster alone
	relaxes    bool                   // some arrivals at the barrier of a cluster do not release
	ordered    bool                   // what it does may depend on the order of its blocks
	parallel   parallel               // what is known of executions in groups of blocks
	frames     map[*function][]*frame // of earlier launches, for the next
	kept       int                    // registers of those
}

// Info describes the kernel.
func (k *kernel) Info() device.KernelInfo {
	return device.KernelInfo{
		Name: k.fn.name, Registers: min(255, max(16, k.fn.words)), SharedBytes: int(k.shared),
		LocalBytes: k.fn.localSize, MaxThreads: k.maxThreads, ParamsLength: k.params, Cluster: k.cluster,
	}
}

// Occupancy returns how many blocks fit a multiprocessor: the least of what
// threads, shared memory and the number of blocks allow. Registers do not
// count: an assembler would allocate them.
func (k *kernel) Occupancy(threads int, shared uint32) (int, error) {
	if threads < 1 || threads > k.maxThreads {
		return 0, fmt.Errorf("kernel %s: %d threads a block, it takes 1 to %d", k.fn.name, threads, k.maxThreads)
	}
	bytes := k.shared + uint64(shared)
	if bytes > sharedPerBlockMost {
		return 0, fmt.Errorf("kernel %s: %d bytes of shared memory a block, there are %d", k.fn.name, bytes, sharedPerBlockMost)
	}
	whole := (threads + 31) / 32 * 32
	return min(maxBlocksPerSM, maxThreadsPerSM/whole, int(sharedPerSM/(bytes+sharedReserved))), nil
}

// Clusters returns how many clusters fit the device. Their blocks may be on any of
// its multiprocessors, which is more than a GPU allows.
func (k *kernel) Clusters(threads int, shared uint32) (int, error) {
	n, err := k.Occupancy(threads, shared)
	return n * k.mod.d.info.Multiprocessors / int(k.cluster.Count()), err
}

// newLaunch checks the configuration of a launch.
func (d *Device) newLaunch(dk device.Kernel, cfg device.Launch) (*launch, error) {
	k, ok := dk.(*kernel)
	if !ok || k.mod.d != d {
		return nil, errors.New("launch: the kernel is not of this device")
	}
	fail := func(format string, args ...any) (*launch, error) {
		return nil, fmt.Errorf("launch %s: %w", k.fn.name, fmt.Errorf(format, args...))
	}
	g, b := cfg.Grid.Norm(), cfg.Block.Norm()
	threads := b.Count()
	switch {
	case d.closed:
		return nil, errClosed
	case k.mod.closed:
		return fail("module %s is closed", k.mod.name)
	case b.X > 1024 || b.Y > 1024 || b.Z > 64 || threads > uint64(k.maxThreads):
		return fail("block %v: at most %d threads, 1024x1024x64", b, k.maxThreads)
	case k.reqThreads != [3]uint32{} && k.reqThreads != [3]uint32{b.X, b.Y, b.Z}:
		return fail("block %v: the kernel requires %v", b, k.reqThreads)
	case g.X > math.MaxInt32 || g.Y > 65535 || g.Z > 65535:
		return fail("grid %v: at most %dx65535x65535", g, math.MaxInt32)
	case g.Count() > math.MaxUint32:
		return fail("grid %v: the emulator takes at most %d blocks", g, uint32(math.MaxUint32))
	case len(cfg.Params) != k.params:
		return fail("%d bytes of parameters, it takes %d", len(cfg.Params), k.params)
	}
	perSM, err := k.Occupancy(int(threads), cfg.Shared)
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	size := k.cluster
	if g.X%size.X != 0 || g.Y%size.Y != 0 || g.Z%size.Z != 0 {
		return fail("grid %v: it is no multiple of the kernel's cluster of %v", g, size)
	}
	per := int(size.Count())
	resident := perSM * d.info.Multiprocessors / per * per
	if resident == 0 {
		return fail("a cluster of %d such blocks does not fit the device", per)
	}
	if cfg.Cooperative && g.Count() > uint64(resident) {
		return fail("cooperative grid of %d blocks, %d can be resident", g.Count(), resident)
	}
	return newLaunch(d, k, cfg, resident), nil
}
