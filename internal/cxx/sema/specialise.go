package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// resolveSpecs makes the instances that explicit specialisations define.
func (c *checker) resolveSpecs(t *template) {
	if t.busy {
		return
	}
	for len(t.specs) > 0 {
		s := t.specs[0]
		t.specs = t.specs[1:]
		t.busy = true
		e := &env{checker: c, scope: s.scope, order: 0}
		raw, ok := e.rawArgs(s.name.Last.Args)
		if ok {
			var args []types.Arg
			if args, ok = e.convertArgs(t, raw, s.name.Span); ok {
				c.addSpecialisation(t, s, args)
			}
		}
		t.busy = false
	}
}

func (c *checker) addSpecialisation(t *template, s *specialisation, args []types.Arg) {
	key := c.types.ArgsKey(args)
	switch d := s.decl.(type) {
	case *ast.ClassDecl:
		k, ok := t.instances[key].(*class)
		if !ok {
			k = c.newInstance(t, args)
			k.scope.parent = s.scope
			t.remember(key, k)
		}
		if d.Defined || !ok {
			if k.state != untouched && d.Defined {
				c.errorf(s.name.Span, codeSpecialization, "explicit specialization of '%s' after instantiation", k.t)
				return
			}
			k.decl, k.at, k.scope.parent = d, s.name.Span, s.scope
		}
		k.explicit = true
	case *ast.VarDecl:
		v := &variable{decl: d, name: t.name, at: s.name.Span, scope: s.scope, specs: d.Specs, attrs: d.Attrs, tmpl: t, args: args, class: t.class}
		t.remember(key, v)
	}
}

// choosePartial returns the partial specialisation that fits arguments best, with its
// own arguments; nil for the template itself.
func (c *checker) choosePartial(t *template, args []types.Arg, at ast.Span) (*partial, []types.Arg) {
	var best *partial
	var found []types.Arg
	ambiguous := false
	for _, p := range t.partials {
		if !c.partialPattern(t, p) {
			continue
		}
		got := c.matchPartial(t, p, args)
		if got == nil {
			continue
		}
		if best == nil {
			best, found = p, got
			continue
		}
		switch c.types.MoreSpecialized(c.partialSignature(p), c.partialSignature(best)) {
		case -1:
			best, found, ambiguous = p, got, false
		case 0:
			ambiguous = true
		}
	}
	if ambiguous {
		e := c.at(t.scope)
		e.errorf(at, codeAmbiguous, "ambiguous partial specializations of '%s'", instanceName(t.name, args))
	}
	return best, found
}

func (c *checker) partialSignature(p *partial) *types.Signature {
	return &types.Signature{Params: c.templateParams(p.params, c.partialSelf(p)), Args: p.args}
}

func (c *checker) partialSelf(p *partial) []types.Arg {
	self := make([]types.Arg, len(p.params))
	for i, q := range p.params {
		if q.Name != nil {
			if sym := p.pattern.get(q.Name.Name); sym != nil {
				self[i] = sym.what.(*bound).arg
			}
		}
	}
	return self
}

// partialPattern resolves the arguments that a partial specialisation is written with.
func (c *checker) partialPattern(t *template, p *partial) bool {
	switch p.state {
	case done:
		return p.args != nil
	case active:
		return false
	}
	p.state = active
	p.pattern, _ = c.paramsAsPattern(p.params, p.scope, 0)
	e := &env{checker: c, scope: p.pattern, order: p.order}
	if c.localOrder(p.scope) == 0 {
		e.order = 0
	}
	raw, ok := e.rawArgs(p.name.Last.Args)
	if ok {
		if !hasExpansion(raw) {
			if full, ok := e.convertArgs(t, raw, p.name.Span); ok {
				raw = e.flatten(full)
			}
		}
		p.args = raw
	}
	p.state = done
	return ok
}

// matchPartial returns the arguments of a partial specialisation for those of an
// instance, or nil if it does not fit.
func (c *checker) matchPartial(t *template, p *partial, args []types.Arg) []types.Arg {
	e := &env{checker: c, scope: p.scope}
	d := &types.Deduction{Params: c.templateParams(p.params, c.partialSelf(p))}
	d.TemplateArgs = [2][]types.Arg{p.args, e.flatten(args)}
	if c.types.Deduce(d) != nil {
		return nil
	}
	// The arguments that are not deduced from must come out the same.
	sub := &env{checker: c, scope: bind(p.params, d.Result, p.scope)}
	var full []types.Arg
	ok := false
	if !c.enter("partial specialization", t.at) {
		return nil
	}
	failed := c.fails(func() {
		var raw []types.Arg
		if raw, ok = sub.rawArgs(p.name.Last.Args); ok {
			full, ok = sub.convertArgs(t, raw, p.name.Span)
		}
	})
	c.leave()
	if failed || !ok || c.types.ArgsKey(full) != c.types.ArgsKey(args) {
		return nil
	}
	return d.Result
}

// variableTemplate returns an instance of a variable template.
func (e *env) variableTemplate(t *template, n *ast.Name, at ast.Span) hir.Expr {
	if !n.Last.HasArgs {
		e.errorf(at, codeTemplateArgs, "use of variable template '%s' requires template arguments", t.name)
		return e.bad(at)
	}
	raw, ok := e.rawArgs(n.Last.Args)
	if !ok || dependentArgs(raw) {
		return e.bad(at)
	}
	args, ok := e.convertArgs(t, raw, at)
	if !ok {
		return e.bad(at)
	}
	e.resolveSpecs(t)
	key := e.types.ArgsKey(args)
	v, ok := t.instances[key].(*variable)
	if !ok {
		d, params, pargs, parent := t.decl.(*ast.VarDecl), t.params, args, t.scope
		if p, got := e.choosePartial(t, args, at); p != nil {
			d, params, pargs, parent = p.decl.(*ast.VarDecl), p.params, got, p.scope
		}
		v = &variable{decl: d, name: t.name, at: d.Name.Span, scope: bind(params, pargs, parent), specs: d.Specs, attrs: d.Attrs, tmpl: t, args: args, class: t.class, access: t.access}
		t.remember(key, v)
	}
	if !e.enter("variable template specialization '"+instanceName(t.name, args)+"'", at) {
		return e.bad(at)
	}
	defer e.leave()
	return e.useVariable(v, at)
}

// belongs reports whether an out-of-line definition is of a member of class k.
func (c *checker) belongs(o *outOfLine, k *class) bool {
	e := &env{checker: c, scope: o.scope, order: 0}
	q := o.name.Quals
	last := q[len(q)-1]
	prefix := &ast.Name{Span: o.name.Span, Global: o.name.Global, Quals: q[:len(q)-1], Last: last}
	if k.tmpl == nil {
		if len(o.params) > 0 && last.HasArgs {
			return false
		}
		outer := k.scope.parent.classOf()
		if outer != nil {
			return len(q) > 1 && c.namesClass(q[len(q)-2], outer, e)
		}
		var f finding
		c.fails(func() { f = e.lookupName(prefix, onlyTypes) })
		if a, ok := f.obj.(*alias); ok {
			return classOfType(c.resolveAlias(a)) == k
		}
		return f.obj == object(k)
	}
	if !last.HasArgs {
		return false
	}
	if len(o.params) == 0 || k.explicit && len(o.params[0]) == 0 || o.explicit() { // of an explicit specialisation
		var t types.Type
		c.fails(func() { t = e.typeNamed(prefix, false) })
		return classOfType(t) == k
	}
	if k.explicit {
		return false
	}
	if k.tmpl.class != nil {
		return len(q) > 1
	}
	var f finding
	c.fails(func() { f = e.lookup2(prefix) })
	if f.obj != object(k.tmpl) {
		return false
	}
	// Of the template itself or of the partial specialisation that k is of.
	return c.sameHead(o, k, last)
}

// lookup2 finds the template that a template-id names.
func (e *env) lookup2(n *ast.Name) finding {
	m := *n
	last := *n.Last
	last.HasArgs, last.Args = false, nil
	m.Last = &last
	return e.lookupName(&m, anything)
}

func (c *checker) namesClass(s *ast.Segment, k *class, e *env) bool { return s.Ident == k.t.Name }

// sameHead reports whether the arguments in a definition's name are those of the
// template or partial specialisation that an instance is made of.
func (c *checker) sameHead(o *outOfLine, k *class, last *ast.Segment) bool {
	own := k.decl.Name
	params := o.params[0]
	plain := own == nil || !own.Last.HasArgs
	if plain {
		if len(last.Args) != len(params) {
			return false
		}
		for i, a := range last.Args {
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
	for _, p := range k.tmpl.partials {
		if p.decl != ast.Decl(k.decl) {
			continue
		}
		c.partialPattern(k.tmpl, p)
		s, _ := c.paramsAsPattern(params, o.scope, 0)
		e := c.at(s)
		raw, ok := e.rawArgs(last.Args)
		return ok && c.types.ArgsKey(raw) == c.types.ArgsKey(p.args)
	}
	return false
}

// memberScope returns the scope in which the definition of a member out of its class is
// analysed: its template's parameters are bound to the arguments of the class.
func (c *checker) memberScope(o *outOfLine, k *class) *scope {
	s := k.scope
	var chain []*class
	for x := k; x != nil; x = x.scope.parent.classOf() {
		if x.tmpl != nil && !x.explicit {
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

// explicit reports whether a definition is of a member of one instance of a class
// template: template <> int S<int>::f() { ... }.
func (o *outOfLine) explicit() bool {
	for _, p := range o.params {
		if len(p) > 0 {
			return false
		}
	}
	return len(o.params) > 0
}

// findDefinition finds the body of a member function that is defined out of its class. That
// of an explicit specialisation precedes the one in the class.
func (c *checker) findDefinition(f *function) {
	if f.class == nil || f.implicit || f.decl == nil {
		return
	}
	known := f.def != nil && (f.def.Body != nil || f.def.Deleted || f.def == f.decl && f.def.Defaulted)
	instance := f.class.tmpl != nil && !f.class.explicit
	if known && !instance {
		return
	}
	name := f.name
	switch f.kind {
	case ast.Constructor:
		name = f.class.t.Name
	case ast.Destructor:
		name = "~"
	case ast.Conversion:
		name = "operator T"
	}
	list := c.outOfLine[memberKey{f.class.t.Name, name}]
	var single *outOfLine
	for _, o := range list {
		d, ok := o.decl.(*ast.FuncDecl)
		if !ok || d.Body == nil && !d.Defaulted || known && !o.explicit() || !c.belongs(o, f.class) {
			continue
		}
		if (single == nil || o.explicit()) && c.sameMember(f, o, d) {
			single = o
		}
	}
	if single == nil {
		return
	}
	d := single.decl.(*ast.FuncDecl)
	single.used = true
	f.def = d
	f.defIn = c.memberScope(single, f.class)
	if f.of != nil && len(single.params) > 0 {
		f.defIn = bind(single.params[len(single.params)-1], f.args, f.defIn)
	}
	f.defOrder = 0
	f.specs |= d.Specs &^ (ast.Static | ast.Friend)
	if d.Defaulted {
		f.defaulted = true
	}
}

// sameMember reports whether a definition out of the class is of the member f: its
// parameters have the same types.
func (c *checker) sameMember(f *function, o *outOfLine, d *ast.FuncDecl) bool {
	if len(d.Type.Params) != len(f.decl.Type.Params) || types.CV(d.Type.CV) != types.CV(f.decl.Type.CV) || d.Type.Ref != f.decl.Type.Ref {
		return false
	}
	s := c.memberScope(o, f.class)
	isTemplate := f.of != nil
	extra := 0
	for x := f.class; x != nil; x = x.scope.parent.classOf() {
		if x.tmpl != nil && !x.explicit {
			extra++
		}
	}
	if isTemplate != (len(o.params) > extra) && !(f.class.explicit) {
		return false
	}
	if isTemplate && len(o.params) > 0 {
		s = bind(o.params[len(o.params)-1], f.args, s)
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

// findStaticDefinition finds the definition of a static data member out of its class.
func (c *checker) findStaticDefinition(v *variable) {
	for _, o := range c.outOfLine[memberKey{v.class.t.Name, v.name}] {
		d, ok := o.decl.(*ast.VarDecl)
		if !ok || !c.belongs(o, v.class) {
			continue
		}
		v.def, v.defIn = d, c.memberScope(o, v.class)
		v.specs |= d.Specs &^ ast.Static
		if v.attrs == nil {
			v.attrs = d.Attrs
		}
	}
}

// defineNested finds the definition of a nested class out of the class around it.
func (c *checker) defineNested(k *class) {
	outer := k.scope.parent.classOf()
	if outer == nil || k.decl.Defined {
		return
	}
	for _, o := range c.outOfLine[memberKey{outer.t.Name, k.t.Name}] {
		d, ok := o.decl.(*ast.ClassDecl)
		if ok && d.Defined && c.belongs(o, outer) {
			k.decl, k.at = d, d.Name.Span
			if s := c.memberScope(o, outer); s != outer.scope {
				k.scope.parent = s
			}
			return
		}
	}
}
