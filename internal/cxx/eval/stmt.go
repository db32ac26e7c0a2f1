package eval

import "irgl/internal/cxx/hir"

// A flow is how a statement ends.
type flow uint8

const (
	next flow = iota
	breaks
	continues
	returns
)

// block executes statements in a scope of their own.
func (m *machine) block(list []hir.Stmt) flow {
	return m.blockFrom(list, nil)
}

// blockFrom executes the statements of a block, from the label target on if it is not nil.
func (m *machine) blockFrom(list []hir.Stmt, target *hir.Case) flow {
	n := len(m.frame.locals)
	f := next
	for _, s := range list {
		switch {
		case target == nil:
			f = m.stmt(s)
		case contains(s, target):
			f = m.enter(s, target)
			target = nil
		}
		if f != next {
			break
		}
	}
	m.frame.leave(n)
	return f
}

// contains reports whether a statement has a label in it.
func contains(s hir.Stmt, target *hir.Case) bool {
	found := false
	eachCase(s, func(c *hir.Case) bool {
		found = found || c == target
		return !found
	})
	return found
}

// eachCase calls f for the labels of the switch whose body s is, as long as it returns
// true.
func eachCase(s hir.Stmt, f func(*hir.Case) bool) bool {
	switch s := s.(type) {
	case *hir.Case:
		return f(s)
	case *hir.Block:
		for _, x := range s.Stmts {
			if !eachCase(x, f) {
				return false
			}
		}
	case *hir.If:
		return eachCase(s.Then, f) && (s.Else == nil || eachCase(s.Else, f))
	case *hir.Loop:
		return eachCase(s.Body, f)
	}
	return true
}

// enter executes a statement from a label in it on.
func (m *machine) enter(s hir.Stmt, target *hir.Case) flow {
	switch s := s.(type) {
	case *hir.Block:
		return m.blockFrom(s.Stmts, target)
	case *hir.If:
		if contains(s.Then, target) {
			return m.enter(s.Then, target)
		}
		return m.enter(s.Else, target)
	case *hir.Loop:
		return m.loop(s, target)
	}
	return next
}

// stmt executes a statement.
func (m *machine) stmt(s hir.Stmt) flow {
	m.step(s)
	temps := len(m.temps)
	switch s := s.(type) {
	case *hir.Block:
		return m.block(s.Stmts)
	case *hir.VarStmt:
		for _, v := range s.Vars {
			m.declare(s, v)
		}
	case *hir.ExprStmt:
		m.effect(s.X)
		m.end(temps)
	case *hir.Init:
		m.member(s)
	case *hir.If:
		holds := m.truth(s.Cond)
		m.end(temps)
		switch {
		case holds:
			return m.stmt(s.Then)
		case s.Else != nil:
			return m.stmt(s.Else)
		}
	case *hir.Loop:
		return m.loop(s, nil)
	case *hir.Switch:
		return m.switchStmt(s)
	case *hir.Return:
		m.returned(s)
		m.end(temps)
		return returns
	case *hir.Break:
		return breaks
	case *hir.Continue:
		return continues
	case *hir.Case, *hir.Label:
	default:
		m.fail(s, "statement not allowed in a constant expression")
	}
	return next
}

// declare makes and initialises a variable of a function.
func (m *machine) declare(at node, v *hir.Var) {
	if v.Static || v.Space != hir.Local {
		if v.Const != nil {
			return
		}
		m.fail(at, "definition of a static variable in a constexpr function is not allowed in a constant expression")
	}
	if v.Destroy != nil {
		m.fail(at, "variable '%s' of a type with a non-trivial destructor is not allowed in a constant expression", v.Name)
	}
	o := m.newObject(at, v.Type)
	m.frame.bind(v, o)
	if v.Init != nil {
		temps := len(m.temps)
		m.initialize(o, v.Init)
		m.end(temps)
		o.constant = v.Type.IsConst()
	} else if v.Const != nil {
		m.load(at, o, v.Const)
	}
}

// member initialises a field, a base or a whole object in a constructor.
func (m *machine) member(s *hir.Init) {
	if f, ok := s.X.(*hir.Field); ok && s.Y != nil {
		o := m.object(s, m.glvalue(f.X))
		x := o.fields[f.Field.Index]
		if x == nil {
			x = m.activate(s, o, f.Field.Index)
		}
		temps := len(m.temps)
		m.initialize(x, s.Y)
		if !x.typ.IsRef() {
			m.end(temps)
		}
		x.constant = x.typ.IsConst()
		return
	}
	m.initialize(m.object(s, m.glvalue(s.X)), s.Y)
}

// loop executes a loop, from a label in its body on if target is not nil.
func (m *machine) loop(s *hir.Loop, target *hir.Case) flow {
	for first := true; ; first = false {
		m.step(s)
		n := len(m.frame.locals)
		if target == nil && !(s.Do && first) && !m.condition(s) {
			m.frame.leave(n)
			return next
		}
		f := next
		if target != nil {
			f = m.enter(s.Body, target)
			target = nil
		} else {
			f = m.stmt(s.Body)
		}
		if f == next || f == continues {
			if s.Post != nil {
				temps := len(m.temps)
				m.effect(s.Post)
				m.end(temps)
			}
		}
		m.frame.leave(n)
		switch f {
		case breaks:
			return next
		case returns:
			return returns
		}
	}
}

// condition evaluates a loop's condition, with the variable that it declares.
func (m *machine) condition(s *hir.Loop) bool {
	if s.CondVar != nil {
		m.declare(s, s.CondVar)
	}
	temps := len(m.temps)
	defer func() { m.end(temps) }()
	return s.Cond == nil || m.truth(s.Cond)
}

// switchStmt executes a switch.
func (m *machine) switchStmt(s *hir.Switch) flow {
	temps := len(m.temps)
	v := m.scalar(s.X)
	m.end(temps)
	signed := s.X.Type().IsSigned()
	var target, other *hir.Case
	eachCase(s.Body, func(c *hir.Case) bool {
		switch {
		case c.Default:
			other = c
		case signed && int64(v.i) >= c.From && int64(v.i) <= c.To, !signed && v.i >= uint64(c.From) && v.i <= uint64(c.To):
			target = c
		}
		return target == nil
	})
	if target == nil {
		target = other
	}
	if target == nil {
		return next
	}
	if f := m.enter(s.Body, target); f != breaks {
		return f
	}
	return next
}

// returned evaluates what a function returns.
func (m *machine) returned(s *hir.Return) {
	if s.X == nil {
		return
	}
	f := m.frame
	t := f.fn.Result
	switch {
	case t.IsRef():
		f.value = scalar{p: m.glvalue(s.X)}
	case t.IsVoid():
		m.effect(s.X)
	case t.IsScalar():
		f.value = m.scalar(s.X)
	default:
		m.into(s.X, f.result)
	}
}
