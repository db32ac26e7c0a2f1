package sema

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// isFixedBase reports whether t is the fixed underlying type of the enumeration from.
func isFixedBase(from, t types.Type) bool {
	return from.IsEnum() && !from.Enum.Scoped && from.Enum.Fixed && from.Enum.Base == t
}

// promotes returns what the integral promotions make of x.
func (e *env) promotes(x hir.Expr, from types.Type) types.Type {
	if f := bitField(x); f != nil {
		return e.types.PromoteBits(from, f.Field.Width)
	}
	if x := enumOf(from); x != nil {
		e.resolveEnum(x)
	}
	return e.types.Promote(from)
}

// loaded returns the object whose value x is, if it is one that was read, or x.
func loaded(x hir.Expr) hir.Expr {
	if l, ok := x.(*hir.Convert); ok && l.Kind == hir.Load {
		return l.X
	}
	return x
}

func isBitField(x hir.Expr) bool { return x.Category() != hir.PRValue && bitField(x) != nil }

// bitField returns the bit-field whose value x has, if it has one: also as the right operand of a
// comma ([expr.comma]/1), and as the left one of an assignment ([expr.ass]/1, [expr.pre.incr]/1).
// Values of x++ are promoted like those of x, as g++ and nvcc have it.
func bitField(x hir.Expr) *hir.Field {
	switch x := x.(type) {
	case *hir.Field:
		if x.Field.Width >= 0 {
			return x
		}
	case *hir.Comma:
		return bitField(x.Y)
	case *hir.Assign:
		return bitField(x.X)
	case *hir.IncDec:
		return bitField(x.X)
	}
	return nil
}
