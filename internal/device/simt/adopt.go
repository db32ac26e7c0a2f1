package simt

import (
	"fmt"
	"slices"

	"irgl/internal/device"
)

// Host memory has the addresses from [HostStart] to [HostEnd], exclusive.
const (
	HostStart device.Ptr = hostStart
	HostEnd   device.Ptr = globalStart - (maxDevices-1)*deviceRange
)

// IsDevice reports whether an address is in the range of emulated devices: no host has memory there.
func IsDevice(p device.Ptr) bool { return p >= HostEnd && p < machineStart }

// Chosen reports whether an address is one that the emulator chooses, the same in each run, for so many devices or for
// page-locked memory. Those of a process that are random may be among the first devices' by chance.
func Chosen(p device.Ptr, devices int) bool {
	const likely = 1 << 36 // bytes from the start of a device's range that allocations reach
	for i := range max(1, devices) {
		if start := device.Ptr(deviceStart(i)); p >= start && p < start+likely {
			return true
		}
	}
	return p >= HostStart && p < HostEnd
}

// AdoptHost makes memory of the caller's host memory of the system at a chosen
// address: kernels address it by the numbers that another process has mapped it
// at. The memory belongs to the caller again once the result is closed.
func (d *Device) AdoptHost(name string, at device.Ptr, data []byte) (device.HostMemory, error) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	size := uint64(len(data))
	if at < HostStart || at >= HostEnd || size > uint64(HostEnd-at) {
		return nil, fmt.Errorf("host memory %s: %#x is not an address of host memory", name, uint64(at))
	}
	b := &buffer{name: name, base: uint64(at), data: data, size: size, owner: d}
	return &hostMemory{d, b}, d.sys.host.adopt(b)
}

// adopt maps a buffer at the address that it has.
func (m *memory) adopt(b *buffer) error {
	// The same pages may have been adopted and freed before.
	m.bufs = slices.DeleteFunc(m.bufs, func(o *buffer) bool {
		return o.freed && o.base < b.base+max(1, b.size) && b.base < o.base+max(1, o.size)
	})
	i := slices.IndexFunc(m.bufs, func(o *buffer) bool { return o.base >= b.base })
	if i < 0 {
		i = len(m.bufs)
	}
	if i > 0 && m.bufs[i-1].base+m.bufs[i-1].size > b.base || i < len(m.bufs) && m.bufs[i].base < b.base+max(1, b.size) {
		return fmt.Errorf("host memory %s: %#x is in use", b.name, b.base)
	}
	m.bufs = slices.Insert(m.bufs, i, b)
	m.used += int64(b.size)
	m.next = max(m.next, (b.base+b.size+redZone+255)&^255)
	return nil
}
