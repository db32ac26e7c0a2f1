package simt

import "irgl/internal/device"

// A Live allocation is memory that was given and not freed.
type Live struct {
	Name string
	Size int64
	// Site is where a kernel has called malloc; nil for memory that the host has allocated.
	Site *device.Site
}

// Live returns the memory of the device that was given and is not freed, in the order of the addresses, with the
// page-locked memory that was allocated or adopted by it. Variables of modules are not among it.
func (d *Device) Live() []Live {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	var out []Live
	add := func(m *memory) {
		for _, b := range m.bufs {
			if !b.freed && b.module == nil && (b.owner == nil || b.owner == d) {
				out = append(out, Live{b.name, int64(b.size), b.given})
			}
		}
	}
	add(d.mem)
	add(d.sys.host)
	return out
}
