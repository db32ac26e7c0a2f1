package simt

import (
	"encoding/binary"
	"maps"
	"slices"

	"irgl/internal/ptx"
)

// This file has what is known of kernels before they are executed in groups (parallel.go), and the copies of their code.

// copyFor returns a copy of the kernel's code for a worker.
func (k *kernel) copyFor(index int) *kernel {
	list := &k.parallel.copies
	for len(*list) <= index {
		*list = append(*list, k.clone())
	}
	return (*list)[index]
}

// instructions returns how many instructions a kernel has with what it calls, decoded.
func (k *kernel) instructions() int {
	n := 0
	for _, fn := range k.funcs {
		n += len(fn.code)
	}
	return n
}

// clone copies all that executing a kernel changes.
func (k *kernel) clone() *kernel {
	c := *k
	c.frames, c.kept, c.parallel = nil, 0, parallel{}
	of := make(map[*function]*function, len(k.funcs))
	c.funcs = make(map[string]*function, len(k.funcs))
	for name, fn := range k.funcs {
		copied := *fn
		copied.code = slices.Clone(fn.code)
		of[fn], c.funcs[name] = &copied, &copied
	}
	c.fn = of[k.fn]
	for fn := range maps.Values(of) {
		for i := range fn.code {
			in := &fn.code[i]
			in.cached = nil
			if in.call != nil && in.call.fn != nil {
				call := *in.call
				call.fn = of[call.fn]
				in.call = &call
			}
		}
	}
	return &c
}

// pointers calls f for each parameter that has the size and alignment of a pointer.
func (l *launch) pointers(f func(off int, value uint64)) {
	for off := 0; off+8 <= len(l.params); off += 8 {
		f(off, binary.LittleEndian.Uint64(l.params[off:]))
	}
}

// readAndWritten returns the buffers that a launch is expected to read and write.
func (k *parallel) readAndWritten(l *launch) map[*buffer]bool {
	both := map[*buffer]bool{}
	for _, b := range k.vars {
		both[b] = true
	}
	l.pointers(func(off int, value uint64) {
		if b := l.d.mem.find(value); b != nil && slices.Contains(k.params, off) {
			both[b] = true
		}
	})
	if k.all {
		for _, b := range l.d.mem.bufs {
			both[b] = true
		}
	}
	return both
}

// learn notes where a launch has the buffers from that it has read and written.
func (k *parallel) learn(p *speculation) {
	for _, b := range p.shared {
		if !b.sharing.read.Load() || !b.sharing.wrote.Load() || p.both[b] {
			continue
		}
		known := false
		p.l.pointers(func(off int, value uint64) {
			if !b.holds(value, 0) {
				return
			}
			if known = true; !slices.Contains(k.params, off) {
				k.params = append(k.params, off)
			}
		})
		switch {
		case known:
		case b.module != nil:
			k.vars = append(k.vars, b)
		default:
			k.all = true
		}
	}
}

// A reduction names what an atomic combines values by, where the order does not matter and nothing reads the result: the operation and
// the type. Two different ones do not commute. It is 0 for other atomics.
type reduction uint32

// commutative returns the reduction that an operation on a type is.
func commutative(op string, typ ptx.Type) reduction {
	// Sums and bitwise operations are the same for signed and unsigned integers.
	kinds := map[string]reduction{"add": 1, "and": 2, "or": 3, "xor": 4, "min": 5, "max": 6}
	r := kinds[op]
	if r == 0 {
		return 0
	}
	r *= 4
	switch typ {
	case "u32", "b32":
	case "s32":
		if op == "min" || op == "max" {
			r++
		}
	case "u64", "b64":
		r += 2
	case "s64":
		r += 2
		if op == "min" || op == "max" {
			r++
		}
	default: // floating-point sums depend on the order
		return 0
	}
	return r
}

// reductions finds the atomics of a function whose result something reads: they are none.
func (d *decoder) reductions(fn *function) {
	read := make(slotSet, (fn.slots+63)/64)
	for i := range fn.code {
		in := &fn.code[i]
		for _, slot := range in.reads {
			read.add(slot)
		}
		for _, slot := range in.moved {
			read.add(slot)
		}
		if in.ctl == ctlCall {
			for _, a := range in.call.args {
				if a.reg != none {
					read.add(a.reg / 32)
				}
			}
		}
	}
	for i := range fn.code {
		in := &fn.code[i]
		if in.src == nil || in.src.Op != "atom" && in.src.Op != "red" || in.f3 == nil {
			continue
		}
		if in.d != none && read.has(in.d/32) {
			in.commutes = 0
		}
		d.k.ordered = d.k.ordered || in.commutes == 0 && in.space == spGlobal
	}
}
