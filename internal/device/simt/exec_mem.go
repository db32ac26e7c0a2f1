package simt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"irgl/internal/device"
)

// A location is where an access of one lane went.
type location struct {
	mem    []byte  // its bytes
	buf    *buffer // nil for local memory and parameters
	off    uint64  // in buf
	global bool
}

// address returns the address that a lane accesses.
func (in *inst) address(w *warp, lane int) uint64 {
	addr := uint64(in.off)
	if in.frame {
		addr += uint64(localStart + w.fr.base)
	}
	if in.a != none {
		addr += w.regs[in.a+int32(lane)]
	}
	return addr
}

// resolve finds the n bytes that a lane accesses. It stops the launch, and
// returns false, when they are misaligned or in no variable.
func (w *warp) resolve(in *inst, lane int, n uint64, write bool, loc *location) bool {
	addr := in.address(w, lane)
	if addr&(n-1) != 0 {
		w.badAccess(in, lane, device.Misaligned, wrongPlace{text: fmt.Sprintf("address %#x is not a multiple of %d", addr, n)}, n, write)
		return false
	}
	space := in.space
	if space == spGeneric || space == spParam || space == spConst {
		switch addr / windowSize {
		case sharedWindow / windowSize:
			space, addr = spShared, addr-sharedWindow
		case localWindow / windowSize:
			space, addr = spLocal, addr-localWindow
		case paramWindow / windowSize:
			space, addr = spParam, addr-paramWindow
		default:
			space = spGlobal
		}
	}
	if s := in.within; s != nil && space == s.space && !s.inside(addr, n, w.fr.base) {
		w.badAccess(in, lane, device.OutOfBounds, s.outside(addr, w.fr.base, w.l.k.mod.variable), n, write)
		return false
	}
	switch space {
	case spGlobal:
		b := in.cached
		if b == nil || b.freed || !b.holds(addr, n) {
			if b = w.l.d.find(addr); b == nil || b.freed || !b.holds(addr, n) {
				at := w.l.d.nearby(addr)
				if from := w.base(in, lane); from != nil && addr >= 4096 && !from.holds(addr, 1) {
					at = from.relative(addr)
				}
				w.badAccess(in, lane, device.OutOfBounds, at, n, write)
				return false
			}
			if in.allowed != nil && !w.permitted(in, lane, b, addr, n, write) {
				return false
			}
			in.cached = b
		}
		if write && b.readOnly {
			w.badAccess(in, lane, device.OutOfBounds, wrongPlace{rule: device.RuleReadOnly, buffer: b.name, text: fmt.Sprintf("address %#x is in constant memory", addr)}, n, write)
			return false
		}
		if b.barriers && !w.l.cooperative {
			w.l.fail(w, in, Fault{Code: CodeTrap}, "%s waits at a barrier of the grid in a launch that is not cooperative: cudaLaunchCooperativeKernel makes one", w.thread(lane))
			return false
		}
		if b.watched {
			w.l.d.opts.Watch(addr, n, write, func() []device.Frame { return w.programStack(in) })
		}
		off := addr - b.base
		if b.claims != nil && !b.claims.lane(in, off, n, write) {
			return false
		}
		loc.mem, loc.buf, loc.off, loc.global = b.data[off:off+n:off+n], b, off, true
		w.record(in, lane, b, off, n, write)
		return true
	case spShared:
		b := w.b.shared
		if !b.holds(addr, n) {
			w.badAccess(in, lane, device.OutOfBounds, wrongPlace{buffer: "shared memory", text: fmt.Sprintf("address %#x is offset %d of %d bytes of shared memory", addr, int64(addr)-sharedStart, b.size)}, n, write)
			return false
		}
		off := addr - b.base
		if b.watched { // copies are under way to it
			w.b.copies.meet(w, in, lane, off, n, write)
		}
		loc.mem, loc.buf, loc.off, loc.global = b.data[off:off+n:off+n], b, off, false
		w.record(in, lane, b, off, n, write)
		return true
	case spLocal:
		return w.resolveLocal(in, lane, addr, n, write, loc)
	}
	if p := w.l.params; !write && addr+n <= uint64(len(p)) && addr < uint64(len(p)) {
		loc.mem, loc.buf, loc.global = p[addr:addr+n], nil, false
		return true
	}
	w.badAccess(in, lane, device.OutOfBounds, wrongPlace{buffer: "parameters", text: fmt.Sprintf("byte %d of %d", addr, len(w.l.params))}, n, write)
	return false
}

// permitted reports whether the code of in declares that it accesses b, and stops the launch
// otherwise. Once per buffer suffices, since an instruction either reads or writes. The
// kernel's own heap is not declared.
func (w *warp) permitted(in *inst, lane int, b *buffer, addr, n uint64, write bool) bool {
	if b.heap {
		return true
	}
	why := w.l.k.mod.allows(in, b.name, write)
	if why != "" {
		_, place := b.describe(addr - b.base)
		w.badAccess(in, lane, device.Undeclared, wrongPlace{buffer: b.name, text: fmt.Sprintf("address %#x is %s", addr, place), summary: why}, n, write)
	}
	return why == ""
}

func (w *warp) resolveLocal(in *inst, lane int, addr, n uint64, write bool, loc *location) bool {
	off := addr - localStart
	end := uint64(w.fr.base + w.fr.fn.localSize)
	mem := w.local[lane]
	if addr < localStart || off > end || n > end-off || end > uint64(len(mem)) {
		w.badAccess(in, lane, device.OutOfBounds, wrongPlace{buffer: "local memory", text: fmt.Sprintf("address %#x is offset %d of %d bytes of local memory", addr, int64(off), end)}, n, write)
		return false
	}
	loc.mem, loc.buf, loc.global = mem[off:off+n:off+n], nil, false
	if wrote := w.wrote[lane]; len(wrote) > 0 {
		if in.untyped {
			w.copied(in, lane, wrote[off:off+n], write)
			return true
		}
		for i := off; i < off+n; i++ {
			if write {
				wrote[i] = 1
			} else if wrote[i] == 0 && !in.merges {
				wrote[i] = 1
				w.uninitialised(in, "local memory", "%s reads byte %d of local memory that it has not written in %q", w.thread(lane), i, in.src)
			}
		}
	}
	return true
}

// record notes an access to shared or global memory for the report of uninitialised reads.
func (w *warp) record(in *inst, lane int, b *buffer, off, n uint64, write bool) {
	switch {
	case in.merges:
	case b.tracked && b.written == nil && write && in.untyped && !w.definite(in, lane):
		if w.l.worker.giveUp() {
			return
		}
		clear(b.marks()[off : off+n])
	case b.written == nil:
	case in.untyped:
		w.copied(in, lane, b.written[off:off+n], write)
	default:
		w.touch(in, lane, b, off, n, write)
	}
}

// copied keeps the record of written bytes for untyped loads and stores of
// memory, with which structs are copied: padding that was never written
// may be copied, and stays unwritten. Where part of the bytes are written, all
// count as written.
func (w *warp) copied(in *inst, lane int, wrote []byte, write bool) {
	if !write {
		if bytes.IndexByte(wrote, 1) < 0 {
			for _, slot := range in.writes {
				w.init[slot] &^= 1 << lane
			}
		}
		return
	}
	if w.definite(in, lane) {
		setWritten(wrote)
	} else {
		clear(wrote)
	}
}

// definite reports whether a lane has written all registers that an untyped store stores.
func (w *warp) definite(in *inst, lane int) bool {
	if in.sound {
		return true
	}
	for _, slot := range in.moved {
		if w.init[slot]>>lane&1 == 0 {
			return false
		}
	}
	return true
}

// touch keeps the record of written bytes of shared and global memory. Atomics read, too, save for
// exchanges.
func (w *warp) touch(in *inst, lane int, b *buffer, off, n uint64, write bool) {
	for i := off; i < off+n; i++ {
		if b.written[i] != 0 {
			continue
		}
		if !write || in.updates {
			if b.claims != nil && w.l.worker.giveUp() { // groups may do so at the same time
				return
			}
			name, place := b.describe(i)
			w.uninitialised(in, name, "%s reads %s, which no thread has written, in %q", w.thread(lane), place, in.src)
		}
		b.written[i] = 1
	}
}

// uninitialised reports a read of what was never written; the run goes
// on.
func (w *warp) uninitialised(in *inst, buffer, format string, args ...any) {
	l := w.l
	if !l.d.opts.CheckUninitialised {
		return
	}
	key := reportKey{kind: device.Uninitialised, buffer: buffer, at: l.k.place(in.line)}
	if _, ok := l.d.reports.seen[key]; ok {
		return
	}
	f := Fault{Line: int(in.line), At: w.position(in)}
	l.d.reports.add(key, device.Report{Kind: key.kind, Kernel: l.k.title(f.At), Buffer: buffer, Message: fmt.Sprintf(format, args...) + f.where(), Positions: []device.Position{f.At}, Sites: append([]device.Site{w.site(in, "the read")}, launchSites(l)...)})
}

// shuffled returns the shuffle that gives a register its value, or nil.
func (w *warp) shuffled(slot int32) *inst {
	for i := range w.fr.fn.code {
		in := &w.fr.fn.code[i]
		if in.src != nil && in.src.Op == "shfl" && in.d/32 == slot && in.d >= 0 {
			return in
		}
	}
	return nil
}

// inactive reports that a lane uses what a shuffle has read from a lane that did not take part.
func (w *warp) inactive(in, from *inst, lane int) {
	l := w.l
	if !l.d.opts.CheckUninitialised {
		return
	}
	f := Fault{Line: int(from.line), At: w.position(from)}
	l.d.reports.add(reportKey{kind: inactiveLane, at: l.k.place(from.line)}, device.Report{Kind: device.Uninitialised, Rule: inactiveLane,
		Kernel: l.k.title(f.At), Message: fmt.Sprintf("%s uses what a shuffle has read from a lane that does not take part in it, %q%s", w.thread(lane), from.src, f.where()),
		Positions: []device.Position{f.At}, Sites: append([]device.Site{w.site(from, "the shuffle"), w.site(in, "the use")}, launchSites(l)...)})
}

// badAccess stops the launch at a wrong access.
func (w *warp) badAccess(in *inst, lane int, kind string, at wrongPlace, n uint64, write bool) {
	verb := "reads"
	if write {
		verb = "writes"
	}
	first := w.l.fault == nil
	r := device.Report{Kind: kind, Rule: at.rule, Buffer: at.buffer, Place: at.buffer, Sites: []device.Site{w.site(in, w.thread(lane)+" "+verb)}}
	if at.unknown {
		r.Address = in.address(w, lane)
	}
	w.l.fail(w, in, Fault{What: at.summary, Report: r}, "%s %s %d bytes: %s, in %q", w.thread(lane), verb, n, at.text, in.src)
	if first {
		w.l.fault.Address, w.l.fault.Write, w.l.fault.Size = in.address(w, lane), write, n
		w.l.fault.Before, w.l.fault.Where = at.before, at.text
	}
}

// load reads a little-endian element of size bytes.
func load(p []byte, size uint8) uint64 {
	switch size {
	case 4:
		return uint64(binary.LittleEndian.Uint32(p))
	case 8:
		return binary.LittleEndian.Uint64(p)
	case 2:
		return uint64(binary.LittleEndian.Uint16(p))
	}
	return uint64(p[0])
}

func store(p []byte, size uint8, v uint64) {
	switch size {
	case 4:
		binary.LittleEndian.PutUint32(p, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(p, v)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(v))
	default:
		p[0] = byte(v)
	}
}

// sectors counts the distinct 32-byte sectors of one warp instruction.
type sectors struct {
	seen [64]uint64
	n    int
}

func (s *sectors) add(b *buffer, off, n uint64) {
	from, to := (b.base+off)>>5, (b.base+off+n-1)>>5
	for ; from <= to; from++ {
		known := false
		for i := s.n - 1; i >= 0; i-- {
			if s.seen[i] == from {
				known = true
				break
			}
		}
		if !known && s.n < len(s.seen) {
			s.seen[s.n] = from
			s.n++
		}
	}
}

// runLoad executes ld for the lanes of m.
func runLoad(w *warp, in *inst, m uint32) {
	n := uint64(in.size) * uint64(len(in.ds))
	if g, ok := w.gather(in, m, n, false); ok {
		g.load(w, in, m, n)
		return
	}
	if g, ok := w.gatherLocal(in, m, n, false); ok {
		g.loadLocal(w, in, m)
		return
	}
	runLoadEach(w, in, m)
}

// runLoadEach executes ld lane by lane, with all reports.
func runLoadEach(w *warp, in *inst, m uint32) {
	n := uint64(in.size) * uint64(len(in.ds))
	var loc location
	var sect sectors
	lanes := bits.OnesCount32(m)
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		if !w.resolve(in, i, n, false, &loc) {
			return
		}
		if loc.global {
			sect.add(loc.buf, loc.off, n)
		}
		if loc.buf != nil && w.l.races != nil {
			w.l.races.access(w, in, i, &loc, n, false, false)
		}
		host := in.scope != weak && loc.buf.host()
		for k, d := range in.ds {
			w.regs[d+int32(i)] = in.extended(loc.load(k*int(in.size), in.size, host))
		}
	}
	w.l.counters.Transactions += uint64(sect.n)
	if loc.global {
		loc.buf.count(sect.n, uint64(lanes)*n)
	}
}

// runLoadParam reads a parameter of the kernel: the same for all lanes.
func runLoadParam(w *warp, in *inst, m uint32) {
	off := int(in.off - paramWindow)
	for k, d := range in.ds {
		v := in.extended(load(w.l.params[off+k*int(in.size):], in.size))
		fill(w.regs, d, m, v)
	}
}

// fill sets the register at index d for the lanes of m.
func fill(regs []uint64, d int32, m uint32, v uint64) {
	if lo, hi, ok := laneRange(m); ok {
		r := regs[d+lo : d+hi]
		for i := range r {
			r[i] = v
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		regs[d+int32(lowest(m))] = v
	}
}

// runStore executes st for the lanes of m, in order: of lanes that write the
// same place, the last one's value stays.
func runStore(w *warp, in *inst, m uint32) {
	n := uint64(in.size) * uint64(len(in.ds))
	if g, ok := w.gather(in, m, n, true); ok {
		g.store(w, in, m, n)
		return
	}
	if g, ok := w.gatherLocal(in, m, n, true); ok {
		g.storeLocal(w, in, m)
		return
	}
	runStoreEach(w, in, m)
}

// runStoreEach executes st lane by lane, with all reports.
func runStoreEach(w *warp, in *inst, m uint32) {
	n := uint64(in.size) * uint64(len(in.ds))
	var loc location
	var sect sectors
	lanes := bits.OnesCount32(m)
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		if !w.resolve(in, i, n, true, &loc) {
			return
		}
		if loc.global {
			sect.add(loc.buf, loc.off, n)
		}
		same := true
		mask := ^uint64(0)
		if in.size < 8 {
			mask = 1<<(8*in.size) - 1
		}
		host := in.scope != weak && loc.buf.host()
		for k, s := range in.ds {
			same = same && loc.load(k*int(in.size), in.size, host) == w.regs[s+int32(i)]&mask
		}
		if loc.buf != nil {
			if !same {
				w.l.progress()
			}
			if w.l.races != nil {
				w.l.races.access(w, in, i, &loc, n, true, same)
			}
		}
		for k, s := range in.ds {
			loc.store(k*int(in.size), in.size, w.regs[s+int32(i)], host)
		}
	}
	w.l.counters.Transactions += uint64(sect.n)
	if loc.global {
		loc.buf.count(sect.n, uint64(lanes)*n)
	}
}

// runAtomic executes atom and red. The lanes go one after the other, in an
// order that the seed permutes.
func runAtomic(w *warp, in *inst, m uint32) {
	var loc location
	n := uint64(in.size)
	rotate := 0
	if w.l.d.opts.Seed != 0 {
		rotate = w.l.rng.IntN(32)
	}
	for k := range 32 {
		i := (k + rotate) & 31
		if m>>i&1 == 0 {
			continue
		}
		if !w.resolve(in, i, n, true, &loc) {
			return
		}
		host := loc.buf.host()
		var c, old, v uint64
		if in.c != none {
			c = w.regs[in.c+int32(i)]
		}
		concurrent := loc.buf != nil && loc.buf.claims != nil
		if concurrent { // what it was is the others' too, and nothing reads it
			w.l.worker.reduce(in, loc.mem, w.regs[in.b+int32(i)])
			w.l.progress()
		} else {
			old = loc.load(0, in.size, host)
			v = in.f3(old, w.regs[in.b+int32(i)], c)
		}
		switch {
		case loc.global:
			w.l.counters.AtomicsGlobal++
		case loc.buf != nil:
			w.l.counters.AtomicsShared++
		}
		if v != old {
			w.l.progress()
		}
		if loc.buf != nil && w.l.races != nil {
			w.l.races.access(w, in, i, &loc, n, true, v == old && !concurrent)
		}
		if !concurrent {
			loc.store(0, in.size, v, host)
		}
		if in.d != none {
			w.regs[in.d+int32(i)] = old
		}
	}
}

// runFence executes membar and fence.
func runFence(w *warp, in *inst, m uint32) {
	if w.l.races == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		w.l.races.fence(w, lowest(m), in.scope)
	}
}
