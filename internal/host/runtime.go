package host

import (
	"context"
	"fmt"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/syntax"
)

// Errors of the CUDA runtime. A call that fails ends the run, so that no program
// continues after an error that it did not check; only cudaSetDevice returns
// one, since programs call it to enumerate devices.
const (
	cudaSuccess               = 0
	cudaErrorInvalidValue     = 1
	cudaErrorMemoryAllocation = 2
	cudaErrorInvalidDevice    = 101
)

// cudaRuntime returns the functions of the CUDA runtime with scalar arguments.
func cudaRuntime() map[string]hostFunc {
	return map[string]hostFunc{
		"cudaMalloc": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			at, start := m.bytes(n, v[0], 8), m.rec.now()
			p, err := m.alloc(n, int64(v[1]))
			m.check(n, err)
			m.rec.copied("allocate", int64(v[1]), start)
			m.rec.allocated(p, int64(v[1]))
			m.allocated[p] = true
			store(at, uint64(p))
			return cudaSuccess
		},
		"cudaFree": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			if v[0] == 0 {
				return cudaSuccess
			}
			m.check(n, m.rec.freed(device.Ptr(v[0])))
			if _, pooled := m.dev.(*pool); !pooled { // Free waits, but has no context
				m.check(n, m.dev.Sync(m.ctx))
			}
			delete(m.allocated, device.Ptr(v[0]))
			return m.check(n, m.dev.Free(device.Ptr(v[0])))
		},
		"cudaMemcpy": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			return m.copy(n, v[0], v[1], int64(v[2]))
		},
		"cudaMemset": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			return m.fill(n, device.Ptr(v[0]), byte(v[1]), int64(v[2]))
		},
		"cudaDeviceSynchronize": func(m *machine, n syntax.Node, _ [4]uint64) uint64 {
			start := m.rec.now()
			err := m.wait()
			m.rec.copied("wait", 0, start)
			return m.check(n, err)
		},
		"cudaGetLastError": func(m *machine, _ syntax.Node, _ [4]uint64) uint64 {
			last := m.lastError
			m.lastError = cudaSuccess
			return last
		},
		"cudaPeekAtLastError": func(m *machine, _ syntax.Node, _ [4]uint64) uint64 { return m.lastError },
		"cudaGetErrorString":  func(m *machine, _ syntax.Node, v [4]uint64) uint64 { return m.errorText(v[0]).text },
		"cudaGetErrorName":    func(m *machine, _ syntax.Node, v [4]uint64) uint64 { return m.errorText(v[0]).name },
		// A run has one device, number 0 in the program.
		"cudaSetDevice": func(m *machine, _ syntax.Node, v [4]uint64) uint64 {
			if int32(v[0]) == 0 {
				return cudaSuccess
			}
			m.lastError = cudaErrorInvalidDevice
			return cudaErrorInvalidDevice
		},
		"cudaGetDevice": func(m *machine, n syntax.Node, v [4]uint64) uint64 {
			store(m.bytes(n, v[0], 4), 0)
			return cudaSuccess
		},
		"cudaDeviceGetAttribute":                        deviceAttribute,
		"cudaOccupancyMaxActiveBlocksPerMultiprocessor": maxActiveBlocks,
		"cudaOccupancyMaxActiveClusters":                maxActiveClusters,
		"cudaFuncSetAttribute":                          funcSetAttribute,
	}
}

// check ends the run on a device's error, so that the program cannot ignore
// it.
func (m *machine) check(n syntax.Node, err error) uint64 {
	if err != nil {
		fail(n, err)
	}
	return cudaSuccess
}

// An errorText has the addresses of the name and the description of an error.
type errorText struct{ name, text uint64 }

// errorTexts are the CUDA runtime's texts for the errors that are returned.
var errorTexts = map[uint64][2]string{
	cudaSuccess:               {"cudaSuccess", "no error"},
	cudaErrorInvalidValue:     {"cudaErrorInvalidValue", "invalid argument"},
	cudaErrorMemoryAllocation: {"cudaErrorMemoryAllocation", "out of memory"},
	cudaErrorInvalidDevice:    {"cudaErrorInvalidDevice", "invalid device ordinal"},
}

// errorText stores the texts of an error in memory, once.
func (m *machine) errorText(code uint64) errorText {
	t, ok := m.errorTexts[code]
	if !ok {
		words, known := errorTexts[code]
		if !known {
			words = [2]string{"unrecognized error code", "unrecognized error code"}
		}
		t = errorText{m.mem.putString(words[0]), m.mem.putString(words[1])}
		if m.errorTexts == nil {
			m.errorTexts = map[uint64]errorText{}
		}
		m.errorTexts[code] = t
	}
	return t
}

// copy is cudaMemcpy: the addresses determine the direction.
func (m *machine) copy(n syntax.Node, dst, src uint64, size int64) uint64 {
	if size == 0 {
		return cudaSuccess
	}
	to, from, start := device.Ptr(dst), device.Ptr(src), m.rec.now()
	switch toHost, fromHost := dst >= hostBase, src >= hostBase; {
	case toHost && fromHost:
		copy(m.bytes(n, dst, size), m.bytes(n, src, size))
	case toHost:
		b := m.bytes(n, dst, size)
		m.check(n, m.copyOut(b, from))
		m.rec.copied("copy from device", size, start)
		m.rec.seen(from, b)
	case fromHost:
		b := m.bytes(n, src, size)
		m.check(n, m.rec.overwrites(to, size))
		m.check(n, m.dev.CopyIn(to, b))
		m.rec.copied("copy to device", size, start)
		m.rec.seen(to, b)
	default:
		m.check(n, m.rec.overwrites(to, size))
		m.check(n, m.dev.Copy(to, from, size))
		m.rec.copied("copy on device", size, start)
	}
	return cudaSuccess
}

// fill is cudaMemset.
func (m *machine) fill(n syntax.Node, p device.Ptr, value byte, size int64) uint64 {
	start := m.rec.now()
	m.check(n, m.rec.overwrites(p, size))
	m.check(n, m.dev.Fill(p, value, size))
	m.rec.copied("fill", size, start)
	return m.check(n, m.rec.filled(p, value, size))
}

// symbolCall compiles the three functions that take a device variable.
func (f *frame) symbolCall(x *syntax.CallExpr, name string, ft *check.Func) eval {
	at := 0
	if name != "cudaMemcpyToSymbol" {
		at = 1
	}
	symbol := ""
	var args []eval
	for i, a := range x.Args {
		if i == at {
			arg := syntax.Unparen(a)
			if u, ok := arg.(*syntax.UnaryExpr); ok && u.Op == "&" {
				arg = syntax.Unparen(u.X)
			}
			if id, ok := arg.(*syntax.Ident); ok {
				symbol = id.Name
			}
			args = append(args, func(*machine) uint64 { return 0 })
			continue
		}
		if ft != nil && i < len(ft.Params) {
			args = append(args, f.converted(a, ft.Params[i]))
		} else {
			args = append(args, f.expr(a))
		}
	}
	if symbol == "" {
		f.p.refuse(x, CodeBuiltin, "%s needs the name of a device variable", name)
		return func(*machine) uint64 { return 0 }
	}
	return func(m *machine) uint64 {
		p, _, err := m.module.Global(symbol)
		m.check(x, err)
		other := args[1-at](m)
		if name == "cudaGetSymbolAddress" {
			store(m.bytes(x, other, 8), uint64(p))
			return cudaSuccess
		}
		size, offset := int64(args[2](m)), uint64(0)
		if len(args) > 3 {
			offset = args[3](m)
		}
		if name == "cudaMemcpyToSymbol" {
			return m.copy(x, uint64(p)+offset, other, size)
		}
		return m.copy(x, other, uint64(p)+offset, size)
	}
}

// alloc is cudaMalloc. Computing its position takes longer than an allocation from
// the pool, so it is computed for new memory only.
func (m *machine) alloc(n syntax.Node, size int64) (device.Ptr, error) {
	if p, ok := m.dev.(*pool); ok {
		if ptr, ok := p.take(size); ok {
			return ptr, nil
		}
	}
	return m.dev.Alloc(fmt.Sprintf(listMemory+"at %s", n.Pos()), size)
}

// wait is cudaDeviceSynchronize.
func (m *machine) wait() error {
	if err := m.span.mark(); err != nil {
		return err
	}
	return m.dev.Sync(m.ctx)
}

// copyOut copies from the device, unless the run's context ends before the kernels
// that precede the copy do.
func (m *machine) copyOut(to []byte, from device.Ptr) error {
	if err := m.span.mark(); err != nil {
		return err
	}
	return copyOut(m.ctx, m.dev, to, from)
}

// copyOut copies from a device, or a pool on it, until ctx ends.
func copyOut(ctx context.Context, dev device.Device, to []byte, from device.Ptr) error {
	if p, ok := dev.(*pool); ok {
		dev = p.Device
	}
	if d, ok := dev.(device.Waiting); ok {
		return d.CopyOutContext(ctx, to, from)
	}
	return dev.CopyOut(to, from)
}
