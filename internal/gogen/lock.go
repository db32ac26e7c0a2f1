package gogen

import (
	"fmt"
	"math"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// atomicStmt translates Atomic. Go's scheduler lets every worker go on some
// day, so a worker waits for its lock in front of the body:
//
//	lock := unsafe.Pointer(...)           lock := unsafe.Pointer(...)
//	w.Lock(lock, 3)                       if rt.TryLock(lock) { body; rt.Unlock(lock)
//	body                                  } else {
//	rt.Unlock(lock)                       }
func (f *fn) atomicStmt(s *syntax.AtomicStmt) {
	f.emit("{")
	p := f.place(s.Lock)
	if p.obj != nil {
		f.used[p.obj] = true
	}
	lock := f.unique("lock")
	f.define(lock, "unsafe.Pointer", p.address())
	solo := f.kernel != nil && f.kernel.solo
	unlock := "rt.Unlock"
	if solo {
		unlock = "rt.SoloUnlock"
	}
	where := f.at(s.Lock)
	switch {
	case s.Else != nil && solo:
		f.emit("if rt.SoloTryLock(%s) {", lock)
	case s.Else != nil:
		f.emit("if rt.TryLock(%s) {", lock)
	case solo:
		f.emit("s.r.SoloLock(%s, %d)", lock, where)
		f.emit("{")
	default:
		f.emit("w.Lock(%s, %d)", lock, where)
		f.emit("{")
	}
	f.block(s.Body)
	f.emit("%s(%s)", unlock, lock)
	if s.Else != nil {
		f.emit("} else {")
		f.block(s.Else)
	}
	f.emit("}")
	f.emit("}")
}

// accessing translates a call. An atomic accesses what its first argument points
// to.
func (f *fn) accessing(e *syntax.CallExpr) val {
	if b := builtinOf(f.info, e); b != nil && b.Rule == builtin.AtomicCall {
		f.access(e)
	}
	return f.call(e)
}

// access notes the element that an atomic accesses.
func (f *fn) access(e *syntax.CallExpr) {
	if u, ok := syntax.Unparen(e.Args[0]).(*syntax.UnaryExpr); ok && u.Op == "&" {
		f.accessed = syntax.Unparen(u.X)
	}
}

// nthEdge translates n.edges[i] and n.in_edges[i].
func (f *fn) nthEdge(e *syntax.IndexExpr) val {
	row, node := "row", syntax.Expr(nil)
	switch x := syntax.Unparen(e.X).(type) {
	case *syntax.MemberExpr: // n.edges, n.in_edges
		node = x.X
	case *syntax.CallExpr: // graph.edges(n)
		node = x.Args[0]
	}
	if f.info.Types[e.X] == check.InEdges {
		row = "inRow"
	}
	if node == nil { // a variable that holds a range
		r, i := f.pair(e.X, e.Index)
		return val{
			s:    fmt.Sprintf("rt.Nth(%s, %s, %d)", r.s, f.convert(i, check.Long, e.Index).s, f.at(e)),
			prec: precOperand, t: f.info.Types[e],
		}
	}
	v, i := f.pair(node, e.Index)
	edges := f.rows[f.rowOf(row, node)]
	n := f.nodeIs(node, v)
	if edges == "" {
		if f.bounds.needs(node, check.Node) || !syntax.IsName(n) {
			n = f.save(val{s: n, prec: precOperand, t: check.Node}).s
		}
		edges = fmt.Sprintf("rt.RowOf(%s, %s)", f.array(row), n)
	}
	if f.bounds.below[e] && f.bounds.valueOf(e.Index).below(math.MaxInt64) {
		return val{
			s:    fmt.Sprintf("%s.Lo + %s", edges, f.convert(i, check.Long, e.Index).s),
			prec: precAdd, t: f.info.Types[e],
		}
	}
	return val{
		s:    fmt.Sprintf("rt.NthEdge(%s, %s, %s, %d)", edges, n, f.convert(i, check.Long, e.Index).s, f.at(e)),
		prec: precOperand, t: f.info.Types[e],
	}
}
