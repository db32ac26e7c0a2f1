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
	c.adoptMembers(t)
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
		k.specialised = k.specialised.declare(s.name.Span, s.order)
		if d.Defined || !ok {
			if k.explicit && k.decl.Defined && d.Defined {
				c.redefinition(s.name.Span, k.t.String(), k)
				return
			}
			if k.state != untouched && d.Defined {
				c.errorf(s.name.Span, codeSpecialization, "explicit specialization of '%s' after instantiation", k.t)
				return
			}
			k.decl, k.at, k.scope.parent, k.defOrder = d, s.name.Span, s.scope, s.order
		}
		k.explicit = true
	case *ast.VarDecl:
		v := &variable{decl: d, name: t.name, at: s.name.Span, order: s.order, scope: s.scope, specs: d.Specs, attrs: d.Attrs, tmpl: t, args: args, class: t.class}
		t.remember(key, v)
	}
}

// choosePartial returns the partial specialisation that fits arguments best, with its
// own arguments; nil for the template itself.
func (c *checker) choosePartial(t *template, args []types.Arg, at ast.Span) (*partial, []types.Arg) {
	type match struct {
		of   *partial
		args []types.Arg
	}
	var matches []match
	for _, p := range t.partials {
		if !c.partialPattern(t, p) {
			continue
		}
		if got := c.matchPartial(t, p, args); got != nil {
			matches = append(matches, match{p, got})
		}
	}
	if len(matches) == 0 {
		return nil, nil
	}
	more := func(a, b *partial) bool {
		return c.types.MoreSpecialized(c.partialSignature(a), c.partialSignature(b)) < 0
	}
	best := matches[0]
	for _, m := range matches[1:] {
		if more(m.of, best.of) {
			best = m
		}
	}
	for _, m := range matches { // the best one is better than each of the others
		if m.of != best.of && !more(best.of, m.of) {
			c.at(t.scope).errorf(at, codeAmbiguous, "ambiguous partial specializations of '%s'", instanceName(t.name, args))
			break
		}
	}
	return best.of, best.args
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
	if v.order > 0 {
		spec := specialised{v.at, v.order}
		e.checkSpecialised(&spec, instanceName(t.name, args), at)
	}
	return e.useVariable(v, at)
}

// A specialised is the first declaration of an explicit specialisation.
type specialised struct {
	at    ast.Span
	order int32
}

// declare returns the first one of s, which is nil for none, and another declaration.
func (s *specialised) declare(at ast.Span, order int32) *specialised {
	if s == nil || order < s.order {
		return &specialised{at, order}
	}
	return s
}

// checkSpecialised reports an explicit specialisation that is declared behind a use, which would
// have been one of the template's instance ([temp.expl.spec]/6). What templates use is
// instantiated behind them.
func (e *env) checkSpecialised(s *specialised, name string, at ast.Span) {
	if from := e.visible(); from == 0 || from >= s.order || e.inTemplate() {
		return
	}
	d := e.errorf(s.at, codeSpecialization, "explicit specialization of '%s' after instantiation", name)
	e.note(d, at, "implicit instantiation first required here")
	if e.capturing == 0 {
		s.order = 0
	}
}
