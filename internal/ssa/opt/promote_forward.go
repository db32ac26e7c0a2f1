package opt

import (
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file finds the loads of a loop whose value an access of the same thread has left in
// a register, although something else in the loop may write the memory.

// A forwarder holds what the accesses of a loop to one location do to the register that
// stands for it: valid on entry to a block if it has the value of the memory on all edges.
type forwarder struct {
	p   *loopPromoter
	l   *analysis.Loop
	x   *location
	own map[*ssa.Value]bool // the accesses to x

	// By index in l.Blocks: what a block does to a register that is valid before it, and to
	// one that is not.
	effects []forwardEffect
	valid   []bool // on entry
	index   map[*ssa.Block]int
}

type forwardEffect int8

const (
	forwardKeeps   forwardEffect = iota // valid behind the block if it is before it
	forwardDefines                      // the last that touches the memory is an access to x
	forwardKills                        // the last that touches the memory may write it otherwise
)

// forward returns the loads of x in l that read, on every path, what the last access to x has
// loaded or stored, with nothing in between that may write the memory; the first iteration
// reads what was loaded before the loop. It returns nil if no value passes a back edge.
func (p *loopPromoter) forward(l *analysis.Loop, x *location, own map[*ssa.Value]bool) []*ssa.Value {
	w := &forwarder{p: p, l: l, x: x, own: own, index: make(map[*ssa.Block]int, len(l.Blocks))}
	w.effects, w.valid = make([]forwardEffect, len(l.Blocks)), make([]bool, len(l.Blocks))
	for i, b := range l.Blocks {
		w.index[b], w.valid[i] = i, true
		for _, v := range b.Values {
			w.effects[i] = w.step(v, w.effects[i])
		}
	}
	w.solve()
	if !w.valid[w.index[l.Header]] {
		return nil
	}
	var list []*ssa.Value
	for i, b := range l.Blocks {
		state := forwardKills
		if w.valid[i] {
			state = forwardDefines
		}
		for _, v := range b.Values {
			if v.Op == ssa.OpLoad && own[v] && state == forwardDefines {
				list = append(list, v)
			}
			state = w.step(v, state)
		}
	}
	return list
}

// step returns the state behind v of a register that has the given one before.
func (w *forwarder) step(v *ssa.Value, state forwardEffect) forwardEffect {
	switch {
	case w.own[v]:
		return forwardDefines
	case v.Op.Effects() == 0 && !v.Mem.Volatile || v.Op == ssa.OpAlloca:
		return state
	}
	if writes, _ := w.p.touches(v, w.x); writes {
		return forwardKills
	}
	return state
}

// solve finds the greatest solution: the register is valid in a block if it is at the end of
// all predecessors. It is when the loop is entered.
func (w *forwarder) solve() {
	leaves := func(b *ssa.Block) bool {
		i, inside := w.index[b]
		return !inside || w.effects[i] == forwardDefines || w.effects[i] == forwardKeeps && w.valid[i]
	}
	for changed := true; changed; {
		changed = false
		for i, b := range w.l.Blocks {
			if w.valid[i] && slices.ContainsFunc(b.Preds, func(q *ssa.Block) bool { return !leaves(q) }) {
				w.valid[i], changed = false, true
			}
		}
	}
}
