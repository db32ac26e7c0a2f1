package simt

import (
	"fmt"
	"slices"

	"irgl/internal/device"
)

// The windows of the generic address space. Addresses of the shared and local
// state spaces are offsets into their windows; those of global memory and of
// constants are generic addresses.
const (
	sharedWindow = 0x1_0000_0000
	localWindow  = 0x2_0000_0000
	paramWindow  = 0x3_0000_0000
	funcWindow   = 0x4_0000_0000
	windowEnd    = 0x5_0000_0000
	globalStart  = 0x7f00_0000_0000 // of device 0; the others have ranges below
	hostStart    = 0x0100_0000_0000 // of page-locked memory
	deviceRange  = 0x0400_0000_0000 // addresses of each device
	machineStart = 0x7fc0_0000_0000 // of the memory of a machine, which no device has

	machineRange = 0x0030_0000_0000 // addresses of a machine

	windowSize = 0x1_0000_0000
	// Shared and local variables do not begin at zero, so that null pointers
	// into them are found.
	sharedStart = 1024
	localStart  = 64
	// redZone is the least number of unmapped bytes between two buffers.
	redZone = 4096
)

// A buffer is a piece of memory with bounds: an allocation, a module variable,
// or a block's shared memory.
type buffer struct {
	name     string
	base     uint64
	data     []byte
	size     uint64
	freed    bool
	readOnly bool
	called   string       // of a machine's: the function whose name it holds
	heap     bool         // of a kernel's malloc
	given    *device.Site // of the call of malloc
	owner    *Device      // that page-locked memory was allocated or adopted by
	module   *module
	launches bool // the queue of launches in device code
	barriers bool // the counters of the grid's barriers, which cooperative launches alone have

	written []byte            // 1 for each byte that was written; nil when all count as written
	some    bool              // some byte of written is known to be 1
	tracked bool              // may have unwritten bytes again, by copies of such, where written is nil
	shadow  shadow            // what the race detector knows
	touched map[uint64]*touch // by four bytes: what host code has accessed of page-locked memory
	watched bool              // on a machine: page-locked memory of the program's devices, accesses to which are told; of shared memory: copies are under way to it
	vars    []sharedVar
	traffic *Traffic // nil for what no Alloc made

	elements device.Elements // what an allocation holds

	claims  *claims  // of a worker's view of it: what the group under way has accessed
	sharing *sharing // what the groups of a launch have accessed
}

// sharedVar names a part of a block's shared memory.
type sharedVar struct {
	name      string
	off, size uint64
}

// memory is the global memory of a device, or the page-locked memory of the host.
type memory struct {
	bufs  []*buffer // by base, also the freed ones, for better messages
	next  uint64
	used  int64
	limit int64
	heap  int64 // of used, what kernels' malloc has given
	dead  int   // freed ones in bufs
}

func newMemory(start uint64, limit int64) *memory { return &memory{next: start, limit: limit} }

// deviceStart returns where the addresses of a device begin.
func deviceStart(index int) uint64 { return globalStart - uint64(index)*deviceRange }

// find returns the buffer of a global address, as kernels of d see it, with the
// greatest base not above it, or nil.
func (d *Device) find(addr uint64) *buffer {
	if d.worker != nil {
		return d.worker.find(addr)
	}
	if len(d.sys.devices) == 1 && len(d.sys.host.bufs) == 0 {
		return d.mem.find(addr)
	}
	if m := d.memoryAt(addr); m != nil {
		return m.find(addr)
	}
	return nil
}

// memoryAt returns the memory in whose range an address is, if d can address it.
func (d *Device) memoryAt(addr uint64) *memory {
	in := func(o *Device) bool {
		start := deviceStart(o.index)
		return addr >= start && (o.index == 0 || addr < start+deviceRange)
	}
	switch {
	case in(d):
		return d.mem
	case addr >= hostStart && addr < deviceStart(maxDevices-1):
		return d.sys.host
	}
	for _, o := range d.peers {
		if in(o) {
			return o.mem
		}
	}
	return nil
}

// alloc maps a new buffer after all others. Addresses are not used again, so
// that accesses to freed memory are found.
func (m *memory) alloc(name string, size int64) (*buffer, error) {
	if size < 0 {
		return nil, fmt.Errorf("allocate %s: size %d is negative", name, size)
	}
	if size > m.limit-m.used {
		return nil, &device.OutOfMemoryError{Name: name, Size: size, Free: m.limit - m.used}
	}
	b := &buffer{name: name, base: m.next, data: make([]byte, size), size: uint64(size)}
	m.next = (m.next + uint64(size) + redZone + 255) &^ 255
	m.used += size
	m.bufs = append(m.bufs, b)
	return b, nil
}

// free unmaps the buffer that starts at base.
func (m *memory) free(base uint64) error {
	i, ok := slices.BinarySearchFunc(m.bufs, base, func(b *buffer, a uint64) int {
		switch {
		case b.base < a:
			return -1
		case b.base > a:
			return 1
		}
		return 0
	})
	if !ok {
		return fmt.Errorf("free %#x: no allocation starts there", base)
	}
	b := m.bufs[i]
	if b.freed {
		return fmt.Errorf("free %#x: %s is freed already", base, b.name)
	}
	m.release(b)
	return nil
}

func (m *memory) release(b *buffer) {
	if b.freed {
		return
	}
	b.freed, b.data, b.shadow, b.written, b.sharing, b.module = true, nil, shadow{}, nil, nil, nil
	m.used -= int64(b.size)
	if b.heap {
		m.heap -= int64(b.size)
	}
	// Keep some freed buffers to name them, not all for ever.
	if m.dead++; m.dead > 4096 {
		m.bufs = slices.DeleteFunc(m.bufs, func(b *buffer) bool { return b.freed })
		m.dead = 0
	}
}

// find returns the buffer with the greatest base not above addr, or nil.
func (m *memory) find(addr uint64) *buffer {
	lo, hi := 0, len(m.bufs)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if m.bufs[mid].base <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	return m.bufs[lo-1]
}

// holds reports whether size bytes at addr lie in b.
func (b *buffer) holds(addr, size uint64) bool {
	return addr >= b.base && addr-b.base <= b.size && size <= b.size-(addr-b.base)
}

// nearby describes a wrong global address for a report.
func (d *Device) nearby(addr uint64) wrongPlace {
	m := d.memoryAt(addr)
	if m == nil {
		for _, o := range d.sys.devices {
			if b := o.mem.find(addr); o != d && b != nil && b.holds(addr, 1) {
				return wrongPlace{rule: device.RuleOtherMemory, buffer: b.name, text: fmt.Sprintf("address %#x is in %s of device %d, which is no enabled peer of device %d", addr, b.name, o.index, d.index)}
			}
		}
		m = d.mem
	}
	w := m.nearby(addr)
	if of, rule := d.elsewhere(addr); of != "" && w.buffer == "" {
		w.text, w.unknown, w.rule = fmt.Sprintf("address %#x is in no buffer, but %s", addr, of), false, rule
	}
	return w
}

// elsewhere names memory that has no buffers of the device, or returns "", and the rule of reports about it.
func (d *Device) elsewhere(addr uint64) (name, rule string) {
	switch {
	case addr >= sharedWindow && addr < sharedWindow+windowSize:
		return "in shared memory, which a block has for itself: a launch cannot pass its address", device.RuleOtherMemory
	case addr >= localWindow && addr < localWindow+windowSize:
		return "in local memory, which a thread has for itself, or on the stack of the host: a launch cannot pass its address", device.RuleOtherMemory
	case addr >= machineStart && addr < machineStart+machineRange && d.opts.Machine == nil:
		return "memory of the host: cudaMemcpy copies it, cudaGetSymbolAddress gives that of a variable of the device", device.RuleHostMemory
	}
	return "", ""
}

func (m *memory) nearby(addr uint64) wrongPlace {
	b := m.find(addr)
	next := m.find(addr + redZone)
	if next == b || next == nil || next.base <= addr {
		next = nil
	}
	switch {
	case addr < 4096:
		return wrongPlace{rule: device.RuleNullPointer, text: fmt.Sprintf("null pointer (address %#x)", addr)}
	case next != nil && (b == nil || !b.holds(addr, 0) && next.base-addr < addr-b.base-b.size):
		return next.relative(addr)
	case b == nil:
	case b.freed && b.holds(addr, 0):
		return wrongPlace{rule: device.RuleUseAfterFree, buffer: b.name, text: fmt.Sprintf("address %#x is in %s, which is freed, at offset %d", addr, b.name, addr-b.base)}
	case b.holds(addr, 1):
		_, place := b.describe(addr - b.base)
		return wrongPlace{buffer: b.name, text: fmt.Sprintf("address %#x is %s, and it has %s", addr, place, b.extent())}
	case addr-b.base-b.size < 1<<20:
		return b.relative(addr)
	}
	return wrongPlace{text: fmt.Sprintf("address %#x is in no buffer", addr), unknown: true}
}

// extent says how much a buffer holds: "3 nodes", or its bytes.
func (b *buffer) extent() string {
	if e := b.elements; e.Size > 0 {
		if n := int64(b.size) / e.Size; n != 1 {
			return fmt.Sprintf("%d %ss", n, e.Of)
		}
		return "1 " + e.Of
	}
	return fmt.Sprintf("%d bytes", b.size)
}

// marks returns written for a change, made if all was written.
func (b *buffer) marks() []byte {
	if b.written == nil {
		b.written = make([]byte, b.size)
		setWritten(b.written)
	}
	return b.written
}
