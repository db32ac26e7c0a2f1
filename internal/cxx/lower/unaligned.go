package lower

import (
	"encoding/binary"
	"math"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file accesses scalars that may be less aligned than their type: members of packed classes. The
// device loads and stores aligned words alone, so that they are copied byte by byte:
//
//	p->v += 2      (memcpy(&irgl_t1, p->v, 4), irgl_t1 += 2, memcpy(p->v, &irgl_t1, 4), irgl_t1)

// alignment returns what the address of a glvalue is known to be a multiple of.
func alignment(e hir.Expr) int64 {
	natural := max(1, e.Type().Align())
	switch e := e.(type) {
	case *hir.Field:
		f := e.Field
		if f.Type.IsRef() || f.Width >= 0 || !e.X.Type().IsClass() {
			return natural
		}
		return min(natural, alignment(e.X), lowestBit(f.Offset))
	case *hir.Deref:
		p := e.X
		if b, ok := p.(*hir.Binary); ok && b.Op == hir.Add {
			p = b.X
		}
		if isDecayed(p) {
			return min(natural, alignment(p.(*hir.Convert).X))
		}
	case *hir.Convert:
		if e.Category() != hir.PRValue && e.X.Category() != hir.PRValue {
			return min(natural, alignment(e.X))
		}
	case *hir.Assign:
		return min(natural, alignment(e.X))
	case *hir.IncDec:
		return min(natural, alignment(e.X))
	case *hir.Comma:
		return min(natural, alignment(e.Y))
	case *hir.Cond:
		return min(natural, alignment(e.X), alignment(e.Y))
	}
	return natural
}

// lowestBit returns the greatest power of two that divides n, up to the greatest alignment of a scalar.
func lowestBit(n int64) int64 {
	const greatest = 16
	n |= greatest
	return n & -n
}

// isUnaligned reports whether a glvalue is a scalar that may be less aligned than its type.
func isUnaligned(e hir.Expr) bool {
	return e.Type().IsScalar() && e.Category() != hir.PRValue && alignment(e) < e.Type().Align()
}

// copyBytes copies a scalar of type t between two places, byte by byte.
func (l *lowerer) copyBytes(sp syntax.Span, to, from syntax.Expr, t types.Type) syntax.Expr {
	return tree.Call(sp, "memcpy", l.chars(sp, addressOf(to)), l.chars(sp, addressOf(from)), tree.Number(sp, t.Size()))
}

// loadUnaligned returns the value of a scalar.
func (l *lowerer) loadUnaligned(e hir.Expr) syntax.Expr {
	sp, t := at(e), e.Type().Unqualified()
	name := l.temporary(sp, t)
	return tree.Paren(comma(l.copyBytes(sp, tree.Ident(sp, name), l.lvalue(e), t), tree.Ident(sp, name)))
}

// namedPlace returns a variable of C as a glvalue of type t.
func namedPlace(sp syntax.Span, like hir.Expr, t types.Type, name string) *rawPlace {
	return &rawPlace{ConstExpr: hir.ConstExpr{Info: hir.Info{Span: spanOf(like), T: t, Cat: hir.LValue}},
		place: func() syntax.Expr { return tree.Ident(sp, name) }}
}

// assignUnaligned lowers an assignment to a scalar. The right operand is evaluated first.
func (l *lowerer) assignUnaligned(e *hir.Assign, x hir.Expr) syntax.Expr {
	sp, t := at(e), x.Type().Unqualified()
	yt := e.Y.Type().Unqualified()
	right, name := l.temporary(sp, yt), l.temporary(sp, t)
	list := []syntax.Expr{tree.Assign(tree.Ident(sp, right), "=", l.converted(e.Y, e.Y.Type()))}
	place, set := l.once(x)
	list = append(list, set...)
	if e.Op != hir.NoOp {
		list = append(list, l.copyBytes(sp, tree.Ident(sp, name), place(), t))
	}
	with := *e
	with.Y = &hir.Convert{Info: hir.Info{Span: spanOf(e.Y), T: yt, Cat: hir.PRValue}, Kind: hir.Load, X: namedPlace(sp, e.Y, yt, right)}
	list = append(list, l.assign(&with, namedPlace(sp, x, t, name)))
	return comma(append(list, l.copyBytes(sp, place(), tree.Ident(sp, name), t), tree.Ident(sp, name))...)
}

// incDecUnaligned lowers ++ and -- of a scalar.
func (l *lowerer) incDecUnaligned(e *hir.IncDec, x hir.Expr) syntax.Expr {
	sp, t := at(e), x.Type().Unqualified()
	name, result := l.temporary(sp, t), l.temporary(sp, t)
	place, list := l.once(x)
	list = append(list, l.copyBytes(sp, tree.Ident(sp, name), place(), t))
	list = append(list, tree.Assign(tree.Ident(sp, result), "=", l.incDec(e, namedPlace(sp, x, t, name))))
	return comma(append(list, l.copyBytes(sp, place(), tree.Ident(sp, name), t), tree.Ident(sp, result))...)
}

// initUnaligned initialises a field that may be less aligned than its type: by a variable that is copied.
func (l *lowerer) initUnaligned(sp syntax.Span, place func() syntax.Expr, f *types.Field, x hir.Expr) []syntax.Expr {
	t := f.Type.Unqualified()
	name := l.temporary(sp, t)
	to := func() syntax.Expr { return tree.Ident(sp, name) }
	var list []syntax.Expr
	if x == nil {
		list = l.zeroExprs(sp, to, t)
	} else {
		list = l.initExprs(to, t, x)
	}
	return append(list, l.copyBytes(sp, place(), to(), t))
}

// unalignedField reports whether a field of c is less aligned than its type.
func unalignedField(c *types.Class, f *types.Field) bool {
	return f.Width < 0 && !f.Type.IsRef() && f.Type.Align() > min(max(1, c.Align), lowestBit(f.Offset))
}

// data returns the bytes of a constant of type t; nil for what has addresses, bit-fields or bases in it.
func data(c *hir.Const, t types.Type) []byte {
	out := make([]byte, t.Size())
	if !putData(out, c, t.Underlying()) {
		return nil
	}
	return out
}

// putData stores a constant of type t, nil for zeros, and reports whether its bytes are known.
func putData(out []byte, c *hir.Const, t types.Type) bool {
	switch {
	case c == nil:
	case t.IsArray():
		n := int(t.Elem.Size())
		for i, x := range c.Elems {
			if !putData(out[i*n:(i+1)*n], x, t.Elem.Underlying()) {
				return false
			}
		}
	case t.IsClass():
		if len(t.Class.Bases) > 0 {
			return false
		}
		for i, f := range t.Class.Fields[:min(len(c.Fields), len(t.Class.Fields))] {
			if f.Width >= 0 || f.Type.IsRef() || !putData(out[f.Offset:f.Offset+f.Type.Size()], c.Fields[i], f.Type.Underlying()) {
				return false
			}
		}
	case t.IsFloat() && t.Size() == 4:
		binary.LittleEndian.PutUint32(out, math.Float32bits(float32(c.Float)))
	case t.IsFloat() && t.Size() == 8:
		binary.LittleEndian.PutUint64(out, math.Float64bits(c.Float))
	case t.IsInteger() && t.Size() <= 8:
		for i := range out {
			out[i] = byte(c.Int >> (8 * i))
		}
	default:
		return false
	}
	return true
}
