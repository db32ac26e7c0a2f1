package gogen

import (
	"fmt"
	"strconv"

	"irgl/internal/check"
	"irgl/syntax"
)

// atomicStmt translates Atomic. Go's scheduler lets every worker go on some
// day, so a worker waits for its lock in front of the body:
//
//	lock := unsafe.Pointer(...)           lock := unsafe.Pointer(...)
//	w.Lock(lock, "p.irgl:7:5")            if rt.TryLock(lock) { body; rt.Unlock(lock)
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
	where := strconv.Quote(s.Pos().String())
	switch {
	case s.Else != nil && solo:
		f.emit("if rt.SoloTryLock(%s) {", lock)
	case s.Else != nil:
		f.emit("if rt.TryLock(%s) {", lock)
	case solo:
		f.emit("s.r.SoloLock(%s, %s)", lock, where)
		f.emit("{")
	default:
		f.emit("w.Lock(%s, %s)", lock, where)
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

// nthEdge translates n.edges[i] and n.in_edges[i].
func (f *fn) nthEdge(e *syntax.IndexExpr) val {
	base, i := f.pair(e.X, e.Index)
	text := fmt.Sprintf("%s.Lo + %s", base.at(precOperand), f.convert(i, check.Long, e.Index).at(precMul))
	return val{s: text, prec: precAdd, t: f.info.Types[e]}
}
