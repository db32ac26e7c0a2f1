package eval

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// addressOf evaluates &X.
func (m *machine) addressOf(e *hir.AddrOf) scalar {
	if f, ok := e.X.(*hir.FuncRef); ok {
		return scalar{fn: f.Func}
	}
	return scalar{p: m.glvalue(e.X)}
}

// pointers evaluates arithmetic and comparisons of pointers.
func (m *machine) pointers(e *hir.Binary, x, y scalar) scalar {
	tx, ty := e.X.Type(), e.Y.Type()
	switch {
	case e.Op == hir.Eq || e.Op == hir.Ne:
		return boolean(m.samePlace(e, x, y) == (e.Op == hir.Eq))
	case e.Op == hir.Sub && tx.IsPointer() && ty.IsPointer():
		if x.p.array == y.p.array && x.p.array != nil {
			return wrap(uint64(x.p.index-y.p.index), 0, e.T)
		}
		if m.samePlace(e, x, y) {
			return scalar{}
		}
		m.fail(e, "subtracted pointers are not elements of the same array")
	case e.Op == hir.Add || e.Op == hir.Sub:
		if !tx.IsPointer() {
			x, y, tx, ty = y, x, ty, tx
		}
		n := int64(y.i)
		if e.Op == hir.Sub {
			n = -n
		}
		return scalar{p: m.advance(e, x.p, n)}
	}
	return boolean(compare(e.Op, m.orderPlaces(e, x.p, y.p), false))
}

// samePlace reports whether two pointers are equal.
func (m *machine) samePlace(at node, x, y scalar) bool {
	a, b := x.p, y.p
	switch {
	case x.fn != nil || y.fn != nil || x.member != nil || y.member != nil:
		return x.fn == y.fn && x.member == y.member
	case a.isNull() || b.isNull():
		return a.isNull() && b.isNull() && x.i == y.i
	case a.array != nil && a.array == b.array:
		return a.index == b.index
	case a.o != nil && b.o != nil && a.o.root != b.o.root && a.o.root.text != nil && b.o.root.text != nil:
		m.fail(at, "comparison of addresses of literals has unspecified value in a constant expression")
	case a.past != nil && b.past != nil:
		return a.past == b.past
	case (a.o == nil) != (b.o == nil): // behind one object is perhaps another
		m.fail(at, "comparison against pointer one past the end of a complete object has unspecified value")
	}
	return a.o == b.o
}

// orderPlaces returns -1, 0 or 1 as x is in front of y, equal or behind it.
func (m *machine) orderPlaces(at node, x, y pointer) int {
	switch {
	case x.array != nil && x.array == y.array:
		return max(-1, min(1, int(x.index-y.index)))
	case x.o != nil && x.o == y.o:
		return 0
	case x.o != nil && y.o != nil && x.o.up != nil && x.o.up == y.o.up:
		return max(-1, min(1, int(offsetIn(x.o)-offsetIn(y.o))))
	}
	m.fail(at, "comparison has unspecified value")
	panic("unreachable")
}

// advance adds n to a pointer, which must stay in its array or at its end.
func (m *machine) advance(at node, p pointer, n int64) pointer {
	if n == 0 {
		return p
	}
	if p.isNull() {
		m.fail(at, "cannot perform pointer arithmetic on null pointer")
	}
	if p.array != nil {
		size := p.array.typ.Len
		i := p.index + n
		if i < 0 || i > size && size >= 0 {
			m.fail(at, "cannot refer to element %d of array of %d element%s in a constant expression", i, size, plural(int(size)))
		}
		q := pointer{array: p.array, index: i}
		if i < size || size < 0 {
			q.o = m.elem(at, p.array, i)
		}
		return q
	}
	switch {
	case p.past == nil && n == 1:
		return pointer{past: p.o, index: 1}
	case p.past != nil && n == -1:
		return pointer{o: p.past}
	}
	m.fail(at, "cannot refer to element %d of non-array object in a constant expression", p.index+n)
	panic("unreachable")
}

// assignment evaluates X = Y and X op= Y.
func (m *machine) assignment(e *hir.Assign) pointer {
	t := e.X.Type()
	if e.Op == hir.NoOp { // the right operand is evaluated first
		v := m.scalar(e.Y)
		p := m.glvalue(e.X)
		m.write(e, p, v)
		return p
	}
	y := m.scalar(e.Y)
	p := m.glvalue(e.X)
	old := m.read(e, p)
	if t.IsPointer() {
		n := int64(y.i)
		if e.Op == hir.Sub {
			n = -n
		}
		m.write(e, p, scalar{p: m.advance(e, old.p, n)})
		return p
	}
	x := m.arithmeticConvert(e, old, t, e.Computed)
	r := m.arithmetic(e, e.Op, e.Computed, x, y, e.Y.Type())
	m.write(e, p, m.arithmeticConvert(e, r, e.Computed, t))
	return p
}

// arithmeticConvert converts between arithmetic types.
func (m *machine) arithmeticConvert(at node, x scalar, from, to types.Type) scalar {
	kind := hir.Integral
	switch {
	case from.IsFloat() && to.IsFloat():
		kind = hir.Floating
	case to.Underlying().Is(types.Bool):
		kind = hir.ToBool
	case from.IsFloat():
		kind = hir.FloatToInt
	case to.IsFloat():
		kind = hir.IntToFloat
	}
	return m.convertValue(at, kind, x, from, to)
}

// write gives the object that a pointer is to a value.
func (m *machine) write(at node, p pointer, v scalar) {
	o := m.object(at, p)
	m.writable(at, o)
	o.value, o.init = v, true
	o.narrow()
}

// preIncrement evaluates ++X and --X, as a glvalue.
func (m *machine) preIncrement(e *hir.IncDec) pointer {
	p := m.glvalue(e.X)
	m.bump(e, p)
	return p
}

// incDec evaluates X++ and X--, and ++X where its value is used.
func (m *machine) incDec(e *hir.IncDec) scalar {
	p := m.glvalue(e.X)
	old := m.read(e, p)
	m.bump(e, p)
	if e.Postfix {
		return old
	}
	return m.read(e, p)
}

func (m *machine) bump(e *hir.IncDec, p pointer) {
	t := e.X.Type()
	old := m.read(e, p)
	n := int64(1)
	op := hir.Add
	if e.Dec {
		n, op = -1, hir.Sub
	}
	switch {
	case t.IsPointer():
		m.write(e, p, scalar{p: m.advance(e, old.p, n)})
	case t.IsFloat():
		m.write(e, p, m.floating(e, op, t, old.f, 1))
	default: // computed in the promoted type, and converted
		c := m.ctx.Table.Promote(t)
		m.write(e, p, m.arithmeticConvert(e, m.integer(e, op, c, old, scalar{i: 1}), c, t))
	}
}
