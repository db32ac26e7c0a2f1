package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

func (t *template) kindWord() string {
	return [...]string{"function", "class", "alias", "variable", "template"}[t.kind]
}

// templateType returns the type that a template-id names; errors are reported.
func (e *env) templateType(t *template, s *ast.Segment, at ast.Span) types.Type {
	if !s.HasArgs {
		d := e.errorf(at, codeTemplateArgs, "use of %s template '%s' requires template arguments", t.kindWord(), t.name)
		e.note(d, t.at, "template is declared here")
		return types.Type{}
	}
	raw, ok := e.rawArgs(s.Args)
	if !ok {
		return types.Type{}
	}
	return e.specialize(t, raw, at)
}

// specialize returns the type that a class or alias template makes of arguments.
func (e *env) specialize(t *template, raw []types.Arg, at ast.Span) types.Type {
	if t.kind != classTemplate && t.kind != aliasTemplate {
		e.errorf(at, codeNotType, "'%s' is not a class or alias template", t.name)
		return types.Type{}
	}
	if dependentArgs(raw) {
		return e.dependentSpec(t, raw, at)
	}
	args, ok := e.convertArgs(t, raw, at)
	if !ok {
		return types.Type{}
	}
	if dependentArgs(args) {
		return e.types.Spec(types.SpecInfo{Template: t, Args: e.flatten(args)})
	}
	if t.kind == aliasTemplate {
		return e.instantiateAlias(t, args, at)
	}
	return e.types.Class(e.classInstance(t, args).t)
}

// dependentSpec returns the type of a template with arguments that depend on parameters.
// An alias is replaced by what it stands for, so that it can be deduced.
func (e *env) dependentSpec(t *template, raw []types.Arg, at ast.Span) types.Type {
	full := raw
	if !hasExpansion(raw) || t.packsTake(raw) {
		var ok bool
		if full, ok = e.convertArgs(t, raw, at); !ok {
			return types.Type{}
		}
		if t.kind == aliasTemplate {
			var x types.Type
			sub := env{checker: e.checker, scope: bind(t.params, full, t.scope)}
			sub.scope.pattern = true
			if !e.fails(func() { x = sub.typ(t.decl.(*ast.AliasDecl).Type) }) && x.IsValid() {
				return x
			}
			return e.types.Spec(types.SpecInfo{Template: t, Args: e.flatten(full)})
		}
		full = e.flatten(full)
	}
	return e.types.Spec(types.SpecInfo{Template: t, Args: full})
}

// packsTake reports whether arguments that are expansions are all for a parameter that is
// a pack, so that the arguments can be matched with the parameters.
func (t *template) packsTake(raw []types.Arg) bool {
	for i := range raw {
		if i < len(t.params) && t.params[i].Pack {
			return true
		}
		if hasExpansion(raw[i : i+1]) {
			return false
		}
	}
	return false
}

// flatten returns arguments with packs in place of their elements.
func (e *env) flatten(args []types.Arg) []types.Arg {
	var out []types.Arg
	for _, a := range args {
		if a.Kind == types.PackArg {
			out = append(out, a.Pack...)
		} else {
			out = append(out, a)
		}
	}
	return out
}

func dependentArgs(args []types.Arg) bool {
	for i := range args {
		switch a := &args[i]; a.Kind {
		case types.TypeArg:
			if a.Type.Dependent() {
				return true
			}
		case types.DependentValue:
			return true
		case types.TemplateArg:
			if a.Template == nil {
				return true
			}
		case types.PackArg:
			if dependentArgs(a.Pack) {
				return true
			}
		}
	}
	return false
}

func hasExpansion(args []types.Arg) bool {
	for i := range args {
		if args[i].Kind == types.TypeArg && args[i].Type.Is(types.Expansion) || args[i].Expand {
			return true
		}
	}
	return false
}

// rawArgs resolves the arguments of a template-id as they are written: packs expanded,
// but not yet matched with parameters.
func (e *env) rawArgs(list []*ast.TemplateArg) ([]types.Arg, bool) {
	out := make([]types.Arg, 0, len(list))
	ok := true
	for _, a := range list {
		if len(out) > maxPack {
			e.packTooLong(a.Span)
			return nil, false
		}
		if !isExpansionArg(a) {
			arg, good := e.rawArg(a)
			out, ok = append(out, arg), ok && good
			continue
		}
		if e.inPattern() {
			arg, good, done := e.patternExpansion(a)
			if done {
				out, ok = append(out, arg), ok && good
				continue
			}
		}
		if list := e.plainPack(a); list != nil {
			out = append(out, list...)
			continue
		}
		ok = e.expand(a, func(e *env) { e.rawArg(a) }, func(e *env) {
			arg, good := e.rawArg(a)
			out, ok = append(out, arg), ok && good
		}) && ok
	}
	return out, ok
}

// plainPack returns the elements of X... where X is nothing but the name of a pack of types and numbers: recursive
// templates pass packs on, which takes the square of their lengths. Nil leaves an argument to the general rules.
func (e *env) plainPack(a *ast.TemplateArg) []types.Arg {
	var n *ast.Name
	switch x := a.Expr.(type) {
	case *ast.PackExpansion:
		if x, ok := x.X.(*ast.NameExpr); ok {
			n = x.Name
		}
	case *ast.NameExpr:
		n = x.Name
	case nil:
		if t, ok := stripPack(a.Type).(*ast.NamedType); ok && !t.Typename {
			n = t.Name
		}
	}
	if n == nil || n.Plain() == "" || e.pack != nil {
		return nil
	}
	var f finding
	if e.fails(func() { f = e.lookupName(n, anything) }) {
		return nil
	}
	b, ok := f.obj.(*bound)
	if !ok || b.arg.Kind != types.PackArg || len(b.arg.Pack) > maxPack {
		return nil
	}
	for i := range b.arg.Pack {
		switch x := &b.arg.Pack[i]; {
		case x.Kind == types.TypeArg && x.Template == nil && !x.Type.Is(types.Expansion) && !dependentArgs(b.arg.Pack[i:i+1]):
		case x.Kind == types.ValueArg && x.Value.Entity == nil && !x.Expand:
		default:
			return nil
		}
	}
	return b.arg.Pack
}

func isExpansionArg(a *ast.TemplateArg) bool {
	if a.Pack {
		return true
	}
	if _, ok := a.Type.(*ast.PackType); ok {
		return true
	}
	_, ok := a.Expr.(*ast.PackExpansion)
	return ok
}

// patternExpansion returns an argument X... in a pattern, where the packs in X are
// themselves; done is false where they have elements.
func (e *env) patternExpansion(a *ast.TemplateArg) (arg types.Arg, ok, done bool) {
	sub := *e
	sub.pack = &expansion{n: -1, index: 1 << 30}
	e.fails(func() { arg, ok = sub.rawArg(a) })
	if sub.pack.elems || !ok || !dependentArgs([]types.Arg{arg}) {
		return arg, ok, false
	}
	if arg.Kind == types.TypeArg {
		arg.Type = e.types.Expansion(arg.Type)
	} else {
		arg.Expand = true
	}
	return arg, true, true
}

// rawArg resolves one argument: a type, a template or an expression.
func (e *env) rawArg(a *ast.TemplateArg) (types.Arg, bool) {
	x := a.Expr
	if p, ok := x.(*ast.PackExpansion); ok {
		x = p.X
	}
	if a.Type != nil {
		t := stripPack(a.Type)
		if n, ok := t.(*ast.NamedType); ok && !n.Typename {
			if arg, ok, done := e.nameArg(n.Name, x); done {
				return arg, ok
			}
		}
		if x == nil {
			x = castOf(t)
		}
		if x == nil || e.denotesType(t) {
			ty := e.typ(t)
			return types.Arg{Kind: types.TypeArg, Type: ty}, ty.IsValid()
		}
	}
	if x == nil {
		return types.Arg{}, false
	}
	return e.valueArg(x)
}

// castOf returns bool(T::value), which reads as the type of a function, as the expression
// that it is where T::value is no type; nil for other types.
func castOf(t ast.TypeExpr) ast.Expr {
	f, ok := t.(*ast.FuncType)
	if !ok || len(f.Params) != 1 || f.Params[0].Name != nil || f.Trailing {
		return nil
	}
	n, ok := f.Params[0].Type.(*ast.NamedType)
	if !ok || n.Typename || len(n.Name.Quals) == 0 {
		return nil
	}
	return &ast.ConstructExpr{Span: f.Span, Type: f.Result, Args: []ast.Expr{&ast.NameExpr{Span: n.Span, Name: n.Name}}}
}

// denotesType reports whether what may be a type or an expression is a type.
func (e *env) denotesType(t ast.TypeExpr) bool {
	var ty types.Type
	return !e.fails(func() { ty = e.typ(t) }) && ty.IsValid()
}

// nameArg resolves an argument that is a name: it may be a template, or a value.
func (e *env) nameArg(n *ast.Name, x ast.Expr) (arg types.Arg, ok, done bool) {
	if n.Last.HasArgs {
		return arg, false, false
	}
	var f finding
	if e.fails(func() { f = e.lookupName(n, anything) }) {
		return arg, false, false
	}
	switch o := f.obj.(type) {
	case *template:
		return types.Arg{Kind: types.TemplateArg, Template: o}, true, true
	case *class: // the injected name, where a template is wanted ([temp.local]/1)
		if o.tmpl != nil && n.Last.Ident == o.tmpl.name {
			return types.Arg{Kind: types.TypeArg, Type: e.types.Class(o.t), Template: o.tmpl}, true, true
		}
	case *bound:
		if e.packRef(o) {
			break
		}
		b, _ := e.element(o, n.Span)
		if b.Kind != types.TypeArg && b.Kind != types.NoArg {
			return b, true, true
		}
	case *variable, *enumConst, *overloads:
		if x == nil {
			x = &ast.NameExpr{Span: n.Span, Name: n}
		}
		arg, ok = e.valueArg(x)
		return arg, ok, true
	}
	return arg, false, false
}

func (e *env) packRef(b *bound) bool { return b.arg.Kind == types.PackArg && e.pack == nil }

// convertArgs matches arguments with the parameters of a template: the result has one
// for each parameter, those of a pack together; defaults are added.
func (e *env) convertArgs(t *template, raw []types.Arg, at ast.Span) ([]types.Arg, bool) {
	args := make([]types.Arg, 0, len(t.params))
	i := 0
	for pi, p := range t.params {
		if p.Pack {
			list := make([]types.Arg, 0, len(raw)-min(i, len(raw)))
			var want types.Type // of values, where it is the same for all
			if _, basic := stripPack(p.Type).(*ast.BasicType); basic && p.Kind == ast.ValueParam {
				want = e.valueParamType(t, p, args)
			}
			for ; i < len(raw); i++ {
				var a types.Arg
				var ok bool
				if want.IsValid() && raw[i].Kind == types.ValueArg {
					a, ok = e.convertValueArg(raw[i], want, at)
				} else {
					a, ok = e.convertArg(t, p, raw[i], args, at)
				}
				if !ok {
					return nil, false
				}
				list = append(list, a)
			}
			args = append(args, types.Arg{Kind: types.PackArg, Pack: list})
			continue
		}
		if i < len(raw) {
			a, ok := e.convertArg(t, p, raw[i], args, at)
			if !ok {
				return nil, false
			}
			args = append(args, a)
			i++
			continue
		}
		a, ok := e.defaultFor(t, pi, args, at)
		if !ok {
			if t.defaults[pi] == nil {
				d := e.errorf(at, codeTemplateArgs, "too few template arguments for %s template '%s'", t.kindWord(), t.name)
				e.note(d, t.at, "template is declared here")
			}
			return nil, false
		}
		args = append(args, a)
	}
	if i < len(raw) {
		d := e.errorf(at, codeTemplateArgs, "too many template arguments for %s template '%s'", t.kindWord(), t.name)
		e.note(d, t.at, "template is declared here")
		return nil, false
	}
	return args, true
}

// defaultFor returns the default argument of a parameter, given those in front of it.
func (e *env) defaultFor(t *template, i int, args []types.Arg, at ast.Span) (types.Arg, bool) {
	if i >= len(t.defaults) || t.defaults[i] == nil {
		return types.Arg{}, false
	}
	params := t.params
	if t.named != nil && t.named[i] != nil {
		params = t.named[i]
	}
	sub := env{checker: e.checker, scope: bind(params, args, t.scope)}
	sub.scope.pattern = dependentArgs(args)
	if !e.enter("default argument for '"+t.name+"'", at) {
		return types.Arg{}, false
	}
	defer e.leave()
	p := t.params[i]
	d := t.defaults[i]
	if p.Kind == ast.ValueParam && d.Expr != nil {
		a, ok := sub.valueArg(d.Expr)
		if !ok {
			return a, false
		}
		return e.convertArg(t, p, a, args, at)
	}
	a, ok := sub.rawArg(d)
	if !ok {
		return a, false
	}
	return e.convertArg(t, p, a, args, at)
}

// convertArg converts an argument to what its parameter asks for.
func (e *env) convertArg(t *template, p *ast.TemplateParam, a types.Arg, before []types.Arg, at ast.Span) (types.Arg, bool) {
	wrong := func(what string) (types.Arg, bool) {
		d := e.errorf(at, codeTemplateArgs, "template argument for %s", what)
		e.note(d, p.Span, "template parameter is declared here")
		return types.Arg{}, false
	}
	switch p.Kind {
	case ast.TypeParam:
		if a.Kind != types.TypeArg {
			return wrong("template type parameter must be a type")
		}
		a.Template = nil
		return a, true
	case ast.TemplateTemplateParam:
		if a.Kind == types.TypeArg && a.Template != nil {
			a = types.Arg{Kind: types.TemplateArg, Template: a.Template}
		}
		if a.Kind != types.TemplateArg {
			return wrong("template template parameter must be a class template or type alias template")
		}
		if at2, ok := a.Template.(*template); ok && !templateMatches(p, at2) {
			return wrong("template template parameter has different template parameters")
		}
		return a, true
	}
	if a.Kind == types.TypeArg {
		if a.Type.Is(types.Expansion) {
			return a, true
		}
		return wrong("non-type template parameter must be an expression")
	}
	if a.Kind == types.TemplateArg {
		return wrong("non-type template parameter must be an expression")
	}
	want := e.valueParamType(t, p, before)
	if !want.IsValid() {
		return types.Arg{}, false
	}
	return e.convertValueArg(a, want, at)
}

// valueParamType returns the type of a parameter of values, given the arguments in front of it.
func (e *env) valueParamType(t *template, p *ast.TemplateParam, before []types.Arg) types.Type {
	sub := env{checker: e.checker, scope: bind(t.params, before, t.scope)}
	sub.scope.pattern = dependentArgs(before)
	return sub.typ(stripPack(p.Type))
}

// templateMatches reports whether a template may be the argument of a template template
// parameter.
func templateMatches(p *ast.TemplateParam, t *template) bool {
	pi := 0
	for i, q := range t.params {
		if pi >= len(p.Params) {
			if !q.Pack && (i >= len(t.defaults) || t.defaults[i] == nil) {
				return false
			}
			continue
		}
		x := p.Params[pi]
		if x.Kind != q.Kind && !x.Pack {
			return false
		}
		if !x.Pack {
			pi++
		}
		if q.Pack {
			return true
		}
	}
	return pi >= len(p.Params) || p.Params[pi].Pack
}

// instantiateAlias returns what an alias template stands for.
func (e *env) instantiateAlias(t *template, args []types.Arg, at ast.Span) types.Type {
	key := e.types.ArgsKey(args)
	if o, ok := t.instances[key].(*alias); ok {
		return e.resolveAlias(o)
	}
	if !e.enter("template alias '"+instanceName(t.name, args)+"'", at) {
		return types.Type{}
	}
	defer e.leave()
	a := &alias{decl: t.decl.(*ast.AliasDecl), scope: bind(t.params, args, t.scope), order: t.order}
	x := e.resolveAlias(a)
	if x.IsValid() {
		t.remember(key, a)
	}
	return x
}

func (t *template) remember(key string, o object) {
	if t.instances == nil {
		t.instances = map[string]object{}
	}
	t.instances[key] = o
}

// instanceName returns a template's name with arguments, as messages show it.
func instanceName(name string, args []types.Arg) string {
	return name + types.ArgList(args)
}

// classInstance returns an instance of a class template, which is not completed yet.
func (c *checker) classInstance(t *template, args []types.Arg) *class {
	c.resolveSpecs(t)
	key := c.types.ArgsKey(args)
	if k, ok := t.instances[key].(*class); ok {
		return k
	}
	k := c.newInstance(t, args)
	t.remember(key, k)
	return k
}

// newInstance makes the class of an instance; its definition is chosen when it is
// completed.
func (c *checker) newInstance(t *template, args []types.Arg) *class {
	d := t.decl.(*ast.ClassDecl)
	s := bind(t.params, args, t.scope)
	k := &class{decl: &ast.ClassDecl{Span: d.Span, Kind: d.Kind, Name: d.Name, Attrs: d.Attrs}, named: true, at: t.at, tmpl: t, args: args, access: t.access}
	k.t = &types.Class{Name: t.name, Union: d.Kind == ast.Union, Scope: t.scope.typesScope(), Template: t, Args: args, Decl: k}
	k.scope = newScope(classScope, s)
	k.scope.class = k
	return k
}

// instantiateClass gives an instance its definition: that of the template, or of the
// partial specialisation that matches best.
func (c *checker) instantiateClass(k *class, at ast.Span) {
	t := k.tmpl
	c.adoptMembers(t)
	decl, params, args, parent, order := t.decl.(*ast.ClassDecl), t.params, k.args, t.scope, t.defOrder
	if p, pargs := c.choosePartial(t, k.args, at); p != nil {
		decl, params, args, parent, order = p.decl.(*ast.ClassDecl), p.params, pargs, p.scope, p.order
	}
	if !decl.Defined {
		return
	}
	if !c.enter("template class '"+k.t.String()+"'", at) {
		k.failed = true
		return
	}
	defer c.leave()
	k.decl, k.defOrder = decl, order
	k.scope.parent = bind(params, args, parent)
	c.complete(k, at)
}
