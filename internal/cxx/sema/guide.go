package sema

import (
	"slices"
	"strconv"

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

// deducedType returns the type that a class template without arguments stands for in a
// declaration, by the initialiser; false where t is not the name of one.
func (e *env) deducedType(t ast.TypeExpr, in *ast.Init, at ast.Span) (types.Type, bool) {
	k, ok := e.deducedClass(t)
	if !ok {
		return types.Type{}, false
	}
	x := e.classFromInit(k, in, at)
	for q, ok := t.(*ast.QualType); ok && x.IsValid(); q, ok = q.Elem.(*ast.QualType) {
		x = e.types.Qualify(x, types.CV(q.CV))
	}
	return x, true
}

// classFromInit deduces the arguments of a class template from an initialiser.
func (e *env) classFromInit(t *template, in *ast.Init, at ast.Span) types.Type {
	keep := e.keep
	e.checker.keep = true
	defer func() { e.checker.keep = keep }()
	if in == nil {
		return e.deduceClassType(t, nil, nil, at, callFlags{})
	}
	flags := callFlags{implicit: in.Kind == ast.CopyInit}
	if l := bracedList(in); l != nil && in.Kind != ast.DirectInit {
		list := e.listOf(l)
		return e.deduceClassType(t, list.values(), list, at, flags)
	}
	return e.deduceClassType(t, e.exprs(in.Args), nil, at, flags)
}

// deduceClass makes an object of a class template whose arguments are deduced from T(args).
func (e *env) deduceClass(t *template, args []hir.Expr, at ast.Span) hir.Expr {
	x := e.deduceClassType(t, args, nil, at, callFlags{})
	if !x.IsValid() {
		return e.bad(at)
	}
	if !e.requireComplete(x, at, "initialization of incomplete type") {
		return e.bad(at)
	}
	if k := classOfType(x); k.t.Aggregate && !(len(args) == 1 && args[0].Type().Unqualified() == x) { // as C++20 does
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

// deduceClassFromList makes an object of a class template whose arguments are deduced from
// T{elements}.
func (e *env) deduceClassFromList(t *template, l *listExpr) hir.Expr {
	keep := e.keep
	e.checker.keep = true
	x := e.deduceClassType(t, l.values(), l, l.Span, callFlags{})
	e.checker.keep = keep
	if !x.IsValid() {
		return e.bad(l)
	}
	return e.initList(x, l, false, "value")
}

// deduceClassType returns the instance that the guides and constructors of a class
// template choose for arguments ([over.match.class.deduct]). Of a list, guides that take it
// as a std::initializer_list come first, unless its one element is an instance of the template
// already ([over.match.list]).
func (e *env) deduceClassType(t *template, args []hir.Expr, l *listExpr, at ast.Span, flags callFlags) types.Type {
	if anyBad(args) {
		return types.Type{}
	}
	guides := e.deductionGuides(t)
	if l != nil && len(args) > 0 && !(len(args) == 1 && isInstanceOf(args[0], t)) {
		var set candidates
		for _, g := range guides {
			if e.takesElements(g) {
				set.consider(e, g, nil, []hir.Expr{l}, nil, flags)
			}
		}
		if best, ambiguous := set.best(e); best != nil && !ambiguous {
			return best.fn.result().Unqualified()
		}
	}
	var set candidates
	for _, g := range guides {
		set.consider(e, g, nil, args, nil, flags)
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

// isInstanceOf reports whether an expression is of an instance of a class template.
func isInstanceOf(x hir.Expr, t *template) bool {
	k := classOfType(x.Type())
	return k != nil && k.tmpl == t
}

// takesElements reports whether the first parameter of a guide is a std::initializer_list and
// the others have default arguments.
func (e *env) takesElements(g *function) bool {
	if len(g.params) == 0 || len(g.params) > 1 && !g.hasDefault(1) {
		return false
	}
	list := e.initializerListTemplate()
	p := g.params[0].Unref().Unqualified()
	if k := classOfType(p); k != nil {
		return list != nil && k.tmpl == list
	}
	return list != nil && p.Is(types.Spec) && p.Spec.Template == types.Template(list)
}

// deductionGuides returns the guides of a class template: those written, one for each
// constructor of the template, and the copy deduction candidate.
func (e *env) deductionGuides(t *template) []*function {
	if t.ctors != nil {
		return t.ctors
	}
	t.ctors = []*function{}
	for _, g := range t.guides {
		e.addGuide(t, guideTemplate{params: g.params, defaults: defaultsOf(g.params), result: g.decl.Type, scope: g.scope, rank: writtenGuide},
			&ast.FuncType{Params: g.decl.Params}, g.decl.Specs&ast.Explicit)
	}
	k, ok := t.decl.(*ast.ClassDecl)
	if !ok {
		return t.ctors
	}
	params := namedParams(t.params)
	of := guideTemplate{params: params, defaults: t.defaults, result: selfType(t), scope: t.scope}
	found := false
	var fields []*ast.Param
	for _, m := range k.Members {
		own := of
		if tm, ok := m.(*ast.TemplateDecl); ok {
			own.params = slices.Concat(own.params, tm.Params)
			own.defaults = slices.Concat(own.defaults, defaultsOf(tm.Params))
			m = tm.Decl
		}
		switch d := m.(type) {
		case *ast.FuncDecl:
			if d.Kind == ast.Constructor {
				found = true
				if !d.Deleted {
					e.addGuide(t, own, d.Type, d.Specs&ast.Explicit)
				}
			}
		case *ast.VarDecl:
			if !d.Specs.Has(ast.Static) && d.Name != nil {
				fields = append(fields, &ast.Param{Span: d.Span, Type: d.Type})
			}
		}
	}
	if !found {
		e.addGuide(t, of, &ast.FuncType{}, 0)
		if len(k.Bases) == 0 && len(fields) > 0 { // as C++20 does for aggregates
			e.addGuide(t, of, &ast.FuncType{Params: fields}, 0)
		}
	}
	of.rank = copyGuide
	e.addGuide(t, of, &ast.FuncType{Params: []*ast.Param{{Span: t.at, Type: of.result}}}, 0)
	return t.ctors
}

// A guideRank says which of two guides that are equally good is taken ([over.match.best]).
type guideRank uint8

const (
	constructorGuide guideRank = iota
	copyGuide                  // the copy deduction candidate
	writtenGuide
)

// A guideTemplate is the template that a guide is of.
type guideTemplate struct {
	params   []*ast.TemplateParam
	defaults []*ast.TemplateArg
	result   ast.TypeExpr
	scope    *scope
	rank     guideRank
}

// addGuide adds a guide with the parameters of a function type to those of t.
func (e *env) addGuide(t *template, of guideTemplate, ft *ast.FuncType, specs ast.Specs) {
	d := &ast.FuncDecl{Span: t.at, Specs: ast.Device | ast.Host | specs, Name: nameOf(t.name, t.at),
		Type: &ast.FuncType{Span: t.at, Params: ft.Params, Result: of.result, Variadic: ft.Variadic}}
	f := e.newFunction(of.scope, d)
	f.order, f.defOrder, f.guide = 0, 0, of.rank
	if len(of.params) > 0 {
		f.tmpl = &template{kind: funcTemplate, name: t.name, at: t.at, params: of.params, defaults: of.defaults, scope: of.scope, decl: d, fn: f}
		if of.rank != writtenGuide {
			f.tmpl.constructs = t
		}
	}
	e.signature(f)
	if !f.bad {
		t.ctors = append(t.ctors, f)
	}
}

// inClassOfGuide returns the scope of a guide's signature inside of s, which has its template's
// arguments: the constructor's parameters may name the class itself and its aliases.
func (t *template) inClassOfGuide(s *scope) *scope {
	if t.constructs == nil {
		return s
	}
	k := t.constructs
	in := newScope(blockScope, s)
	self := &ast.AliasDecl{Span: k.at, Name: &ast.Ident{Span: k.at, Name: k.name}, Type: selfType(k)}
	in.declare(k.name, &alias{decl: self, scope: s, injected: k})
	for _, m := range k.decl.(*ast.ClassDecl).Members {
		if a, ok := m.(*ast.AliasDecl); ok {
			in.declare(a.Name.Name, &alias{decl: a, scope: in})
		}
	}
	return in
}

// defaultsOf returns the default arguments of parameters.
func defaultsOf(params []*ast.TemplateParam) []*ast.TemplateArg {
	list := make([]*ast.TemplateArg, len(params))
	for i, p := range params {
		list[i] = p.Default
	}
	return list
}

// namedParams returns template parameters of which each has a name, so that guides can refer
// to them: unnamed ones get a name that no program has.
func namedParams(params []*ast.TemplateParam) []*ast.TemplateParam {
	if !slices.ContainsFunc(params, func(p *ast.TemplateParam) bool { return p.Name == nil }) {
		return params
	}
	list := slices.Clone(params)
	for i, p := range list {
		if p.Name == nil {
			named := *p
			named.Name = &ast.Ident{Span: p.Span, Name: "<parameter " + strconv.Itoa(i+1) + ">"}
			list[i] = &named
		}
	}
	return list
}

// selfType returns the name of a template with its own parameters as arguments.
func selfType(t *template) ast.TypeExpr {
	seg := &ast.Segment{Span: t.at, Ident: t.name, HasArgs: true}
	for _, p := range namedParams(t.params) {
		a := &ast.TemplateArg{Span: p.Span, Pack: p.Pack}
		name := nameOf(p.Name.Name, p.Span)
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
