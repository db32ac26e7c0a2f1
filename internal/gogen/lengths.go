package gogen

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// How many elements a pointer parameter points to. It is known when all calls pass
// arrays of one length, or parameters of that length, or the addresses of scalars,
// and the function does not change the parameter. Accesses through such a parameter
// are checked as those of an array are; others through pointers are not.

// A pointed is an argument for a pointer parameter.
type pointed struct {
	to   *check.Object
	from syntax.Expr
}

// unknownLength marks a parameter whose calls do not agree.
const unknownLength = -1

// findLengths finds the lengths of all pointer parameters.
func (b *bounds) findLengths() {
	for changed := true; changed; {
		changed = false
		for _, p := range b.pointed {
			old := b.lengths[p.to]
			n := b.length(p.from)
			if n == 0 || n == old || old == unknownLength {
				continue // not known yet, or known already
			}
			if old != 0 {
				n = unknownLength
			}
			b.lengths[p.to], changed = n, true
		}
	}
	for _, f := range b.info.Funcs {
		for _, o := range f.Params {
			if o != nil && b.lengths[o] != 0 && changes(b.info, o, f.Decl.Body) {
				b.lengths[o] = unknownLength
			}
		}
	}
	// What was passed on from a parameter that changes is not known either.
	for changed := true; changed; {
		changed = false
		for _, p := range b.pointed {
			if n := b.lengths[p.to]; n > 0 && b.length(p.from) != n {
				b.lengths[p.to], changed = unknownLength, true
			}
		}
	}
}

// length returns how many elements the pointer e points to, 0 if that is not known
// yet.
func (b *bounds) length(e syntax.Expr) int64 {
	e = syntax.Unparen(e)
	if a, ok := b.info.Types[e].(*check.Array); ok {
		return a.Len
	}
	switch e := e.(type) {
	case *syntax.Ident:
		if o := b.info.Uses[e]; o != nil && o.Kind == check.ParamObj {
			return b.lengths[o]
		}
	case *syntax.UnaryExpr:
		if e.Op != "&" {
			break
		}
		switch syntax.Unparen(e.X).(type) {
		case *syntax.Ident, *syntax.MemberExpr:
			if _, ok := b.info.Types[e.X].(*check.Array); !ok {
				return 1
			}
		}
	}
	return unknownLength
}

// lengthOf returns the number of elements behind a parameter, 0 if it is not known.
func (f *fn) lengthOf(e syntax.Expr) int64 {
	if id, ok := syntax.Unparen(e).(*syntax.Ident); ok {
		return max(0, f.bounds.lengths[f.info.Uses[id]])
	}
	return 0
}
