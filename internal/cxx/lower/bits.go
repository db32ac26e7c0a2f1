package lower

import (
	"strconv"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file reads and changes bit-fields: bits of an unsigned member that several share.

// loadBits returns the value of a bit-field.
func (l *lowerer) loadBits(e *hir.Field) syntax.Expr {
	return l.extract(at(e), l.lvalue(e.X), e.Field)
}

// extract returns the value of a bit-field of an object: sign-extended if its type is signed.
func (l *lowerer) extract(sp syntax.Span, object syntax.Expr, f *types.Field) syntax.Expr {
	m := l.class(f.Class).fields[f.Index]
	word, bits := wordOf(m.size)
	x := tree.Cast(sp, tree.Basic(sp, word), l.rawField(sp, object, f.Class, f))
	t := f.Type.Underlying()
	up, down := bits-m.shift-f.Width, bits-f.Width
	if t.IsSigned() {
		x = tree.Cast(sp, tree.Basic(sp, word[len("unsigned "):]), tree.Binary(x, "<<", tree.Number(sp, int64(up))))
		x = tree.Binary(x, ">>", tree.Number(sp, int64(down)))
	} else {
		x = tree.Binary(tree.Binary(x, ">>", tree.Number(sp, int64(m.shift))), "&", mask(sp, f.Width, m.size))
	}
	return &syntax.CastExpr{Span: sp, Type: l.typ(sp, t.Unqualified()), X: x}
}

// wordOf returns the type that the bits of a member of size bytes are computed in.
func wordOf(size int64) (name string, bits int) {
	if size == 8 {
		return "unsigned long", 64
	}
	return "unsigned int", 32
}

// mask returns a constant with the lowest width bits set.
func mask(sp syntax.Span, width int, size int64) syntax.Expr {
	suffix := "u"
	if size == 8 {
		suffix = "ul"
	}
	v := ^uint64(0)
	if width < 64 {
		v = 1<<width - 1
	}
	return &syntax.BasicLit{Span: sp, Kind: syntax.IntLit, Text: "0x" + strconv.FormatUint(v, 16) + suffix}
}

// setBits sets a bit-field of an object, which is evaluated twice.
func (l *lowerer) setBits(sp syntax.Span, object syntax.Expr, c *types.Class, f *types.Field, v syntax.Expr) syntax.Expr {
	m := l.class(c).fields[f.Index]
	word, _ := wordOf(m.size)
	unit := l.rawField(sp, object, c, f)
	shift := tree.Number(sp, int64(m.shift))
	keep := &syntax.UnaryExpr{Span: sp, Op: "~", X: tree.Binary(mask(sp, f.Width, m.size), "<<", shift)}
	bits := tree.Binary(tree.Binary(tree.Cast(sp, tree.Basic(sp, word), v), "&", mask(sp, f.Width, m.size)), "<<", tree.Number(sp, int64(m.shift)))
	return tree.Assign(unit, "=", tree.Binary(tree.Binary(tree.Clone(unit), "&", keep), "|", bits))
}

// initBits initialises a bit-field of an object, which is evaluated twice. The first field of a
// unit sets all of it: its bits have no value yet, or are zeros that stay.
func (l *lowerer) initBits(sp syntax.Span, object syntax.Expr, c *types.Class, f *types.Field, v syntax.Expr) syntax.Expr {
	if !l.firstBits(c, f) {
		return l.setBits(sp, object, c, f, v)
	}
	m := l.class(c).fields[f.Index]
	word, _ := wordOf(m.size)
	bits := tree.Binary(tree.Cast(sp, tree.Basic(sp, word), v), "&", mask(sp, f.Width, m.size))
	return tree.Assign(l.rawField(sp, object, c, f), "=", tree.Binary(bits, "<<", tree.Number(sp, int64(m.shift))))
}

// firstBits reports whether no field in front of f, nor one of a base, has bits in the unit of f.
func (l *lowerer) firstBits(c *types.Class, f *types.Field) bool {
	from := unitsOf(c.Fields)[f.Index].offset
	for _, b := range c.Bases {
		if !b.Class.Empty && b.Offset+b.Class.Size > from {
			return false
		}
	}
	fields := l.class(c).fields
	for i, g := range c.Fields[:f.Index] {
		if g.Name != "" && fields[i].bits && fields[i].name == fields[f.Index].name {
			return false
		}
	}
	return true
}

// assignBits lowers an assignment to a bit-field; its value is the field's new one.
func (l *lowerer) assignBits(e *hir.Assign, f *hir.Field) syntax.Expr {
	sp := at(e)
	v, first := l.early(f, e.Y)
	object, set := l.once(f.X)
	first = append(first, set...)
	if e.Op != hir.NoOp {
		old := l.extract(sp, object(), f.Field)
		v = &syntax.BinaryExpr{Span: sp, X: &syntax.CastExpr{Span: sp, Type: l.typ(sp, e.Computed.Unqualified()), X: old}, Op: binaryOps[e.Op], Y: v}
	}
	if !e.Y.Type().IsInteger() {
		v = &syntax.CastExpr{Span: sp, Type: l.typ(sp, f.Field.Type.Unqualified()), X: v}
	}
	assign := l.setBits(sp, object(), f.Field.Class, f.Field, v)
	return comma(append(first, assign, l.extract(sp, object(), f.Field))...)
}

// early returns the right operand of an assignment, whose left one is read in more than one
// place, and what must be evaluated first: the operand, if the order matters.
func (l *lowerer) early(left, e hir.Expr) (syntax.Expr, []syntax.Expr) {
	if l.isFixed(e, false) || l.repeatable(e) && l.repeatable(left) {
		return l.value(e), nil
	}
	sp := at(e)
	name := l.temporary(sp, e.Type().Unqualified())
	return tree.Ident(sp, name), []syntax.Expr{tree.Assign(tree.Ident(sp, name), "=", l.converted(e, e.Type()))}
}

// withoutBits removes the value of an assignment to x that is not used, if x is a bit-field.
func withoutBits(x hir.Expr, assignment syntax.Expr) syntax.Expr {
	if f, ok := x.(*hir.Field); ok && f.Field.Width >= 0 {
		return assignment.(*syntax.BinaryExpr).X
	}
	return assignment
}

// incDecBits lowers ++ and -- of a bit-field.
func (l *lowerer) incDecBits(e *hir.IncDec, f *hir.Field) syntax.Expr {
	sp := at(e)
	op := syntax.Op("+")
	if e.Dec {
		op = "-"
	}
	object, first := l.once(f.X)
	old := l.temporary(sp, f.Field.Type.Unqualified())
	first = append(first, tree.Assign(tree.Ident(sp, old), "=", l.extract(sp, object(), f.Field)))
	set := l.setBits(sp, object(), f.Field.Class, f.Field, tree.Paren(tree.Binary(tree.Ident(sp, old), op, tree.Number(sp, 1))))
	if e.Postfix {
		return comma(append(first, set, tree.Ident(sp, old))...)
	}
	return comma(append(first, set, l.extract(sp, object(), f.Field))...)
}

// once returns a glvalue as a place that can be evaluated twice, and what must be
// evaluated first.
func (l *lowerer) once(e hir.Expr) (func() syntax.Expr, []syntax.Expr) {
	if l.repeatable(e) {
		return func() syntax.Expr { return l.lvalue(e) }, nil
	}
	sp := at(e)
	name := l.temp()
	l.emit(tree.Variable(sp, l.pointerTo(sp, e.Type()), name, nil))
	set := tree.Assign(tree.Ident(sp, name), "=", l.addr(e))
	return func() syntax.Expr { return deref(tree.Ident(sp, name)) }, []syntax.Expr{set}
}
