package simt

import "fmt"

// base returns the buffer that the address of an access was computed from, or nil
// where that is not known: the allocations near a wrong address are not the ones that
// the program meant. It follows the arithmetic that defined the address register back to
// registers that hold the start of a buffer, and answers if they all hold the same.
func (w *warp) base(in *inst, lane int) *buffer {
	if in.a == none {
		return nil
	}
	var found *buffer
	todo := []int32{in.a / 32}
	seen := map[int32]bool{todo[0]: true}
	for len(todo) > 0 {
		slot := todo[0]
		todo = todo[1:]
		v := w.regs[slot*32+int32(lane)]
		if b := w.l.d.find(v); b != nil && b.base == v && !b.freed {
			if found != nil && found != b {
				return nil
			}
			found = b
			continue
		}
		for _, s := range w.fr.fn.terms(slot) {
			if !seen[s] {
				seen[s] = true
				todo = append(todo, s)
			}
		}
	}
	return found
}

// terms returns the registers that the only instruction that writes a register adds
// up, and nothing if there are several or it does something else.
func (fn *function) terms(slot int32) []int32 {
	var def *inst
	for i := range fn.code {
		for _, s := range fn.code[i].writes {
			if s != slot {
				continue
			}
			if def != nil {
				return nil
			}
			def = &fn.code[i]
		}
	}
	if def == nil {
		return nil
	}
	switch def.src.Op {
	case "add", "sub", "mad", "mov", "cvta":
		return def.reads
	}
	return nil
}

// A wrongPlace describes a wrong address.
type wrongPlace struct {
	rule    string // of the report, "" for none of its own
	buffer  string // its name, "" where none is near
	summary string // in the words of every device, "" where the elements are not known
	text    string
	unknown bool // the address is in no memory that the device knows
	before  bool // the address is before what it was computed from, not behind it
}

// relative describes a wrong address by the buffer that it was computed from.
func (b *buffer) relative(addr uint64) wrongPlace {
	if text := b.outside(addr); text != "" {
		return wrongPlace{buffer: b.name, summary: text, text: text, before: addr < b.base}
	}
	if addr < b.base {
		return wrongPlace{buffer: b.name, text: fmt.Sprintf("address %#x is %d bytes before %s", addr, b.base-addr, b.name), before: true}
	}
	_, place := b.describe(addr - b.base)
	return wrongPlace{buffer: b.name, text: fmt.Sprintf("address %#x is %s, past its end: it has %s", addr, place, b.extent())}
}

// outside says in the words of every device which element beyond those of b is at an
// address; "" where the elements are not known.
func (b *buffer) outside(addr uint64) string {
	e := b.elements
	if e.Size <= 0 || b.freed {
		return ""
	}
	i, n := int64(addr-b.base), int64(b.size)/e.Size
	if i < 0 {
		i -= e.Size - 1
	}
	i /= e.Size
	switch {
	case e.Of == "":
		return fmt.Sprintf("index %d is out of range: the array has %d elements, 0 to %d", i, n, n-1)
	case e.Of == "point" || e.Of == "element": // kernels add to them
		return fmt.Sprintf("the mesh has no %s %d: it has room for %d", e.Of, i, n)
	case e.Count > 0: // the bounds of the edges of node i are elements i and i+1
		return fmt.Sprintf("the graph has no such %s: its %ss are 0 to %d", e.Of, e.Of, e.Count-1)
	case n == 0:
		return fmt.Sprintf("the graph has no %s %d: it has no %ss", e.Of, i, e.Of)
	}
	return fmt.Sprintf("the graph has no %s %d: its %ss are 0 to %d", e.Of, i, e.Of, n-1)
}
