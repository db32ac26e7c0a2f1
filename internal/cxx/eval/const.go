package eval

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// fromConst returns the scalar, or the reference, that a constant is.
func (m *machine) fromConst(at node, k *hir.Const) scalar {
	s := scalar{i: k.Int, f: k.Float, member: k.Member}
	if k.Type.IsValid() && k.Type.IsSigned() && int64(k.Int) < 0 {
		s.hi = ^uint64(0)
	}
	switch base := k.Base.(type) {
	case *hir.Func:
		s.fn = base
		return s
	case *hir.Var:
		s.p = m.place(at, m.variable(at, base), k.Offset, elemType(k.Type))
		return s
	}
	if k.String != nil {
		elem := elemType(k.Type)
		if !elem.IsInteger() {
			elem = m.ctx.Table.Basic(types.Char)
		}
		t := m.ctx.Table.Array(m.ctx.Table.Qualify(elem, types.Const), int64(len(k.String))/elem.Size())
		s.p = m.place(at, m.textObject(at, k.String, t), k.Offset, elem)
	}
	return s
}

// elemType returns what a pointer or reference is to; other types are their own.
func elemType(t types.Type) types.Type {
	if t.IsPointer() || t.IsRef() {
		return t.Elem
	}
	return t
}

// place returns the pointer to the object of type t at an offset in o.
func (m *machine) place(at node, o *object, offset int64, t types.Type) pointer {
	for {
		if offset == 0 && t.IsValid() && o.typ.Node == t.Node {
			return to(o)
		}
		switch {
		case o.typ.IsArray():
			size := o.typ.Elem.Size()
			i := offset / max(size, 1)
			if i >= o.typ.Len {
				return pointer{array: o, index: i}
			}
			o, offset = m.elem(at, o, i), offset-i*size
		case o.typ.IsClass():
			next, from := part(o, offset, t)
			if next == nil {
				return to(o)
			}
			o, offset = next, offset-from
		case offset > 0:
			return pointer{past: o, index: 1}
		default:
			return to(o)
		}
	}
}

// part returns the base or field of o that an offset is in, and its own offset.
func part(o *object, offset int64, t types.Type) (*object, int64) {
	c := o.typ.Class
	for i, b := range c.Bases {
		if offset >= b.Offset && offset < b.Offset+max(b.Class.DataSize, 1) && (!b.Class.Empty || t.Node == o.bases[i].typ.Node) {
			return o.bases[i], b.Offset
		}
	}
	for i, f := range c.Fields {
		if o.fields[i] != nil && offset >= f.Offset && offset < f.Offset+f.Type.Size() && (!f.IsShared() || t.Node == f.Type.Node) {
			return o.fields[i], f.Offset
		}
	}
	return nil, 0
}

// scalarConst returns a scalar as a constant.
func (m *machine) scalarConst(at node, t types.Type, s scalar) *hir.Const {
	k := &hir.Const{Type: t}
	switch {
	case t.IsFloat():
		k.Float = s.f
	case s.fn != nil:
		k.Base = s.fn
	case s.member != nil:
		k.Member = s.member
	case t.IsPointer():
		if s.p.isNull() {
			k.Int = s.i
			return k
		}
		k = m.pointerConst(at, s.p, false)
		k.Type = t
	default:
		k.Int = t.Truncate(s.i)
		if w := t.Underlying(); w.Size() == 16 && s.hi != high(s.i, w) {
			m.fail(at, "value of type '%s' does not fit in 64 bits", t)
		}
	}
	return k
}

// high returns the upper half of an integer of 128 bits whose lower half decides it.
func high(lo uint64, t types.Type) uint64 {
	if t.IsSigned() && int64(lo) < 0 {
		return ^uint64(0)
	}
	return 0
}

// pointerConst returns an address as a constant: of a variable, or in a literal.
func (m *machine) pointerConst(at node, p pointer, ref bool) *hir.Const {
	what := "pointer"
	if ref {
		what = "reference"
	}
	o, offset := p.o, int64(0)
	switch {
	case p.past != nil:
		o, offset = p.past, p.past.typ.Size()
	case p.o == nil && p.array != nil:
		o, offset = p.array, p.index*p.array.typ.Elem.Size()
	case p.o == nil:
		m.fail(at, "%s to a null object is not a constant expression", what)
	}
	for ; o.up != nil; o = o.up {
		offset += offsetIn(o)
	}
	k := &hir.Const{Base: o.root.entity, String: o.root.text, Offset: offset}
	if v, ok := k.Base.(*hir.Var); ok && v.Space == hir.Local && !v.Static && v.Symbol == "" {
		m.fail(at, "%s to '%s' is not a constant expression", what, v.Name)
	}
	if k.Base == nil && k.String == nil {
		m.fail(at, "%s to temporary is not a constant expression", what)
	}
	return k
}

// offsetIn returns the offset of an object in what it is part of.
func offsetIn(o *object) int64 {
	up := o.up
	if up.typ.IsArray() {
		return o.index * up.typ.Elem.Size()
	}
	for i, b := range up.bases {
		if b == o {
			return up.typ.Class.Bases[i].Offset
		}
	}
	for i, f := range up.fields {
		if f == o {
			return up.typ.Class.Fields[i].Offset
		}
	}
	return 0
}

// objectConst returns an object as a constant.
func (m *machine) objectConst(at node, o *object) *hir.Const {
	t := o.typ
	k := &hir.Const{Type: t}
	switch {
	case t.IsArray():
		for _, e := range o.elems {
			k.Elems = append(k.Elems, m.objectConst(at, e))
		}
	case t.IsClass():
		for _, b := range o.bases {
			k.Bases = append(k.Bases, m.objectConst(at, b))
		}
		for i, f := range o.fields {
			if f == nil || t.Class.Fields[i].Name == "" && t.Class.Fields[i].Width >= 0 {
				k.Fields = append(k.Fields, nil)
				continue
			}
			k.Fields = append(k.Fields, m.objectConst(at, f))
		}
	case t.IsRef():
		k = m.pointerConst(at, o.value.p, true)
		k.Type = t
	case !o.init:
		m.fail(at, "subobject of type '%s' is not initialized", t)
	default:
		k = m.scalarConst(at, t, o.value)
	}
	return k
}
