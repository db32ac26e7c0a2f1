package simt

import (
	"bytes"
	"encoding/binary"
	"io"

	"irgl/internal/device"
)

// A builtin is a function that PTX texts declare without a body and that the
// device runtime has: it is called for the lanes of m.
type builtin func(w *warp, in *inst, m uint32)

var builtins = map[string]builtin{
	"vprintf":      builtinPrintf,
	"malloc":       builtinMalloc,
	"free":         builtinFree,
	"__assertfail": builtinAssert,
}

// argument returns the i-th argument of a call; false when there is none.
func (w *warp) argument(in *inst, i, lane int) (uint64, bool) {
	if i >= len(in.call.args) {
		return 0, false
	}
	a := in.call.args[i]
	if a.reg != none {
		return w.regs[a.reg+int32(lane)], true
	}
	var word [8]byte
	at := w.fr.base + a.off
	copy(word[:], w.local[lane][at:at+min(a.size, 8)])
	return binary.LittleEndian.Uint64(word[:]), true
}

// result stores a call's result.
func (w *warp) result(in *inst, lane int, v uint64) {
	if len(in.call.results) == 0 {
		return
	}
	r := in.call.results[0]
	if r.reg != none {
		w.regs[r.reg+int32(lane)] = v
		return
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	at := w.fr.base + r.off
	n := min(r.size, 8)
	copy(w.local[lane][at:at+n], word[:n])
	if wrote := w.wrote[lane]; len(wrote) > 0 {
		setWritten(wrote[at : at+n])
	}
}

// peek returns n bytes at a generic address for a builtin, or nil after it
// has stopped the launch.
func (w *warp) peek(in *inst, lane int, addr, n uint64) []byte {
	probe := *in
	probe.space, probe.frame, probe.a, probe.off, probe.cached = spGeneric, false, none, int64(addr), nil
	var loc location
	out := make([]byte, 0, n)
	for i := range n { // byte by byte: builtins do not ask for alignment
		probe.off = int64(addr + i)
		if !w.resolve(&probe, lane, 1, false, &loc) {
			return nil
		}
		out = append(out, loc.mem[0])
	}
	return out
}

// longest bounds the strings that builtins read.
const longest = 1 << 16

// cString reads a string at a generic address.
func (w *warp) cString(in *inst, lane int, addr uint64) (string, bool) {
	return w.stringOf(in, lane, addr, longest)
}

// stringOf reads a string, or its first most bytes.
func (w *warp) stringOf(in *inst, lane int, addr uint64, most int) (string, bool) {
	var b bytes.Buffer
	for i := range uint64(most) {
		c := w.peek(in, lane, addr+i, 1)
		if c == nil {
			return "", false
		}
		if c[0] == 0 {
			break
		}
		b.WriteByte(c[0])
	}
	return b.String(), true
}

// builtinPrintf is vprintf(format, arguments): the arguments lie in memory,
// each at the next multiple of its size.
func builtinPrintf(w *warp, in *inst, m uint32) {
	if w.l.d.opts.Machine != nil {
		w.machineCall(in, lowest(m))
		return
	}
	if w.l.worker.giveUp() {
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		format, _ := w.argument(in, 0, lane)
		args, _ := w.argument(in, 1, lane)
		text, ok := w.cString(in, lane, format)
		if !ok {
			return
		}
		out, n, ok := w.format(in, lane, text, args)
		if !ok {
			return
		}
		if _, err := io.WriteString(w.l.d.opts.Stdout, out); err != nil {
			w.failed(in, "printf: %v", err)
			return
		}
		w.result(in, lane, uint64(n))
	}
}

// defaultHeap is the size of the heap of kernels that CUDA's devices have.
const defaultHeap = 8 << 20

// SetHeap sets how many bytes kernels' malloc can give, as CUDA's cudaLimitMallocHeapSize does.
func (d *Device) SetHeap(size int64) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	d.heap = size
}

// builtinMalloc gives each lane a buffer of its own, or null when there is no room in the heap.
// The heap of a machine is all of its memory.
func builtinMalloc(w *warp, in *inst, m uint32) {
	if w.l.worker.giveUp() {
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		size, _ := w.argument(in, 0, lane)
		const most = 1 << 40
		d := w.l.d
		if d.opts.Machine == nil && int64(min(size, most)) > d.heap-d.mem.heap {
			w.result(in, lane, 0)
			continue
		}
		b, err := d.mem.alloc(w.heapName("malloc", in), int64(min(size, most)))
		if err != nil {
			w.result(in, lane, 0)
			continue
		}
		b.heap, b.given = true, w.givenAt(in)
		d.mem.heap += int64(size)
		if w.l.d.opts.CheckUninitialised {
			b.written, b.tracked = make([]byte, size), true
		}
		w.l.progress()
		w.result(in, lane, b.base)
	}
}

// givenAt returns where malloc is called: of the first call by an instruction.
func (w *warp) givenAt(in *inst) *device.Site {
	d := w.l.d
	if d.opts.Machine != nil {
		return nil
	}
	at := d.given[in]
	if at == nil {
		s := w.site(in, "malloc")
		at = &s
		if d.given == nil {
			d.given = map[*inst]*device.Site{}
		}
		d.given[in] = at
	}
	return at
}

func builtinFree(w *warp, in *inst, m uint32) {
	if w.l.worker.giveUp() {
		return
	}
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		addr, _ := w.argument(in, 0, lane)
		if addr == 0 {
			continue
		}
		if b := w.l.d.find(addr); b == nil || !b.heap {
			w.faulted(in, device.BadFree, "%s frees %#x, which malloc did not return", w.thread(lane), addr)
			return
		}
		if err := w.l.d.mem.free(addr); err != nil {
			w.faulted(in, device.BadFree, "%s: %v", w.thread(lane), err)
			return
		}
	}
}

// builtinAssert is __assertfail(expression, file, line, function, size).
func builtinAssert(w *warp, in *inst, m uint32) {
	lane := lowest(m)
	var text [3]string
	for i, arg := range []int{0, 1, 3} {
		addr, ok := w.argument(in, arg, lane)
		if ok {
			text[i], ok = w.cString(in, lane, addr)
		}
		if !ok {
			return
		}
	}
	if w.position(in).File != "" {
		w.l.fail(w, in, Fault{Code: CodeAssert, What: "assertion failed"}, "%s: assertion %s failed", w.thread(lane), text[0])
		return
	}
	line, _ := w.argument(in, 2, lane)
	w.failedAs(CodeAssert, in, "%s: assertion %s failed at %s:%d in %s", w.thread(lane), text[0], text[1], uint32(line), text[2])
}
