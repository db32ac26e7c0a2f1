package simt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

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
		for i := at; i < at+n; i++ {
			wrote[i] = true
		}
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

// cString reads a string at a generic address.
func (w *warp) cString(in *inst, lane int, addr uint64) (string, bool) {
	const longest = 1 << 16
	var b bytes.Buffer
	for i := range uint64(longest) {
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

// format expands a C format; n is the number of arguments.
func (w *warp) format(in *inst, lane int, text string, args uint64) (out string, n int, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		j := i + 1
		for j < len(text) && strings.IndexByte("-+ #0123456789.", text[j]) >= 0 {
			j++
		}
		flags := text[i+1 : j]
		long := false
		for j < len(text) && strings.IndexByte("hlzjt", text[j]) >= 0 {
			long = long || text[j] != 'h'
			j++
		}
		if j >= len(text) {
			b.WriteString(text[i:])
			break
		}
		i = j
		if text[j] == '%' {
			b.WriteByte('%')
			continue
		}
		size := uint64(4)
		if long || strings.IndexByte("feEgGaAsp", text[j]) >= 0 {
			size = 8
		}
		args = alignUp(args, size)
		raw := w.peek(in, lane, args, size)
		if raw == nil {
			return "", 0, false
		}
		args += size
		n++
		s, ok := w.formatOne(in, lane, flags, text[j], load(raw, uint8(size)), int(size))
		if !ok {
			return "", 0, false
		}
		b.WriteString(s)
	}
	return b.String(), n, true
}

// maxWidth bounds the width and precision that a kernel can ask for.
const maxWidth = 1 << 12

func (w *warp) formatOne(in *inst, lane int, flags string, verb byte, v uint64, size int) (string, bool) {
	for _, f := range strings.FieldsFunc(flags, func(r rune) bool { return r < '0' || r > '9' }) {
		var n int
		if _, err := fmt.Sscan(f, &n); err != nil || n > maxWidth {
			return "", true
		}
	}
	spec := "%" + flags
	switch verb {
	case 'd', 'i':
		return fmt.Sprintf(spec+"d", signExtend(v, size)), true
	case 'u':
		return fmt.Sprintf(spec+"d", v), true
	case 'x', 'X', 'o':
		return fmt.Sprintf(spec+string(verb), v), true
	case 'c':
		return fmt.Sprintf(spec+"c", rune(byte(v))), true
	case 'f', 'F', 'e', 'E', 'g', 'G':
		s := fmt.Sprintf(spec+string(verb), f64of(v))
		if (verb == 'g' || verb == 'G') && !strings.Contains(flags, ".") {
			s = fmt.Sprintf("%"+flags+".6"+string(verb), f64of(v))
		}
		return strings.NewReplacer("+Inf", "inf", "-Inf", "-inf", "NaN", "nan").Replace(s), true
	case 'p':
		text := fmt.Sprintf("%#x", v)
		if v == 0 { // as glibc's printf
			text = "(nil)"
		}
		return fmt.Sprintf("%"+strings.TrimLeft(flags, "0+ #")+"s", text), true
	case 's':
		s, ok := w.cString(in, lane, v)
		return fmt.Sprintf(spec+"s", s), ok
	}
	return "%" + flags + string(verb), true
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
		b.heap = true
		d.mem.heap += int64(size)
		if w.l.d.opts.CheckUninitialised {
			b.written = make([]bool, size)
		}
		w.l.progress()
		w.result(in, lane, b.base)
	}
}

func builtinFree(w *warp, in *inst, m uint32) {
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
