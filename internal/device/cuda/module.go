//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"irgl/internal/device"
)

// A module implements device.Module.
type module struct {
	d       *gpu
	name    string
	counts  map[string]int // parameters of each entry, by name
	handle  uintptr        // 0 when closed
	kernels map[string]*kernel
}

// A kernel implements device.Kernel.
type kernel struct {
	m      *module
	handle uintptr
	info   device.KernelInfo
	params bool   // info.ParamsLength is known, also when it is 0
	shared uint32 // dynamic shared memory that a launch may ask for now

	resident residency // of the last cooperative launch
}

// residency is how many blocks of a shape the device can hold.
type residency struct {
	threads int
	shared  uint32
	blocks  int
}

// Options of cuModuleLoadDataEx.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
	jitLevel        = 7 // of the assembler's optimiser, 0 to 4, where 4 is what it has without
	jitLineInfo     = 13
)

// Function attributes.
const (
	funcMaxThreads       = 0
	funcSharedBytes      = 1
	funcLocalBytes       = 3
	funcRegisters        = 4
	funcMaxDynamicShared = 8
	funcClusterWidth     = 11 // and the two after it; zeros without clusters
	funcLargeClusters    = 14
)

// defaultShared is the shared memory, static and dynamic together, that a
// block can have without a kernel's attribute being changed.
const defaultShared = 48 << 10

// Load compiles PTX text with the driver's compiler, or finds it in the driver's cache. The
// error of a text that is refused is a *[LoadError].
func (d *gpu) Load(name, ptx string) (device.Module, error) {
	if strings.IndexByte(ptx, 0) >= 0 {
		return nil, &LoadError{Name: name, Err: errors.New("the text contains a NUL byte")}
	}
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	defer d.leave()
	m, bare := d.newModule(name, ptx)
	if err := d.jit(name, ptx, func(o jitOptions) error { return m.loadData([]byte(ptx), o) }); err != nil {
		return nil, err
	}
	return m.loaded(bare)
}

// newModule returns a module that is not loaded yet, and its text without comments.
func (d *gpu) newModule(name, ptx string) (m *module, bare string) {
	bare = withoutComments(ptx)
	return &module{d: d, name: name, counts: countParams(bare), kernels: make(map[string]*kernel)}, bare
}

// loadData loads PTX text, or machine code.
func (m *module) loadData(data []byte, o jitOptions) error {
	data = append(data, 0) // the end of a text
	r := call(m.d.cu.moduleLoadDataEx, uintptr(unsafe.Pointer(&m.handle)), uintptr(unsafe.Pointer(&data[0])),
		o.count, uintptr(unsafe.Pointer(o.options)), uintptr(unsafe.Pointer(o.values)))
	return m.d.check(r, "cuModuleLoadDataEx")
}

// jitOptions are those of a call of the driver's compiler.
type jitOptions struct {
	count   uintptr
	options *uint32
	values  *uintptr
}

// jit calls the driver's compiler with the options for a text. The error of a text that is refused holds
// the compiler's log.
func (d *gpu) jit(name, ptx string, compile func(jitOptions) error) error {
	log := make([]byte, 16<<10)
	// The values are an array of void*: the buffer, and numbers cast to
	// pointers. The array holds a Go pointer, which is therefore pinned.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&log[0])
	options, values := [4]uint32{jitErrorLog, jitErrorLogSize}, [4]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	count := 2
	if hasLines(ptx) {
		options[count], values[count] = jitLineInfo, 1
		count++
	}
	if d.options.Unoptimised {
		options[count], values[count] = jitLevel, 0
		count++
	}
	err := compile(jitOptions{uintptr(count), &options[0], &values[0]})
	runtime.KeepAlive(log)
	if err != nil {
		if n := bytes.IndexByte(log, 0); n >= 0 {
			log = log[:n]
		}
		text := strings.TrimSpace(string(log))
		return &LoadError{Name: name, Log: text, PTX: citedLines(ptx, text), Err: err}
	}
	return nil
}

// hasLines reports whether a text has the lines of a source: see ptxgen.Options.Lines.
func hasLines(ptx string) bool { return strings.Contains(ptx, "\n.file ") }

// loaded does what is to be done once when a module has been loaded; bare is its text without comments.
func (m *module) loaded(bare string) (device.Module, error) {
	d := m.d
	d.hold(m.handle, d.cu.moduleUnload)
	if !d.deep && recursive(bare) {
		if err := d.check(call(d.cu.ctxSetLimit, limitStackSize, recursionStack), "cuCtxSetLimit(stack, %d)", recursionStack); err != nil {
			return nil, errors.Join(fmt.Errorf("load %s: its functions call themselves: %w", m.name, err), m.Close())
		}
		d.deep = true
	}
	return m, nil
}

// recursionStack is the stack in bytes that each thread has once a module was loaded
// in which functions call themselves. Without one it is what the deepest chain of
// calls needs; 16 times the driver's default costs 32 MiB a multiprocessor.
const recursionStack = 16 << 10

// enter is the device's enter, and fails for a closed module.
func (m *module) enter() error {
	if m.handle == 0 {
		return errModuleClosed
	}
	return m.d.enter()
}

func (m *module) Kernel(name string) (device.Kernel, error) {
	if err := m.enter(); err != nil {
		return nil, fmt.Errorf("kernel %s of %s: %w", name, m.name, err)
	}
	defer m.d.leave()
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	k := &kernel{m: m, info: device.KernelInfo{Name: name}}
	if err := k.load(cString(name)); err != nil {
		if hasCode(err, codeNotFound) {
			return nil, fmt.Errorf("%s has no kernel %s: %w", m.name, name, err)
		}
		return nil, fmt.Errorf("kernel %s of %s: %w", name, m.name, err)
	}
	m.kernels[name] = k
	return k, nil
}

// load looks the kernel up and reads its attributes.
func (k *kernel) load(name []byte) error {
	d := k.m.d
	err := d.check(call(d.cu.moduleGetFunction, uintptr(unsafe.Pointer(&k.handle)), k.m.handle, uintptr(unsafe.Pointer(&name[0]))), "cuModuleGetFunction")
	if err != nil {
		return err
	}
	for _, a := range []struct {
		p    *int
		attr uintptr
	}{
		{&k.info.Registers, funcRegisters},
		{&k.info.SharedBytes, funcSharedBytes},
		{&k.info.LocalBytes, funcLocalBytes},
		{&k.info.MaxThreads, funcMaxThreads},
	} {
		var v int32
		if err := d.check(call(d.cu.funcGetAttribute, uintptr(unsafe.Pointer(&v)), a.attr, k.handle), "cuFuncGetAttribute(%d)", a.attr); err != nil {
			return err
		}
		*a.p = int(v)
	}
	if err := k.loadCluster(); err != nil {
		return err
	}
	k.shared = uint32(max(0, defaultShared-k.info.SharedBytes))
	// The driver returns the offset of a parameter, but not how many there are
	// other than by an error, which tools that watch its calls report.
	n, known := k.m.counts[k.info.Name]
	if !known || d.cu.funcGetParamInfo == 0 {
		return nil
	}
	var offset, size uint64
	if n > 0 {
		r := call(d.cu.funcGetParamInfo, k.handle, uintptr(n-1), uintptr(unsafe.Pointer(&offset)), uintptr(unsafe.Pointer(&size)))
		if err := d.check(r, "cuFuncGetParamInfo(%d)", n-1); err != nil {
			return err
		}
	}
	k.params = true
	k.info.ParamsLength = int(offset + size)
	return nil
}

func (m *module) Global(name string) (device.Ptr, int64, error) {
	if err := m.enter(); err != nil {
		return 0, 0, fmt.Errorf("variable %s of %s: %w", name, m.name, err)
	}
	defer m.d.leave()
	var p, size uint64
	text := cString(name)
	err := m.d.check(call(m.d.cu.moduleGetGlobal, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&size)), m.handle, uintptr(unsafe.Pointer(&text[0]))), "cuModuleGetGlobal")
	if err != nil {
		if hasCode(err, codeNotFound) {
			return 0, 0, fmt.Errorf("%s has no variable %s: %w", m.name, name, err)
		}
		return 0, 0, fmt.Errorf("variable %s of %s: %w", name, m.name, err)
	}
	m.d.buffers.add(buffer{p: device.Ptr(p), size: int64(size), name: name, kind: variable, module: m})
	return device.Ptr(p), int64(size), nil
}

// Close waits for the kernels in flight, since they may be the module's.
func (m *module) Close() error {
	if m.handle == 0 || m.d.closed {
		return nil
	}
	if err := m.d.enter(); err != nil {
		return fmt.Errorf("close %s: %w", m.name, err)
	}
	defer m.d.leave()
	if err := m.d.waitToFree(); err != nil {
		return fmt.Errorf("close %s: %w", m.name, err)
	}
	h := m.handle
	m.handle = 0
	m.d.drop(h)
	m.d.buffers.removeModule(m)
	if err := m.d.check(call(m.d.cu.moduleUnload, h), "cuModuleUnload"); err != nil {
		return fmt.Errorf("close %s: %w", m.name, err)
	}
	return nil
}
