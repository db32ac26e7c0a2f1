package eval

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// An object is a scalar, a class with its bases and fields, or an array.
type object struct {
	typ    types.Type
	up     *object // the class or array that it is part of
	index  int64   // in up.elems, if that is an array
	bases  []*object
	fields []*object // of a union nil but for the active one
	elems  []*object
	named  map[int64]*object // the elements of an array without values that were named
	init   bool              // a scalar has a value
	value  scalar
	bits   int // of a bit-field: its width; 0 for others
	root   *root

	mutable  bool // a member that is mutable
	constant bool // a const object that has been initialised
}

// A root is what is known of a whole object.
type root struct {
	entity  types.Entity // of a variable outside of the expression
	text    []byte       // of a string literal
	frozen  bool         // made before the expression: may not be changed
	unknown bool         // has an address and no value
	dead    bool         // its scope has ended
}

// A scalar is a value of scalar type.
type scalar struct {
	i, hi  uint64 // an integer, extended to 64 and 128 bits
	f      float64
	p      pointer
	fn     *hir.Func    // a function, for pointers and pointers to members
	member *types.Field // a pointer to a data member
}

// A pointer is null, an object, or a place in an array: its element at index, or its end.
type pointer struct {
	o     *object // nil at an array's end
	array *object // nil for what is no element
	index int64   // in the array; 1 behind what is no element, whose object is past then
	past  *object
}

func (p pointer) isNull() bool { return p.o == nil && p.array == nil && p.past == nil }

// to returns a pointer to an object.
func to(o *object) pointer {
	if o.up != nil && o.up.typ.IsArray() {
		return pointer{o: o, array: o.up, index: o.index}
	}
	return pointer{o: o}
}

// maxObjects bounds the scalars of one object.
const maxObjects = 1 << 22

// newObject makes an object without a value.
func (m *machine) newObject(at node, t types.Type) *object {
	return m.make(at, t, nil, &root{})
}

func (m *machine) make(at node, t types.Type, up *object, r *root) *object {
	o := &object{typ: t, up: up, root: r}
	switch {
	case t.IsArray() && r.unknown: // elements are made when they are named
	case t.IsArray():
		n := max(t.Len, 0)
		if n > maxObjects {
			m.fail(at, "cannot allocate array; evaluated array bound %d is too large", n)
		}
		m.spend(at, n/16)
		o.elems = make([]*object, n)
		for i := range o.elems {
			o.elems[i] = m.make(at, t.Elem, o, r)
			o.elems[i].index = int64(i)
		}
	case t.IsClass():
		c := t.Class
		for _, b := range c.Bases {
			o.bases = append(o.bases, m.make(at, m.ctx.Table.Class(b.Class), o, r))
		}
		o.fields = make([]*object, len(c.Fields))
		for i := range c.Fields {
			if !c.Union {
				o.fields[i] = m.field(at, o, i)
			}
		}
	}
	return o
}

// elem returns the i-th element of an array.
func (m *machine) elem(at node, o *object, i int64) *object {
	if !o.root.unknown {
		if i < 0 || i >= int64(len(o.elems)) {
			m.fail(at, "cannot refer to element %d of an array without a bound in a constant expression", i)
		}
		return o.elems[i]
	}
	e := o.named[i]
	if e == nil {
		e = m.make(at, o.typ.Elem, o, o.root)
		e.index = i
		if o.named == nil {
			o.named = map[int64]*object{}
		}
		o.named[i] = e
	}
	return e
}

// field makes the i-th field of a class.
func (m *machine) field(at node, o *object, i int) *object {
	f := o.typ.Class.Fields[i]
	x := m.make(at, f.Type, o, o.root)
	x.bits, x.mutable = max(f.Width, 0), f.Mutable
	return x
}

// activate makes a field of a union the active one.
func (m *machine) activate(at node, o *object, i int) *object {
	for k := range o.fields {
		if k != i {
			o.fields[k] = nil
		}
	}
	if o.fields[i] == nil {
		o.fields[i] = m.field(at, o, i)
	}
	return o.fields[i]
}

// zero gives an object the value that it is zero-initialised to.
func (m *machine) zero(at node, o *object) {
	o.value, o.init = scalar{}, true
	for _, b := range o.bases {
		m.zero(at, b)
	}
	for _, e := range o.elems {
		m.zero(at, e)
	}
	if o.typ.IsUnion() && len(o.fields) > 0 {
		m.zero(at, m.activate(at, o, 0))
		return
	}
	for _, f := range o.fields {
		m.zero(at, f)
	}
}

// assign copies the value of an object of the same class or array type.
func (m *machine) assign(at node, to, from *object) {
	m.step(at)
	if from.typ.IsScalar() || from.typ.IsRef() {
		to.value, to.init = from.value, from.init
		return
	}
	for i := range from.bases {
		m.assign(at, to.bases[i], from.bases[i])
	}
	for i := range from.elems {
		m.assign(at, to.elems[i], from.elems[i])
	}
	for i, f := range from.fields {
		switch {
		case f == nil:
			to.fields[i] = nil
		case to.fields[i] == nil:
			m.assign(at, m.activate(at, to, i), f)
		default:
			m.assign(at, to.fields[i], f)
		}
	}
}

// local returns the variable of the present call, or nil.
func (f *frame) local(v *hir.Var) *object {
	for i := len(f.locals) - 1; i >= 0; i-- {
		if f.locals[i].v == v {
			return f.locals[i].o
		}
	}
	return nil
}

// bind declares a variable in the present call.
func (f *frame) bind(v *hir.Var, o *object) { f.locals = append(f.locals, local{v, o}) }

// leave ends the lives of the variables behind the first n.
func (f *frame) leave(n int) {
	for _, l := range f.locals[n:] {
		l.o.root.dead = true
	}
	f.locals = f.locals[:n]
}

// variable returns the object of a variable: a local one, a constant, or one that has an
// address alone.
func (m *machine) variable(at node, v *hir.Var) *object {
	if o := m.frame.local(v); o != nil {
		return o
	}
	if o := m.vars[v]; o != nil {
		return o
	}
	r := &root{entity: v, frozen: true}
	t := v.Type
	known := v.Const
	if known == nil && t.IsRef() {
		known = v.Value
	}
	if known == nil {
		r.unknown = true
	}
	var o *object
	if known == nil && !t.Complete() {
		o = &object{typ: t, root: r}
	} else {
		o = m.make(at, t, nil, r)
	}
	if m.vars == nil {
		m.vars = map[*hir.Var]*object{}
	}
	m.vars[v] = o
	if known != nil {
		m.load(at, o, known)
	}
	return o
}

// load gives an object the value of a constant.
func (m *machine) load(at node, o *object, k *hir.Const) {
	t := o.typ
	switch {
	case t.IsArray():
		for i, e := range o.elems {
			switch {
			case i < len(k.Elems) && k.Elems[i] != nil:
				m.load(at, e, k.Elems[i])
			case k.String != nil:
				e.value.i, e.init = e.typ.Truncate(unit(k.String, int64(i), e.typ.Size())), true
			default:
				m.zero(at, e)
			}
		}
	case t.IsClass():
		for i, b := range o.bases {
			if i < len(k.Bases) && k.Bases[i] != nil {
				m.load(at, b, k.Bases[i])
			}
		}
		for i := range o.fields {
			if i >= len(k.Fields) || k.Fields[i] == nil {
				continue
			}
			f := o.fields[i]
			if f == nil {
				f = m.activate(at, o, i)
			}
			m.load(at, f, k.Fields[i])
		}
	default:
		o.value, o.init = m.fromConst(at, k), true
	}
}

// unit returns the i-th character of a literal's bytes.
func unit(b []byte, i, size int64) uint64 {
	var v uint64
	for k := size - 1; k >= 0; k-- {
		if n := i*size + k; n < int64(len(b)) {
			v = v<<8 | uint64(b[n])
		}
	}
	return v
}

// text returns the object of a string literal.
func (m *machine) text(e *hir.StringExpr) *object { return m.textObject(e, e.Bytes, e.T) }

// textObject returns the object of a literal with bytes b: the same for the same literal.
func (m *machine) textObject(at node, b []byte, t types.Type) *object {
	if len(b) > 0 {
		if o := m.texts[&b[0]]; o != nil && o.typ.Unqualified() == t.Unqualified() {
			return o
		}
	}
	o := m.make(at, t, nil, &root{text: b, frozen: true})
	for i, e := range o.elems {
		e.value.i, e.init = e.typ.Truncate(unit(b, int64(i), e.typ.Size())), true
	}
	if len(b) > 0 {
		if m.texts == nil {
			m.texts = map[*byte]*object{}
		}
		m.texts[&b[0]] = o
	}
	return o
}
