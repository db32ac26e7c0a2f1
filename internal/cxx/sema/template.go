package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// A templateKind is what a template makes.
type templateKind uint8

const (
	funcTemplate templateKind = iota
	classTemplate
	aliasTemplate
	varTemplate
	paramTemplate // a parameter that is a template, in a pattern
)

// A template is a template of any kind. Its tree is analysed anew for each instance,
// in a scope that binds its parameters.
type template struct {
	kind   templateKind
	name   string
	at     ast.Span
	params []*ast.TemplateParam
	// defaults are those of all declarations, by parameter, and named the parameters of the declaration that has each; nil for params.
	defaults []*ast.TemplateArg
	named    [][]*ast.TemplateParam
	scope    *scope // where it is declared
	order    int32
	defOrder int32    // of decl; 0 for a member's
	decl     ast.Decl // what it makes; the definition once there is one
	class    *class   // of a member template
	access   types.Access

	fn        *function // of funcTemplate
	pattern   *scope    // binds the parameters to themselves
	selfArgs  []types.Arg
	instances map[string]object
	partials  []*partial
	// specs are explicit specialisations that have not been matched yet.
	specs  []*specialisation
	guides []guide
	// constructs is the class template that a guide made of a constructor is of.
	constructs *template
	ctors      []*function // what class template argument deduction chooses from
	busy       bool
	adopted    bool // what is declared of a member out of its class has been added
}

// A partial is a partial specialisation of a class or variable template.
type partial struct {
	params  []*ast.TemplateParam
	decl    ast.Decl
	name    *ast.Name
	scope   *scope
	order   int32
	pattern *scope
	args    []types.Arg // the patterns
	state   state
}

// A specialisation is template <> of a class or variable template.
type specialisation struct {
	decl  ast.Decl
	name  *ast.Name
	scope *scope
	order int32
}

type guide struct {
	decl   *ast.DeductionGuide
	params []*ast.TemplateParam
	scope  *scope
}

func (t *template) span() ast.Span { return t.at }

// declared returns the parameters of a template's last declaration; nil of no template.
func (t *template) declared() []*ast.TemplateParam {
	if t == nil {
		return nil
	}
	return t.params
}

// TemplateName implements types.Template.
func (t *template) TemplateName() string { return t.name }

// TemplateScope implements types.Template.
func (t *template) TemplateScope() types.Scope { return t.scope.typesScope() }

// TemplatePack implements types.PackTemplate.
func (t *template) TemplatePack() int {
	for i, p := range t.params {
		if p.Pack {
			return i
		}
	}
	return -1
}

// declareTemplate registers a template, a specialisation, or the definition of a member
// of a template.
func (c *checker) declareTemplate(s *scope, d *ast.TemplateDecl) {
	params := [][]*ast.TemplateParam{d.Params}
	inner := d.Decl
	for {
		t, ok := inner.(*ast.TemplateDecl)
		if !ok {
			break
		}
		params = append(params, t.Params)
		inner = t.Decl
	}
	if f, ok := inner.(*ast.FriendDecl); ok {
		if f.Decl != nil {
			inner = f.Decl
		}
	}
	name := templateDeclName(inner)
	if name == nil {
		return
	}
	if g, ok := inner.(*ast.DeductionGuide); ok {
		if t, ok := c.primary(s, g.Name).(*template); ok {
			t.guides = append(t.guides, guide{decl: g, params: d.Params, scope: s})
		}
		return
	}
	if qualified(name) && c.at(s).qualifyingNamespace(name) == nil {
		c.addOutOfLine(s, inner, name, params)
		return
	}
	if qualified(name) {
		c.declareIn(s, inner, name, params)
		return
	}
	c.declareTemplated(s, inner, name, params[len(params)-1])
}

// declareIn registers what a name qualified by a namespace declares in it.
func (c *checker) declareIn(s *scope, d ast.Decl, name *ast.Name, params [][]*ast.TemplateParam) {
	n := c.at(s).qualifyingNamespace(name)
	short := *name
	short.Global, short.Quals = false, nil
	c.declareTemplated(n.scope, renamed(d, &short), &short, params[len(params)-1])
}

// renamed returns the declaration with another name.
func renamed(d ast.Decl, name *ast.Name) ast.Decl {
	switch d := d.(type) {
	case *ast.FuncDecl:
		x := *d
		x.Name = name
		return &x
	case *ast.VarDecl:
		x := *d
		x.Name = name
		return &x
	case *ast.ClassDecl:
		x := *d
		x.Name = name
		return &x
	}
	return d
}

func templateDeclName(d ast.Decl) *ast.Name {
	switch d := d.(type) {
	case *ast.ClassDecl:
		return d.Name
	case *ast.FuncDecl:
		return d.Name
	case *ast.VarDecl:
		return d.Name
	case *ast.DeductionGuide:
		return d.Name
	case *ast.AliasDecl:
		return &ast.Name{Span: d.Name.Span, Last: &ast.Segment{Span: d.Name.Span, Ident: d.Name.Name}}
	}
	return nil
}

// declareTemplated registers a template or a specialisation of one in s.
func (c *checker) declareTemplated(s *scope, d ast.Decl, name *ast.Name, params []*ast.TemplateParam) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		c.declareFuncTemplate(s, d, params)
		return
	case *ast.ClassDecl:
		c.refuseKernels(d)
	}
	switch d := d.(type) {
	case *ast.ClassDecl, *ast.VarDecl:
		if name.Last.HasArgs || len(params) == 0 {
			c.declareSpecialisation(s, d, name, params)
			return
		}
	}
	kind := aliasTemplate
	switch d.(type) {
	case *ast.ClassDecl:
		kind = classTemplate
	case *ast.VarDecl:
		kind = varTemplate
	}
	key := name.Last.Ident
	sym := s.put(key)
	if t, ok := sym.what.(*template); ok && t.kind == kind {
		t.redeclare(c, d, params)
		if t.decl == d {
			t.defOrder = c.localOrder(s)
		}
		return
	} else if sym.what != nil {
		if _, isOpaque := sym.what.(*opaque); !isOpaque {
			c.redefinition(name.Span, key, sym.what)
			return
		}
	}
	t := &template{kind: kind, name: key, at: name.Span, params: params, scope: s, order: c.localOrder(s), defOrder: c.localOrder(s), decl: d, class: classIn(s)}
	t.addDefaults(params)
	sym.what = t
	c.checkDefaults(t)
}

// checkDefaults reports a parameter without a default argument behind one that has one
// ([temp.param]/11).
func (c *checker) checkDefaults(t *template) {
	given := false
	for i, p := range t.params {
		if given && t.defaults[i] == nil && !p.Pack {
			c.errorf(p, codeTemplateArgs, "template parameter missing a default argument")
			return
		}
		given = given || t.defaults[i] != nil
	}
}

func classIn(s *scope) *class {
	if s.kind == classScope {
		return s.class
	}
	return nil
}

func (t *template) addDefaults(params []*ast.TemplateParam) {
	if t.defaults == nil {
		t.defaults, t.named = make([]*ast.TemplateArg, len(params)), make([][]*ast.TemplateParam, len(params))
	}
	for i, p := range params {
		if p.Default != nil && i < len(t.defaults) {
			t.defaults[i], t.named[i] = p.Default, params
		}
	}
}

// redeclare adds another declaration of a class or variable template.
func (t *template) redeclare(c *checker, d ast.Decl, params []*ast.TemplateParam) {
	if !t.checkRedeclared(c, params) {
		return
	}
	t.addDefaults(params)
	if k, ok := d.(*ast.ClassDecl); ok {
		if !k.Defined {
			return
		}
		if old, ok := t.decl.(*ast.ClassDecl); ok && old.Defined {
			c.redefinition(k.Name.Span, t.name, t)
			return
		}
	}
	t.decl, t.params = d, params
}

// checkRedeclared reports parameters of another declaration of a template that are not as
// many as those of the first, or of another kind, or name a default argument again
// ([temp.param]/12, [temp.over.link]/6).
func (t *template) checkRedeclared(c *checker, params []*ast.TemplateParam) bool {
	wrong := func(at ast.Node, format string, args ...any) bool {
		c.note(c.errorf(at, codeTemplateArgs, format, args...), t.at, "previous template declaration is here")
		return false
	}
	switch n := len(t.params); {
	case len(params) < n:
		return wrong(params[len(params)-1], "too few template parameters in template redeclaration")
	case len(params) > n:
		return wrong(params[n], "too many template parameters in template redeclaration")
	}
	for i, p := range params {
		switch old := t.params[i]; {
		case p.Kind != old.Kind || p.Pack != old.Pack:
			return wrong(p, "template parameter has a different kind in template redeclaration")
		case p.Default != nil && t.defaults[i] != nil:
			return wrong(p, "template parameter redefines default argument")
		}
	}
	return true
}

// declareFuncTemplate registers a function template, or an explicit specialisation.
func (c *checker) declareFuncTemplate(s *scope, d *ast.FuncDecl, params []*ast.TemplateParam) {
	f := c.newFunction(s, d)
	if len(params) == 0 {
		f.explicitSpec = true
		c.addFunction(s, f)
		c.defineFunc(s, d, f)
		if d.Specs.Has(ast.Global) && d.Body != nil {
			c.explicits = append(c.explicits, explicit{&ast.InstantiationDecl{Span: d.Span, Decl: d}, s, c.order})
		}
		return
	}
	if d.Name.Last.HasArgs {
		c.errorf(d.Name, codeSpecialization, "function template partial specialization is not allowed")
		return
	}
	f.tmpl = &template{kind: funcTemplate, name: f.name, at: f.at, params: params, scope: s, order: f.order, decl: d, fn: f, class: classIn(s)}
	f.tmpl.addDefaults(params)
	c.addFunction(s, f)
}

// declareSpecialisation registers a partial or explicit specialisation with its
// template.
func (c *checker) declareSpecialisation(s *scope, d ast.Decl, name *ast.Name, params []*ast.TemplateParam) {
	e := c.at(s)
	f := e.lookup(name.Last.Ident, anything)
	t, ok := f.obj.(*template)
	if k, isClass := f.obj.(*class); isClass && k.tmpl != nil {
		t, ok = k.tmpl, true
	}
	if !ok {
		c.errorf(name.Span, codeNotTemplate, "explicit specialization of undeclared template '%s'", name.Last.Ident)
		return
	}
	if _, isClass := d.(*ast.ClassDecl); isClass != (t.kind == classTemplate) {
		c.errorf(name.Span, codeNotTemplate, "specialization of '%s', which is another kind of template", name.Last.Ident)
		return
	}
	if len(params) == 0 {
		t.specs = append(t.specs, &specialisation{decl: d, name: name, scope: s, order: c.localOrder(s)})
		return
	}
	if samePacks(params, t.params) && namesItself(name.Last, params) {
		c.errorf(name.Span, codeSpecialization, "partial specialization of '%s' does not specialize any template argument; to define the primary template, remove the template argument list", t.name)
		return
	}
	for _, p := range t.partials { // a definition after a declaration
		if old, ok := p.decl.(*ast.ClassDecl); ok && !old.Defined && sameText(old.Name.Span, name.Span) {
			p.decl, p.params, p.order = d, params, c.localOrder(s)
			return
		}
	}
	t.partials = append(t.partials, &partial{params: params, decl: d, name: name, scope: s, order: c.localOrder(s)})
}

// samePacks reports whether two lists of parameters have packs at the same places.
func samePacks(a, b []*ast.TemplateParam) bool {
	return slices.EqualFunc(a, b, func(p, q *ast.TemplateParam) bool { return p.Pack == q.Pack })
}

// primary returns the template that a name means in s, or nil.
func (c *checker) primary(s *scope, name *ast.Name) object {
	f := c.at(s).lookup(name.Last.Ident, anything)
	return f.obj
}

// patternScope returns the scope in which the parameters of t are themselves.
func (c *checker) patternScope(t *template) *scope {
	if t.pattern == nil {
		t.pattern, t.selfArgs = c.paramsAsPattern(t.params, t.scope, 0)
	}
	return t.pattern
}

// paramsAsPattern binds parameters to themselves, numbered from first on.
func (c *checker) paramsAsPattern(params []*ast.TemplateParam, parent *scope, first int) (*scope, []types.Arg) {
	s := newScope(templateScope, parent)
	s.pattern = true
	args := make([]types.Arg, len(params))
	for i, p := range params {
		info := &types.ParamInfo{Index: first + i, Pack: p.Pack}
		if p.Name != nil {
			info.Name = p.Name.Name
		}
		args[i] = c.selfArg(p, info, s)
		if p.Name != nil {
			s.declare(p.Name.Name, &bound{p, args[i]})
		}
	}
	return s, args
}

// selfArg returns a parameter as an argument: itself.
func (c *checker) selfArg(p *ast.TemplateParam, info *types.ParamInfo, s *scope) types.Arg {
	switch p.Kind {
	case ast.TypeParam:
		t := c.types.Param(*info)
		return types.Arg{Kind: types.TypeArg, Type: t}
	case ast.ValueParam:
		e := c.at(s)
		t := e.patternType(p.Type)
		return types.Arg{Kind: types.DependentValue, Type: t, Pattern: info}
	}
	return types.Arg{Kind: types.TemplateArg, Pattern: info,
		Template: nil}
}

// bind returns the scope in which the parameters have arguments.
func bind(params []*ast.TemplateParam, args []types.Arg, parent *scope) *scope {
	s := newScope(templateScope, parent)
	for i, p := range params {
		if p.Name != nil && i < len(args) && args[i].Kind != types.NoArg {
			s.declare(p.Name.Name, &bound{p, args[i]})
		}
	}
	return s
}
