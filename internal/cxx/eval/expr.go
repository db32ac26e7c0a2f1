package eval

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// scalar evaluates a prvalue of scalar type.
func (m *machine) scalar(e hir.Expr) scalar {
	switch e := e.(type) {
	case *hir.ConstExpr:
		return m.fromConst(e, &e.Value)
	case *hir.Zero:
		return scalar{}
	case *hir.Convert:
		return m.convert(e)
	case *hir.Unary:
		return m.unary(e)
	case *hir.Binary:
		return m.binary(e)
	case *hir.Cond:
		return m.scalar(m.choose(e))
	case *hir.Comma:
		m.effect(e.X)
		return m.scalar(e.Y)
	case *hir.AddrOf:
		return m.addressOf(e)
	case *hir.IncDec:
		return m.incDec(e)
	case *hir.Call:
		return m.call(e, nil)
	case *hir.MemberPtr:
		return scalar{member: e.Field, fn: e.Func}
	case *hir.Field: // of a prvalue of class type
		return m.read(e, m.glvalue(e))
	case *hir.StmtExpr:
		m.block(e.Body)
		return m.scalar(e.Value)
	case *hir.Aggregate: // int{}
		if len(e.Elems) == 1 {
			return m.scalar(e.Elems[0])
		}
	case *hir.New:
		m.fail(e, "dynamic memory allocation is not permitted in constant expressions until C++20")
	}
	if e.Category() != hir.PRValue {
		return m.read(e, m.glvalue(e))
	}
	m.fail(e, "subexpression not valid in a constant expression")
	panic("unreachable")
}

// choose evaluates the condition of ?: and returns the operand it chooses.
func (m *machine) choose(e *hir.Cond) hir.Expr {
	if m.truth(e.C) {
		return e.X
	}
	return e.Y
}

// truth evaluates a condition.
func (m *machine) truth(e hir.Expr) bool {
	s := m.scalar(e)
	return isTrue(&s, e.Type())
}

func isTrue(s *scalar, t types.Type) bool {
	switch {
	case t.IsFloat():
		return s.f != 0
	case t.IsPointer() || t.Is(types.MemberPointer):
		return s.fn != nil || s.member != nil || !s.p.isNull() || s.i != 0
	}
	return s.i != 0 || s.hi != 0
}

// effect evaluates an expression whose value is not used.
func (m *machine) effect(e hir.Expr) {
	t := e.Type()
	switch x := e.(type) {
	case *hir.Convert:
		if x.Kind == hir.ToVoid {
			m.effect(x.X)
			return
		}
	case *hir.Comma:
		m.effect(x.X)
		m.effect(x.Y)
		return
	case *hir.Cond:
		m.effect(m.choose(x))
		return
	case *hir.Call:
		if t.IsVoid() {
			m.call(x, nil)
			return
		}
	case *hir.StmtExpr:
		m.block(x.Body)
		if x.Value != nil {
			m.effect(x.Value)
		}
		return
	case *hir.Delete, *hir.Launch:
		m.fail(e, "subexpression not valid in a constant expression")
	}
	switch {
	case e.Category() != hir.PRValue:
		m.glvalue(e)
	case t.IsVoid():
	case t.IsScalar():
		m.scalar(e)
	default:
		m.into(e, m.newObject(e, t))
	}
}

// glvalue evaluates a glvalue: to a pointer to its object.
func (m *machine) glvalue(e hir.Expr) pointer {
	switch e := e.(type) {
	case *hir.VarRef:
		return m.varRef(e)
	case *hir.StringExpr:
		return to(m.text(e))
	case *hir.Deref:
		return m.scalar(e.X).p
	case *hir.Field:
		return m.follow(e, m.fieldOf(e, m.objectOf(e, e.X), e.Field), e.Field.Name)
	case *hir.FieldAt:
		o := m.object(e, m.glvalue(e.X))
		s := m.scalar(e.Ptr)
		if s.member == nil {
			m.fail(e, "dereferencing a null pointer to member is not allowed in a constant expression")
		}
		return to(m.fieldOf(e, m.holder(e, o, s.member), s.member))
	case *hir.Assign:
		return m.assignment(e)
	case *hir.IncDec:
		return m.preIncrement(e)
	case *hir.Copy:
		target := m.object(e, m.glvalue(e.To))
		m.writable(e, target)
		source := m.object(e, m.glvalue(e.X))
		m.known(e, source)
		m.assign(e, target, source)
		return to(target)
	case *hir.Cond:
		return m.glvalue(m.choose(e))
	case *hir.Comma:
		m.effect(e.X)
		return m.glvalue(e.Y)
	case *hir.Call:
		return m.call(e, nil).p
	case *hir.Materialize:
		return m.materialize(e)
	case *hir.Convert:
		return m.convertGlvalue(e)
	}
	m.fail(e, "subexpression not valid in a constant expression")
	panic("unreachable")
}

func (m *machine) varRef(e *hir.VarRef) pointer {
	v := e.Var
	if v.Builtin != "" {
		m.fail(e, "read of non-constexpr variable '%s' is not allowed in a constant expression", v.Name)
	}
	return m.follow(e, m.variable(e, v), v.Name)
}

// follow returns a pointer to the object that a variable or member is or, if it is a reference,
// refers to.
func (m *machine) follow(at node, o *object, name string) pointer {
	if !o.typ.IsRef() {
		return to(o)
	}
	if !o.init {
		m.fail(at, "function parameter or reference '%s' with unknown value cannot be used in a constant expression", name)
	}
	return o.value.p
}

// materialize makes a temporary object of a prvalue.
func (m *machine) materialize(e *hir.Materialize) pointer {
	o := m.newObject(e, e.X.Type())
	m.initialize(o, e.X)
	if e.Extend != nil {
		m.frame.bind(nil, o)
	} else {
		m.temps = append(m.temps, o.root)
	}
	return to(o)
}

// end ends a full expression of a function: its temporaries, those behind the first n, die.
func (m *machine) end(n int) {
	for _, r := range m.temps[n:] {
		r.dead = true
	}
	m.temps = m.temps[:n]
}

// initialize gives an object its first value.
func (m *machine) initialize(o *object, e hir.Expr) {
	switch {
	case o.typ.IsRef():
		o.value, o.init = scalar{p: m.glvalue(e)}, true
	case o.typ.IsScalar():
		o.value, o.init = m.scalar(e), true
		o.narrow()
	default:
		m.into(e, o)
	}
}

// narrow reduces the value of a bit-field to its width.
func (o *object) narrow() {
	if o.bits == 0 || o.bits >= 64 {
		return
	}
	n := 64 - o.bits
	if o.typ.IsSigned() {
		o.value.i = uint64(int64(o.value.i<<n) >> n)
	} else {
		o.value.i = o.value.i << n >> n
	}
	o.value.hi = high(o.value.i, o.typ.Underlying())
}

// objectOf returns the object that an expression of class type is, a temporary for a
// prvalue.
func (m *machine) objectOf(at node, e hir.Expr) *object {
	if e.Category() != hir.PRValue {
		return m.object(at, m.glvalue(e))
	}
	o := m.newObject(at, e.Type())
	m.into(e, o)
	return o
}

// object returns the object that a pointer is to; it must be one that is alive.
func (m *machine) object(at node, p pointer) *object { return m.pointee(at, p, "access") }

// pointee is object for what a message calls by a word of its own.
func (m *machine) pointee(at node, p pointer, use string) *object {
	switch {
	case p.isNull():
		m.fail(at, "%s of dereferenced null pointer is not allowed in a constant expression", use)
	case p.o == nil:
		m.fail(at, "%s of dereferenced one-past-the-end pointer is not allowed in a constant expression", use)
	case p.o.root.dead:
		m.fail(at, "%s of object outside its lifetime is not allowed in a constant expression", use)
	}
	return p.o
}

// fieldOf returns a field of an object; of a union it must be the active one, or becomes
// that of one without a value.
func (m *machine) fieldOf(at node, o *object, f *types.Field) *object {
	x := o.fields[f.Index]
	if x != nil {
		return x
	}
	if !m.isEmptyUnion(o) {
		active := ""
		for i, x := range o.fields {
			if x != nil {
				active = o.typ.Class.Fields[i].Name
			}
		}
		m.fail(at, "read of member '%s' of union with active member '%s' is not allowed in a constant expression", f.Name, active)
	}
	return m.activate(at, o, f.Index)
}

func (m *machine) isEmptyUnion(o *object) bool {
	for _, f := range o.fields {
		if f != nil {
			return false
		}
	}
	return true
}

// holder returns the part of o whose class has a field, which a base may have.
func (m *machine) holder(at node, o *object, f *types.Field) *object {
	if o.typ.Class == f.Class {
		return o
	}
	for _, b := range o.bases {
		if b.typ.Class == f.Class || types.Derives(b.typ.Class, f.Class) {
			return m.holder(at, b, f)
		}
	}
	m.fail(at, "pointer to member of another class")
	return nil
}

// read returns the value of the object that a pointer is to.
func (m *machine) read(at node, p pointer) scalar {
	o := m.pointee(at, p, "read")
	m.known(at, o)
	for x := o; x != nil; x = x.up {
		switch {
		case x.mutable && o.root.frozen:
			m.fail(at, "read of mutable member of '%s' is not allowed in a constant expression", x.up.typ)
		case x.typ.IsVolatile():
			m.fail(at, "read of volatile-qualified type '%s' is not allowed in a constant expression", x.typ)
		}
	}
	if !o.init {
		m.fail(at, "read of uninitialized object is not allowed in a constant expression")
	}
	return o.value
}

// known fails if the value of an object is not known before run time.
func (m *machine) known(at node, o *object) {
	if !o.root.unknown {
		return
	}
	v, ok := o.root.entity.(*hir.Var)
	if !ok {
		m.fail(at, "read of an unknown object is not allowed in a constant expression")
	}
	if v.Type.IsConst() {
		m.fail(at, "read of non-constexpr variable '%s' is not allowed in a constant expression", v.Name)
	}
	m.fail(at, "read of non-const variable '%s' is not allowed in a constant expression", v.Name)
}

// writable fails if an object may not be changed.
func (m *machine) writable(at node, o *object) {
	if o.root.frozen {
		m.fail(at, "a constant expression cannot modify an object that is visible outside that expression")
	}
	for x := o; x != nil && !x.mutable; x = x.up {
		if x.constant {
			m.fail(at, "modification of object of const-qualified type '%s' is not allowed in a constant expression", x.typ)
		}
	}
}

// into evaluates a prvalue of class or array type into an object.
func (m *machine) into(e hir.Expr, o *object) {
	m.step(e)
	switch e := e.(type) {
	case *hir.Construct:
		m.construct(e, o)
	case *hir.Aggregate:
		m.aggregate(e, o)
	case *hir.Zero:
		m.zero(e, o)
	case *hir.Copy:
		source := m.objectOf(e, e.X)
		m.known(e, source)
		m.assign(e, o, source)
	case *hir.Call:
		m.call(e, o)
	case *hir.Cond:
		m.into(m.choose(e), o)
	case *hir.Comma:
		m.effect(e.X)
		m.into(e.Y, o)
	case *hir.StmtExpr:
		m.block(e.Body)
		m.into(e.Value, o)
	case *hir.StringExpr: // char a[] = "..."
		m.spread(e, o)
	case *hir.ConstExpr:
		m.load(e, o, &e.Value)
	case *hir.Convert:
		if e.Kind == hir.Qualify {
			m.into(e.X, o)
			return
		}
		m.fail(e, "subexpression not valid in a constant expression")
	case *hir.Field:
		m.assign(e, o, m.object(e, m.glvalue(e)))
	default:
		m.fail(e, "subexpression not valid in a constant expression")
	}
}

// spread initialises an array of characters from a literal.
func (m *machine) spread(e *hir.StringExpr, o *object) {
	m.zero(e, o)
	m.known(e, o)
	for i, x := range m.text(e).elems {
		if i < len(o.elems) {
			o.elems[i].value = x.value
		}
	}
}

// aggregate initialises a class or array from its elements.
func (m *machine) aggregate(e *hir.Aggregate, o *object) {
	for i, x := range e.Bases {
		if x != nil {
			m.initialize(o.bases[i], x)
		}
	}
	if o.typ.IsClass() {
		m.aggregateFields(e, o)
		return
	}
	for i, x := range o.elems {
		switch {
		case i < len(e.Elems) && e.Elems[i] != nil:
			m.initialize(x, e.Elems[i])
		case e.Fill != nil:
			m.initialize(x, e.Fill)
		default:
			m.zero(e, x)
		}
	}
}

func (m *machine) aggregateFields(e *hir.Aggregate, o *object) {
	for i := range o.fields {
		var x hir.Expr
		if i < len(e.Fields) {
			x = e.Fields[i]
		} else if e.Rest != nil {
			break
		}
		switch {
		case o.typ.Class.Union && x != nil:
			m.initialize(m.activate(e, o, i), x)
		case o.typ.Class.Union:
		case x != nil:
			m.initialize(o.fields[i], x)
		default:
			m.zero(e, o.fields[i])
		}
	}
	if e.Rest != nil {
		m.invoke(e, e.Rest, &scalar{p: to(o)}, nil, nil)
	}
}
