package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// resolveSet looks at the types of all functions of a name, and merges declarations of
// one function.
func (c *checker) resolveSet(o *overloads) {
	if o.state != untouched {
		return
	}
	o.state = active
	for len(o.pending) > 0 {
		f := o.pending[0]
		o.pending = o.pending[1:]
		c.signature(f)
		if f.bad {
			continue
		}
		if old := c.sameFunction(o, f); old != nil {
			c.mergeFunction(old, f)
		} else {
			if o.funcs == nil {
				o.funcs = c.nodes.funcs.New(1)
			}
			o.funcs = append(o.funcs, f)
		}
	}
	o.state = done
	specs := o.specs
	o.specs = nil
	for _, f := range specs {
		c.matchSpecialisation(o, f)
	}
}

// sameFunction returns the function of the set that f declares again, or nil.
func (c *checker) sameFunction(o *overloads, f *function) *function {
	for _, g := range o.funcs {
		if (g.tmpl == nil) != (f.tmpl == nil) || g.static != f.static && f.class != nil {
			continue
		}
		if f.tmpl == nil && c.conflicts(g, f) && g.friend == f.friend || g.typ == f.typ && c.sameTemplate(g, f) {
			if f.tmpl == nil && g.typ.Elem != f.typ.Elem && !f.typ.Elem.Is(types.Auto) && !g.typ.Elem.Is(types.Auto) {
				if f.deviceSide() || g.deviceSide() {
					d := c.errorf(f.at, codeRedefined, "functions that differ only in their return type cannot be overloaded")
					c.note(d, g.at, "previous declaration is here")
				}
			}
			if c.sidesDiffer(g, f) {
				continue
			}
			return g
		}
		if f.friend && f.tmpl == nil && g.typ == f.typ && g.class == nil {
			return g
		}
	}
	return nil
}

// hides reports whether a member of a derived class takes the place of one that a
// using-declaration names.
func (c *checker) hides(f, g *function) bool {
	if f.typ.Node == nil || g.typ.Node == nil || (f.tmpl == nil) != (g.tmpl == nil) {
		return false
	}
	return c.conflicts(f, g) && (f.tmpl == nil || f.typ.Elem == g.typ.Elem && c.sameTemplate(f, g))
}

// conflicts reports whether two functions have the same parameters and qualifiers, so
// that no call could choose between them.
func (c *checker) conflicts(a, b *function) bool {
	x, y := a.typ.Func, b.typ.Func
	if len(x.Params) != len(y.Params) || x.Variadic != y.Variadic || x.CV != y.CV || x.Ref != y.Ref {
		return false
	}
	for i := range x.Params {
		if x.Params[i] != y.Params[i] {
			return false
		}
	}
	return true
}

// sameTemplate reports whether two functions of one type are one: templates must have
// equivalent parameters too.
func (c *checker) sameTemplate(a, b *function) bool {
	if a.tmpl == nil {
		return true
	}
	p, q := a.tmpl.params, b.tmpl.params
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i].Kind != q[i].Kind || p[i].Pack != q[i].Pack {
			return false
		}
		if p[i].Kind == ast.ValueParam && !c.sameDependent(c.selfType(a.tmpl, i), c.selfType(b.tmpl, i), spanOf(p[i].Type), spanOf(q[i].Type)) {
			return false
		}
		if p[i].Default != nil && q[i].Default != nil {
			return false
		}
	}
	if a.def != nil && b.def != nil && a.def.Body != nil && b.def.Body != nil {
		return c.sameDependent(a.typ, b.typ, signatureSpan(a.decl), signatureSpan(b.decl)) &&
			c.sameDependent(a.typ, b.typ, resultSpan(a.decl), resultSpan(b.decl))
	}
	return true
}

// sameDependent reports whether two types that depend on parameters are equivalent
// ([temp.over.link]/5). Of an expression in them that has no description, the text is
// compared.
func (c *checker) sameDependent(a, b types.Type, x, y ast.Span) bool {
	return a == b && (types.UnencodedIn(a) == nil || sameText(x, y))
}

// selfType returns the type of a parameter of a template that is a value.
func (c *checker) selfType(t *template, i int) types.Type {
	c.patternScope(t)
	return t.selfArgs[i].Type
}

// mergeFunction adds what a later declaration says to a function.
func (c *checker) mergeFunction(old, f *function) {
	if old.defaults == nil && f.defaults != nil {
		old.defaults = make([]defaultArg, len(old.params))
	}
	for i, d := range f.defaults {
		switch {
		case d.x == nil || i >= len(old.defaults):
		case old.defaults[i].x == nil:
			old.defaults[i] = d
		case old.deviceSide() && old.defaults[i].x != d.x && !old.friend && !f.friend:
			e := c.errorf(d.x, codeRedefined, "redefinition of default argument")
			c.note(e, spanOf(old.defaults[i].x), "previous definition is here")
		}
	}
	if f.tmpl != nil {
		for i, d := range f.tmpl.defaults {
			if d != nil && old.tmpl.defaults[i] == nil {
				old.tmpl.defaults[i], old.tmpl.named[i] = d, f.tmpl.named[i]
			}
		}
	}
	f.sameName = old
	if f.def != nil {
		if old.def != nil && old.def.Body != nil && f.def.Body != nil {
			if f.deviceSide() || old.deviceSide() {
				c.redefinition(f.at, f.name, old)
			}
			return
		}
		old.def, old.defIn, old.defOrder = f.def, f.defIn, f.defOrder
		if f.tmpl != nil {
			old.tmpl.decl, old.tmpl.params = f.tmpl.decl, f.tmpl.params
			old.tmpl.scope, old.tmpl.pattern = f.tmpl.scope, nil
		}
	}
	if old.has(ast.Global) != f.has(ast.Global) && (old.specs|f.specs)&(ast.Device|ast.Host) != 0 {
		d := c.errorf(f.at, codeKernel, "'%s' is __global__ in one declaration, and __device__ or __host__ in another", f.name)
		c.note(d, old.at, "previous declaration is here")
		return
	}
	old.specs |= f.specs &^ ast.Friend
	if old.attrs == nil {
		old.attrs = f.attrs
	} else if f.attrs != nil && old.attrs.LaunchBounds == nil && f.attrs.LaunchBounds != nil {
		old.attrs = f.attrs
	}
	old.friend = old.friend && f.friend
	if old.friendOf != f.friendOf {
		old.friendOf = nil
	}
}

// signature resolves the type of a function and of its parameters. Of a template it is
// the pattern.
func (c *checker) signature(f *function) {
	switch f.state {
	case done:
		return
	case active:
		f.bad = true
		return
	}
	f.state = active
	defer func() { f.state = done }()
	if f.decl == nil {
		return
	}
	e := c.nodes.env(&env{checker: c, scope: f.scope, order: f.order})
	defer c.nodes.done(e)
	if f.tmpl != nil {
		e.scope = f.tmpl.inClassOfGuide(c.patternScope(f.tmpl))
		if d := c.try(func() { e.resolveType(f) }); d != nil && f.bad {
			c.patternSignature(e, f)
		}
		return
	}
	if f.deviceSide() || f.class != nil || f.of != nil {
		e.resolveType(f)
		return
	}
	// What the host's functions need is the host's matter.
	if c.fails(func() { e.resolveType(f) }) {
		f.bad = true
	}
}

// resolveType resolves the type of f in the scope of e.
func (e *env) resolveType(f *function) {
	d := f.decl
	f.bad = false
	s := e.nodes.scopes.New()
	s.kind, s.parent = paramScope, e.scope
	e.scope = s
	params := e.nodes.types[:0]
	e.nodes.types = nil // those of a parameter that is a function
	defer func() { e.nodes.types = params }()
	named := namesParams(d.Type)
	s.declaring = true
	defaults := slices.ContainsFunc(d.Type.Params, func(p *ast.Param) bool { return p.Default != nil })
	for i, p := range d.Type.Params {
		at := len(params)
		if isPack(p) {
			list, ok := e.paramTypes(p)
			f.bad = f.bad || !ok
			params = append(params, list...)
		} else {
			t := e.paramType(p)
			f.bad = f.bad || !t.IsValid()
			params = append(params, t)
		}
		list := params[at:]
		for i := 0; defaults && i < len(list); i++ {
			f.defaults = append(f.defaults, defaultArg{p.Default, e.scope, e.visible(), f.tmpl.declared()})
		}
		if named {
			e.declareParam(s, p, list)
			numberParam(s, p, i)
		}
	}
	s.declaring = false
	if f.kind == ast.Constructor && f.class != nil && len(params) > 0 && !params[0].IsRef() && params[0].Unqualified() == e.types.Class(f.class.t) && (len(params) == 1 || len(d.Type.Params) > 1 && d.Type.Params[1].Default != nil) {
		// [class.copy.ctor]/5: a template's instance is never one.
		e.errorf(d.Type.Params[0], codeBadType, "copy constructor must pass its first argument by reference")
		f.bad = true
	}
	result := e.basic(types.Void)
	if !f.bad {
		switch {
		case d.Type.Result != nil:
			if d.Type.Trailing {
				e.this = e.thisIn(f)
			}
			result = e.typ(d.Type.Result)
		case f.kind == ast.Conversion:
			result = e.typ(d.Name.Last.Type)
		}
	}
	if f.bad || !result.IsValid() {
		f.bad = true
		return
	}
	if result.IsArray() || result.IsFunc() {
		e.errorf(d, codeBadType, "function cannot return %s type '%s'", kindOf(result), result)
		f.bad = true
		return
	}
	f.setType(e.checker, params, result)
	e.checkDeclaration(f)
}

// namesParams reports whether the types of a function may name its parameters.
func namesParams(t *ast.FuncType) bool {
	if _, literal := t.Noexcept.(*ast.Literal); t.Trailing || t.Noexcept != nil && !literal {
		return true
	}
	for _, p := range t.Params {
		if p.Default != nil || !namesTypesAlone(p.Type) {
			return true
		}
	}
	return false
}

// namesTypesAlone reports whether a type has no expressions in it but literals.
func namesTypesAlone(t ast.TypeExpr) bool {
	for {
		switch x := t.(type) {
		case *ast.BasicType, *ast.AutoType:
			return true
		case *ast.NamedType:
			plain := x.Name.Decltype == nil && !x.Name.Last.HasArgs
			for _, s := range x.Name.Quals {
				plain = plain && !s.HasArgs
			}
			return plain
		case *ast.ClassType:
			return !x.Decl.Defined && x.Decl.Name.Plain() != ""
		case *ast.QualType:
			t = x.Elem
		case *ast.PointerType:
			t = x.Elem
		case *ast.RefType:
			t = x.Elem
		case *ast.PackType:
			t = x.Elem
		case *ast.ArrayType:
			if _, literal := x.Len.(*ast.Literal); x.Len != nil && !literal {
				return false
			}
			t = x.Elem
		default:
			return false
		}
	}
}

// setType makes the function's type from those of its parameters.
func (f *function) setType(c *checker, params []types.Type, result types.Type) {
	if result.IsScalar() {
		result = result.Unqualified()
	}
	info := types.FuncInfo{Params: params}
	if f.decl != nil {
		info.Variadic = f.decl.Type.Variadic
		info.CV, info.Ref = types.CV(f.decl.Type.CV), uint8(f.decl.Type.Ref)
		info.Noexcept = isNoexceptLiteral(f.decl.Type.Noexcept)
	}
	f.typ = c.types.Func(result, info)
	f.params = f.typ.Func.Params
}

// declareParam makes a parameter's name known to the types behind it and to trailing
// result types.
func (e *env) declareParam(s *scope, p *ast.Param, list []types.Type) {
	if p.Name == nil {
		return
	}
	if isPack(p) && !e.inPattern() {
		pk := &packVar{at: p.Name.Span}
		for _, t := range list {
			pk.vars = append(pk.vars, &variable{name: p.Name.Name, at: p.Name.Span, typ: t, state: done, hir: &hir.Var{Name: p.Name.Name, Type: e.types.AdjustParam(t)}})
		}
		s.declare(p.Name.Name, pk)
		return
	}
	t := e.basic(types.Dependent)
	if len(list) == 1 && list[0].IsValid() {
		t = list[0]
	}
	if !t.IsRef() {
		cv := t.CV
		t = e.types.AdjustParam(t)
		if !t.IsPointer() {
			t.CV = cv
		}
	}
	s.declare(p.Name.Name, &variable{name: p.Name.Name, at: p.Name.Span, typ: t, state: done, hir: &hir.Var{Name: p.Name.Name, Type: t}, spelled: p.Type})
}

// numberParam notes the place of a parameter, which mangled names of expressions need.
func numberParam(s *scope, p *ast.Param, i int) {
	if p.Name == nil || s.parent == nil || !s.parent.pattern {
		return
	}
	if sym := s.get(p.Name.Name); sym != nil {
		if v, ok := sym.what.(*variable); ok {
			v.param = int32(i + 1)
		}
	}
}

// patternSignature makes the pattern of a template whose type cannot be resolved as a
// whole: what fails is dependent.
func (c *checker) patternSignature(e *env, f *function) {
	var params []types.Type
	e.scope = newScope(paramScope, c.patternScope(f.tmpl))
	f.defaults = nil
	e.scope.declaring = true
	for i, p := range f.decl.Type.Params {
		var list []types.Type
		if c.fails(func() { list, _ = e.paramTypes(p) }) || len(list) != 1 || !list[0].IsValid() {
			t := c.types.DependentType(types.DependentInfo{Expr: e.textOf(p)})
			if isPack(p) {
				t = c.types.Expansion(t)
			}
			list = []types.Type{t}
		}
		f.defaults = append(f.defaults, defaultArg{p.Default, e.scope, e.visible(), f.tmpl.declared()})
		params = append(params, list...)
		c.fails(func() { e.declareParam(e.scope, p, list) })
		numberParam(e.scope, p, i)
	}
	e.scope.declaring = false
	result := c.types.Basic(types.Void)
	switch {
	case f.decl.Type.Result != nil:
		result = e.patternType(f.decl.Type.Result)
	case f.kind == ast.Conversion:
		result = e.patternType(f.decl.Name.Last.Type)
	}
	f.bad = false
	f.setType(c, params, result)
}

// textOf is a dependent expression known by its text alone.
func (e *env) textOf(n ast.Node) *types.Expr { return &types.Expr{Text: textOf(spanOf(n))} }

// checkDeclaration reports what is wrong with a function's declaration.
func (e *env) checkDeclaration(f *function) {
	if f.has(ast.Global) {
		if r := f.result(); !r.IsVoid() && !r.Dependent() {
			e.errorf(f.at, codeKernel, "kernel function type '%s' must have void return type", f.typ)
		}
		if f.typ.Func.Variadic {
			e.errorf(f.at, codeKernel, "kernel function '%s' must not have a variable number of arguments", f.name)
		}
		if f.has(ast.Device) || f.has(ast.Host) {
			e.errorf(f.at, codeKernel, "'__global__' and '%s' attributes are not compatible", map[bool]string{true: "__device__", false: "__host__"}[f.has(ast.Device)])
		}
	}
	if f.decl.Name == nil {
		return
	}
	switch f.decl.Name.Last.Kind {
	case ast.Operator:
		e.checkOperatorFunction(f)
	case ast.LiteralOperator:
		e.checkLiteralOperator(f)
	}
}

// resolveResult deduces an auto result from the body, and evaluates the exception
// specification.
func (e *env) resolveResult(f *function) {
	e.signature(f)
	e.exceptionSpec(f)
	if f.deduced || f.bad || f.typ.Node == nil || !hasAuto(f.result()) || f.tmpl != nil {
		return
	}
	if f.bodied == active {
		return
	}
	e.analyseBody(f)
}

// hirFunc returns the function of the semantic tree. Its body is analysed when it is
// asked for.
func (c *checker) hirFunc(f *function) *hir.Func {
	if f.hir != nil {
		return f.hir
	}
	c.signature(f)
	h := c.nodes.decls.New()
	h.Span, h.Name = f.at, c.fullName(f)
	f.hir = h
	h.Decl = f
	if f.typ.Node != nil {
		h.Result = f.result()
		h.Variadic = f.typ.Func.Variadic
	}
	h.Constructor, h.Destructor = f.kind == ast.Constructor, f.special == destructor
	if f.class != nil {
		h.Of = f.class.t
	}
	h.ForceInline, h.NoInline, h.NoReturn = f.has(ast.ForceInline), f.has(ast.NoInline), f.has(ast.NoReturn)
	if c.opts.Host && f.typ.Node != nil && c.opts.Embedded[f.at.Pos().File] && slices.ContainsFunc(f.typ.Func.Params, types.Type.IsPointer) {
		h.NoInline = true // a fault in it is that of its caller, whose line the call has
	}
	h.Constexpr = f.has(ast.Constexpr) || f.implicit || f.defaulted || f.lambda != nil
	h.Trivial = f.trivial()
	if f.has(ast.Global) {
		h.Kind = hir.Kernel
	}
	if f.attrs != nil {
		h.Builtin = f.attrs.Builtin
	}
	c.declareParams(f, h)
	h.Symbol = c.mangle(f)
	return h
}

// declareParams makes the variables of a function's parameters.
func (c *checker) declareParams(f *function, h *hir.Func) {
	if f.typ.Node == nil {
		return
	}
	if f.isMember() {
		cv := f.typ.Func.CV
		if f.kind == ast.Constructor || f.special == destructor {
			cv = 0
		}
		h.This = &hir.Var{Span: f.at, Name: "this", Type: c.types.Pointer(c.types.Qualify(c.types.Class(f.class.t), cv))}
	}
	n := len(f.params)
	room := c.nodes.params.New(n)[:n]
	h.Params = c.nodes.refsTo.New(n)
	for i, t := range f.params {
		v := &room[i]
		v.Span, v.Type = f.at, t
		if p := f.paramAt(i); p != nil {
			v.Span = p.Span
			if p.Name != nil {
				v.Name, v.Span = p.Name.Name, p.Name.Span
			}
			v.GridConstant = p.Specs.Has(ast.GridConstant)
			v.Restrict = isRestrict(p.Type)
			v.Type = c.declaredParam(f, p, t)
		}
		if c.isWideLiteral(f, t) {
			v.Type = c.types.Basic(types.Double)
		}
		h.Params = append(h.Params, v)
	}
}

// declaredParam returns the type of a parameter as the body sees it: const int n is not
// an int.
func (c *checker) declaredParam(f *function, p *ast.Param, t types.Type) types.Type {
	if q, ok := stripPack(p.Type).(*ast.QualType); ok && !t.IsRef() {
		if _, isArray := q.Elem.(*ast.ArrayType); !isArray {
			return c.types.Qualify(t, types.CV(q.CV))
		}
	}
	return t
}

func isRestrict(t ast.TypeExpr) bool {
	for {
		switch x := t.(type) {
		case *ast.QualType:
			t = x.Elem
		case *ast.PackType:
			t = x.Elem
		case *ast.PointerType:
			return x.Restrict
		case *ast.RefType:
			return x.Restrict
		default:
			return false
		}
	}
}

// paramAt returns the declaration of the i-th parameter; elements of a pack share one.
func (f *function) paramAt(i int) *ast.Param {
	d := f.decl
	if f.def != nil && f.def.Type != nil {
		d = f.def
	}
	if d == nil {
		return nil
	}
	list := d.Type.Params
	for j, p := range list {
		if isPack(p) {
			n := len(f.params) - (len(list) - 1)
			if i < j+n {
				return p
			}
			i -= n - 1
			if i == j {
				continue
			}
			continue
		}
		if i == j {
			return p
		}
	}
	return nil
}

// deviceSide reports whether a function may run on the device.
func (f *function) deviceSide() bool {
	return f.specs&(ast.Device|ast.Global|ast.Constexpr) != 0 || f.implicit || f.lambda != nil || f.defaulted
}

// analyseBody analyses a function's body, once. Its errors are not part of the
// substitution that may ask for it.
func (c *checker) analyseBody(f *function) {
	if f.bodied != untouched {
		return
	}
	f.bodied = active
	c.aside(func() { c.analyse(f) })
	f.bodied = done
}

func (c *checker) analyse(f *function) {
	h := c.hirFunc(f)
	c.findDefinition(f)
	switch {
	case f.tmpl != nil || f.deleted || h.Builtin != "":
		return
	case f.pointerOf != nil:
		c.lambdaPointer(f)
		return
	case f.implicit || f.defaulted && (f.def == nil || f.def.Body == nil):
		if f.special != notSpecial && !f.trivial() {
			c.synthesize(f)
		}
		f.deduced = true
		return
	case f.inherited != nil:
		c.inheritConstructor(f)
		return
	case f.lambda != nil:
		c.lambdaBody(f)
		return
	case f.def == nil || f.def.Body == nil:
		return
	}
	if f.isInstance() {
		if !c.enter(what(f), f.requestedAt()) {
			return
		}
		c.instances[len(c.instances)-1].fn = f
		defer c.leave()
	} else if c.deeper(f.at) {
		defer func() { c.depth-- }()
	} else {
		return
	}
	c.bodyOf(f, h)
}

func what(f *function) string {
	if f.of != nil {
		return "function template specialization '" + f.hir.Name + "'"
	}
	return "member function '" + f.hir.Name + "'"
}

// bodyOf analyses the body of an ordinary function.
func (c *checker) bodyOf(f *function, h *hir.Func) {
	if f.class != nil || f.isInstance() || c.opts.Host { // others of the class or template may have the tree
		c.bodyTree(f, h, f.def.Body.Tree(), false)
		return
	}
	f.def.Body.Use(func(tree *ast.BodyTree, passes bool) {
		c.bodyTree(f, h, tree, passes)
		if passes {
			c.nodes.passing.Reset()
		}
	})
}

// bodyTree analyses the tree of a function's body.
func (c *checker) bodyTree(f *function, h *hir.Func, tree *ast.BodyTree, passes bool) {
	n := c.nodes.bodies.New()
	b, s, block := &n.body, &n.scope, &n.block
	b.fn, b.hir, b.class, b.passes = f, h, f.class, passes
	s.kind, s.parent, s.body, s.list = paramScope, f.defIn, b, c.nodes.symbols.New(len(f.params))
	if s.parent == nil {
		s.parent = f.scope
	}
	block.Span = f.def.Body.Span
	b.stmts = &block.Stmts
	e := c.nodes.env(&env{checker: c, scope: s, order: f.bodyOrder(), body: b})
	defer c.nodes.done(e)
	b.bindParams(e, s, f)
	if f.kind == ast.Constructor {
		e.memberInits(f, tree.Inits)
	}
	if h.Destructor {
		b.endLabel = "__members"
	}
	e.block(tree.Block, block)
	if h.Destructor {
		e.destroyMembers(f, block)
	}
	b.finish(e, block)
	h.Body = block
}

// visible is what names see of namespaces: what is declared before them, or before the class
// that they are in; 0 for no limit.
func (e *env) visible() int32 {
	if e.order > 0 {
		return e.order
	}
	return e.scope.visible()
}

// bodyOrder is what the body's names may see: what is declared before it, or before the
// class that the body is in.
func (f *function) bodyOrder() int32 {
	switch {
	case f.defOrder > 0:
		return f.defOrder
	case f.order > 0:
		return f.order
	}
	return f.scope.visible()
}
