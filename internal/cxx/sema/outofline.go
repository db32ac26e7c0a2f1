package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// A memberKey is the name of a member that is defined out of its class.
type memberKey struct{ class, member string }

// An outOfLine is a declaration with a qualified name: the definition of a member of a
// class, or an explicit or partial specialisation of one. There may be a head of template
// parameters for each template around the member, and one for the member:
//
//	template <class T> template <class U> void S<T>::f(U) {}   // of the template's member
//	template <> template <class U> void S<int>::f(U) {}        // of one instance's
//	template <> template <> void S<int>::f(char) {}            // one instance of that
type outOfLine struct {
	decl   ast.Decl // *FuncDecl, *VarDecl or *ClassDecl
	name   *ast.Name
	params [][]*ast.TemplateParam // the heads
	scope  *scope
	order  int32
	quals  []qualifiedBy // what the qualifiers name, by their number
}

// A qualifiedBy is what the first qualifiers of a name mean, each looked up once.
type qualifiedBy struct {
	class, found bool // have been looked up
	typ          *class
	obj          object
}

// classAt returns the class that the first n qualifiers name with the arguments as they are
// written, or nil.
func (o *outOfLine) classAt(c *checker, n int) *class {
	q := &o.quals[n-1]
	if !q.class {
		q.class = true
		var t types.Type
		c.fails(func() { t = c.at(o.scope).typeNamed(o.prefix(n), false) })
		q.typ = classOfType(t)
	}
	return q.typ
}

// objectAt returns what the first n qualifiers name, the arguments of the last left out.
func (o *outOfLine) objectAt(c *checker, n int) object {
	q := &o.quals[n-1]
	if !q.found {
		q.found = true
		name := o.prefix(n)
		last := *name.Last
		last.HasArgs, last.Args = false, nil
		name.Last = &last
		var f finding
		c.fails(func() { f = c.at(o.scope).lookupName(name, onlyTypes) })
		q.obj = f.obj
		if a, ok := f.obj.(*alias); ok {
			q.obj = classOfType(c.resolveAlias(a))
		}
	}
	return q.obj
}

// prefix returns the first n qualifiers as a name.
func (o *outOfLine) prefix(n int) *ast.Name {
	q := o.name.Quals
	return &ast.Name{Span: o.name.Span, Global: o.name.Global, Quals: q[:n-1], Last: q[n-1]}
}

// A membership is how an out-of-line declaration is of a member of a class.
type membership struct {
	heads int // template heads for the classes around
	exact int // of them those of explicit specialisations: template <>
}

// of reports whether o declares a member of k.
func (o *outOfLine) of(c *checker, k *class) (membership, bool) {
	if o.quals == nil {
		o.quals = make([]qualifiedBy, len(o.name.Quals))
	}
	return o.names(c, len(o.name.Quals), k)
}

// names reports whether the first n qualifiers name k.
func (o *outOfLine) names(c *checker, n int, k *class) (m membership, ok bool) {
	if n == 0 {
		return m, false
	}
	last := o.name.Quals[n-1]
	if k.explicit { // there are no heads for it and the classes around
		return m, o.classAt(c, n) == k
	}
	outer := k.scope.parent.classOf()
	if outer != nil {
		if m, ok = o.names(c, n-1, outer); !ok || last.Ident != k.t.Name {
			return m, false
		}
	}
	switch {
	case k.tmpl == nil:
		return m, !last.HasArgs && (outer != nil || o.objectAt(c, n) == object(k))
	case !last.HasArgs:
		return m, false
	case m.heads >= len(o.params):
		return m, false
	}
	head := o.params[m.heads]
	m.heads++
	if len(head) == 0 {
		m.exact++
		return m, o.classAt(c, n) == k
	}
	if outer == nil && o.objectAt(c, n) != object(k.tmpl) {
		return m, false
	}
	return m, o.sameHead(c, head, k, last)
}

// sameHead reports whether the arguments in a definition's name are those of the template
// or partial specialisation that an instance is made of.
func (o *outOfLine) sameHead(c *checker, params []*ast.TemplateParam, k *class, last *ast.Segment) bool {
	if own := k.decl.Name; own == nil || !own.Last.HasArgs {
		return namesItself(last, params)
	}
	for _, p := range k.tmpl.partials {
		if p.decl != ast.Decl(k.decl) {
			continue
		}
		c.partialPattern(k.tmpl, p)
		s, _ := c.paramsAsPattern(params, o.scope, 0)
		raw, ok := c.at(s).rawArgs(last.Args)
		return ok && c.types.ArgsKey(raw) == c.types.ArgsKey(p.args)
	}
	return false
}

// namesItself reports whether the arguments of a segment are the parameters themselves.
func namesItself(s *ast.Segment, params []*ast.TemplateParam) bool {
	if len(s.Args) != len(params) {
		return false
	}
	for i, a := range s.Args {
		name := ""
		if t, ok := stripPack(a.Type).(*ast.NamedType); ok {
			name = t.Name.Plain()
		} else if x, ok := a.Expr.(*ast.NameExpr); ok {
			name = x.Name.Plain()
		} else if p, ok := a.Expr.(*ast.PackExpansion); ok {
			if x, ok := p.X.(*ast.NameExpr); ok {
				name = x.Name.Plain()
			}
		}
		if params[i].Name == nil || params[i].Name.Name != name {
			return false
		}
	}
	return true
}

// scopeOf returns the scope in which the declaration is analysed as one of a member of k:
// the parameters of the heads are bound to the arguments of the classes.
func (o *outOfLine) scopeOf(k *class) *scope {
	s := k.scope
	var chain []*class
	for x := k; x != nil && !x.explicit; x = x.scope.parent.classOf() {
		if x.tmpl != nil {
			chain = append([]*class{x}, chain...)
		}
	}
	for i, x := range chain {
		if i >= len(o.params) {
			break
		}
		args := x.args
		if x.scope.parent.kind == templateScope {
			args = nil
			for j := range x.scope.parent.list {
				if b, ok := x.scope.parent.list[j].what.(*bound); ok {
					args = append(args, b.arg)
				}
			}
			if len(args) != len(o.params[i]) {
				args = x.args
			}
		}
		s = bind(o.params[i], args, s)
	}
	return s
}

// findDefinition finds the body of a member function that is defined out of its class. That
// of an explicit specialisation precedes the one in the class, and is needed where it is
// declared ([temp.expl.spec]/12).
func (c *checker) findDefinition(f *function) {
	if f.class == nil || f.implicit || f.decl == nil {
		return
	}
	known := f.def != nil && (f.def.Body != nil || f.def.Deleted || f.def == f.decl && f.def.Defaulted)
	name := f.name
	switch f.kind {
	case ast.Constructor:
		name = f.class.t.Name
	case ast.Destructor:
		name = "~"
	case ast.Conversion:
		name = "operator T"
	}
	var found *outOfLine
	var of membership
	rank := -1
	for _, o := range c.outOfLine[memberKey{f.class.t.Name, name}] {
		d, ok := o.decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		m, ok := o.of(c, f.class)
		if !ok {
			continue
		}
		exact := m.exact
		if f.of != nil && m.heads < len(o.params) && len(o.params[m.heads]) == 0 {
			exact++
		}
		body := d.Body != nil || d.Defaulted || d.Deleted
		if exact == 0 && (known || !body) || exact < rank || exact == rank && !body || !c.sameMember(f, o, d, m) {
			continue
		}
		found, of, rank = o, m, exact
	}
	if found == nil {
		return
	}
	d := found.decl.(*ast.FuncDecl)
	f.def = d
	f.defIn = found.scopeOf(f.class)
	if f.of != nil && of.heads < len(found.params) {
		f.defIn = bind(found.params[of.heads], f.args, f.defIn)
	}
	f.defOrder = found.order
	if by := f.requested.by; rank > 0 && by != nil && by.lambda == nil && !by.isInstance() {
		spec := specialised{found.name.Span, found.order}
		user := &env{checker: c, scope: by.scope, order: by.bodyOrder()}
		user.checkSpecialised(&spec, f.name, f.requested.at)
	}
	f.specs |= d.Specs &^ (ast.Static | ast.Friend)
	if d.Defaulted {
		f.defaulted = true
	}
	f.deleted = f.deleted || d.Deleted
}

// sameMember reports whether a declaration out of the class is of the member f: its
// parameters have the same types, and template arguments that it names are f's.
func (c *checker) sameMember(f *function, o *outOfLine, d *ast.FuncDecl, m membership) bool {
	if len(d.Type.Params) != len(f.decl.Type.Params) || types.CV(d.Type.CV) != types.CV(f.decl.Type.CV) || d.Type.Ref != f.decl.Type.Ref {
		return false
	}
	own := o.params[m.heads:]
	if (f.of != nil) != (len(own) > 0) {
		return false
	}
	s := o.scopeOf(f.class)
	if f.of != nil {
		s = bind(own[0], f.args, s)
		if len(own[0]) == 0 && d.Name.Last.HasArgs && !c.sameArgs(f, d.Name.Last, s) {
			return false
		}
	}
	g := &function{name: f.name, decl: d, class: f.class, scope: s, kind: f.kind, static: f.static, specs: f.specs}
	e := &env{checker: c, scope: s}
	if c.fails(func() { e.resolveType(g) }) || g.bad {
		return false
	}
	if f.kind == ast.Conversion {
		return g.result() == f.result()
	}
	return c.conflicts(f, g)
}

// sameArgs reports whether the arguments that an explicit specialisation is written with
// are the first of those of the instance f.
func (c *checker) sameArgs(f *function, last *ast.Segment, s *scope) bool {
	ok := false
	failed := c.fails(func() {
		e := c.at(s)
		raw, good := e.rawArgs(last.Args)
		if !good {
			return
		}
		given, why := e.explicitArgs(f.of, raw)
		args := e.flatten(f.args)
		ok = why == nil && len(given) <= len(args) && c.types.ArgsKey(given) == c.types.ArgsKey(args[:len(given)])
	})
	return !failed && ok
}

// findStaticDefinition finds the definition of a static data member out of its class.
func (c *checker) findStaticDefinition(v *variable) {
	rank := -1
	for _, o := range c.outOfLine[memberKey{v.class.t.Name, v.name}] {
		d, ok := o.decl.(*ast.VarDecl)
		if !ok {
			continue
		}
		m, ok := o.of(c, v.class)
		if !ok || m.heads < len(o.params) || m.exact < rank {
			continue // a head that is left is a member template's
		}
		rank = m.exact
		v.def, v.defIn = d, o.scopeOf(v.class)
		v.specs |= d.Specs &^ ast.Static
		if v.attrs == nil {
			v.attrs = d.Attrs
		}
	}
}

// defineNested finds the definition of a nested class out of the class around it, or an
// explicit specialisation of it.
func (c *checker) defineNested(k *class) {
	outer := k.scope.parent.classOf()
	if outer == nil || k.decl.Defined && outer.tmpl == nil {
		return
	}
	rank := -1
	for _, o := range c.outOfLine[memberKey{outer.t.Name, k.t.Name}] {
		d, ok := o.decl.(*ast.ClassDecl)
		if !ok || !d.Defined || d.Name.Last.HasArgs {
			continue
		}
		m, ok := o.of(c, outer)
		if !ok || m.heads < len(o.params) || m.exact < rank || m.exact == 0 && k.decl.Defined {
			continue // a head that is left is a member template's
		}
		rank = m.exact
		k.decl, k.at, k.explicit, k.defOrder = d, d.Name.Span, m.exact > 0, o.order
		if s := o.scopeOf(outer); s != outer.scope {
			k.scope.parent = s
		}
	}
}

// adoptMembers gives a class or variable template that is a member what is declared of it out
// of its class: its definition, partial and explicit specialisations.
func (c *checker) adoptMembers(t *template) {
	if t.class == nil || t.adopted || t.kind != classTemplate && t.kind != varTemplate {
		return
	}
	t.adopted = true
	rank := 0
	if !isDefinition(t.decl) {
		rank = -1
	}
	for _, o := range c.outOfLine[memberKey{t.class.t.Name, t.name}] {
		if _, isClass := o.decl.(*ast.ClassDecl); isClass != (t.kind == classTemplate) {
			continue
		}
		m, ok := o.of(c, t.class)
		if !ok || m.heads >= len(o.params) {
			continue
		}
		params := o.params[m.heads]
		switch {
		case o.name.Last.HasArgs && len(params) == 0:
			t.specs = append(t.specs, &specialisation{decl: o.decl, name: o.name, scope: o.scopeOf(t.class), order: o.order})
		case o.name.Last.HasArgs:
			t.partials = append(t.partials, &partial{params: params, decl: o.decl, name: o.name, scope: o.scopeOf(t.class), order: o.order})
		case isDefinition(o.decl) && (m.exact > rank || rank < 0):
			rank = m.exact
			t.decl, t.params, t.scope, t.pattern, t.defOrder = ofMember(o.decl, t.decl), params, o.scopeOf(t.class), nil, o.order
			if m.exact > 0 {
				t.partials, t.specs = nil, nil // those of the template are not of the specialisation
			}
		}
	}
}

// isDefinition reports whether a declaration of a class defines it, or one of a variable has
// its initialiser.
func isDefinition(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.ClassDecl:
		return d.Defined
	case *ast.VarDecl:
		return d.Init != nil
	}
	return false
}

// ofMember returns the definition of a member out of its class, with the specifiers that its
// declaration in the class has if it is a variable.
func ofMember(d, inClass ast.Decl) ast.Decl {
	v, ok := d.(*ast.VarDecl)
	if !ok {
		return d
	}
	x := *v
	x.Specs |= inClass.(*ast.VarDecl).Specs
	return &x
}
