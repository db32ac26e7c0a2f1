//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"irgl/internal/device"
)

// The kinds of what is linked (CUjitInputType).
const (
	linkPTX     = 1
	linkLibrary = 4
)

var _ device.Linking = (*gpu)(nil)

// LoadLinked implements [device.Linking] with the driver's linker. The error of a text that is refused is
// a *[LoadError].
func (d *gpu) LoadLinked(name, ptx, library string) (device.Module, error) {
	if strings.IndexByte(ptx, 0) >= 0 {
		return nil, &LoadError{Name: name, Err: errors.New("the text contains a NUL byte")}
	}
	if d.cu.linkCreate == 0 || d.cu.linkAddData == 0 || d.cu.linkAddFile == 0 || d.cu.linkComplete == 0 || d.cu.linkDestroy == 0 {
		return nil, fmt.Errorf("load %s: the driver has no linker", name)
	}
	if err := d.enter(); err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
	}
	defer d.leave()
	bare := withoutComments(ptx)
	m := &module{d: d, name: name, counts: countParams(bare), kernels: make(map[string]*kernel)}
	if err := d.jit(name, ptx, func(count uintptr, options *uint32, values *uintptr) error {
		return d.link(m, cString(name), cString(ptx), cString(library), count, options, values)
	}); err != nil {
		return nil, err
	}
	return m.loaded(bare)
}

// link links a text with a library and loads the result. The linker writes its log until it is destroyed.
func (d *gpu) link(m *module, name, text, library []byte, count uintptr, options *uint32, values *uintptr) (err error) {
	var state, code, size uintptr
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(options)
	pinner.Pin(values)
	r := call(d.cu.linkCreate, count, uintptr(unsafe.Pointer(options)), uintptr(unsafe.Pointer(values)), uintptr(unsafe.Pointer(&state)))
	if err := d.check(r, "cuLinkCreate"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.check(call(d.cu.linkDestroy, state), "cuLinkDestroy")) }()
	r = call(d.cu.linkAddData, state, linkPTX, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)), uintptr(unsafe.Pointer(&name[0])), 0, 0, 0)
	if err := d.check(r, "cuLinkAddData"); err != nil {
		return err
	}
	r = call(d.cu.linkAddFile, state, linkLibrary, uintptr(unsafe.Pointer(&library[0])), 0, 0, 0)
	if err := d.check(r, "cuLinkAddFile(%s)", string(library[:len(library)-1])); err != nil {
		return err
	}
	r = call(d.cu.linkComplete, state, uintptr(unsafe.Pointer(&code)), uintptr(unsafe.Pointer(&size)))
	if err := d.check(r, "cuLinkComplete"); err != nil {
		return err
	}
	return d.check(call(d.cu.moduleLoadDataEx, uintptr(unsafe.Pointer(&m.handle)), code, 0, 0, 0), "cuModuleLoadDataEx")
}
