package opt

import (
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file makes recurrences.

// A preheaderBuilder appends values to the preheader of a loop. Equal ones are made once.
type preheaderBuilder struct {
	s      *loopReducer
	before *ssa.Block
	at     *ssa.Value // whose position the values get
	made   map[key]*ssa.Value
	starts [2]map[*ssa.Value]*ssa.Value // by value: in its own type; sign-extended
}

// rewrite gives the loop the recurrences, and removes what they replace.
func (s *loopReducer) rewrite(chosen []*recurrence) {
	s.count.gain(chosen, nil) // marks the values to be removed
	l := s.l
	h, latch := l.Header, l.Latches[0]
	back := h.PredIndex(latch)
	p := &preheaderBuilder{s: s, before: h.Preds[1-back], made: make(map[key]*ssa.Value)}
	p.starts[0], p.starts[1] = make(map[*ssa.Value]*ssa.Value), make(map[*ssa.Value]*ssa.Value)
	var phis []*ssa.Value
	for _, r := range chosen { // all before a use is replaced: they share operands
		v := r.roots[0].v
		p.at = v
		phi := s.f.NewValue(ssa.OpPhi, v.Type)
		phi.MakeArgs(2)
		next := s.f.NewValue(sumOf(v.Type), v.Type, phi, p.stride(v, false))
		phi.Args[back], phi.Args[1-back] = next, p.start(v, false)
		phi.Block, phi.Pos, next.Block, next.Pos = h, v.Pos, latch, v.Pos
		phis = append(phis, phi)
		latch.Values = append(latch.Values, next)
		s.uses.made(phi)
		s.uses.made(next)
	}
	kept := make(map[*ssa.Value]bool)
	for i, r := range chosen {
		for _, x := range r.roots {
			if x.away != 0 {
				s.uses.removed(x.v)
				reset(x.v, sumOf(x.v.Type), phis[i], p.int(widthType(x.v.Type), x.away))
				s.uses.made(x.v)
				kept[x.v] = true
				continue
			}
			s.replace(x.v, phis[i])
		}
		s.made++
		s.replaced += len(r.roots)
	}
	for _, b := range l.Blocks {
		if s.loops.Of(b) != l {
			continue
		}
		list := b.Values[:0]
		for _, v := range b.Values {
			if !s.count.removed(v) || kept[v] {
				list = append(list, v)
			} else {
				s.uses.removed(v)
				v.Block = nil
			}
		}
		clear(b.Values[len(list):])
		b.Values = list
	}
	h.Values = append(phis, h.Values...)
}

// sumOf returns the operation that adds to a value of type t.
func sumOf(t ssa.Type) ssa.Op {
	if t.IsPtr() {
		return ssa.OpPtrAdd
	}
	return ssa.OpAdd
}

// replace replaces the uses of v.
func (s *loopReducer) replace(v, by *ssa.Value) {
	s.uses.any(v, func(u analysis.Use) bool {
		if u.User == nil {
			u.Block.Ctrl = by
		} else {
			u.User.Args[u.Index] = by
		}
		return false
	})
}

// start returns the value that v, which is linear, has in the first iteration: in i64, as
// an exact value, if extended.
func (p *preheaderBuilder) start(v *ssa.Value, extended bool) *ssa.Value {
	memo := p.starts[0]
	if extended {
		memo = p.starts[1]
	}
	w := memo[v]
	if w == nil {
		w = p.first(v, extended)
		memo[v] = w
	}
	return w
}

func (p *preheaderBuilder) first(v *ssa.Value, extended bool) *ssa.Value {
	iv := p.s.ivs[v]
	switch {
	case iv != nil && extended:
		return p.extend(iv.init)
	case iv != nil:
		return iv.init
	case v.Op == ssa.OpConst && extended:
		return p.int(ssa.I64, v.Int)
	case v.Op == ssa.OpConst:
		return p.int(v.Type, v.Int)
	case !p.s.inside(v) && extended:
		return p.extend(v)
	case !p.s.inside(v):
		return v
	case v.Op == ssa.OpSExt:
		return p.start(v.Args[0], true)
	case v.Op == ssa.OpShl:
		return p.make(v.Op, typeOf(v, extended), p.start(v.Args[0], extended), p.int(ssa.I32, v.Args[1].Int))
	}
	return p.make(v.Op, typeOf(v, extended), p.start(v.Args[0], extended), p.start(v.Args[1], extended))
}

func typeOf(v *ssa.Value, extended bool) ssa.Type {
	if extended {
		return ssa.I64
	}
	return v.Type
}

// stride returns what is added to v, which is linear, in each iteration, in the type of
// its start; an i64 of an address. It is nil if v does not vary.
func (p *preheaderBuilder) stride(v *ssa.Value, extended bool) *ssa.Value {
	t := widthType(typeOf(v, extended))
	if iv := p.s.ivs[v]; iv != nil {
		step := p.start(iv.step, extended)
		if iv.minus {
			return p.make(ssa.OpSub, t, p.int(t, 0), step)
		}
		return step
	}
	switch {
	case v.Op == ssa.OpConst || !p.s.inside(v):
		return nil
	case v.Op == ssa.OpSExt:
		return p.stride(v.Args[0], true)
	}
	x := p.stride(v.Args[0], extended)
	if v.Op == ssa.OpShl {
		if x == nil {
			return nil
		}
		return p.make(v.Op, t, x, p.int(ssa.I32, v.Args[1].Int))
	}
	y := p.stride(v.Args[1], extended)
	switch {
	case x == nil && y == nil:
		return nil
	case v.Op == ssa.OpMul && x != nil:
		return p.make(v.Op, t, x, p.start(v.Args[1], extended))
	case v.Op == ssa.OpMul:
		return p.make(v.Op, t, p.start(v.Args[0], extended), y)
	case y == nil:
		return x
	case x == nil && v.Op == ssa.OpSub:
		return p.make(v.Op, t, p.int(t, 0), y)
	case x == nil:
		return y
	case v.Op == ssa.OpSub:
		return p.make(v.Op, t, x, y)
	}
	return p.make(ssa.OpAdd, t, x, y)
}

func (p *preheaderBuilder) int(t ssa.Type, n int64) *ssa.Value {
	k := key{op: ssa.OpConst, typ: t, number: uint64(n)}
	if v := p.made[k]; v != nil {
		return v
	}
	return p.put(k, p.s.f.NewConst(t, n))
}

// extend returns the sign extension of v, an i32.
func (p *preheaderBuilder) extend(v *ssa.Value) *ssa.Value {
	if v.Op == ssa.OpConst {
		return p.int(ssa.I64, v.Int)
	}
	k := key{op: ssa.OpSExt, typ: ssa.I64, a0: int32(v.ID) + 1}
	if w := p.made[k]; w != nil {
		return w
	}
	return p.put(k, p.s.f.NewValue(ssa.OpSExt, ssa.I64, v))
}

// make returns an operation of x and y, which is folded where an operand is 0 or 1.
func (p *preheaderBuilder) make(op ssa.Op, t ssa.Type, x, y *ssa.Value) *ssa.Value {
	if x.Op == ssa.OpConst && !t.IsPtr() {
		if y.Op == ssa.OpConst {
			if n, ok := foldInt(op, t, x.Int, y.Int); ok {
				return p.int(t, n)
			}
		}
		if op == ssa.OpAdd || op == ssa.OpMul {
			x, y = y, x
		}
	}
	switch {
	case isConst(y, 0) && op == ssa.OpMul:
		return p.int(t, 0)
	case isConst(y, 0), isConst(y, 1) && op == ssa.OpMul:
		return x
	}
	k := key{op: op, typ: t, a0: int32(x.ID) + 1, a1: int32(y.ID) + 1}
	if v := p.made[k]; v != nil {
		return v
	}
	return p.put(k, p.s.f.NewValue(op, t, x, y))
}

func (p *preheaderBuilder) put(k key, v *ssa.Value) *ssa.Value {
	v.Block, v.Pos = p.before, p.at.Pos
	p.before.Values = append(p.before.Values, v)
	p.made[k] = v
	p.s.uses.made(v)
	return v
}

// A useChanges is the use lists of a function with what has changed since they were made.
type useChanges struct {
	lists *analysis.UseLists
	since map[*ssa.Value]*useChange
}

// A useChange has what has changed of a value: the uses that it has got, and the number of
// those that it has lost.
type useChange struct {
	more []analysis.Use
	lost int
}

func (c *useChanges) of(v *ssa.Value) *useChange {
	x := c.since[v]
	if x == nil {
		x = &useChange{}
		c.since[v] = x
	}
	return x
}

// made records a new value, or one with new arguments.
func (c *useChanges) made(v *ssa.Value) {
	for i, a := range v.Args {
		x := c.of(a)
		x.more = append(x.more, analysis.Use{User: v, Index: i, Block: v.Block})
	}
}

// removed records that a value is removed, or gets other arguments.
func (c *useChanges) removed(v *ssa.Value) {
	for _, a := range v.Args {
		c.of(a).lost++
	}
}

// any reports whether a use of v satisfies is.
func (c *useChanges) any(v *ssa.Value, is func(analysis.Use) bool) bool {
	holds := func(u analysis.Use) bool { // still, of a value that is still in a block
		if u.User == nil {
			return u.Block.Ctrl == v && is(u)
		}
		return u.Index < len(u.User.Args) && u.User.Args[u.Index] == v && u.User.Block != nil && is(u)
	}
	if v.ID < c.lists.Len() {
		for _, u := range c.lists.Of(v) {
			if holds(u) {
				return true
			}
		}
	}
	if x := c.since[v]; x != nil {
		for _, u := range x.more {
			if holds(u) {
				return true
			}
		}
	}
	return false
}

// count returns the number of uses of v.
func (c *useChanges) count(v *ssa.Value) int {
	n := 0
	if v.ID < c.lists.Len() {
		n = c.lists.Count(v)
	}
	if x := c.since[v]; x != nil {
		n += len(x.more) - x.lost
	}
	return n
}
