package opt

import (
	"fmt"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Promotion of memory to registers in loops.
// Source: NVIDIA, section 3.4 (LPRE: a load that is redundant on the back edge becomes a
// phi); register promotion is that of Lu and Cooper, "Register Promotion in C Programs"
// (1997), and the rule for stores that of LLVM's LICM.
//
// A loop that accumulates in memory loads and stores one address in each iteration. The
// pass takes the accesses of a loop to one invariant address, of one type, and gives
// them a variable, for which phis are inserted as mem2reg does:
//
//	b1: v4 = phi i32 v3, v8            v5 = load f32 v0 align 4      before the loop
//	    v5 = load f32 v0 align 4       b1: v4 = phi i32 v3, v8
//	    v7 = fadd f32 v5, v6               v9 = phi f32 v5, v7
//	    store v0, v7 align 4               v7 = fadd f32 v9, v6
//	                                       store v0, v7 align 4      or behind the loop
//
// The loads are replaced if nothing else in the loop may write the memory
// (analysis.Aliases). The value before the loop is loaded if an iteration may read it. It
// must be read whenever the loop is entered, before any store, so that nothing is read
// that was not.
//
// The stores leave the loop for its exits if nothing else in it may read the memory
// either, or let other threads do so, and if an iteration always stores, so that no store
// is added. Another thread that looks without synchronisation races.
//
// Where something else in the loop may write the memory, a barrier for one, the stores and
// some loads stay, but those loads are replaced that read, on every path since anything else
// may have written, what the thread itself has stored or loaded last: forwarding over the back
// edge, as LLVM's GVN does for loads that are redundant on all edges (promote_forward.go).
//
//	b1: v4 = load i32 v0 align 4       v4 = load i32 v0 align 4      before the loop
//	    v5 = neg i32 v4                b1: v6 = phi i32 v4, v5
//	    barrier                            v5 = neg i32 v6
//	    store v0, v5 align 4               barrier
//	                                       store v0, v5 align 4
//
// A loop that tests in its header need not execute its body. If its trip count is not
// known to be positive, a copy of the test guards the loop, as after rotation, with room
// for the load; rotation will then not branch on it again. The second run, behind
// rotation, finds the addresses of loops around those that were unrolled.
//
// It pays always, unless the variable exceeds the loop's registers, as in licm. Elements of
// an array of the thread's own may take all registers that a thread can have: what
// occupancy gains by fewer is less than their traffic, as with spilled values. An inner
// loop is visited before the loop around it, up to maxPromoteRounds of a nest.
//
// What it will not do: promote volatile or atomic accesses, or a load that a barrier, fence or
// call that may write the memory separates from the access before it; look at more than maxPromoted addresses
// of a loop, and maxPromotedOwn of the thread's own; move stores to more than
// maxPromoteExits exits; change functions with cycles that are not loops.
func promote(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	p := &loopPromoter{f: f, m: m, run: r}
	for range maxPromoteRounds {
		if !p.round() {
			break
		}
	}
	if r.Remarks() {
		for _, say := range p.missed {
			say()
		}
	}
	r.Count("loads", p.loads)
	r.Count("stores", p.stores)
	r.Count("forwarded", p.forwards)
	r.Count("guards", p.guards)
	r.Count("kept for registers", p.kept)
}

const (
	maxPromoted      = 8   // addresses of a loop
	maxPromotedOwn   = 128 // those of arrays of the thread's own
	maxPromoteExits  = 8   // edges out of a loop that get a store
	maxPromoteRounds = 3   // loops of a nest that are left, from the inside
)

type loopPromoter struct {
	f   *ssa.Func
	m   *ssa.Module
	run *pass.Run

	// Of the current round; the last ones are computed for the first candidate.
	dom       *analysis.DomTree
	loops     *analysis.Loops
	aliases   *analysis.Aliases
	registers *analysis.Registers

	missed []func() // remarks of the last round

	loads, stores, forwards, guards, kept int
}

// A location is the memory at an invariant address of a loop.
type location struct {
	base, at      *ssa.Value // see analysis.Split; an address, outside of the loop if there is one
	off           int64
	typ           ssa.Type
	align         int64
	loads, stores []*ssa.Value // the accesses in the loop, in its order

	before bool // the value before the loop is loaded
	sink   bool // the stores move to the exits

	// Those of the loads that read what the thread has loaded or stored last, if others may
	// read what something else has written; nil for all.
	forwarded []*ssa.Value
}

// A promotion is what will be done to a loop.
type promotion struct {
	loop      *analysis.Loop
	locations []*location
	guard     bool // the test of the header must be copied
}

// round promotes in loops of which none is in another and reports whether there may be
// more to do in those around them.
func (p *loopPromoter) round() bool {
	p.dom = analysis.Dominators(p.f)
	p.loops = analysis.FindLoops(p.f, p.dom)
	p.aliases, p.registers, p.missed = nil, nil, nil
	if len(p.loops.Irreducible) > 0 {
		return false
	}
	var chosen []*promotion
	more := false
	around := make(map[*analysis.Loop]bool) // a chosen loop
	for i := len(p.loops.All) - 1; i >= 0; i-- {
		l := p.loops.All[i]
		if around[l] {
			around[l.Parent] = true
			continue
		}
		if c := p.decide(l); c != nil {
			chosen = append(chosen, c)
			around[l.Parent] = true
			more = more || l.Parent != nil
		}
	}
	if len(chosen) == 0 {
		return false
	}
	p.guardLoops(chosen)
	var slots []*ssa.Value
	for _, c := range chosen {
		slots = append(slots, p.rewrite(c)...)
	}
	entry := p.f.Blocks[0]
	entry.Values = append(append([]*ssa.Value(nil), slots...), entry.Values...)
	promoteOnly(p.f, slots)
	return more
}

// entryOf returns the preheader of l, or nil.
func (p *loopPromoter) entryOf(l *analysis.Loop) *ssa.Block {
	var before *ssa.Block
	for _, b := range l.Header.Preds {
		if !p.loops.Contains(l, b) {
			if before != nil || len(b.Succs) != 1 {
				return nil
			}
			before = b
		}
	}
	return before
}

// decide chooses the locations of l that are promoted.
func (p *loopPromoter) decide(l *analysis.Loop) *promotion {
	if p.entryOf(l) == nil {
		return nil
	}
	locations := p.locations(l)
	if len(locations) == 0 {
		return nil
	}
	if p.aliases == nil {
		p.aliases = analysis.Alias(p.f, p.m)
		p.registers = analysis.CountRegisters(p.f, p.dom, p.loops)
	}
	// What is executed whenever the loop is entered, and whenever its test succeeds.
	always := mustPass(p.dom, p.loops, l, nil)
	body, free := always, true
	if l.Header.Kind == ssa.BlockIf && l.Header.Succs[0] != l.Header && l.Header.Succs[1] != l.Header {
		t := analysis.TripOf(p.loops, l)
		free = t != nil && t.Exit == l.Header && t.Count > 0
		if free || copiedTest(p.loops, l) {
			body = mustPass(p.dom, p.loops, l, l.Header)
		}
	}
	c := &promotion{loop: l}
	room := p.registers.Room(l.Blocks...)
	beyond := p.registers.Capacity() - p.registers.Limit() // what the thread's own may take, too
	held := make(map[*ssa.Value]bool)                      // values that were last stored to promoted locations
	for _, x := range locations {
		reason := p.judge(l, x, body)
		most := room
		if x.own() {
			most += beyond
		}
		size, last := analysis.RegistersOf(x.typ), x.stores[len(x.stores)-1].Args[1]
		if held[last] && len(x.loads) == 0 {
			size = 0
		}
		if reason == "" && size > most {
			reason = "it would exceed the registers of the loop"
			p.kept++
		} else if reason == "" {
			room -= size
			held[last] = true
			c.locations = append(c.locations, x)
			c.guard = c.guard || !free && !(p.readFirst(x, always) || !x.before) || !free && x.sink && !p.stored(x, always)
			continue
		}
		if len(x.loads) > 0 {
			v := x.loads[0]
			p.missed = append(p.missed, func() {
				p.run.Missed(v.Pos, "%s stays in the loop that stores to its address: %s", accessName(v), reason)
			})
		}
	}
	if len(c.locations) == 0 {
		return nil
	}
	return c
}

// locations returns the memory at invariant addresses to which l stores.
func (p *loopPromoter) locations(l *analysis.Loop) []*location {
	type place struct {
		base any // a value, or a variable
		off  int64
		typ  ssa.Type
	}
	var list []*location
	own := 0
	at := make(map[place]*location)
	find := func(v *ssa.Value, typ ssa.Type, add bool) *location {
		base, off := analysis.Split(v.Args[0])
		if p.loops.Contains(l, base.Block) && base.Op != ssa.OpGlobalAddr || v.Mem.Volatile || v.Mem.ReadOnly || v.Mem.Copied {
			return nil
		}
		key := place{base, off, typ}
		if base.Op == ssa.OpGlobalAddr {
			key.base = base.Sym
		}
		c := at[key]
		if c == nil && add {
			c = &location{base: base, at: v.Args[0], off: off, typ: typ, align: v.Mem.Align}
			if c.own() && own < maxPromotedOwn {
				own++
			} else if c.own() || len(list)-own >= maxPromoted {
				return nil
			}
			at[key] = c
			list = append(list, c)
		}
		if c != nil {
			c.align = min(c.align, v.Mem.Align)
			if p.loops.Contains(l, c.at.Block) {
				c.at = v.Args[0]
			}
		}
		return c
	}
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpStore {
				if c := find(v, v.Args[1].Type, true); c != nil {
					c.stores = append(c.stores, v)
				}
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpLoad {
				if c := find(v, v.Type, false); c != nil {
					c.loads = append(c.loads, v)
				}
			}
		}
	}
	return list
}

// judge decides how x is promoted in l, of which the blocks that dominate must are
// executed whenever the loop is entered, or returns why it is not.
func (p *loopPromoter) judge(l *analysis.Loop, x *location, must *ssa.Block) string {
	own := make(map[*ssa.Value]bool, len(x.loads)+len(x.stores))
	for _, list := range [2][]*ssa.Value{x.loads, x.stores} {
		for _, v := range list {
			own[v] = true
		}
	}
	exits, read, writer := 0, false, (*ssa.Value)(nil)
	for _, b := range l.Blocks {
		for _, s := range b.Succs {
			if !p.loops.Contains(l, s) {
				exits++
			}
		}
		for _, v := range b.Values {
			if v.Op.Effects() == 0 || v.Op == ssa.OpAlloca || own[v] {
				continue
			}
			writes, reads := p.touches(v, x)
			if writes && writer == nil {
				writer = v
			}
			read = read || reads
		}
	}
	x.before = p.live(l, x)
	if writer != nil {
		if x.before && p.readFirst(x, must) {
			x.forwarded = p.forward(l, x, own)
		}
		if x.forwarded != nil {
			return ""
		}
		if !p.run.Remarks() {
			return "written"
		}
		return fmt.Sprintf("the %s at %d:%d may write it", writer.Op, writer.Pos.Line(), writer.Pos.Column())
	}
	x.sink = !read && 0 < exits && exits <= maxPromoteExits && p.stored(x, must)
	switch {
	case len(x.loads) == 0 && !x.sink:
		return "it is not loaded"
	case x.before && !p.readFirst(x, must):
		return "the loop may be left, or store, before it is loaded"
	}
	return ""
}

// own reports whether the memory is an array or variable of the thread's own.
func (x *location) own() bool { return x.base.Op == ssa.OpAlloca }

// touches reports whether v, an operation with effects that is no access to x's address,
// may write or read its memory.
func (p *loopPromoter) touches(v *ssa.Value, x *location) (writes, reads bool) {
	at := x.at
	if (v.Op == ssa.OpLoad || v.Op == ssa.OpStore) && !v.Mem.Volatile {
		if !p.aliases.MayAlias(at, int64(x.typ.Size()), v.Args[0], analysis.AccessSize(v)) {
			return false, false
		}
		return v.Op == ssa.OpStore, true
	}
	class := p.aliases.Class(at)
	mask := p.aliases.Reached(v)
	if q := v.Address(); q != nil {
		mask |= p.aliases.Near(q)
	}
	return p.aliases.Written(v)&class != 0, mask&class != 0
}

// stored reports whether one of x's stores is executed whenever block must is.
func (p *loopPromoter) stored(x *location, must *ssa.Block) bool {
	for _, v := range x.stores {
		if p.dom.Dominates(v.Block, must) {
			return true
		}
	}
	return false
}

// readFirst reports whether one of x's loads is executed whenever block must is, before
// any store to x in the iteration.
func (p *loopPromoter) readFirst(x *location, must *ssa.Block) bool {
	for _, v := range x.loads {
		if !p.dom.Dominates(v.Block, must) {
			continue
		}
		first := true
		for _, s := range x.stores {
			first = first && p.dom.Dominates(v.Block, s.Block)
		}
		if !first {
			continue
		}
		for _, w := range v.Block.Values {
			if w == v {
				return true
			}
			if w.Op == ssa.OpStore && p.aliases.Same(w.Args[0], v.Args[0]) {
				break
			}
		}
	}
	return false
}

// live reports whether a load of x may read what was there before the loop.
func (p *loopPromoter) live(l *analysis.Loop, x *location) bool {
	const stores, reads = 1, 2
	state := make(map[*ssa.Block]int)
	for _, s := range x.stores {
		state[s.Block] |= stores
	}
	var work []*ssa.Block
	reach := func(b *ssa.Block) {
		if state[b]&reads == 0 {
			state[b] |= reads
			work = append(work, b)
		}
	}
	for _, v := range x.loads {
		first := v.Block.Values
		for first[0] != v && !(first[0].Op == ssa.OpStore && p.aliases.Same(first[0].Args[0], v.Args[0])) {
			first = first[1:]
		}
		if first[0] == v {
			reach(v.Block)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == l.Header {
			return true
		}
		for _, pred := range b.Preds {
			if state[pred]&stores == 0 {
				reach(pred)
			}
		}
	}
	return false
}
