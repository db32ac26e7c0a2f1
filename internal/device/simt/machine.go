package simt

import (
	"encoding/binary"
	"fmt"
	"slices"

	"irgl/internal/device"
)

// This file has the devices that run the host's side of programs ([Options.Machine]): a
// kernel of one thread is the program, and its calls of vprintf are those of the machine, of the C
// library and of the CUDA runtime. The format is the name of a function; the arguments, 8 bytes each,
// are the address of the result, a number, and so many arguments.

// A MachineCall is a call of the machine. It is good until the call returns.
type MachineCall struct {
	Name string
	Args []uint64

	w      *warp
	in     *inst
	lane   int
	result uint64
}

// machineCall calls the machine for a lane.
func (w *warp) machineCall(in *inst, lane int) {
	format, _ := w.argument(in, 0, lane)
	at, _ := w.argument(in, 1, lane)
	c := &w.l.machine
	*c = MachineCall{w: w, in: in, lane: lane, Args: c.Args[:0]}
	if b := w.l.d.mem.find(format); b != nil && b.called != "" && b.base == format {
		c.Name = b.called
	} else {
		name, ok := w.cString(in, lane, format)
		if !ok {
			return
		}
		c.Name = name
		if b != nil && b.base == format {
			b.called = name
		}
	}
	head := c.Bytes(at, 16, false)
	if head == nil {
		return
	}
	c.result = binary.LittleEndian.Uint64(head)
	n := binary.LittleEndian.Uint64(head[8:])
	list := c.Bytes(at+16, 8*n, false)
	if list == nil && n > 0 {
		return
	}
	for i := range n {
		c.Args = append(c.Args, binary.LittleEndian.Uint64(list[8*i:]))
	}
	w.l.changed = w.l.executed
	w.l.d.opts.Machine(c)
}

// Return stores the result: an integer extended by its sign, or the bits of a double.
func (c *MachineCall) Return(v uint64) {
	if c.result == 0 {
		return
	}
	if b := c.Bytes(c.result, 8, true); b != nil {
		binary.LittleEndian.PutUint64(b, v)
	}
}

// Object returns the memory of a result of class type.
func (c *MachineCall) Object(size uint64) []byte { return c.Bytes(c.result, size, true) }

// Bytes returns the n bytes at an address, for reading or writing, until the program goes on.
// It stops the program, and returns nil, where they are not in one object.
func (c *MachineCall) Bytes(addr, n uint64, write bool) []byte {
	w := c.w
	if n == 0 {
		return []byte{}
	}
	if addr >= localWindow && addr < localWindow+windowSize {
		off := addr - localWindow - localStart
		if end := uint64(w.fr.base + w.fr.fn.localSize); off <= end && n <= end-off && end <= uint64(len(w.local[c.lane])) {
			return w.local[c.lane][off : off+n : off+n]
		}
	} else if b := w.l.d.find(addr); b != nil && !b.freed && b.holds(addr, n) && !(write && b.readOnly) {
		off := addr - b.base
		return b.data[off : off+n : off+n]
	}
	c.wrong(addr, n, write)
	return nil
}

// wrong stops the program for a wrong address.
func (c *MachineCall) wrong(addr, n uint64, write bool) {
	probe := *c.in
	probe.space, probe.frame, probe.a, probe.off, probe.cached, probe.within = spGeneric, false, none, int64(addr), nil, nil
	at := c.w.l.d.nearby(addr)
	if b := c.w.l.d.find(addr); b != nil && !b.freed && b.holds(addr, 1) {
		at = wrongPlace{buffer: b.name, text: fmt.Sprintf("address %#x is %s+%d, which has %s", addr, b.name, addr-b.base, b.extent())}
	}
	c.w.badAccess(&probe, c.lane, device.OutOfBounds, at, n, write)
}

// Tail returns the bytes from an address to the end of its object.
func (c *MachineCall) Tail(addr uint64) []byte {
	w := c.w
	if addr >= localWindow && addr < localWindow+windowSize {
		off, end := addr-localWindow-localStart, uint64(w.fr.base+w.fr.fn.localSize)
		if off < end && end <= uint64(len(w.local[c.lane])) {
			return w.local[c.lane][off:end:end]
		}
	} else if b := w.l.d.find(addr); b != nil && !b.freed && b.holds(addr, 1) {
		return b.data[addr-b.base:]
	}
	c.wrong(addr, 1, false)
	return nil
}

// Stop ends the program.
func (c *MachineCall) Stop(format string, args ...any) { c.w.failed(c.in, format, args...) }

// Stopped reports whether the program has ended.
func (c *MachineCall) Stopped() bool { return c.w.l.fault != nil }

// Position returns where the program makes the call.
func (c *MachineCall) Position() device.Position { return c.w.position(c.in) }

// Stack returns where the program makes the call, and the calls that led there, without those of files that are not
// the program's.
func (c *MachineCall) Stack() []device.Frame {
	return c.w.programStack(c.in)
}

// programStack returns where an instruction of the machine is, in the files of the program.
func (w *warp) programStack(in *inst) []device.Frame {
	function, calls := w.stack(in)
	all := append([]device.Frame{{Function: function, Position: w.l.k.mod.positions[in.line]}}, calls...)
	library := w.l.d.opts.Library
	return slices.DeleteFunc(all, func(f device.Frame) bool {
		return f.Position.File == "" || library != nil && library(f.Position.File)
	})
}

// Alloc returns the address of n bytes of the heap, all zero; 0 where there is no room.
func (c *MachineCall) Alloc(name string, n uint64) uint64 {
	b, err := c.w.l.d.mem.alloc(name, int64(min(n, 1<<46)))
	if err != nil {
		return 0
	}
	b.heap = true
	c.w.l.d.mem.heap += int64(n)
	return b.base
}

// Size returns the size of the object of the heap at an address.
func (c *MachineCall) Size(addr uint64) (uint64, bool) {
	b := c.w.l.d.find(addr)
	if b == nil || b.base != addr || !b.heap || b.freed {
		return 0, false
	}
	return b.size, true
}

// Free frees an object of the heap. It stops the program where the address is not that of one.
func (c *MachineCall) Free(addr uint64) {
	b := c.w.l.d.find(addr)
	switch {
	case addr == 0:
	case b != nil && b.freed && b.base == addr:
		c.Stop("%s is freed twice", b.name)
	case b == nil || b.base != addr || !b.heap:
		c.Stop("%#x is freed, which malloc did not return", addr)
	default:
		c.w.l.d.mem.release(b)
	}
}

// Adopt makes memory of the caller's addressable by the program.
func (c *MachineCall) Adopt(name string, at uint64, data []byte) error {
	return c.w.l.d.sys.host.adopt(&buffer{name: name, base: at, data: data, size: uint64(len(data)), watched: c.w.l.d.opts.Watch != nil})
}

// Disown takes it back.
func (c *MachineCall) Disown(at uint64) {
	if b := c.w.l.d.sys.host.find(at); b != nil && b.base == at {
		c.w.l.d.sys.host.release(b)
	}
}

// heapName names what the heap gives: by the kernel, or, on a machine, by the place.
func (w *warp) heapName(function string, in *inst) string {
	if w.l.d.opts.Machine == nil {
		return function + " in " + w.l.k.title(position{})
	}
	return HeapName(function, w.position(in))
}

// HeapName returns the name of an object that a function has given at a place.
func HeapName(function string, at device.Position) string {
	if at.File == "" {
		return "memory of " + function
	}
	return fmt.Sprintf("memory of %s at %s", function, at)
}
