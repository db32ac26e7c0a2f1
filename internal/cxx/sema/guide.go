package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// deducedClass returns the class template that a type names without arguments, which
// class template argument deduction gives it.
func (e *env) deducedClass(t ast.TypeExpr) (*template, bool) {
	n, ok := stripQual(t).(*ast.NamedType)
	if !ok || n.Name.Last.HasArgs || n.Name.Last.Kind != ast.Identifier {
		return nil, false
	}
	var f finding
	if n.Name.Plain() != "" {
		f = e.lookup(n.Name.Last.Ident, anything)
	} else if e.fails(func() { f = e.lookupName(n.Name, anything) }) {
		return nil, false
	}
	tm, ok := f.obj.(*template)
	if !ok || tm.kind != classTemplate {
		return nil, false
	}
	return tm, true
}

// classFromInit deduces the arguments of a class template from an initialiser.
func (e *env) classFromInit(t *template, in *ast.Init, at ast.Span) types.Type {
	var args []hir.Expr
	keep := e.keep
	e.checker.keep = true
	defer func() { e.checker.keep = keep }()
	if in != nil {
		for _, a := range in.Args {
			if l, ok := a.(*ast.InitList); ok && in.Kind != ast.DirectInit {
				args = append(args, e.listOf(l).values()...)
			} else {
				args = append(args, e.exprs([]ast.Expr{a})...)
			}
		}
	}
	if anyBad(args) {
		return types.Type{}
	}
	return e.deduceClassType(t, args, at)
}

// deduceClass makes an object of a class template whose arguments are deduced.
func (e *env) deduceClass(t *template, args []hir.Expr, at ast.Span, direct bool) hir.Expr {
	if anyBad(args) {
		return e.bad(at)
	}
	x := e.deduceClassType(t, args, at)
	if !x.IsValid() {
		return e.bad(at)
	}
	if !e.requireComplete(x, at, "initialization of incomplete type") {
		return e.bad(at)
	}
	if k := classOfType(x); k.t.Aggregate && !(len(args) == 1 && args[0].Type().Unqualified() == x) {
		l := &listExpr{Info: rvalueInfo(at, e.basic(types.InitList)), list: &ast.InitList{Span: at}, env: *e, elems: args}
		for range args {
			l.list.Elems = append(l.list.Elems, &ast.InitElem{Span: at})
		}
		a := &hir.Aggregate{Info: rvalueInfo(at, x), Fields: make([]hir.Expr, len(k.fields))}
		for i, f := range k.fields {
			if i < len(args) {
				a.Fields[i] = e.convertTo(args[i], f.t.Type, "a member subobject")
			} else {
				a.Fields[i] = e.missingElement(f.t.Type, at, f)
			}
			if isBad(a.Fields[i]) {
				return e.bad(at)
			}
		}
		return a
	}
	return e.directInit(x, args, at, "value")
}

// deduceClassType returns the instance that the guides and constructors of a class
// template choose for arguments.
func (e *env) deduceClassType(t *template, args []hir.Expr, at ast.Span) types.Type {
	var set candidates
	if len(args) == 1 {
		if k := classOfType(args[0].Type()); k != nil && k.tmpl == t {
			return args[0].Type().Unqualified()
		}
	}
	for _, g := range e.deductionGuides(t) {
		set.consider(e, g, nil, args, nil, callFlags{})
	}
	best, ambiguous := set.best(e)
	switch {
	case best == nil:
		e.noMatch(at, &set, args, "no viable constructor or deduction guide for deduction of template arguments of '%s'", t.name)
		return types.Type{}
	case ambiguous:
		e.ambiguity(at, &set, args, "ambiguous deduction for template arguments of '%s'", t.name)
		return types.Type{}
	}
	return best.fn.result().Unqualified()
}

// deductionGuides returns the guides of a class template: those written, and one for
// each constructor of the template.
func (e *env) deductionGuides(t *template) []*function {
	if t.ctors != nil {
		return t.ctors
	}
	t.ctors = []*function{}
	written := true
	add := func(params []*ast.TemplateParam, defaults []*ast.TemplateArg, fps []*ast.Param, result ast.TypeExpr, s *scope, variadic bool) {
		d := &ast.FuncDecl{Span: t.at, Specs: ast.Device | ast.Host, Name: nameOf(t.name, t.at), Type: &ast.FuncType{Span: t.at, Params: fps, Result: result, Variadic: variadic}}
		f := e.newFunction(s, d)
		f.order, f.defOrder, f.guide = 0, 0, written
		if len(params) > 0 {
			f.tmpl = &template{kind: funcTemplate, name: t.name, at: t.at, params: params, defaults: defaults, scope: s, decl: d, fn: f}
		}
		e.signature(f)
		if !f.bad {
			t.ctors = append(t.ctors, f)
		}
	}
	for _, g := range t.guides {
		add(g.params, (&template{}).defaultsOf(g.params), g.decl.Params, g.decl.Type, g.scope, false)
	}
	written = false
	k, ok := t.decl.(*ast.ClassDecl)
	if !ok {
		return t.ctors
	}
	self := selfType(t)
	found := false
	var fields []*ast.Param
	for _, m := range k.Members {
		params, defaults := t.params, t.defaults
		if tm, ok := m.(*ast.TemplateDecl); ok {
			params = append(append([]*ast.TemplateParam(nil), params...), tm.Params...)
			defaults = append(append([]*ast.TemplateArg(nil), defaults...), (&template{}).defaultsOf(tm.Params)...)
			m = tm.Decl
		}
		switch d := m.(type) {
		case *ast.FuncDecl:
			if d.Kind == ast.Constructor {
				found = true
				if !d.Deleted {
					add(params, defaults, d.Type.Params, self, e.guideScope(t, k), d.Type.Variadic)
				}
			}
		case *ast.VarDecl:
			if !d.Specs.Has(ast.Static) && d.Name != nil {
				fields = append(fields, &ast.Param{Span: d.Span, Type: d.Type})
			}
		}
	}
	if !found {
		add(t.params, t.defaults, nil, self, t.scope, false)
		if len(k.Bases) == 0 && len(fields) > 0 { // as C++20 does for aggregates
			add(t.params, t.defaults, fields, self, e.guideScope(t, k), false)
		}
	}
	return t.ctors
}

func (t *template) defaultsOf(params []*ast.TemplateParam) []*ast.TemplateArg {
	t.addDefaults(params)
	return t.defaults
}

// guideScope is where the types of a template's constructors are looked up: the class's
// own aliases are seen.
func (e *env) guideScope(t *template, k *ast.ClassDecl) *scope { return t.scope }

// selfType returns the name of a template with its own parameters as arguments.
func selfType(t *template) ast.TypeExpr {
	seg := &ast.Segment{Span: t.at, Ident: t.name, HasArgs: true}
	for _, p := range t.params {
		a := &ast.TemplateArg{Span: p.Span, Pack: p.Pack}
		name := nameOf("", p.Span)
		if p.Name != nil {
			name = nameOf(p.Name.Name, p.Span)
		}
		switch p.Kind {
		case ast.ValueParam:
			a.Expr = &ast.NameExpr{Span: p.Span, Name: name}
		default:
			a.Type = &ast.NamedType{Span: p.Span, Name: name}
		}
		seg.Args = append(seg.Args, a)
	}
	return &ast.NamedType{Span: t.at, Name: &ast.Name{Span: t.at, Last: seg}}
}
