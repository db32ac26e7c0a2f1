package hosteval

import (
	"irgl/internal/device"
)

// The kinds of copies.
const (
	hostToHost = iota
	hostToDevice
	deviceToHost
	deviceToDevice
	anyDirection
)

func (m *machine) allocate(c *call, name string, to, size uint64) uint64 {
	s := &m.cuda
	if to == 0 {
		return cudaErrorInvalidValue
	}
	put64(c, to, 0)
	if size == 0 || c.Stopped() {
		return cudaSuccess
	}
	name = s.next(name)
	p, err := s.dev.Alloc(name, int64(min(size, 1<<62)))
	if err != nil {
		return m.failed(err)
	}
	s.add(block{base: uint64(p), size: size, name: name})
	put64(c, to, uint64(p))
	return cudaSuccess
}

// allocateHost allocates page-locked or managed memory, which host code and kernels address
// by the same numbers.
func (m *machine) allocateHost(c *call, name string, to, size uint64, kind blockKind) uint64 {
	s := &m.cuda
	if to == 0 {
		return cudaErrorInvalidValue
	}
	put64(c, to, 0)
	if size == 0 || c.Stopped() {
		return cudaSuccess
	}
	name = s.next(name)
	if s.simt == nil {
		// A GPU's page-locked memory has addresses of this process, which host code has not.
		m.errorf("irgl: %s: host code that irgl evaluates has no memory that a GPU addresses, too; cudaMalloc and cudaMemcpy do\n", name)
		return cudaErrorNotSupported
	}
	h, err := s.dev.AllocHost(name, int64(min(size, 1<<40)))
	if err != nil {
		return m.failed(err)
	}
	p := uint64(h.Ptr())
	if err := c.Adopt(name, p, h.Bytes()); err != nil {
		return m.failed(err)
	}
	s.add(block{base: p, size: size, name: name, kind: kind, host: h})
	put64(c, to, p)
	return cudaSuccess
}

// release frees memory of the CUDA runtime.
func (m *machine) release(c *call, kinds ...blockKind) uint64 {
	if c.Args[0] == 0 {
		return cudaSuccess
	}
	b, ok := m.cuda.take(c.Args[0], kinds...)
	if !ok {
		return cudaErrorInvalidValue
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
		return nil, cudaErrorInvalidResourceHandle
	}
	return s, cudaSuccess
}

// copy copies n bytes.
func (m *machine) copy(c *call, dst, src, n, kind, stream uint64) uint64 {
	q, e := m.queueOf(stream)
	switch {
	case kind > anyDirection:
		return cudaErrorInvalidMemcpyDirection
	case e != cudaSuccess:
		return e
	case n == 0:
		return cudaSuccess
	case dst == 0 || src == 0:
		return cudaErrorInvalidValue
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
		if toDevice && !wantTo || fromDevice && !wantFrom || !toDevice && wantTo && !m.mapped(dst) || !fromDevice && wantFrom && !m.mapped(src) {
			return cudaErrorInvalidValue
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
	e = m.failed(err)
	m.tell()
	return e
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
		return cudaErrorInvalidPitchValue
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
		return cudaErrorInvalidValue
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
	if height > 1 && width > pitch {
		return cudaErrorInvalidPitchValue
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
		return cudaErrorInvalidValue
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

// cudaFunctions are those of the CUDA runtime for devices, memory and launches.
var cudaFunctions = map[string]function{
	"cudaMalloc":      withDevice(func(m *machine, c *call) uint64 { return m.allocate(c, "cudaMalloc", c.Args[0], c.Args[1]) }),
	"cudaMallocAsync": withDevice(func(m *machine, c *call) uint64 { return m.allocate(c, "cudaMallocAsync", c.Args[0], c.Args[1]) }),
	"cudaMallocPitch": withDevice(func(m *machine, c *call) uint64 {
		pitch := (c.Args[2] + 511) / 512 * 512
		put64(c, c.Args[1], pitch)
		return m.allocate(c, "cudaMallocPitch", c.Args[0], pitch*c.Args[3])
	}),
	"cudaMallocManaged": withDevice(func(m *machine, c *call) uint64 {
		return m.allocateHost(c, "cudaMallocManaged", c.Args[0], c.Args[1], managedBlock)
	}),
	"cudaMallocHost": withDevice(func(m *machine, c *call) uint64 {
		return m.allocateHost(c, "cudaMallocHost", c.Args[0], c.Args[1], hostBlock)
	}),
	"cudaHostAlloc": withDevice(func(m *machine, c *call) uint64 {
		return m.allocateHost(c, "cudaHostAlloc", c.Args[0], c.Args[1], hostBlock)
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
	"cudaDeviceReset": func(m *machine, c *call) uint64 {
		m.finish()
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

func errorOf(e uint64) runtimeError {
	for _, x := range runtimeErrors {
		if x.number == e {
			return x
		}
	}
	return runtimeError{e, "unrecognized error code", "unrecognized error code"}
}

func (s *cudaState) peek() uint64 {
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
