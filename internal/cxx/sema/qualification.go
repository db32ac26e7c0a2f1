package sema

import (
	"irgl/internal/cxx/types"
)

func qualifierRefusal(a, b types.Type) refusal {
	if a.Unqualified() == b.Unqualified() && a.CV&^b.CV != 0 {
		return losesQualifiers
	}
	return unconvertible
}

// qualifies reports whether from becomes to by adding qualifiers alone, and whether it
// adds any.
func (e *env) qualifies(from, to types.Type) (ok, added bool) {
	outer := true // every level of to outside of this one is const
	for first := true; ; first = false {
		if !first {
			if from.CV&^to.CV != 0 {
				return false, false
			}
			if from.CV != to.CV {
				added = true
				if !outer {
					return false, false
				}
			}
			outer = outer && to.CV&types.Const != 0
		}
		switch {
		case from.Node == to.Node:
			return true, added
		case from.Is(types.Pointer) && to.Is(types.Pointer):
		case from.Is(types.MemberPointer) && to.Is(types.MemberPointer) && from.Of == to.Of:
		case from.IsArray() && to.IsArray() && (from.Len == to.Len || to.Len < 0):
			if !first && from.Elem.Qualifiers() != to.Elem.Qualifiers() && !to.IsConst() {
				outer = true
			}
			from, to = from.Elem, to.Elem
			from.CV, to.CV = from.Qualifiers(), to.Qualifiers()
			if from.Node == to.Node {
				return from.CV&^to.CV == 0, added || from.CV != to.CV
			}
			continue
		default:
			return false, false
		}
		from, to = from.Elem, to.Elem
	}
}

// similarTo reports whether a value of one type converts to a scalar one by a qualification
// conversion at most, as the results of explicit conversion functions must ([over.match.conv]/1).
func (e *env) similarTo(from, to types.Type) bool {
	from, to = from.Unref().Unqualified(), to.Unqualified()
	if from == to {
		return true
	}
	ok, _ := e.qualifies(from, to)
	return ok
}

func qualifierOrder(a, b types.CV) int {
	switch {
	case a == b:
		return 0
	case a&^b == 0:
		return -1
	case b&^a == 0:
		return 1
	}
	return 0
}
