package hosteval

import (
	"math"
	"slices"
	"strings"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// limitMallocHeapSize is cudaLimitMallocHeapSize.
const limitMallocHeapSize = 2

// The kinds of copies.
const (
	hostToHost = iota
	hostToDevice
	deviceToHost
	deviceToDevice
	anyDirection
)

var copyKinds = [...]string{"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"}

// allocate allocates memory. Host code and kernels address page-locked and managed memory by the
// same numbers.
func (m *machine) allocate(c *call, function string, to, size uint64, kind blockKind) uint64 {
	if to == 0 {
		return cudaErrorInvalidValue
	}
	put64(c, to, 0)
	if size == 0 || c.Stopped() {
		return cudaSuccess
	}
	s := &m.cuda
	b := block{size: size, name: s.next(function), kind: kind}
	var err error
	if kind == deviceBlock {
		b.base, err = s.allocDevice(b.name, size)
	} else if s.simt == nil {
		// A GPU's page-locked memory has addresses of this process, which host code has not.
		m.errorf("irgl: %s: host code that irgl evaluates has no memory that a GPU addresses, too; cudaMalloc and cudaMemcpy do\n", b.name)
		return cudaErrorNotSupported
	} else if b.host, err = s.dev.AllocHost(b.name, int64(min(size, 1<<40))); err == nil {
		b.base = uint64(b.host.Ptr())
		err = c.Adopt(b.name, b.base, b.host.Bytes())
	}
	if err != nil {
		return m.failed(err)
	}
	s.add(b)
	m.log.Allocated(b.name, c.Stack())
	put64(c, to, b.base)
	return cudaSuccess
}

// allocDevice allocates memory of the device, which counts as unwritten.
func (s *cudaState) allocDevice(name string, size uint64) (uint64, error) {
	p, err := s.dev.Alloc(name, int64(min(size, 1<<62)))
	if err == nil && s.simt != nil {
		s.simt.Unwritten(p)
	}
	return uint64(p), err
}

// release frees memory of the CUDA runtime.
func (m *machine) release(c *call, kinds ...blockKind) uint64 {
	if c.Args[0] == 0 {
		return cudaSuccess
	}
	b, ok := m.cuda.take(c.Args[0], kinds...)
	if !ok {
		return m.refused(cudaErrorInvalidValue, "%s: no memory that it frees begins at %#x", c.Name, c.Args[0])
	}
	if b.kind == deviceBlock {
		e := m.failed(m.cuda.dev.Free(device.Ptr(b.base)))
		m.tell()
		return e
	}
	c.Disown(b.base)
	e := m.failed(b.host.Close())
	m.tell()
	return e
}

// side returns the bytes of the host's side of a copy, or where on the device it is.
func (m *machine) side(c *call, addr, n uint64, write bool) (host []byte, onDevice bool) {
	if b := m.cuda.find(addr); b != nil && b.kind == deviceBlock {
		return nil, true
	}
	return c.Bytes(addr, n, write), false
}

// queue is what devices and streams have in common.
type queue interface {
	Launch(k device.Kernel, l device.Launch) error
	CopyIn(dst device.Ptr, src []byte) error
	CopyOut(dst []byte, src device.Ptr) error
	Copy(dst, src device.Ptr, size int64) error
	Fill(dst device.Ptr, value byte, size int64) error
}

// queueOf returns the stream of a handle: of none, the default stream.
func (m *machine) queueOf(handle uint64) (queue, uint64) {
	if handle <= 2 { // none, legacy, per thread
		return m.cuda.dev, cudaSuccess
	}
	s, ok := m.cuda.streams[handle]
	if !ok {
		return nil, m.refused(cudaErrorInvalidResourceHandle, "%#x is no stream, or is destroyed", handle)
	}
	return s, cudaSuccess
}

// copy copies n bytes.
func (m *machine) copy(c *call, dst, src, n, kind, stream uint64) uint64 {
	q, e := m.queueOf(stream)
	switch {
	case kind > anyDirection:
		return m.refused(cudaErrorInvalidMemcpyDirection, "the kind of a copy is %d: it is 0 to %d", int32(kind), anyDirection)
	case e != cudaSuccess:
		return e
	case n == 0:
		return cudaSuccess
	case dst == 0:
		return m.refused(cudaErrorInvalidValue, "a copy to a null pointer")
	case src == 0:
		return m.refused(cudaErrorInvalidValue, "a copy from a null pointer")
	}
	for _, p := range []uint64{dst, src} {
		if m.cuda.simt != nil && simt.IsDevice(device.Ptr(p)) && m.cuda.find(p) == nil {
			return m.refused(cudaErrorInvalidValue, "a copy of %d bytes at %#x, where the device has no memory, or none any more", n, p)
		}
	}
	to, toDevice := m.side(c, dst, n, true)
	if c.Stopped() {
		return 0
	}
	from, fromDevice := m.side(c, src, n, false)
	if c.Stopped() {
		return 0
	}
	if kind != anyDirection {
		wantTo, wantFrom := kind == hostToDevice || kind == deviceToDevice, kind == deviceToHost || kind == deviceToDevice
		for _, s := range []struct {
			addr         uint64
			device, want bool
		}{{dst, toDevice, wantTo}, {src, fromDevice, wantFrom}} {
			if s.device && !s.want {
				return m.refused(cudaErrorInvalidValue, "%s says that %#x is memory of the host: it is memory of a device", copyKinds[kind], s.addr)
			}
			if !s.device && s.want && !m.mapped(s.addr) {
				return m.refused(cudaErrorInvalidValue, "%s says that %#x is memory of a device: it is memory of the host", copyKinds[kind], s.addr)
			}
		}
	}
	var err error
	switch {
	case toDevice && fromDevice:
		err = q.Copy(device.Ptr(dst), device.Ptr(src), int64(n))
	case toDevice:
		err = q.CopyIn(device.Ptr(dst), from)
	case fromDevice:
		err = q.CopyOut(to, device.Ptr(src))
	default:
		if err = m.wait(stream); err == nil {
			copy(to, from)
		}
	}
	if e = m.failed(err); e == cudaSuccess && !strings.HasSuffix(c.Name, "Async") && m.sharesMemory() {
		e = m.failed(m.wait(stream)) // the copy is done when the call returns
	}
	m.tell()
	return e
}

// sharesMemory reports whether host code has page-locked or managed memory.
func (m *machine) sharesMemory() bool {
	return slices.ContainsFunc(m.cuda.blocks, func(b block) bool { return b.host != nil })
}

// watch tells the program's device of accesses of host code to page-locked and managed memory.
func (m *machine) watch(addr, n uint64, write bool, stack func() []device.Frame) {
	if d := m.cuda.simt; d != nil {
		d.HostAccess(addr, n, write, stack)
	}
}

// mapped reports whether host memory is addressable by kernels.
func (m *machine) mapped(addr uint64) bool {
	b := m.cuda.find(addr)
	return b != nil && b.kind != deviceBlock
}

// wait waits for a stream.
func (m *machine) wait(stream uint64) error {
	if s, ok := m.cuda.streams[stream]; ok {
		return s.Sync(m.ctx)
	}
	return m.cuda.dev.Sync(m.ctx)
}

// copy2D copies rows.
func (m *machine) copy2D(c *call, stream uint64) uint64 {
	dst, dpitch, src, spitch, width, height, kind := c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5], c.Args[6]
	if width > dpitch || width > spitch {
		return m.refused(cudaErrorInvalidPitchValue, "a copy of rows of %d bytes: the pitches are %d and %d", width, dpitch, spitch)
	}
	for y := range height {
		if e := m.copy(c, dst+y*dpitch, src+y*spitch, width, kind, stream); e != cudaSuccess || c.Stopped() {
			return e
		}
	}
	return cudaSuccess
}

// fill sets bytes of the device, or of memory that both sides have.
func (m *machine) fill(c *call, p, value, n, stream uint64) uint64 {
	q, e := m.queueOf(stream)
	switch {
	case e != cudaSuccess:
		return e
	case n == 0:
		return cudaSuccess
	case p == 0:
		return m.refused(cudaErrorInvalidValue, "cudaMemset at a null pointer")
	}
	if b := m.cuda.find(p); b != nil && b.kind != deviceBlock {
		if e := m.failed(m.wait(stream)); e != cudaSuccess {
			return e
		}
		for i, bytes := 0, c.Bytes(p, n, true); i < len(bytes); i++ {
			bytes[i] = byte(value)
		}
		return cudaSuccess
	}
	e = m.failed(q.Fill(device.Ptr(p), byte(value), int64(n)))
	m.tell()
	return e
}

func (m *machine) fill2D(c *call, p, pitch, value, width, height, stream uint64) uint64 {
	if height > 1 && width > pitch && width > 0 {
		return m.refused(cudaErrorInvalidPitchValue, "cudaMemset of rows of %d bytes: the pitch is %d", width, pitch)
	}
	for y := range height {
		if e := m.fill(c, p+y*pitch, value, width, stream); e != cudaSuccess {
			return e
		}
	}
	return cudaSuccess
}

// symbol returns where the variable of the device is that a variable of the host stands for.
func (m *machine) symbol(shadow uint64) (p, size uint64, e uint64) {
	name, ok := m.names[shadow]
	if !ok {
		return 0, 0, cudaErrorInvalidSymbol
	}
	if e := m.load(); e != cudaSuccess {
		return 0, 0, e
	}
	at, n, err := m.cuda.module.Global(name)
	if err != nil {
		return 0, 0, cudaErrorInvalidSymbol
	}
	if m.cuda.find(uint64(at)) == nil {
		m.cuda.add(block{base: uint64(at), size: uint64(n), name: name})
	}
	return uint64(at), uint64(n), cudaSuccess
}

// copySymbol copies to or from a variable of the device.
func (m *machine) copySymbol(c *call, shadow, other, n, offset, kind, stream uint64, to bool) uint64 {
	p, size, e := m.symbol(shadow)
	switch {
	case e != cudaSuccess:
		return e
	case offset > size || n > size-offset:
		return m.refused(cudaErrorInvalidValue, "a copy of %d bytes at byte %d of a symbol that has %d", n, offset, size)
	case kind == hostToHost || to && kind == deviceToHost || !to && kind == hostToDevice:
		return m.refused(cudaErrorInvalidMemcpyDirection, "%s of a copy to or from a symbol", copyKinds[kind])
	case to:
		return m.copy(c, p+offset, other, n, kind, stream)
	}
	return m.copy(c, other, p+offset, n, kind, stream)
}

// arg returns an argument, or 0 where the call has not so many.
func arg(c *call, i int) uint64 {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return 0
}

// cudaFunctions returns those of the CUDA runtime for memory.
func cudaFunctions() map[string]function {
	return map[string]function{
		"cudaMalloc": withDevice(func(m *machine, c *call) uint64 {
			return m.allocate(c, "cudaMalloc", c.Args[0], c.Args[1], deviceBlock)
		}),
		"cudaMallocAsync": withDevice(func(m *machine, c *call) uint64 {
			return m.allocate(c, "cudaMallocAsync", c.Args[0], c.Args[1], deviceBlock)
		}),
		"cudaMallocPitch": withDevice(func(m *machine, c *call) uint64 {
			pitch := (c.Args[2] + 511) / 512 * 512
			put64(c, c.Args[1], pitch)
			return m.allocate(c, "cudaMallocPitch", c.Args[0], pitch*c.Args[3], deviceBlock)
		}),
		"cudaMallocManaged": withDevice(func(m *machine, c *call) uint64 {
			if c.Args[1] == 0 {
				return cudaErrorInvalidValue
			}
			return m.allocate(c, "cudaMallocManaged", c.Args[0], c.Args[1], managedBlock)
		}),
		"cudaMallocHost": withDevice(func(m *machine, c *call) uint64 {
			return m.allocate(c, "cudaMallocHost", c.Args[0], c.Args[1], hostBlock)
		}),
		"cudaHostAlloc": withDevice(func(m *machine, c *call) uint64 {
			if c.Args[2] > 7 {
				return cudaErrorInvalidValue
			}
			return m.allocate(c, "cudaHostAlloc", c.Args[0], c.Args[1], hostBlock)
		}),
		"cudaHostGetDevicePointer": withDevice(func(m *machine, c *call) uint64 {
			if !m.mapped(c.Args[1]) {
				return cudaErrorInvalidValue
			}
			put64(c, c.Args[0], c.Args[1])
			return cudaSuccess
		}),
		"cudaFree":      withDevice(func(m *machine, c *call) uint64 { return m.release(c, deviceBlock, managedBlock) }),
		"cudaFreeAsync": withDevice(func(m *machine, c *call) uint64 { return m.release(c, deviceBlock) }),
		"cudaFreeHost":  withDevice(func(m *machine, c *call) uint64 { return m.release(c, hostBlock) }),
		"cudaMemGetInfo": withDevice(func(m *machine, c *call) uint64 {
			total := uint64(m.cuda.dev.Info().Memory)
			free := total
			for _, b := range m.cuda.blocks {
				if b.kind == deviceBlock {
					free -= min(free, b.size)
				}
			}
			put64(c, c.Args[0], free)
			put64(c, c.Args[1], total)
			return cudaSuccess
		}),
		"cudaMemcpy": withDevice(func(m *machine, c *call) uint64 { return m.copy(c, c.Args[0], c.Args[1], c.Args[2], c.Args[3], 0) }),
		"cudaMemcpyAsync": withDevice(func(m *machine, c *call) uint64 {
			return m.copy(c, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4])
		}),
		"cudaMemcpy2D":      withDevice(func(m *machine, c *call) uint64 { return m.copy2D(c, 0) }),
		"cudaMemcpy2DAsync": withDevice(func(m *machine, c *call) uint64 { return m.copy2D(c, c.Args[7]) }),
		"cudaMemset":        withDevice(func(m *machine, c *call) uint64 { return m.fill(c, c.Args[0], c.Args[1], c.Args[2], 0) }),
		"cudaMemsetAsync":   withDevice(func(m *machine, c *call) uint64 { return m.fill(c, c.Args[0], c.Args[1], c.Args[2], c.Args[3]) }),
		"cudaMemset2D": withDevice(func(m *machine, c *call) uint64 {
			return m.fill2D(c, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], 0)
		}),
		"cudaMemset2DAsync": withDevice(func(m *machine, c *call) uint64 {
			return m.fill2D(c, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5])
		}),
		"cudaMemcpyToSymbol":        withDevice(toSymbol),
		"cudaMemcpyToSymbolAsync":   withDevice(toSymbol),
		"cudaMemcpyFromSymbol":      withDevice(fromSymbol),
		"cudaMemcpyFromSymbolAsync": withDevice(fromSymbol),
		"cudaGetSymbolAddress": withDevice(func(m *machine, c *call) uint64 {
			p, _, e := m.symbol(c.Args[1])
			if e == cudaSuccess {
				put64(c, c.Args[0], p)
			}
			return e
		}),
		"cudaGetSymbolSize": withDevice(func(m *machine, c *call) uint64 {
			_, n, e := m.symbol(c.Args[1])
			if e == cudaSuccess {
				put64(c, c.Args[0], n)
			}
			return e
		}),
		"__irgl_block": withDevice(func(m *machine, c *call) uint64 { // kind + 1 of the memory at an address, or 0
			if b := m.cuda.find(c.Args[0]); b != nil {
				put32(c, c.Args[1], uint32(b.kind)+1)
			}
			return cudaSuccess
		}),
	}
}

// deviceFunctions returns those of the CUDA runtime for devices, errors and launches.
func deviceFunctions() map[string]function {
	return map[string]function{
		"cudaGetDeviceCount": withDevice(func(m *machine, c *call) uint64 { put32(c, c.Args[0], 1); return cudaSuccess }),
		"cudaSetDevice": withDevice(func(m *machine, c *call) uint64 {
			if int32(c.Args[0]) != 0 {
				return cudaErrorInvalidDevice
			}
			return cudaSuccess
		}),
		"cudaDeviceSynchronize": withDevice(func(m *machine, c *call) uint64 {
			e := m.failed(m.cuda.dev.Sync(m.ctx))
			m.tell()
			return e
		}),
		"cudaDeviceSetLimit": withDevice(func(m *machine, c *call) uint64 {
			if c.Args[0] >= uint64(len(deviceLimits)) {
				return cudaErrorUnsupportedLimit
			}
			m.cuda.limits[c.Args[0]] = c.Args[1]
			if c.Args[0] == limitMallocHeapSize && m.cuda.simt != nil {
				m.cuda.simt.SetHeap(int64(min(c.Args[1], math.MaxInt64)))
			}
			return cudaSuccess
		}),
		"cudaDeviceGetLimit": withDevice(func(m *machine, c *call) uint64 {
			switch limit := c.Args[1]; {
			case c.Args[0] == 0:
				return cudaErrorInvalidValue
			case limit >= uint64(len(deviceLimits)):
				return cudaErrorUnsupportedLimit
			default:
				v, ok := m.cuda.limits[limit]
				if !ok {
					v = deviceLimits[limit]
				}
				put64(c, c.Args[0], v)
				return cudaSuccess
			}
		}),
		"cudaDeviceReset": func(m *machine, c *call) uint64 {
			m.finish()
			m.log.Closing(0)
			s := &m.cuda
			for _, b := range s.blocks {
				if b.kind != deviceBlock {
					c.Disown(b.base)
				}
			}
			s.close()
			*s = cudaState{reports: s.reports, number: s.number}
			return cudaSuccess
		},
		"cudaGetLastError": func(m *machine, c *call) uint64 {
			e := m.cuda.peek()
			m.cuda.last = cudaSuccess
			return e
		},
		"cudaPeekAtLastError": func(m *machine, c *call) uint64 { return m.cuda.peek() },
		"cudaGetErrorName":    func(m *machine, c *call) uint64 { return m.constant(c, errorOf(c.Args[0]).name) },
		"cudaGetErrorString":  func(m *machine, c *call) uint64 { return m.constant(c, errorOf(c.Args[0]).text) },
		"__irgl_record":       func(m *machine, c *call) uint64 { m.cuda.last = c.Args[0]; return c.Args[0] },
		"__irgl_device":       withDevice(deviceNumbers),
		"<<<>>>":              launchFunction,
		"__irgl_launch":       launchFunction,
		"__irgl_kernel":       withDevice(kernelNumbers),
		"__irgl_dynamic":      withDevice(raiseDynamic),
		"__irgl_occupancy":    withDevice(occupancy),
	}
}

func errorOf(e uint64) runtimeError {
	for _, x := range runtimeErrors {
		if x.number == e {
			return x
		}
	}
	return runtimeError{e, "unrecognized error code", "unrecognized error code"}
}

func (s *cudaState) peek() uint64 {
	s.unasked = ""
	if s.broken != cudaSuccess {
		return s.broken
	}
	return s.last
}

func toSymbol(m *machine, c *call) uint64 {
	return m.copySymbol(c, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], arg(c, 5), true)
}

func fromSymbol(m *machine, c *call) uint64 {
	return m.copySymbol(c, c.Args[1], c.Args[0], c.Args[2], c.Args[3], c.Args[4], arg(c, 5), false)
}
