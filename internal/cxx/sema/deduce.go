package sema

import (
	"errors"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// templateParams returns the parameters of a template as deduction sees them.
func (c *checker) templateParams(params []*ast.TemplateParam, self []types.Arg) []types.TemplateParam {
	out := make([]types.TemplateParam, len(params))
	for i, p := range params {
		q := &out[i]
		q.Pack = p.Pack
		if p.Name != nil {
			q.Name = p.Name.Name
		}
		switch p.Kind {
		case ast.TypeParam:
			q.Kind = types.TypeArg
		case ast.ValueParam:
			q.Kind, q.Type = types.ValueArg, self[i].Type
		default:
			q.Kind = types.TemplateArg
		}
	}
	return out
}

// callArg returns an argument of a call as deduction sees it.
func (e *env) callArg(x hir.Expr) types.CallArg {
	switch x := x.(type) {
	case *listExpr:
		a := types.CallArg{Type: x.T, List: true}
		for _, el := range x.values() {
			a.Elems = append(a.Elems, e.callArg(el))
		}
		return a
	case *overloadExpr:
		a := types.CallArg{Type: x.T}
		for _, f := range x.funcs {
			if f.tmpl != nil {
				if f = e.only(x); f == nil { // f<int> means one function
					return types.CallArg{Type: x.T}
				}
			}
			e.resolveResult(f)
			if f.typ.Node == nil {
				continue
			}
			t := f.typ
			if f.isMember() {
				t = e.types.MemberPointer(e.types.Class(f.class.t), t)
			} else if x.addr {
				t = e.types.Pointer(t)
			}
			a.Overloads = append(a.Overloads, t)
		}
		if len(a.Overloads) == 1 && !x.addr {
			return types.CallArg{Type: a.Overloads[0], LValue: true}
		}
		return a
	}
	return types.CallArg{Type: x.Type(), LValue: x.Category() == hir.LValue}
}

// deduceCall deduces the arguments of a function template from a call, and returns the
// instance; its signature alone is made. The reason says why there is none.
func (e *env) deduceCall(f *function, explicit []types.Arg, obj hir.Expr, args []hir.Expr, flags callFlags) (*function, error) {
	t := f.tmpl
	e.patternScope(t)
	patterns := f.params
	if n := len(patterns); len(args) > n && !f.typ.Func.Variadic && !(n > 0 && patterns[n-1].Is(types.Expansion)) {
		return nil, &wrongTemplateCount{n, len(args)}
	} else if len(args) < n {
		for i := len(args); i < n; i++ {
			if !patterns[i].Is(types.Expansion) && !f.hasDefault(i) {
				return nil, &wrongTemplateCount{n, len(args)}
			}
		}
	}
	given, why := e.explicitArgs(t, explicit)
	if why != nil {
		return nil, why
	}
	d := e.deduction(t, given)
	d.Patterns = patterns
	for _, a := range args {
		d.Args = append(d.Args, e.callArg(a))
	}
	if err := e.types.Deduce(d); err != nil {
		return nil, err
	}
	return e.functionInstance(f, d.Result)
}

// A wrongTemplateCount is a call of a function template with too few or too many arguments.
type wrongTemplateCount struct{ params, args int }

func (w *wrongTemplateCount) Error() string {
	return "requires " + countWord(w.params) + ", but " + countWord(w.args) + " provided"
}

func countWord(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return decimal(n) + " arguments"
}

// deduction is a deduction of the parameters of a template, with their defaults.
func (e *env) deduction(t *template, explicit []types.Arg) *types.Deduction {
	d := &types.Deduction{Params: e.templateParams(t.params, t.selfArgs), Explicit: explicit}
	d.Default = func(i int, args []types.Arg) (arg types.Arg, ok bool, err error) {
		if i >= len(t.defaults) || t.defaults[i] == nil {
			return arg, false, nil
		}
		fail := e.try(func() { arg, ok = e.defaultFor(t, i, args, t.at) })
		if fail != nil {
			return arg, false, substitutionError{fail.Message}
		}
		return arg, ok, nil
	}
	d.Complete = func(k *types.Class) {
		if c, ok := k.Decl.(*class); ok {
			e.checker.complete(c, c.at)
		}
	}
	return d
}

type substitutionError struct{ text string }

func (s substitutionError) Error() string { return "substitution failure: " + s.text }

// A noInstance is an instance of a function template whose signature has an error.
type noInstance struct {
	t    *template
	args []types.Arg
	why  string
}

func (s *noInstance) Error() string {
	return "substitution failure [with " + withArgs(s.t, s.args) + "]: " + s.why
}

var (
	errExplicitCount = errors.New("too many template arguments")
	errSubstitution  = errors.New("substitution failure")
	errInstanceDepth = errors.New("recursive template instantiation exceeded maximum depth")
)

// explicitArgs converts the arguments that are given to those of the parameters.
func (e *env) explicitArgs(t *template, raw []types.Arg) ([]types.Arg, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	out := make([]types.Arg, 0, len(raw))
	for i, a := range raw {
		pi := i
		if pi >= len(t.params) {
			pi = len(t.params) - 1
			if !t.params[pi].Pack {
				return nil, errExplicitCount
			}
		}
		for j := range pi {
			if t.params[j].Pack {
				pi = j
				break
			}
		}
		ok := false
		var b types.Arg
		e.fails(func() { b, ok = e.convertArg(t, t.params[pi], a, out, t.at) })
		if !ok {
			name := ""
			if n := t.params[pi].Name; n != nil {
				name = n.Name
			}
			return nil, errors.New("invalid explicitly-specified argument for template parameter '" + name + "'")
		}
		out = append(out, b)
	}
	return out, nil
}

// functionInstance returns an instance of a function template, whose signature is
// substituted: an error in it is the reason that there is none.
func (e *env) functionInstance(f *function, args []types.Arg) (*function, error) {
	t := f.tmpl
	key := e.types.ArgsKey(args)
	if g, ok := t.instances[key].(*function); ok {
		if g.bad {
			return nil, errSubstitution
		}
		return g, nil
	}
	g := &function{name: f.name, at: f.at, decl: f.decl, def: f.def, class: f.class, access: f.access, specs: f.specs, attrs: f.attrs, kind: f.kind,
		order: f.order, defOrder: f.defOrder, of: t, args: args, static: f.static, friend: f.friend, friendOf: f.friendOf, deleted: f.deleted, defaulted: f.defaulted, lambda: f.lambda, inherited: f.inherited}
	if f.def != nil {
		g.decl = f.def
	}
	if f.inherited != nil && f.inherited.tmpl != nil { // a base's constructor template
		from, err := e.functionInstance(f.inherited, args)
		if from == nil {
			return nil, err
		}
		g.inherited = from
	}
	g.scope = t.inClassOfGuide(bind(t.params, args, t.scope))
	g.defIn = g.scope
	var d *source.Diagnostic
	if !e.enter("function template specialization '"+instanceName(f.name, args)+"'", t.at) {
		return nil, errInstanceDepth
	}
	g.state = active
	d = e.try(func() {
		sub := &env{checker: e.checker, scope: g.scope, order: g.order}
		sub.resolveType(g)
	})
	g.state = done
	e.leave()
	if d != nil || g.bad {
		g.bad = true
		t.remember(key, g)
		if d == nil {
			return nil, errSubstitution
		}
		return nil, &noInstance{t, args, d.Message}
	}
	for i, of := range f.defaults { // of all declarations of the template
		if isExpansionAt(f, i) || i >= len(g.params) {
			break
		}
		if of.x == nil || i < len(g.defaults) && g.defaults[i].x != nil {
			continue
		}
		if g.defaults == nil {
			g.defaults = make([]defaultArg, len(g.params))
		}
		g.defaults[i] = defaultArg{of.x, bind(of.tmpl, args, g.scope), of.order, nil}
	}
	t.remember(key, g)
	return g, nil
}

func isExpansionAt(f *function, i int) bool {
	return i < len(f.params) && f.params[i].Is(types.Expansion)
}

// withArgs lists the arguments of a template for a message.
func withArgs(t *template, args []types.Arg) string {
	s := ""
	for i, a := range args {
		if i < len(t.params) && t.params[i].Name != nil {
			if s != "" {
				s += ", "
			}
			s += t.params[i].Name.Name + " = " + a.String()
		}
	}
	return s
}

// explicitInstance returns the instance of a template whose arguments are all given, or
// nil.
func (e *env) explicitInstance(f *function, targs []types.Arg) *function {
	e.signature(f)
	e.patternScope(f.tmpl)
	given, why := e.explicitArgs(f.tmpl, targs)
	if why != nil {
		return nil
	}
	d := e.deduction(f.tmpl, given)
	if e.types.Deduce(d) != nil {
		return nil
	}
	g, _ := e.functionInstance(f, d.Result)
	return g
}

// instanceOfType returns the instance of a template that has a type, or nil.
func (e *env) instanceOfType(f *function, targs []types.Arg, t types.Type) *function {
	e.signature(f)
	if f.bad {
		return nil
	}
	e.patternScope(f.tmpl)
	given, why := e.explicitArgs(f.tmpl, targs)
	if why != nil {
		return nil
	}
	d := e.deduction(f.tmpl, given)
	p := f.typ
	if hasAuto(p.Elem) || p.Elem.Is(types.Dependent) {
		p = e.types.Func(t.Elem, *p.Func)
	}
	d.Types = [][2]types.Type{{p, t}}
	if e.types.Deduce(d) != nil {
		return nil
	}
	g, _ := e.functionInstance(f, d.Result)
	if g == nil {
		return nil
	}
	if hasAuto(t.Elem) { // a specialisation, whose own body says what auto is
		if e.signature(g); !g.bad && g.typ == t {
			return g
		}
		return nil
	}
	e.resolveResult(g)
	if g.typ != t && !e.sameFunc(g.typ, t) {
		return nil
	}
	return g
}

// deduceConversion returns the instance of a conversion function template that converts
// to a type, or nil.
func (e *env) deduceConversion(f *function, to types.Type) *function {
	if f.pointerOf != nil {
		return e.genericPointer(f, to)
	}
	e.signature(f)
	if f.bad {
		return nil
	}
	e.patternScope(f.tmpl)
	d := e.deduction(f.tmpl, nil)
	p, a := f.typ.Elem, to.Unref() // [temp.deduct.conv]
	if p.IsRef() {
		p = p.Elem
	} else if a = a.Unqualified(); !to.IsRef() {
		a = e.types.Decayed(a)
	}
	d.Types = [][2]types.Type{{p, a}}
	if e.types.Deduce(d) != nil {
		return nil
	}
	g, _ := e.functionInstance(f, d.Result)
	return g
}

// moreSpecialized compares two function templates for a call with so many arguments, the
// object apart ([temp.func.order]): 1 if a is more specialised, -1 if b is.
func (e *env) moreSpecialized(a, b *function, argsA, argsB int) int {
	if a.tmpl == nil || b.tmpl == nil || a == b || a.kind != b.kind {
		return 0
	}
	x, y := e.signatureOf(a, argsA), e.signatureOf(b, argsB)
	// The object and the first argument that it is beside of are not compared, as by g++:
	// the class of a member template's object has no parameters to deduce.
	switch {
	case a.isMember() && !b.isMember() && len(y.Types) > 0:
		y.Types = y.Types[1:]
	case b.isMember() && !a.isMember() && len(x.Types) > 0:
		x.Types = x.Types[1:]
	}
	return -e.types.MoreSpecialized(&x, &y)
}

// signatureOf returns the types of a template's parameters that n arguments of a call
// have, and of a pack at the end, which may have none.
func (e *env) signatureOf(f *function, n int) types.Signature {
	e.patternScope(f.tmpl)
	list := f.params
	if k := len(list); k > n && f.kind != ast.Conversion {
		list = list[:n:n]
		if f.params[k-1].Is(types.Expansion) {
			list = append(list, f.params[k-1])
		}
	}
	if f.kind == ast.Conversion {
		list = []types.Type{f.result()}
	}
	return types.Signature{Params: e.templateParams(f.tmpl.params, f.tmpl.selfArgs), Types: list}
}

// addressSeq returns how the name of functions converts to a pointer, reference or
// member pointer to function.
func (e *env) addressSeq(o *overloadExpr, to types.Type) seq {
	if f := e.addressed(o, to); f != nil {
		target := to.Unref()
		if target.IsPointer() || target.Is(types.MemberPointer) {
			target = target.Elem
		}
		return seq{identity: f.typ == target, to: to.Unref(), function: true} // leaving out noexcept is a conversion
	}
	if f := e.only(o); f != nil && f.typ.Node != nil {
		t := e.types.Pointer(f.typ)
		if f.isMember() {
			t = e.types.MemberPointer(e.types.Class(f.class.t), f.typ)
		}
		if to.IsClass() {
			s := e.userConversion(&stubExpr{Info: hir.Info{T: t}}, to, false)
			return s
		}
		return e.standard(&stubExpr{Info: hir.Info{T: t}}, to)
	}
	return failed
}

// addressed returns the function of a set that a target type chooses, or nil.
func (e *env) addressed(o *overloadExpr, to types.Type) *function {
	to = to.Unref()
	ft := to
	if to.IsPointer() || to.Is(types.MemberPointer) {
		ft = to.Elem
	}
	if !ft.IsFunc() {
		return nil
	}
	var best *function
	for _, f := range o.funcs {
		if f.tmpl != nil {
			continue
		}
		e.resolveResult(f)
		if !o.hasArgs && (f.typ == ft || e.sameFunc(f.typ, ft)) && (best == nil || e.preference(f) > e.preference(best)) {
			best = f
		}
	}
	if best != nil {
		return best
	}
	var from *function
	for _, f := range o.funcs {
		if f.tmpl == nil {
			continue
		}
		if g := e.instanceOfType(f, o.targs, ft); g != nil {
			if best == nil || e.moreSpecialized(f, from, len(f.params), len(from.params)) > 0 {
				best, from = g, f
			}
		}
	}
	return best
}

// resolveAddress returns the function that a target type chooses as an expression.
func (e *env) resolveAddress(o *overloadExpr, to types.Type) hir.Expr {
	f := e.addressed(o, to)
	if f == nil {
		f = e.only(o)
	}
	if f == nil {
		e.errorf(o, codeOverloadContext, "address of overloaded function '%s' does not match required type '%s'", segmentKey(o.name.Last), to)
		return e.bad(o)
	}
	x := *o
	if to.Is(types.MemberPointer) {
		x.addr = true
	} else {
		x.addr = to.IsPointer()
	}
	return e.useFunction(&x, f)
}

// matchSpecialisation gives an explicit specialisation of a function template to the
// template that it is of.
func (c *checker) matchSpecialisation(o *overloads, f *function) {
	c.signature(f)
	if f.bad {
		return
	}
	e := &env{checker: c, scope: f.scope, order: f.order}
	var targs []types.Arg
	if f.decl.Name.Last.HasArgs {
		var ok bool
		if targs, ok = e.rawArgs(f.decl.Name.Last.Args); !ok {
			return
		}
	}
	var best, from *function
	for _, g := range o.funcs {
		if g.tmpl == nil || f.order > 0 && g.order > f.order { // [temp.expl.spec]/12: declared before
			continue
		}
		if h := e.instanceOfType(g, targs, f.typ); h != nil && (best == nil || e.moreSpecialized(g, from, len(g.params), len(from.params)) > 0) {
			best, from = h, g
		}
	}
	if best == nil {
		c.errorf(f.at, codeSpecialization, "no function template matches function template specialization '%s'", f.name)
		return
	}
	if best.explicitSpec && best.def != nil && f.def != nil && (best.deviceSide() || f.deviceSide()) {
		c.redefinition(f.at, f.name, best)
		return
	}
	best.specialised = best.specialised.declare(f.at, f.order)
	best.decl, best.def, best.defIn, best.scope = f.decl, f.def, f.scope, f.scope
	best.specs, best.attrs, best.at, best.explicitSpec = f.specs, f.attrs, f.at, true
	best.defOrder = f.order
	best.deleted = f.deleted
}
