package sema

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// isNull reports whether x is a null pointer constant.
func isNull(x hir.Expr) bool {
	if x.Type().Is(types.Nullptr) {
		return true
	}
	k, ok := x.(*hir.ConstExpr)
	return ok && k.Literal && x.Type().IsInteger() && k.Value.Int == 0
}

// derives reports whether from is a class derived from the class to.
func (e *env) derives(from, to types.Type) bool {
	if !from.IsClass() || !to.IsClass() || from.Node == to.Node {
		return false
	}
	k := classOfType(from)
	if k == nil {
		return false
	}
	e.checker.complete(k, k.at)
	return k.basePath(classOfType(to)) != nil
}

// basePath returns the classes from k's base on to b, or nil if b is no base of k.
func (k *class) basePath(b *class) []*types.Class {
	for i := range k.bases {
		x := k.bases[i].class
		if x == b {
			return []*types.Class{b.t}
		}
		if p := x.basePath(b); p != nil {
			return append([]*types.Class{x.t}, p...)
		}
	}
	return nil
}

// standard returns the standard conversion of x to a scalar type.
func (e *env) standard(x hir.Expr, to types.Type) seq {
	from := e.types.Decayed(x.Type())
	s := seq{from: from, to: to}
	switch {
	case from == to:
		s.identity = true
		return s
	case to.IsVoid():
		return failed
	case from.IsVoid():
		return failed
	case to.Is(types.Bool):
		return e.boolSeq(s)
	case to.IsInteger():
		if !from.IsInteger() && !from.IsFloat() && !(from.IsEnum() && !from.Enum.Scoped) {
			return failed
		}
		s.rank = conversion
		switch {
		case from.IsFloat():
		case e.promotes(x, from) == to:
			s.rank = promotion
		case isFixedBase(from, to):
			s.rank, s.fixed = promotion, true
		}
		return s
	case to.IsFloat():
		if !from.IsArithmetic() && !from.IsIntegerOrEnum() {
			return failed
		}
		s.rank = conversion
		if from.Is(types.Float) && to.Is(types.Double) {
			s.rank = promotion
		}
		return s
	case to.IsPointer():
		return e.pointerSeq(x, s)
	case to.Is(types.MemberPointer):
		return e.memberPointerSeq(x, s)
	case to.Is(types.Nullptr):
		if isNull(x) {
			s.rank = conversion
			return s
		}
	}
	return failed
}

func (e *env) boolSeq(s seq) seq {
	if x := enumOf(s.from); x != nil {
		e.resolveEnum(x)
	}
	switch {
	case isFixedBase(s.from, s.to):
		s.rank, s.fixed = promotion, true
		return s
	case s.from.IsArithmetic(), s.from.IsEnum() && !s.from.Enum.Scoped:
	case s.from.IsPointer(), s.from.Is(types.MemberPointer):
		s.boolean = true
	default:
		return failed
	}
	s.rank = conversion
	return s
}

func (e *env) pointerSeq(x hir.Expr, s seq) seq {
	if isNull(x) {
		s.rank = conversion
		return s
	}
	if !s.from.IsPointer() {
		return failed
	}
	a, b := s.from.Elem, s.to.Elem
	if e.sameFunc(a, b) {
		return s
	}
	if ok, _ := e.qualifies(s.from, s.to); ok {
		return s
	}
	if _, ok := x.(*hir.StringExpr); ok && a.Unqualified() == b { // deprecated, as g++ and nvcc have it
		s.literal = true
		return s
	}
	if a.Qualifiers()&^b.CV != 0 || a.IsFunc() {
		s.refused = qualifierRefusal(a, b)
		s.kind = noSeq
		return s
	}
	switch {
	case b.IsVoid(), e.derives(a.Unqualified(), b.Unqualified()):
		s.rank = conversion
		return s
	}
	return failed
}

// sameFunc reports whether two function types differ in noexcept alone, so that a
// pointer to the first converts to one to the second.
func (e *env) sameFunc(a, b types.Type) bool {
	if !a.IsFunc() || !b.IsFunc() || a == b {
		return a.IsFunc() && a == b
	}
	x, y := *a.Func, *b.Func
	if !x.Noexcept || y.Noexcept {
		return false
	}
	x.Noexcept = false
	return e.types.Func(a.Elem, x) == b
}

func (e *env) memberPointerSeq(x hir.Expr, s seq) seq {
	if isNull(x) {
		s.rank = conversion
		return s
	}
	if !s.from.Is(types.MemberPointer) {
		return failed
	}
	if ok, _ := e.qualifies(s.from, s.to); ok {
		return s
	}
	switch same := s.from.Elem == s.to.Elem || e.sameFunc(s.from.Elem, s.to.Elem); {
	case same && s.from.Of == s.to.Of: // noexcept is lost
		return s
	case same && e.derives(s.to.Of, s.from.Of):
		s.rank = conversion
		return s
	}
	return failed
}
