package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file finds computations of an iteration that the previous iteration has
// already made, one step of an induction variable ahead.

// carried replaces long operations of l that depend on the iteration, and whose
// value in the next iteration is that of another operation w in this one, by phis of
// w. Their values in the first iteration are computed before the loop.
func (p *redundancy) carried(l *analysis.Loop, loops *analysis.Loops) {
	h := l.Header
	if len(l.Latches) != 1 || len(h.Preds) != 2 {
		return
	}
	back := h.PredIndex(l.Latches[0])
	before := h.Preds[1-back]
	if len(before.Succs) != 1 {
		return
	}
	c := &carrier{loops: loops, l: l, steps: make(map[*ssa.Value]int64)}
	for _, phi := range h.Phis() {
		next := phi.Args[back]
		if step, ok := stepOf(next, phi); ok {
			c.steps[phi] = step
		}
	}
	if len(c.steps) == 0 {
		return
	}
	var list []*ssa.Value
	for _, b := range l.Blocks {
		if !p.dom.Dominates(b, l.Latches[0]) {
			continue
		}
		for _, v := range b.Values {
			if v.Op != ssa.OpPhi && v.Op != ssa.OpLoad && v.Mergeable() && long(v) && len(list) < maxCarried {
				list = append(list, v)
			}
		}
	}
	for _, v := range list {
		for _, w := range list {
			if v == w || !c.follows(v, w) {
				continue
			}
			phi := p.f.NewValue(ssa.OpPhi, v.Type, w, w)
			phi.Block, phi.Pos = h, v.Pos
			phi.Args[1-back] = c.first(v, before, back)
			h.Values = slices.Insert(h.Values, 0, phi)
			v.Block.Values = slices.DeleteFunc(v.Block.Values, func(x *ssa.Value) bool { return x == v })
			p.subst.replace(v, phi)
			p.carries++
			break
		}
	}
}

// maxCarried bounds the operations of a loop that are compared pairwise.
const maxCarried = 32

// stepOf returns the constant that v adds to phi.
func stepOf(v, phi *ssa.Value) (int64, bool) {
	x, c, ok := withConstant(v, ssa.OpAdd)
	return c, ok && x == phi && c != 0
}

type carrier struct {
	loops *analysis.Loops
	l     *analysis.Loop
	steps map[*ssa.Value]int64 // the constant that an iteration adds to an induction variable
}

// ahead returns v as an induction variable plus a constant, or nil.
func (c *carrier) ahead(v *ssa.Value) (phi *ssa.Value, n int64) {
	for {
		if _, ok := c.steps[v]; ok {
			return v, n
		}
		x, k, ok := withConstant(v, ssa.OpAdd)
		if !ok {
			return nil, 0
		}
		v, n = x, n+k
	}
}

// follows reports whether the value of v in the next iteration is that of w in this
// one.
func (c *carrier) follows(v, w *ssa.Value) bool {
	if v.Op != w.Op || v.Type != w.Type || v.Int != w.Int || v.Sym != w.Sym || len(v.Args) != len(w.Args) {
		return false
	}
	changes := false
	for i, a := range v.Args {
		b := w.Args[i]
		phi, n := c.ahead(a)
		if phi == nil {
			if a != b && (!isConst(a, b.Int) || b.Op != ssa.OpConst) || c.loops.Contains(c.l, a.Block) && a.Op != ssa.OpConst {
				return false
			}
			continue
		}
		changes = true
		if other, m := c.ahead(b); other != phi || ssa.SignExtend(a.Type, n+c.steps[phi]) != ssa.SignExtend(a.Type, m) {
			return false
		}
	}
	return changes
}

// first computes before the loop the value of v in the first iteration.
func (c *carrier) first(v *ssa.Value, before *ssa.Block, back int) *ssa.Value {
	args := slices.Clone(v.Args)
	number := func(t ssa.Type, n int64) *ssa.Value {
		k := before.Append(ssa.OpConst, t)
		k.Int = ssa.SignExtend(t, n)
		return k
	}
	for i, a := range v.Args {
		phi, n := c.ahead(a)
		switch {
		case phi != nil && n == 0:
			args[i] = phi.Args[1-back]
		case phi != nil:
			args[i] = before.Append(ssa.OpAdd, a.Type, phi.Args[1-back], number(a.Type, n))
			args[i].Pos = a.Pos
		case a.Op == ssa.OpConst:
			args[i] = number(a.Type, a.Int)
		}
	}
	w := before.Append(v.Op, v.Type, args...)
	w.Int, w.Sym, w.Pos = v.Int, v.Sym, v.Pos
	return w
}
