package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loads ahead of stores.
// Source: none of the papers; the reason is that of NVIDIA, section 3.4, for unrolling: the loads of several
// iterations are in flight together.
//
// The copies of an unrolled body are load, compute, store, load, compute, store. The assembler knows neither
// restrict parameters nor local arrays by their names, and leaves most loads behind the stores of the copy before,
// so that each waits for its own. The pass moves loads in front of the stores of their block that they cannot alias:
//
//	v4 = load f32 v3 align 4          v4 = load f32 v3 align 4
//	v5 = fmul f32 v4, v4              v5 = fmul f32 v4, v4
//	store v3, v5 align 4              v7 = load f32 v6 align 4       (v3 + 4)
//	v7 = load f32 v6 align 4          store v3, v5 align 4
//
// Loads keep their order, and go no further than they must: in front of the first such store, with the
// arithmetic of their addresses. Only innermost loops are changed, whose iterations repeat the wait, and
// loads of at most maxAhead registers pass a store, or of as many as are left (analysis.EstimateRegisters).
//
// What it will not do: move a volatile load, one whose address is loaded behind the store, or one past a volatile access, other
// writes, synchronisation, volatile inline PTX or a read of a clock: a load stays in the time that is taken of it.
func loadsAhead(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	inner := make(map[*analysis.Loop]bool)
	for _, l := range loops.All {
		inner[l] = true
		delete(inner, l.Parent)
	}
	a := &advancer{f: f, m: m, dom: dom, loops: loops}
	for _, l := range loops.All {
		if inner[l] {
			for _, b := range l.Blocks {
				a.block(b)
			}
		}
	}
	r.Count("loads", a.moved)
}

const (
	maxAddress = 8 // operations that move with a load
	maxAhead   = 8 // registers of loads that pass a store
	// maxLoads is the number of loads of a block that is changed: there are enough in flight in one with more, and
	// ptxas copied registers in one of 46.
	maxLoads = 16
)

// An advancer moves the loads of a function.
type advancer struct {
	f     *ssa.Func
	m     *ssa.Module
	dom   *analysis.DomTree
	loops *analysis.Loops
	// Found when first needed.
	aliases   *analysis.Aliases
	registers *analysis.Registers

	moved int
}

// A passedStore is a store that loads may pass, and the registers of those that have.
type passedStore struct {
	store   *ssa.Value
	carried int32
}

// block moves the loads of b.
func (a *advancer) block(b *ssa.Block) {
	if loads := countLoads(b); loads == 0 || loads > maxLoads {
		return
	}
	var out []*ssa.Value // the values in their new order
	var stores []passedStore
	room := int32(-1)
	for _, v := range b.Values {
		switch {
		case v.Op == ssa.OpStore && !v.Mem.Volatile:
			stores = append(stores, passedStore{store: v})
		case v.Op.Effects()&(ssa.Writes|ssa.Syncs|ssa.Volatile) != 0 || v.Mem.Volatile || readsTime(v):
			stores = stores[:0]
		case v.Op == ssa.OpLoad && len(stores) > 0:
			if room < 0 {
				room = min(maxAhead, a.room(b))
			}
			first := a.passes(stores, v, room)
			if first == len(stores) {
				break
			}
			at := slices.Index(out, stores[first].store)
			address, ok := movingWith(v, out[at:])
			if !ok {
				break
			}
			for i := range stores[first:] {
				stores[first+i].carried += analysis.RegistersOf(v.Type)
			}
			out = slices.DeleteFunc(out, func(x *ssa.Value) bool { return slices.Contains(address, x) })
			out = slices.Insert(out, at, append(address, v)...)
			a.moved++
			continue
		}
		out = append(out, v)
	}
	setValues(b, out)
}

// readsTime reports whether v is a register that another read may find changed.
func readsTime(v *ssa.Value) bool {
	register, _ := v.Sym.(ssa.Register)
	return v.Op == ssa.OpSpecial && register.VariesInTime()
}

func countLoads(b *ssa.Block) (n int) {
	for _, v := range b.Values {
		if v.Op == ssa.OpLoad {
			n++
		}
	}
	return n
}

// passes returns the index of the first of the stores that load v may pass, with all that follow, if each is passed by
// loads of room registers at most; len(stores) if it may not pass the last.
func (a *advancer) passes(stores []passedStore, v *ssa.Value, room int32) int {
	if a.aliases == nil {
		a.aliases = analysis.Alias(a.f, a.m)
	}
	i := len(stores)
	for i > 0 {
		s := stores[i-1]
		if s.carried+analysis.RegistersOf(v.Type) > room ||
			a.aliases.MayAlias(v.Args[0], int64(v.Type.Size()), s.store.Args[0], int64(s.store.Args[1].Type.Size())) {
			break
		}
		i--
	}
	return i
}

// movingWith returns the values of list that load v needs, in their order; ok is false if one may not move.
func movingWith(v *ssa.Value, list []*ssa.Value) (needed []*ssa.Value, ok bool) {
	wanted := slices.Clone(v.Args)
	for i := len(list) - 1; i >= 0; i-- {
		x := list[i]
		if !slices.Contains(wanted, x) {
			continue
		}
		if x.Op.Effects() != 0 || x.Op == ssa.OpPhi || len(needed) == maxAddress {
			return nil, false
		}
		needed = append(needed, x)
		wanted = append(wanted, x.Args...)
	}
	slices.Reverse(needed)
	return needed, true
}

// room returns how many registers are left in b.
func (a *advancer) room(b *ssa.Block) int32 {
	if a.registers == nil {
		a.registers = analysis.EstimateRegisters(a.f, a.dom, a.loops)
	}
	return a.registers.Room(b)
}
