package sema

import (
	"irgl/internal/cxx/types"
)

// aligned returns the conversion sequences of two candidates that rank them: of the same arguments.
// That of the implied object does not count where one of the functions is static, or called without
// an object ([over.match.best]/1.1).
func aligned(a, b *candidate) (x, y []seq) {
	x, y = a.seqs, b.seqs
	switch {
	case a.hasObject && b.hasObject:
		if a.fn != nil && b.fn != nil && (a.fn.static || b.fn.static) && len(x) > 0 && len(y) > 0 {
			x, y = x[1:], y[1:]
		}
	case a.hasObject && len(x) > len(y):
		x = x[1:]
	case b.hasObject && len(y) > len(x):
		y = y[1:]
	}
	n := min(len(x), len(y))
	return x[:n], y[:n]
}

// better reports whether a is a better candidate than b ([over.match.best]/1).
func (e *env) better(a, b *candidate) bool {
	wins := false
	x, y := aligned(a, b)
	for i := range x {
		switch c := e.compare(&x[i], &y[i]); {
		case c > 0:
			return false
		case c < 0:
			wins = true
		}
	}
	if wins {
		return true
	}
	if a.final != nil && b.final != nil {
		if c := e.compare(a.final, b.final); c != 0 {
			return c < 0
		}
	}
	if (a.builtin != nil) != (b.builtin != nil) {
		return b.builtin != nil
	}
	if a.fn == nil || b.fn == nil {
		return false
	}
	at, bt := a.fn.of != nil, b.fn.of != nil
	if at != bt {
		return bt
	}
	if at && bt {
		switch e.moreSpecialized(a.from, b.from, a.arguments(), b.arguments()) {
		case 1:
			return true
		case -1:
			return false
		}
	}
	if a.from.guide != b.from.guide {
		return a.from.guide > b.from.guide
	}
	if a.fn.inherited != nil && b.fn.inherited == nil {
		return false
	}
	if b.fn.inherited != nil && a.fn.inherited == nil {
		return true
	}
	return e.preference(a.fn) > e.preference(b.fn)
}

// compare ranks two implicit conversion sequences of one argument: negative if a is
// better.
func (e *env) compare(a, b *seq) int {
	if a.list && b.list && a.initList != b.initList && a.ok() && b.ok() {
		return prefer(a.initList) // [over.ics.rank]/3.1
	}
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	switch a.kind {
	case ellipsisSeq, noSeq:
		return 0
	case userSeq:
		if a.ambiguous || b.ambiguous || a.fn != b.fn || a.fn == nil && a.to.Unqualified() != b.to.Unqualified() {
			return 0
		}
	}
	if a.list != b.list && a.to.IsClass() && !b.to.IsClass() {
		return 0
	}
	return e.compareStandard(a, b)
}

// compareStandard ranks two standard conversion sequences ([over.ics.rank]/3.2 and 4).
//
//irgl:flatswitch
func (e *env) compareStandard(a, b *seq) int {
	switch {
	case a.rank != b.rank:
		return int(a.rank) - int(b.rank)
	case a.identity != b.identity:
		return prefer(a.identity)
	case a.boolean != b.boolean:
		return prefer(b.boolean)
	case a.literal != b.literal:
		return prefer(b.literal)
	case a.fixed != b.fixed && a.rank == promotion: // CWG 1601
		return prefer(a.fixed)
	}
	if c := e.compareBases(a, b); c != 0 {
		return c
	}
	if a.ref && b.ref && !a.object && !b.object && a.rref != b.rref {
		if a.function {
			return prefer(!a.rref)
		}
		if a.rvalue && b.rvalue {
			return prefer(a.rref)
		}
	}
	// Fewer qualifiers are better.
	at, bt := a.to, b.to
	if at.IsValid() && bt.IsValid() {
		if a.ref && b.ref && e.types.Unqualify(at) == e.types.Unqualify(bt) {
			return qualifierOrder(at.Qualifiers(), bt.Qualifiers())
		}
		if at.IsPointer() && bt.IsPointer() && at.Elem.Node == bt.Elem.Node {
			return qualifierOrder(at.Elem.Qualifiers(), bt.Elem.Qualifiers())
		}
		if at.IsPointer() && bt.IsPointer() {
			if ok, _ := e.qualifies(at, bt); ok {
				return -1
			}
			if ok, _ := e.qualifies(bt, at); ok {
				return 1
			}
		}
	}
	return 0
}

// prefer is the order of two sequences one of which is better.
func prefer(a bool) int {
	if a {
		return -1
	}
	return 1
}

// compareBases prefers the nearer of two bases, and any base to void. Of the classes of
// pointers to members it prefers the nearer derived one.
func (e *env) compareBases(a, b *seq) int {
	if a.rank != conversion {
		return 0
	}
	x, y := a.to.Unqualified(), b.to.Unqualified()
	if x == y && a.from.Node != b.from.Node { // of conversion functions' results: the nearer one
		x, y = b.from.Unqualified(), a.from.Unqualified()
	}
	switch {
	case x.IsPointer() && y.IsPointer() && a.from.IsPointer() && b.from.IsPointer():
		x, y = x.Elem.Unqualified(), y.Elem.Unqualified()
		if x.IsVoid() != y.IsVoid() {
			return prefer(y.IsVoid())
		}
	case x.Is(types.MemberPointer) && y.Is(types.MemberPointer):
		if !a.from.Is(types.MemberPointer) || !b.from.Is(types.MemberPointer) {
			return 0 // a null pointer constant
		}
		x, y = y.Of, x.Of
	}
	switch {
	case e.derives(x, y):
		return -1
	case e.derives(y, x):
		return 1
	}
	return 0
}
