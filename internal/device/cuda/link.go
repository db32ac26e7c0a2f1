//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"irgl/internal/codecache"
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
	m, bare := d.newModule(name, ptx)
	if err := d.loadCached(m, ptx, library); err != nil {
		return nil, err
	}
	return m.loaded(bare)
}

// loadCached loads the machine code of a text linked with a library. It is taken from the
// cache, or made and put there: the driver's own cache has no linked code.
func (d *gpu) loadCached(m *module, ptx, library string) error {
	key, keeps := d.codeKey(ptx, library)
	keeps = keeps && d.options.Cache != nil
	if keeps {
		if code := d.options.Cache.Get(key); code != nil {
			err := m.loadData(code, jitOptions{})
			if e, ok := errors.AsType[*Error](err); err == nil || ok && e.fatal() {
				return err
			}
			d.options.Cache.Drop(key) // it is another driver's after all
		}
	}
	return d.jit(m.name, ptx, func(o jitOptions) error {
		return d.link(cString(m.name), cString(ptx), library, o, func(code []byte) error {
			err := m.loadData(code, jitOptions{})
			if err == nil && keeps {
				d.options.Cache.Put(key, code)
			}
			return err
		})
	})
}

// codeKey returns the key of machine code: the text, the driver and the GPU that it is
// for, and how it is compiled. Without knowing the library's content there is none.
func (d *gpu) codeKey(ptx, library string) (key codecache.Key, ok bool) {
	content, err := os.ReadFile(library)
	if err != nil {
		return key, false
	}
	return codecache.KeyOf(ptx, string(content), fmt.Sprint(d.cu.version), d.cu.build(), d.info.Name, d.info.Target(),
		fmt.Sprintf("lines %t unoptimised %t", hasLines(ptx), d.options.Unoptimised)), true
}

// build tells drivers of the same version of CUDA apart, where the system says which one
// it is.
func (cu *driver) build() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return string(text)
}

// link links a text with a library, and calls use with the machine code,
// a copy of the linker's. The linker writes its log until it is destroyed.
func (d *gpu) link(name, text []byte, library string, o jitOptions, use func(code []byte) error) (err error) {
	var state, code, size uintptr
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(o.options)
	pinner.Pin(o.values)
	r := call(d.cu.linkCreate, o.count, uintptr(unsafe.Pointer(o.options)), uintptr(unsafe.Pointer(o.values)), uintptr(unsafe.Pointer(&state)))
	if err := d.check(r, "cuLinkCreate"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.check(call(d.cu.linkDestroy, state), "cuLinkDestroy")) }()
	r = call(d.cu.linkAddData, state, linkPTX, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)), uintptr(unsafe.Pointer(&name[0])), 0, 0, 0)
	if err := d.check(r, "cuLinkAddData"); err != nil {
		return err
	}
	path := cString(library)
	r = call(d.cu.linkAddFile, state, linkLibrary, uintptr(unsafe.Pointer(&path[0])), 0, 0, 0)
	if err := d.check(r, "cuLinkAddFile(%s)", library); err != nil {
		return err
	}
	r = call(d.cu.linkComplete, state, uintptr(unsafe.Pointer(&code)), uintptr(unsafe.Pointer(&size)))
	if err := d.check(r, "cuLinkComplete"); err != nil {
		return err
	}
	return use(slices.Clone(unsafe.Slice(*(**byte)(unsafe.Pointer(&code)), size)))
}
