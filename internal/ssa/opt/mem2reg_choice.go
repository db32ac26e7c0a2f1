package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file loads through a choice of variables.
//
// A function that returns one of its operands, as std::max and cub's operators do, and whose operands are
// structs, chooses between addresses, which is an escape to mem2reg. Once it is inlined they are addresses of
// variables, and loads where the paths join become joins of loads (LLVM's SROA does the same):
//
//	b1: <- b0                           b1: <- b0
//	  jump b3                             v7 = load i32 v0 align 4
//	b2: <- b0                             jump b3
//	  jump b3                           b2: <- b0
//	b3: <- b1, b2                         v8 = load i32 v1 align 4
//	  v5 = phi ptr.local v0, v1           jump b3
//	  v6 = load i32 v5 align 4          b3: <- b1, b2
//	                                      v9 = phi i32 v7, v8
//
// Of a select, both are loaded. The choice may be used by loads alone, those of a phi in its own block, with no store to
// one of the variables between, and the variables by nothing that would keep them in memory. A phi may also choose
// addresses of other memory: those are loaded from on their own edges alone, with no write to memory and no volatile access between.

// loadChoices replaces the loads through choices of allocas, and returns the number of choices.
func loadChoices(f *ssa.Func) (n int) {
	for {
		c := &chooser{f: f}
		c.find()
		if len(c.choices) == 0 {
			return n
		}
		c.rewrite()
		n += len(c.choices)
	}
}

// A chooser has the choices of a function that can be replaced. A choice among others' results waits until
// those are the only ones left: each round has its own chooser.
type chooser struct {
	f       *ssa.Func
	uses    *analysis.UseLists
	choices []*choice
}

// A choice is a phi or a select of addresses, some of them in allocas.
type choice struct {
	v       *ssa.Value
	objects []place // of its arguments
	loads   []reading
}

// A place is an offset in an alloca, or an address of other memory.
type place struct {
	alloca *ssa.Value
	off    int64
	other  *ssa.Value // where alloca is nil
}

// A reading is a load at an offset from a choice's address.
type reading struct {
	load *ssa.Value
	off  int64
}

// find finds the choices whose allocas are used by loads, stores and such choices alone.
func (c *chooser) find() {
	for _, b := range c.f.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpPhi && v.Op != ssa.OpSelect || !v.Type.IsPtr() {
				continue
			}
			if objects := objectsOf(v); objects != nil {
				if c.uses == nil {
					c.uses = analysis.Uses(c.f)
				}
				if x := (&choice{v: v, objects: objects}); c.read(x) {
					c.choices = append(c.choices, x)
				}
			}
		}
	}
	// A choice that is not replaced keeps its variables in memory, for others, too.
	for before := -1; before != len(c.choices); {
		before = len(c.choices)
		chosen := make(map[*ssa.Value]bool, before)
		for _, x := range c.choices {
			chosen[x.v] = true
		}
		c.choices = slices.DeleteFunc(c.choices, func(x *choice) bool {
			return slices.ContainsFunc(x.objects, func(o place) bool {
				if o.alloca == nil {
					return false
				}
				_, ok := accessesOf(o.alloca, c.uses, chosen)
				return !ok
			})
		})
	}
}

// objectsOf returns what the arguments of a choice are, or nil if none is an address in an alloca, or
// another one could not be loaded from.
func objectsOf(v *ssa.Value) []place {
	args := v.Args
	if v.Op == ssa.OpSelect {
		args = args[1:]
	}
	objects := make([]place, len(args))
	local := false
	for i, a := range args {
		objects[i] = placeOf(a)
		if objects[i].alloca != nil {
			local = true
		} else if v.Op == ssa.OpSelect || a == v {
			return nil
		}
	}
	if !local {
		return nil
	}
	return objects
}

// placeOf returns where an address points: into an alloca if all offsets on the way are constants.
func placeOf(a *ssa.Value) place {
	p, off := a, int64(0)
	for p.Op == ssa.OpSpaceCast || p.Op == ssa.OpPtrAdd && p.Args[1].Op == ssa.OpConst {
		if p.Op == ssa.OpPtrAdd {
			off += p.Args[1].Int
		}
		p = p.Args[0]
	}
	if p.Op == ssa.OpAlloca {
		return place{alloca: p, off: off}
	}
	return place{other: a}
}

// read finds the loads of a choice, and reports whether it has no other uses, all of them are
// inside of the variables and aligned there, and those of a phi may be moved to the ends of its predecessors.
func (c *chooser) read(x *choice) bool {
	ok := true
	var derive func(p *ssa.Value, off int64)
	derive = func(p *ssa.Value, off int64) {
		for _, use := range c.uses.Of(p) {
			u := use.User
			switch {
			case u == nil || use.Index != 0:
				ok = false
			case u.Op == ssa.OpSpaceCast:
				derive(u, off)
			case u.Op == ssa.OpPtrAdd && u.Args[1].Op == ssa.OpConst:
				derive(u, off+u.Args[1].Int)
			case u.Op == ssa.OpLoad && !u.Mem.Volatile && (x.v.Op == ssa.OpSelect || u.Block == x.v.Block) && x.within(off, u):
				x.loads = append(x.loads, reading{u, off})
			default:
				ok = false
			}
		}
	}
	derive(x.v, 0)
	return ok && len(x.loads) > 0 && (x.v.Op == ssa.OpSelect || x.undisturbed())
}

// within reports whether a load at an offset from any of the variables is inside of it, and aligned.
func (x *choice) within(off int64, load *ssa.Value) bool {
	for _, o := range x.objects {
		if o.alloca == nil {
			continue // it is loaded from where it was
		}
		at := o.off + off
		if at < 0 || at+int64(load.Type.Size()) > o.alloca.Int || at%load.Mem.Align != 0 || o.alloca.Mem.Align < load.Mem.Align {
			return false
		}
	}
	return true
}

// undisturbed reports whether nothing in front of a phi's loads in its block changes what they load. What is in a variable
// only stores that name it change, since it does not escape.
func (x *choice) undisturbed() bool {
	left := len(x.loads)
	other := slices.ContainsFunc(x.objects, func(o place) bool { return o.alloca == nil })
	var stored []place
	var sizes []int64
	for _, v := range x.v.Block.Values {
		if i := slices.IndexFunc(x.loads, func(l reading) bool { return l.load == v }); i >= 0 {
			for _, o := range x.objects {
				at, size := o.off+x.loads[i].off, int64(v.Type.Size())
				for k, s := range stored {
					if s.alloca == o.alloca && s.off < at+size && at < s.off+sizes[k] {
						return false
					}
				}
			}
			if left--; left == 0 {
				return true
			}
			continue
		}
		if v.Op == ssa.OpStore {
			at := placeOf(v.Args[0])
			if slices.ContainsFunc(x.objects, func(o place) bool { return o.alloca != nil && o.alloca == at.alloca }) {
				stored, sizes = append(stored, at), append(sizes, int64(v.Args[1].Type.Size()))
				continue
			}
		}
		if other && (v.Mem.Volatile || v.Op != ssa.OpLoad && v.Op.Effects() != 0) {
			return false
		}
	}
	return false
}

// rewrite loads from each variable, and chooses between the values.
func (c *chooser) rewrite() {
	s := newSubst(c.f)
	dead := map[*ssa.Value]bool{}
	for _, x := range c.choices {
		for _, l := range x.loads {
			if dead[l.load] = true; x.v.Op == ssa.OpSelect {
				c.loadBoth(x, l)
				continue
			}
			phi := c.f.NewValue(ssa.OpPhi, l.load.Type, make([]*ssa.Value, len(x.objects))...)
			phi.Block, phi.Pos = x.v.Block, l.load.Pos
			for i, pred := range x.v.Block.Preds {
				if x.objects[i].alloca == nil && len(pred.Succs) > 1 {
					pred = splitEdge(pred, edgeOf(pred, x.v.Block, i))
				}
				at := &inserter{f: c.f, out: pred.Values, at: &ssa.Value{Block: pred, Pos: l.load.Pos}}
				phi.Args[i] = x.load(at, i, l)
				pred.Values = at.out
			}
			x.v.Block.Values = slices.Insert(x.v.Block.Values, len(x.v.Block.Phis()), phi)
			s.replace(l.load, phi)
		}
	}
	s.apply(c.f)
	for _, b := range c.f.Blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *ssa.Value) bool { return dead[v] && v.Op == ssa.OpLoad })
	}
	for _, x := range c.choices { // what is left of it are addresses of nothing
		c.drop(x.v)
	}
}

// loadBoth makes the load of a select one of the values that both variables have there.
func (c *chooser) loadBoth(x *choice, l reading) {
	b := l.load.Block
	at := &inserter{f: c.f, at: l.load}
	v, w := x.load(at, 0, l), x.load(at, 1, l)
	b.Values = slices.Insert(b.Values, slices.Index(b.Values, l.load), at.out...)
	reset(l.load, ssa.OpSelect, x.v.Args[0], v, w)
}

// edgeOf returns which of pred's edges is the i-th into b.
func edgeOf(pred, b *ssa.Block, i int) int {
	for k := range pred.Succs {
		if pred.Succs[k] == b && edgeIndex(pred, k) == i {
			return k
		}
	}
	panic("opt: a predecessor without an edge")
}

// load loads from the i-th object what l loads through the choice.
func (x *choice) load(at *inserter, i int, l reading) *ssa.Value {
	p, off := x.objects[i].alloca, x.objects[i].off+l.off
	if p == nil {
		p = x.objects[i].other
	}
	if off != 0 {
		p = at.make(ssa.OpPtrAdd, p.Type, p, at.int(ssa.I64, off))
	}
	v := at.make(ssa.OpLoad, l.load.Type, p)
	v.Mem = l.load.Mem
	v.Mem.ReadOnly = v.Mem.ReadOnly && x.objects[i].alloca == nil
	return v
}

// drop removes an address that only addresses are made of.
func (c *chooser) drop(p *ssa.Value) {
	for _, use := range c.uses.Of(p) {
		if u := use.User; u.Op == ssa.OpPtrAdd || u.Op == ssa.OpSpaceCast {
			c.drop(u)
		}
	}
	p.Block.Values = slices.DeleteFunc(p.Block.Values, func(v *ssa.Value) bool { return v == p })
}
