package lower

import (
	"slices"
	"strconv"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file reads and changes bit-fields: bits of an unsigned member that several share.

// loadBits returns the value of a bit-field.
func (l *lowerer) loadBits(e *hir.Field) syntax.Expr {
	if len(l.class(e.Field.Class).fields[e.Field.Index].parts) < 2 {
		return l.extract(at(e), l.lvalue(e.X), e.Field)
	}
	object, first := l.once(e.X)
	return comma(append(first, l.extract(at(e), object(), e.Field))...)
}

// extract returns the value of a bit-field of an object: sign-extended if its type is signed.
func (l *lowerer) extract(sp syntax.Span, object syntax.Expr, f *types.Field) syntax.Expr {
	m := l.class(f.Class).fields[f.Index]
	word, bits := wordOf(m.size)
	width := valueBits(f)
	x := l.word(sp, object, f.Class, f)
	t := f.Type.Underlying()
	up, down := bits-m.shift-width, bits-width
	if t.IsSigned() {
		x = tree.Cast(sp, tree.Basic(sp, word[len("unsigned "):]), tree.Binary(x, "<<", tree.Number(sp, int64(up))))
		x = tree.Binary(x, ">>", tree.Number(sp, int64(down)))
	} else {
		x = tree.Binary(tree.Binary(x, ">>", tree.Number(sp, int64(m.shift))), "&", mask(sp, width, m.size))
	}
	return &syntax.CastExpr{Span: sp, Type: l.typ(sp, t.Unqualified()), X: x}
}

// valueBits returns how many bits of a bit-field have its value: it may be wider than its type.
func valueBits(f *types.Field) int { return min(f.Width, f.Type.Width()) }

// word returns the bits of a bit-field's unit, or those of its pieces from its first byte on.
func (l *lowerer) word(sp syntax.Span, object syntax.Expr, c *types.Class, f *types.Field) syntax.Expr {
	m := l.class(c).fields[f.Index]
	word, _ := wordOf(m.size)
	if m.parts == nil {
		return tree.Cast(sp, tree.Basic(sp, word), l.rawField(sp, object, c, f))
	}
	var x syntax.Expr
	for _, p := range m.parts {
		y := tree.Cast(sp, tree.Basic(sp, word), memberOf(sp, tree.Clone(object), p.name))
		switch n := 8 * (p.offset - bytesOf(f).offset); {
		case n > 0:
			y = tree.Binary(y, "<<", tree.Number(sp, n))
		case n < 0:
			y = tree.Binary(y, ">>", tree.Number(sp, -n))
		}
		if x == nil {
			x = y
		} else {
			x = tree.Binary(x, "|", y)
		}
	}
	return tree.Paren(x)
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
	return l.storeBits(sp, object, c, f, v, func(string) bool { return false })
}

// initBits initialises a bit-field of an object, which is evaluated twice. The first field of a
// unit sets all of it: its bits have no value yet, or are zeros that stay.
func (l *lowerer) initBits(sp syntax.Span, object syntax.Expr, c *types.Class, f *types.Field, v syntax.Expr) syntax.Expr {
	return l.storeBits(sp, object, c, f, v, func(name string) bool { return l.firstBits(c, f, name) })
}

// storeBits sets a bit-field. Of a unit whose other bits have no value all bits are set.
func (l *lowerer) storeBits(sp syntax.Span, object syntax.Expr, c *types.Class, f *types.Field, v syntax.Expr, fresh func(unit string) bool) syntax.Expr {
	m := l.class(c).fields[f.Index]
	if m.parts == nil {
		return l.storeUnit(sp, l.rawField(sp, object, c, f), m.size, m.shift, valueBits(f), v, fresh(m.name))
	}
	word, _ := wordOf(m.size)
	var list []syntax.Expr
	if len(m.parts) > 1 {
		name := l.temp()
		l.emit(tree.Variable(sp, tree.Basic(sp, word), name, nil))
		list = append(list, tree.Assign(tree.Ident(sp, name), "=", tree.Cast(sp, tree.Basic(sp, word), v)))
		v = tree.Ident(sp, name)
	}
	first, width := firstBit(f), int64(valueBits(f))
	for _, p := range m.parts {
		from, to := max(first, 8*p.offset), min(first+width, 8*p.end())
		if from >= to {
			continue // bits without a value alone
		}
		bits := tree.Clone(v)
		if from > first {
			bits = tree.Binary(tree.Cast(sp, tree.Basic(sp, word), bits), ">>", tree.Number(sp, from-first))
		}
		unit := memberOf(sp, tree.Clone(object), p.name)
		list = append(list, l.storeUnit(sp, unit, max(p.size, 4), int(from-8*p.offset), int(to-from), bits, fresh(p.name)))
	}
	return comma(list...)
}

// storeUnit sets width bits of a unit from shift on, which are computed in a word of size bytes.
func (l *lowerer) storeUnit(sp syntax.Span, unit syntax.Expr, size int64, shift, width int, v syntax.Expr, fresh bool) syntax.Expr {
	word, _ := wordOf(size)
	bits := tree.Binary(tree.Cast(sp, tree.Basic(sp, word), v), "&", mask(sp, width, size))
	by := tree.Number(sp, int64(shift))
	if fresh {
		return tree.Assign(unit, "=", tree.Binary(bits, "<<", by))
	}
	keep := &syntax.UnaryExpr{Span: sp, Op: "~", X: tree.Binary(mask(sp, width, size), "<<", tree.Clone(by))}
	return tree.Assign(unit, "=", tree.Binary(tree.Binary(tree.Clone(unit), "&", keep), "|", tree.Binary(bits, "<<", by)))
}

// firstBits reports whether no field in front of f, nor one of a base, has bits in a unit of f.
func (l *lowerer) firstBits(c *types.Class, f *types.Field, unit string) bool {
	fields := l.class(c).fields
	from := unitsOf(c.Fields)[f.Index].offset
	for _, p := range fields[f.Index].parts {
		if p.name == unit {
			from = p.offset
		}
	}
	for _, b := range c.Bases {
		if !b.Class.Empty && b.Offset+b.Class.Size > from {
			return false
		}
	}
	for i, g := range c.Fields[:f.Index] {
		m := fields[i]
		if g.Name != "" && m.bits && (m.parts == nil && m.name == unit || slices.ContainsFunc(m.parts, func(p part) bool { return p.name == unit })) {
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

// choosesBits reports whether a conditional expression may choose a bit-field, or a comma
// precedes one.
func choosesBits(x hir.Expr) bool {
	switch x := x.(type) {
	case *hir.Cond:
		return isBits(x.X) || isBits(x.Y)
	case *hir.Comma:
		return isBits(x.Y)
	}
	return false
}

func isBits(x hir.Expr) bool {
	f, ok := x.(*hir.Field)
	return ok && f.Field.Width >= 0 || choosesBits(x)
}

// chosen lowers what is done with the operand that a conditional expression chooses, or that
// follows a comma: a bit-field has no address by which it could be named.
func (l *lowerer) chosen(x hir.Expr, do func(hir.Expr) syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *hir.Cond:
		c := &syntax.CondExpr{Span: at(x), Cond: l.condition(x.C)}
		l.maybe(func() { c.Then, c.Else = l.chosen(x.X, do), l.chosen(x.Y, do) })
		return tree.Paren(c)
	case *hir.Comma:
		return comma(append(l.effects(x.X), l.chosen(x.Y, do))...)
	}
	return do(x)
}

// assignChosen lowers an assignment to the bit-field that x chooses. The right operand is
// evaluated first.
func (l *lowerer) assignChosen(e *hir.Assign, x hir.Expr) syntax.Expr {
	sp, t := at(e), e.Y.Type().Unqualified()
	name := l.temporary(sp, t)
	place := namedPlace(sp, e.Y, t, name)
	with := *e
	with.Y = &hir.Convert{Info: hir.Info{Span: spanOf(e.Y), T: t, Cat: hir.PRValue}, Kind: hir.Load, X: place}
	set := tree.Assign(tree.Ident(sp, name), "=", l.converted(e.Y, e.Y.Type()))
	return comma(set, l.chosen(x, func(x hir.Expr) syntax.Expr { return l.assign(&with, x) }))
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
