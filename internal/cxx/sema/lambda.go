package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// A closure is a lambda's class while its body is analysed: what it captures.
type closure struct {
	class *class
	expr  *ast.LambdaExpr
	env   env // where the lambda is
	call  *function
	byVar map[*hir.Var]*field
	this  *field
	star  bool // *this by copy
	inits []hir.Expr
	done  bool // the captures are settled

	consts []*constUse // constant variables of functions around that it may capture by default
	folded bool        // the body uses the value of one, which replaces the name
}

// A keptLambda is a lambda expression that has been analysed for its type alone, in a scope.
// Each analysis would make another class.
type keptLambda struct {
	scope *scope
	x     hir.Expr
}

// lambda analyses a lambda expression: its class, captures and call operator.
func (e *env) lambda(x *ast.LambdaExpr) hir.Expr {
	if e.host && e.body != nil {
		if !x.Specs.Has(ast.Device) {
			return e.bad(x) // the host's, which device code does not call
		}
		if k := e.hostLambda(x); k != nil {
			return &hir.Zero{Info: rvalueInfo(x.Span, e.types.Class(k.t))}
		}
		return e.bad(x)
	}
	if m, ok := e.kept[x]; ok && m.scope == e.scope {
		delete(e.kept, x)
		return m.x
	}
	keep := e.keep
	e.checker.keep = false
	defer func() { e.checker.keep = keep }()
	k := &class{decl: &ast.ClassDecl{Span: x.Span, Defined: true}, at: x.Span, owner: e.body, state: done}
	ts := e.scope.typesScope()
	e.lambdas[ts]++
	k.t = &types.Class{Title: e.titleAt("lambda", x.Span), Scope: ts, Decl: k, Lambda: e.lambdas[ts]}
	k.scope = newScope(classScope, e.scope)
	k.scope.class = k
	cl := &closure{class: k, expr: x, env: *e, byVar: map[*hir.Var]*field{}}
	k.lambda = cl
	cl.env.unevaluated = e.unevaluated
	if !e.captures(cl) {
		return e.bad(x)
	}
	f := e.callOperator(cl)
	if f == nil {
		return e.bad(x)
	}
	cl.call = f
	k.t.LambdaParams = f.params
	generic := f.tmpl != nil
	if generic {
		e.captureTokens(cl)
		e.settle(cl)
	} else {
		e.analyseBody(f)
		e.settle(cl)
	}
	a := &hir.Aggregate{Info: rvalueInfo(x.Span, e.types.Class(k.t)), Fields: cl.inits}
	if keep {
		e.kept[x] = keptLambda{e.scope, a}
	}
	return a
}

// captures adds the captures that are written.
func (e *env) captures(cl *closure) bool {
	ok := true
	for i, c := range cl.expr.Captures {
		if !e.checkCapture(cl, i) {
			ok = false
			continue
		}
		switch {
		case c.This:
			ok = e.captureThis(cl, c.Star, c.Span) != nil && ok
		case c.Init != nil:
			ok = e.initCapture(cl, c) && ok
		case c.Pack:
			f := e.lookup(c.Name.Name, anything)
			if p, isPack := f.obj.(*packVar); isPack {
				for _, v := range p.vars {
					e.capture(cl, v, c.Ref, c.Span)
				}
			}
		default:
			f := e.lookup(c.Name.Name, anything)
			switch v := f.obj.(type) {
			case *variable:
				if v.owner == nil || v.hir == nil || v.hir.Static || v.hir.Space != hir.Local {
					if v.owner == nil || v.hir != nil {
						e.errorf(c, codeCapture, "'%s' cannot be captured because it does not have automatic storage duration", c.Name.Name)
					}
					ok = false
					continue
				}
				ok = e.capture(cl, v, c.Ref, c.Span) != nil && ok
			case *packVar:
				for _, w := range v.vars {
					e.capture(cl, w, c.Ref, c.Span)
				}
			case *binding:
				ok = e.captureBinding(cl, v, c) && ok
			case nil:
				e.errorf(c.Name, codeUndeclared, "use of undeclared identifier '%s'", c.Name.Name)
				ok = false
			default:
				e.errorf(c, codeCapture, "'%s' in capture list does not name a variable", c.Name.Name)
				ok = false
			}
		}
	}
	return ok
}

// checkCapture reports the i-th capture of a lambda if it repeats the default or another one
// ([expr.prim.lambda.capture]/2).
func (e *env) checkCapture(cl *closure, i int) bool {
	c := cl.expr.Captures[i]
	if c.Name == nil || c.This {
		return true
	}
	for _, other := range cl.expr.Captures[:i] {
		if !other.This && other.Name != nil && other.Name.Name == c.Name.Name {
			e.errorf(c, codeCapture, "'%s' can appear only once in a capture list", c.Name.Name)
			return false
		}
	}
	switch {
	case c.Init != nil:
	case c.Ref && cl.expr.Default == ast.ByRef:
		e.errorf(c, codeCapture, "'&' cannot precede a capture when the capture default is '&'")
		return false
	case !c.Ref && cl.expr.Default != ast.NoDefault && cl.expr.Default != ast.ByRef:
		e.errorf(c, codeCapture, "'&' must precede a capture when the capture default is '='")
		return false
	}
	return true
}

// addField adds a field to a closure.
func (cl *closure) addField(t types.Type, name string, init hir.Expr, at ast.Span) *field {
	k := cl.class
	f := &field{class: k, at: at, state: done}
	f.t = &types.Field{Name: name, Type: t, Width: -1, Index: len(k.t.Fields), Class: k.t, Access: types.Private, Decl: f}
	k.t.Fields = append(k.t.Fields, f.t)
	k.fields = append(k.fields, f)
	cl.inits = append(cl.inits, init)
	return f
}

// capture captures a variable of a function around the lambda.
func (e *env) capture(cl *closure, v *variable, ref bool, at ast.Span) *field {
	if f := cl.byVar[v.hir]; f != nil {
		return f
	}
	x := cl.env.useVariable(v, at)
	if isBad(x) {
		return nil
	}
	f := cl.captureObject(v.name, x, ref, at)
	if f != nil {
		cl.byVar[v.hir] = f
	}
	return f
}

// captureObject adds the field for an object that is captured, nil after an error.
func (cl *closure) captureObject(name string, x hir.Expr, ref bool, at ast.Span) *field {
	e := cl.env
	if ref {
		return cl.addField(e.types.Ref(x.Type(), false), name, x, at)
	}
	t := e.types.Unqualify(x.Type())
	cv := x.Type().Qualifiers()
	var init hir.Expr
	if t.IsArray() {
		init = &hir.Copy{Info: rvalueInfo(at, t), X: x}
	} else {
		init = e.convertTo(x, t, "capture")
	}
	if isBad(init) {
		return nil
	}
	return cl.addField(e.types.Qualify(t, cv), name, init, at)
}

// captureBinding captures what a structured binding names, as C++20 and nvcc have it.
func (e *env) captureBinding(cl *closure, b *binding, c *ast.Capture) bool {
	x := cl.env.useBinding(b, c.Span)
	if isBad(x) {
		return false
	}
	if c.Ref && isBitField(x) {
		e.errorf(c, codeCapture, "cannot capture bit-field '%s' by reference", c.Name.Name)
		return false
	}
	f := cl.captureObject(c.Name.Name, x, c.Ref, c.Span)
	if f != nil {
		e.declareCaptured(cl, c, f)
	}
	return f != nil
}

// declareCaptured declares the name of a capture that is no variable around the lambda.
func (e *env) declareCaptured(cl *closure, c *ast.Capture, f *field) {
	t := f.t.Type
	v := &variable{name: c.Name.Name, at: c.Span, typ: t, state: done, hir: &hir.Var{Name: c.Name.Name, Type: t, Span: c.Span}, owner: &body{fn: &function{}}}
	cl.byVar[v.hir] = f
	cl.class.scope.declare(c.Name.Name, v)
}

// initCapture is [name = x] or [&name = x].
func (e *env) initCapture(cl *closure, c *ast.Capture) bool {
	t := e.basic(types.Auto)
	if c.Ref {
		t = e.types.Ref(t, false)
	}
	r := e.autoInit(t, c.Init, c.Span, c.Name.Name)
	if !r.t.IsValid() || isBad(r.x) {
		return false
	}
	e.declareCaptured(cl, c, cl.addField(r.t, c.Name.Name, r.x, c.Span))
	return true
}

// captureThis captures this, or *this.
func (e *env) captureThis(cl *closure, star bool, at ast.Span) *field {
	if cl.this != nil {
		return cl.this
	}
	env := cl.env
	this := env.currentThis(at)
	if this == nil {
		e.errorf(at, codeThis, "'this' cannot be captured in this context")
		return nil
	}
	cl.star = star
	if star {
		t := this.Type().Elem
		obj := &hir.Deref{Info: hir.Info{Span: at, T: t, Cat: hir.LValue}, X: this}
		cl.this = cl.addField(t, "", env.copyObject(obj, t), at)
	} else {
		cl.this = cl.addField(this.Type().Unqualified(), "", this, at)
	}
	return cl.this
}

// callOperator declares the call operator: a template if a parameter is auto.
func (e *env) callOperator(cl *closure) *function {
	x := cl.expr
	ft := x.Type
	if ft == nil {
		ft = &ast.FuncType{Span: x.Span}
	}
	sig := *ft
	params := x.Template
	for i, p := range ft.Params {
		if t, ok := autoParam(p.Type, len(params)); ok {
			if len(params) == len(x.Template) {
				params = append([]*ast.TemplateParam(nil), params...)
			}
			if i == 0 || &sig.Params[0] == &ft.Params[0] {
				sig.Params = append([]*ast.Param(nil), ft.Params...)
			}
			q := *p
			q.Type = t
			sig.Params[i] = &q
			params = append(params, &ast.TemplateParam{Span: p.Span, Kind: ast.TypeParam, Name: &ast.Ident{Span: p.Span, Name: autoName(len(params))}, Pack: isPack(p)})
		}
	}
	if sig.Result == nil {
		sig.Result = &ast.AutoType{Span: x.Span}
	}
	if !x.Specs.Has(ast.Mutable) {
		sig.CV |= ast.Const
	}
	name := &ast.Name{Span: x.Span, Last: &ast.Segment{Span: x.Span, Kind: ast.Operator, Call: true, Op: cpp.LParen}}
	d := &ast.FuncDecl{Span: x.Span, Specs: x.Specs &^ ast.Mutable, Name: name, Type: &sig, Body: x.Body}
	f := e.newFunction(cl.class.scope, d)
	f.class, f.lambda, f.name, f.order, f.defOrder = cl.class, cl, "operator()", e.order, e.order
	if len(params) > 0 {
		f.tmpl = &template{kind: funcTemplate, name: f.name, at: f.at, params: params, scope: cl.class.scope, decl: d, fn: f, class: cl.class}
		f.tmpl.addDefaults(params)
	}
	e.signature(f)
	if f.bad {
		return nil
	}
	o := &overloads{name: f.name, scope: cl.class.scope, state: done, funcs: []*function{f}}
	cl.class.scope.put(f.name).what = o
	return f
}

func autoName(i int) string { return "auto:" + decimal(i+1) }

// autoParam replaces auto in a parameter's type by a parameter of a template.
func autoParam(t ast.TypeExpr, n int) (ast.TypeExpr, bool) {
	switch x := t.(type) {
	case *ast.AutoType:
		name := &ast.Name{Span: x.Span, Last: &ast.Segment{Span: x.Span, Ident: autoName(n)}}
		return &ast.NamedType{Span: x.Span, Name: name}, true
	case *ast.QualType:
		if el, ok := autoParam(x.Elem, n); ok {
			y := *x
			y.Elem = el
			return &y, true
		}
	case *ast.PointerType:
		if el, ok := autoParam(x.Elem, n); ok {
			y := *x
			y.Elem = el
			return &y, true
		}
	case *ast.RefType:
		if el, ok := autoParam(x.Elem, n); ok {
			y := *x
			y.Elem = el
			return &y, true
		}
	case *ast.PackType:
		if el, ok := autoParam(x.Elem, n); ok {
			return &ast.PackType{Span: x.Span, Elem: el}, true
		}
	}
	return t, false
}

// settle lays out a closure once its captures are known.
func (e *env) settle(cl *closure) {
	if cl.done {
		return
	}
	cl.done = true
	e.finish(cl.class)
	if len(cl.inits) == 0 && cl.expr.Default == ast.NoDefault {
		e.addPointerConversion(cl)
	}
}

// addPointerConversion declares the conversion of a lambda without captures to a pointer
// to function. The function has the body of the call operator. That of a generic lambda is a
// template ([expr.prim.lambda.closure]/8), whose instances are those of the call operator.
func (e *env) addPointerConversion(cl *closure) {
	f := cl.call
	if f.typ.Node == nil || f.tmpl == nil && hasAuto(f.result()) {
		return
	}
	conv := e.pointerConversion(f)
	if t := f.tmpl; t != nil {
		conv.tmpl = &template{kind: funcTemplate, name: conv.name, at: f.at, params: t.params, scope: t.scope, decl: t.decl, fn: conv, class: cl.class}
	}
	cl.class.convs = append(cl.class.convs, conv)
}

// genericPointer returns the conversion of a generic lambda to a pointer of a type, or nil.
func (e *env) genericPointer(f *function, to types.Type) *function {
	to = to.Unref()
	if !to.IsPointer() || !to.Elem.IsFunc() {
		return nil
	}
	info := *to.Elem.Func
	info.CV = f.pointerOf.typ.Func.CV
	op := e.instanceOfType(f.pointerOf, nil, e.types.Func(to.Elem.Elem, info))
	if op == nil {
		return nil
	}
	key := e.types.ArgsKey(op.args)
	conv, ok := f.tmpl.instances[key].(*function)
	if !ok {
		conv = e.pointerConversion(op)
		f.tmpl.remember(key, conv)
	}
	return conv
}

// pointerConversion returns the conversion to a pointer of a lambda's call operator.
func (e *env) pointerConversion(f *function) *function {
	info := *f.typ.Func
	info.CV = 0
	ft := e.types.Func(f.result(), info)
	conv := &function{name: "operator T", at: f.at, class: f.class, kind: ast.Conversion, state: done, deduced: true, implicit: true, scope: f.class.scope,
		specs: f.specs & (ast.Device | ast.Host), pointerOf: f}
	conv.typ = e.types.Func(e.types.Pointer(ft), types.FuncInfo{CV: types.Const})
	return conv
}

// lambdaPointer makes the body of a lambda's conversion to a pointer: it returns a
// function that calls the call operator of an object without captures.
func (c *checker) lambdaPointer(f *function) {
	op := f.pointerOf
	at := f.at
	e := &env{checker: c, scope: f.scope}
	inv := &function{name: "__invoke", at: at, class: f.class, static: true, state: done, deduced: true, bodied: done, scope: f.scope, specs: f.specs, lambda: f.class.lambda}
	inv.typ = f.result().Elem
	inv.params = inv.typ.Func.Params
	h := &hir.Func{Span: at, Name: c.fullName(inv), Result: inv.result(), Of: f.class.t, Constexpr: true}
	inv.hir = h
	h.Decl = inv
	h.Symbol = c.mangle(inv)
	t := e.types.Class(f.class.t)
	obj := &hir.Materialize{Info: hir.Info{Span: at, T: t, Cat: hir.XValue}, X: &hir.Aggregate{Info: rvalueInfo(at, t)}}
	call := &hir.Call{Info: resultInfo(at, inv.result()), Func: c.hirFunc(op)}
	call.This = e.thisArgument(op, obj)
	for i, p := range inv.params {
		v := &hir.Var{Span: at, Name: "a" + decimal(i), Type: p}
		h.Params = append(h.Params, v)
		x := e.ref(v, at)
		if !p.Is(types.LRef) {
			x = &hir.VarRef{Info: hir.Info{Span: at, T: x.Type(), Cat: hir.XValue}, Var: v}
		}
		call.Args = append(call.Args, e.convertTo(x, op.params[i], "parameter"))
	}
	h.Body = &hir.Block{Span: at, Stmts: []hir.Stmt{&hir.Return{Span: at, X: call}}}
	if call.T.IsVoid() {
		h.Body.Stmts = []hir.Stmt{&hir.ExprStmt{Span: at, X: call}}
	}
	ref := &hir.FuncRef{Info: hir.Info{Span: at, T: inv.typ, Cat: hir.LValue}, Func: h}
	ptr := &hir.Convert{Info: rvalueInfo(at, f.result()), Kind: hir.FuncDecay, X: ref}
	f.hir.Body = &hir.Block{Span: at, Stmts: []hir.Stmt{&hir.Return{Span: at, X: ptr}}}
}

// lambdaBody analyses the body of a lambda's call operator, or of an instance of it.
func (c *checker) lambdaBody(f *function) {
	cl := f.lambda
	if f.def == nil || f.def.Body == nil {
		return
	}
	if !c.deeper(f.at) {
		return
	}
	defer func() { c.depth-- }()
	h := f.hir
	b := &body{fn: f, hir: h, class: cl.class, closure: cl, outer: &cl.env}
	parent := f.defIn
	s := newScope(paramScope, parent)
	s.body = b
	e := &env{checker: c, scope: s, order: cl.env.order, body: b, host: cl.env.host, unevaluated: false, pack: cl.env.pack}
	b.bindParams(e, s, f)
	block := &hir.Block{Span: f.def.Body.Span}
	b.stmts = &block.Stmts
	e.block(f.def.Body.Tree().Block, block)
	if !cl.done {
		e.captureConstants(cl, block)
	}
	b.finish(e, block)
	h.Body = block
}

// captured returns a variable of a function around: through the captures of the lambdas
// in between.
func (e *env) captured(v *variable, at ast.Span) hir.Expr {
	b := e.body
	cl := b.closure
	if cl == nil {
		if e.unevaluated || v.hir.Const != nil {
			return e.ref(v.hir, at)
		}
		d := e.errorf(at, codeCapture, "reference to local variable '%s' declared in enclosing function", v.name)
		e.note(d, v.at, "'"+v.name+"' declared here")
		return e.bad(at)
	}
	if f := cl.byVar[v.hir]; f != nil {
		return e.capturedField(f, at)
	}
	if v.hir.Const != nil && v.typ.IsScalar() || e.unevaluated {
		r := e.ref(v.hir, at).(*hir.VarRef)
		if !e.unevaluated {
			if u := e.nameConstant(v, at); u != nil {
				u.refs = append(u.refs, r)
			}
		}
		return r
	}
	if cl.expr.Default == ast.NoDefault || cl.done {
		if v.hir.Const != nil {
			return e.ref(v.hir, at)
		}
		d := e.errorf(at, codeCapture, "variable '%s' cannot be implicitly captured in a lambda with no capture-default specified", v.name)
		e.note(d, v.at, "'"+v.name+"' declared here")
		return e.bad(at)
	}
	f := e.capture(cl, v, cl.expr.Default == ast.ByRef, at)
	if f == nil {
		return e.bad(at)
	}
	return e.capturedField(f, at)
}

// capturedField returns a captured variable: a field of the closure.
func (e *env) capturedField(f *field, at ast.Span) hir.Expr {
	this := e.body.hir.This
	obj := &hir.Deref{Info: hir.Info{Span: at, T: this.Type.Elem, Cat: hir.LValue}, X: e.load(e.ref(this, at))}
	return e.fieldOf(obj, f, at)
}

// capturedThis returns this of the function around a lambda.
func (e *env) capturedThis(at ast.Span) hir.Expr {
	cl := e.body.closure
	if cl.this == nil {
		outer := cl.env
		if outer.currentThis(at) == nil {
			return nil
		}
		if cl.expr.Default == ast.NoDefault || cl.done {
			return nil
		}
		if e.captureThis(cl, false, at) == nil {
			return nil
		}
	}
	x := e.capturedField(cl.this, at)
	if isBad(x) {
		return nil
	}
	if cl.star {
		return &hir.AddrOf{Info: rvalueInfo(at, e.types.Pointer(x.Type())), X: x}
	}
	return e.load(x)
}

// captureTokens captures what a generic lambda may use: the variables around that its
// body names.
func (e *env) captureTokens(cl *closure) {
	if cl.expr.Default == ast.NoDefault {
		return
	}
	env := cl.env
	for i := range cl.expr.Body.Tokens {
		t := &cl.expr.Body.Tokens[i]
		at := ast.Range(t.Pos(), t.End())
		if t.Word == cpp.KwThis {
			if env.currentThis(at) != nil {
				e.captureThis(cl, false, at)
			}
			continue
		}
		if t.Kind != cpp.Ident {
			continue
		}
		f := env.lookup(t.Text(), anything)
		switch v := f.obj.(type) {
		case *variable:
			e.captureNamed(cl, v, at)
		case *packVar:
			for _, w := range v.vars {
				e.captureNamed(cl, w, at)
			}
		case *field, *overloads:
			if f.class != nil && env.currentThis(at) != nil {
				e.captureThis(cl, false, at)
			}
		}
	}
}

func (e *env) captureNamed(cl *closure, v *variable, at ast.Span) {
	if v.owner == nil || v.hir == nil || v.hir.Static || v.hir.Space != hir.Local || v.failed {
		return
	}
	v.used = true
	if v.hir.Const != nil {
		cl.nameByGeneric(v, at)
		return
	}
	e.capture(cl, v, cl.expr.Default == ast.ByRef, at)
}
