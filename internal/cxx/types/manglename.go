package types

import "strconv"

// isGlobal reports whether s is the global namespace.
func isGlobal(s Scope) bool { return s == nil || !isFuncOrClass(s) && s.ScopeParent() == nil }

// isStd reports whether s is the namespace ::std.
func isStd(s Scope) bool {
	return s != nil && !isFuncOrClass(s) && s.ScopeName() == "std" && isGlobal(s.ScopeParent())
}

func isFuncOrClass(s Scope) bool {
	switch s.(type) {
	case *Class, FuncScope:
		return true
	}
	return false
}

// isNested reports whether names in s are written as nested ones: not in the global
// namespace, std or a function.
func isNested(s Scope) bool {
	if isGlobal(s) || isStd(s) {
		return false
	}
	_, local := s.(FuncScope)
	return !local
}

// enclosing returns the function that s is in, or nil.
func enclosing(s Scope) FuncScope {
	for s != nil {
		if f, ok := s.(FuncScope); ok {
			return f
		}
		s = s.ScopeParent()
	}
	return nil
}

// local writes the function that s is in, and reports whether there is one.
func (m *mangler) local(s Scope) bool {
	f := enclosing(s)
	if f == nil {
		return false
	}
	m.b = append(m.b, 'Z')
	m.encoding(f.ScopeSymbol())
	m.b = append(m.b, 'E')
	return true
}

// localNumber returns the number of the class that is declared in a function and s is,
// or is in; 0 for one without a name, which is numbered in its name.
func localNumber(s Scope) int {
	for {
		c, ok := s.(*Class)
		if !ok {
			return 0
		}
		if _, local := c.Scope.(FuncScope); local && c.Name != "" {
			return c.Number
		}
		s = c.Scope
	}
}

// discriminator tells entities of one name in one function apart.
func (m *mangler) discriminator(n int) {
	switch {
	case n > 10:
		m.str("__")
		m.b = strconv.AppendInt(m.b, int64(n-1), 10)
		m.b = append(m.b, '_')
	case n > 0:
		m.b = append(m.b, '_')
		m.b = strconv.AppendInt(m.b, int64(n-1), 10)
	}
}

// symbolName writes the name of a function or variable.
func (m *mangler) symbolName(s *Symbol) {
	local := m.local(s.Scope)
	nested := isNested(s.Scope)
	if nested {
		m.b = append(m.b, 'N')
		if s.Type.Is(Func) {
			m.cv(s.Type.Func.CV)
			m.str([...]string{"", "R", "O"}[s.Type.Func.Ref])
		}
		m.prefix(s.Scope)
	} else if isStd(s.Scope) {
		m.str("St")
	}
	m.unqualified(s)
	if s.Template {
		m.add(s)
		m.args(s.Args)
	}
	if nested {
		m.b = append(m.b, 'E')
	}
	switch {
	case local && nested:
		m.discriminator(localNumber(s.Scope))
	case local:
		m.discriminator(s.Number)
	}
}

// unqualified writes the last part of a function's or variable's name.
func (m *mangler) unqualified(s *Symbol) {
	switch s.Kind {
	case ConstructorSymbol:
		m.str("C1")
	case DestructorSymbol:
		m.str("D1")
	case ConversionSymbol:
		m.str("cv")
		m.typ(s.Target)
	case LiteralSymbol:
		m.str("li")
		m.name(s.Name)
	case OperatorSymbol:
		m.str(OperatorCode(s.Name, s.Unary))
	default:
		if s.Internal && !(s.Template && isGlobal(s.Scope)) { // g++ leaves it out there, unlike clang++
			m.b = append(m.b, 'L')
		}
		m.name(s.Name)
	}
}

// prefix writes the scope in front of a nested name.
func (m *mangler) prefix(s Scope) {
	if c, ok := s.(*Class); ok {
		m.classPrefix(c)
		return
	}
	if _, ok := s.(FuncScope); ok || isGlobal(s) {
		return // written in front of it
	}
	if isStd(s) {
		m.str("St")
		return
	}
	if m.sub(s) {
		return
	}
	m.prefix(s.ScopeParent())
	if s.ScopeName() == "" {
		m.str("12_GLOBAL__N_1")
	} else {
		m.name(s.ScopeName())
	}
	m.add(s)
}

// classPrefix writes a class in front of the name of a member.
func (m *mangler) classPrefix(c *Class) {
	if m.sub(c) || m.stdClass(c) {
		return
	}
	m.className(c)
	m.add(c)
}

// className writes a class with the scopes around it.
func (m *mangler) className(c *Class) {
	if c.Template != nil {
		m.template(c.Template)
		m.args(c.Args)
		return
	}
	m.prefix(c.Scope)
	switch {
	case c.Lambda > 0:
		m.str("Ul")
		m.params(&FuncInfo{Params: c.LambdaParams})
		m.b = append(m.b, 'E')
		m.decimalSeq(c.Lambda - 1)
	case c.Name != "":
		m.name(c.Name)
	case c.TypedefName != "":
		m.name(c.TypedefName)
	default:
		m.str("Ut")
		m.decimalSeq(c.Number)
	}
}

// class writes a class as a type.
func (m *mangler) class(c *Class) {
	if m.sub(c) || m.stdClass(c) {
		return
	}
	local := m.local(c.Scope)
	nested := isNested(c.Scope)
	if nested {
		m.b = append(m.b, 'N')
	}
	m.className(c)
	if nested {
		m.b = append(m.b, 'E')
	}
	if local {
		m.discriminator(localNumber(c))
	}
	m.add(c)
}

// enum writes an enumeration.
func (m *mangler) enum(e *Enum) {
	if m.sub(e) {
		return
	}
	local := m.local(e.Scope)
	nested := isNested(e.Scope)
	if nested {
		m.b = append(m.b, 'N')
	}
	m.prefix(e.Scope)
	switch {
	case e.Name != "":
		m.name(e.Name)
	case e.TypedefName != "":
		m.name(e.TypedefName)
	default:
		m.str("Ut")
		m.decimalSeq(e.Number)
	}
	if nested {
		m.b = append(m.b, 'E')
	}
	switch {
	case local && nested:
		m.discriminator(localNumber(e.Scope))
	case local && e.Name != "":
		m.discriminator(e.Number)
	}
	m.add(e)
}

// template writes a template's name with the scopes around it.
func (m *mangler) template(t Template) {
	if m.sub(t) {
		return
	}
	if isStd(t.TemplateScope()) {
		switch t.TemplateName() {
		case "allocator":
			m.str("Sa")
			return
		case "basic_string":
			m.str("Sb")
			return
		}
	}
	m.prefix(t.TemplateScope())
	m.name(t.TemplateName())
	m.add(t)
}

// stdClass writes the abbreviation of a class of the standard library that has one.
func (m *mangler) stdClass(c *Class) bool {
	if c.Template == nil || !isStd(c.Scope) || len(c.Args) == 0 || !c.Args[0].Type.Is(Char) {
		return false
	}
	traits := func(a Arg, name string) bool {
		x := a.Type
		return x.IsClass() && isStd(x.Class.Scope) && x.Class.Name == name && len(x.Class.Args) == 1 && x.Class.Args[0].Type.Is(Char)
	}
	switch {
	case c.Name == "basic_string" && len(c.Args) == 3 && traits(c.Args[1], "char_traits") && traits(c.Args[2], "allocator"):
		m.str("Ss")
	case len(c.Args) != 2 || !traits(c.Args[1], "char_traits"):
		return false
	case c.Name == "basic_istream":
		m.str("Si")
	case c.Name == "basic_ostream":
		m.str("So")
	case c.Name == "basic_iostream":
		m.str("Sd")
	default:
		return false
	}
	return true
}

// args writes the arguments of a template.
func (m *mangler) args(args []Arg) {
	m.b = append(m.b, 'I')
	for _, a := range args {
		m.arg(a)
	}
	m.b = append(m.b, 'E')
}

func (m *mangler) arg(a Arg) {
	switch a.Kind {
	case TypeArg:
		m.typ(a.Type)
	case ValueArg:
		m.value(a.Type, a.Value, true)
	case TemplateArg:
		if a.Expand {
			m.str("Dp")
		}
		if a.Template == nil {
			m.param(a.Pattern)
			return
		}
		m.templateName(a.Template)
	case PackArg:
		m.b = append(m.b, 'J')
		for _, x := range a.Pack {
			m.arg(x)
		}
		m.b = append(m.b, 'E')
	case DependentValue:
		m.dependentValue(a)
	}
}

func (m *mangler) dependentValue(a Arg) {
	if a.Pattern == nil && !a.Expand && a.Expr != nil && a.Expr.isConst() {
		m.value(a.Expr.Type, a.Expr.Value, true)
		return
	}
	m.b = append(m.b, 'X')
	if a.Expand {
		m.str("sp")
	}
	if a.Pattern != nil {
		m.valueParam(a.Pattern)
	} else {
		m.expr(a.Expr)
	}
	m.b = append(m.b, 'E')
}

// templateName writes a template that is an argument.
func (m *mangler) templateName(t Template) {
	if !isNested(t.TemplateScope()) {
		m.template(t)
		return
	}
	if m.sub(t) {
		return
	}
	m.b = append(m.b, 'N')
	m.template(t)
	m.b = append(m.b, 'E')
}

// value writes a constant: as an argument, the address of an entity is an expression.
func (m *mangler) value(t Type, v Value, arg bool) {
	if v.Entity != nil {
		address := arg && !t.IsRef()
		if address {
			m.str("Xad")
		}
		m.b = append(m.b, 'L')
		if f, ok := v.Entity.(*Field); ok { // its class may be substituted after it
			m.str("_Z")
			m.encoding(f.symbol())
		} else if name := v.Entity.MangledName(); len(name) > 2 && name[:2] == "_Z" {
			m.str(name)
		} else {
			m.str("_Z")
			m.name(name)
		}
		m.b = append(m.b, 'E')
		if address {
			m.b = append(m.b, 'E')
		}
		return
	}
	m.b = append(m.b, 'L')
	m.typ(t.Unqualified())
	if t.Is(Pointer) || t.Is(MemberPointer) || t.Is(Nullptr) {
		m.b = append(m.b, '0', 'E')
		return
	}
	if int64(v.Int) < 0 && t.IsSigned() {
		m.b = append(m.b, 'n')
		m.b = strconv.AppendUint(m.b, -v.Int, 10)
	} else {
		m.b = strconv.AppendUint(m.b, v.Int, 10)
	}
	m.b = append(m.b, 'E')
}
