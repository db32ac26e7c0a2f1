package sema

import (
	"cmp"
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// This file analyses of host functions what decides which kernels device code has: launches,
// and the lambdas that are passed to kernels. Local declarations are analysed where a launch
// or a lambda sees them; what device code cannot know of them is left out without a word.

// A closureKey is a lambda in a function of the host, or in one instance of it.
type closureKey struct {
	token int
	in    *function
}

// hostEnv returns what names mean at a token of a host function's body.
func (c *checker) hostEnv(f *function, d *ast.FuncDecl, in *scope, order int32, decls []ast.Decl) *env {
	if f == nil {
		f = &function{name: segmentKey(d.Name.Last), at: d.Name.Span, decl: d, def: d, scope: in, bad: true}
	}
	b := &body{fn: f, hir: &hir.Func{Span: d.Span}, stmts: new([]hir.Stmt), class: f.class}
	c.fails(func() { c.signature(f) })
	if !f.bad && f.typ.Node != nil && f.symbol == nil {
		f.symbol = c.symbolOf(f)
	}
	s := newScope(paramScope, in)
	s.body = b
	e := &env{checker: c, scope: s, order: order, host: true, body: b}
	if f.class != nil && !f.static {
		b.hir.This = &hir.Var{Name: "this", Type: c.types.Pointer(c.types.Qualify(c.types.Class(f.class.t), types.CV(d.Type.CV)))}
	}
	for _, p := range d.Type.Params {
		c.fails(func() {
			if list, ok := e.paramTypes(p); ok {
				e.declareParam(s, p, list)
			}
		})
	}
	for i := range s.list {
		if v, ok := s.list[i].what.(*variable); ok {
			v.owner = b
		}
	}
	for _, d := range decls {
		e.scope = newScope(blockScope, e.scope)
		e.scope.body = b
		if v, ok := d.(*ast.VarDecl); ok && v.Name != nil {
			e.hostVar(v)
		} else if !ok {
			c.fails(func() { e.localDecl(d) })
		}
	}
	return e
}

// hostVar declares a local variable of a host function. Its initialiser is asked for where
// the type or a constant needs it.
func (e *env) hostVar(d *ast.VarDecl) {
	v := &variable{decl: d, name: d.Name.Last.Ident, at: d.Name.Span, scope: e.scope, specs: d.Specs, attrs: d.Attrs, owner: e.body, state: active}
	if d.Type != nil { // the parser had no error in it
		e.fails(func() {
			e.definedIn(e.scope, d.Type)
			v.typ = e.localType(d, v.at)
		})
	}
	e.scope.declare(v.name, v)
	defer func() { v.state = done }()
	if !v.typ.IsValid() {
		v.failed = true
		return
	}
	if d.Specs.Has(ast.Constexpr) {
		v.typ = e.types.Qualify(v.typ, types.Const)
	}
	v.hir = &hir.Var{Span: v.at, Name: v.name, Type: v.typ, Static: d.Specs.Has(ast.Static), Decl: v}
	t := v.typ
	if hasAuto(t) || t.IsArray() && t.Len < 0 || t.IsConst() && (t.IsInteger() || t.IsEnum()) || d.Specs.Has(ast.Constexpr) {
		failed := e.fails(func() { e.localInit(v) })
		v.failed = failed && (hasAuto(t) || t.IsArray() && t.Len < 0)
	} else if !t.IsRef() {
		e.fails(func() { e.completeType(t, v.at) })
	}
}

// launched returns the kernels that a launch in host code may mean. What cannot be
// resolved is the host compiler's to report.
func (c *checker) launched(b hostBody, l *ast.LaunchExpr) (out []*function) {
	n, ok := stripParens(l.Fun).(*ast.NameExpr)
	if !ok {
		return nil
	}
	decls, _ := b.decl.Body.Host.At(l.Token)
	c.ofHost++
	defer func() { c.ofHost-- }()
	e := c.hostEnv(b.fn, b.decl, b.scope, b.order, decls)
	c.deviceCalls = nil
	defer func() { c.reportDeviceCalls(b) }()
	c.fails(func() { e.exprs(l.Config) })
	var templates []*function
	c.fails(func() {
		q := e.qualifier(n.Name)
		if q.bad || q.typ.Dependent() {
			return
		}
		f := e.member(q, segmentKey(n.Name.Last), anything, n)
		o, ok := e.overloadSet(&f, q, n.Name, nil).(*overloadExpr)
		if !ok {
			return
		}
		for _, g := range o.funcs {
			if g.tmpl != nil && g.has(ast.Global) && g.def != nil {
				templates = append(templates, g)
			}
		}
		if len(l.Args) > 0 || !o.hasArgs {
			args := e.exprs(l.Args)
			if !anyBad(args) {
				var set candidates
				for _, g := range o.funcs {
					set.consider(e, g, nil, args, o.targs, callFlags{})
				}
				if best, _ := set.best(e); best != nil {
					out = append(out, best.fn)
					c.fails(func() { e.arguments(best.fn, args, l.Span) }) // conversions call functions, too
					return
				}
			}
		}
		for _, g := range o.funcs {
			if g.tmpl != nil && o.hasArgs {
				if h := e.explicitInstance(g, o.targs); h != nil {
					out = append(out, h)
				}
			}
		}
	})
	if len(out) == 0 && len(templates) > 0 && c.opts.Instances == nil {
		d := c.warnf(n, codeUnknownInstance, "the instance of kernel template '%s' that this launch needs is not known: device code cannot read its arguments", templates[0].name)
		d.Hint = "the instance is not compiled unless it is named, by --instance or an explicit instantiation"
	}
	return out
}

// A deviceCall is a call of a function of device code in the operands of a launch in host code.
type deviceCall struct {
	at ast.Span
	fn *function
}

// noteDeviceCall notes the call of a function that is for the device alone in a launch's operands,
// which the host's compiler does not report there.
func (e *env) noteDeviceCall(at ast.Span, f *function) {
	if !e.host || e.ofHost == 0 || e.unevaluated || f.special != notSpecial || f.attrs != nil && f.attrs.Builtin != "" || e.opts.Embedded[f.at.Pos().File] {
		return
	}
	if e.sideOf(f) == deviceOnly {
		e.checker.deviceCalls = append(e.checker.deviceCalls, deviceCall{at, f})
	}
}

// reportDeviceCalls reports the calls that were noted in one launch of a host function.
func (c *checker) reportDeviceCalls(b hostBody) {
	if b.decl.Specs&(ast.Device|ast.Constexpr) != 0 {
		return // a function for both sides, which runs on the device too
	}
	var last deviceCall
	for _, x := range c.deviceCalls {
		if x == last {
			continue
		}
		last = x
		d := c.errorf(x.at, codeHostCall, "reference to %s function '%s' in %s function", deviceOnly, x.fn.title(), hostSide)
		c.note(d, x.fn.at, "'"+x.fn.title()+"' declared here")
		d.Hint = "declare it __host__ __device__"
	}
}

// hostLambda returns the closure type of an extended lambda of a host function, which is
// one type however often it is asked for.
func (e *env) hostLambda(x *ast.LambdaExpr) *class {
	key := closureKey{x.Token, e.body.fn}
	if f := e.body.fn.sameName; f != nil {
		key.in = f
	}
	if k := e.closures[key]; k != nil {
		return k
	}
	n := 0 // each has a body of its own for its scope, but the lambdas are of one function
	sub := *e
	sub.host = false
	for other := range e.closures {
		if other.in == key.in {
			n++
		}
	}
	e.lambdas[e.scope.typesScope()] = n
	v := sub.lambda(x)
	if isBad(v) {
		return nil
	}
	k := classOfType(v.Type())
	e.closures[key] = k
	return k
}

// nameClosures gives the lambdas that names of instances refer to their names. It returns
// false after an error.
func (c *checker) nameClosures() bool {
	ok := true
	for i := range c.opts.Closures {
		x := &c.opts.Closures[i]
		k := c.closure(x)
		if k == nil || !c.passable(k, x) {
			ok = false
			continue
		}
		c.global.scope.declare(x.Alias, &alias{decl: &ast.AliasDecl{Span: k.at, Name: &ast.Ident{Span: k.at, Name: x.Alias}}, scope: c.global.scope, typ: c.types.Class(k.t), state: done})
	}
	return ok
}

// passable reports whether the host may pass a closure to a kernel.
func (c *checker) passable(k *class, x *Closure) bool {
	for _, f := range k.t.Fields {
		if f.Type.IsRef() {
			d := c.errorf(k.at, codeCapture, "a lambda that is the argument of a kernel cannot capture '%s' by reference", f.Name)
			d.Hint = "device code does not see the host's variables: capture it by copy"
			return false
		}
	}
	if n := k.t.Size; n != x.Size {
		d := c.errorf(k.at, codeInstance, "the closure of this lambda has %d bytes in device code and %d in host code", n, x.Size)
		names := "no variables"
		for i, f := range k.t.Fields {
			if name := cmp.Or(f.Name, "this"); i == 0 {
				names = "'" + name + "'"
			} else {
				names += ", '" + name + "'"
			}
		}
		d.Hint = "device code captures " + names + ": write the variables in the capture list"
		return false
	}
	return true
}

// closure returns the type of a lambda in a host function.
func (c *checker) closure(x *Closure) *class {
	tokens := c.extended()
	if x.Count != len(tokens) || x.Number >= len(tokens) {
		c.errorf(ast.Span{}, codeInstance, "the text for the host has %d lambdas with __device__, that for the device %d: they cannot depend on __CUDA_ARCH__", x.Count, len(tokens))
		return nil
	}
	at := tokens[x.Number]
	var k *class
	var where ast.Span
	name, _, _ := strings.Cut(x.In, "::{lambda") // in a lambda of the host: the function around it
	for _, f := range c.functionsNamed(name) {
		d := f.def
		if d == nil || d.Body == nil || d.Body.Host == nil || at < d.Body.First || at >= d.Body.First+len(d.Body.Tokens) {
			continue
		}
		in := f.defIn
		if in == nil {
			in = f.scope
		}
		where = d.Name.Span
		decls, l := d.Body.Host.At(at)
		if l == nil {
			break
		}
		where = l.Span
		k = c.hostEnv(f, d, in, f.bodyOrder(), decls).hostLambda(l)
	}
	if k == nil && c.report.Errors() == 0 {
		c.errorf(where, codeInstance, "device code cannot read the lambda that a kernel of '%s' has as an argument", x.In)
	}
	return k
}

// functionsNamed returns the functions that a name with the arguments of templates means.
func (c *checker) functionsNamed(text string) []*function {
	var out []*function
	n := parseName(text)
	if n == nil {
		return nil
	}
	e := &env{checker: c, scope: c.global.scope}
	c.fails(func() {
		q := e.qualifier(n)
		if q.bad {
			return
		}
		f := e.member(q, segmentKey(n.Last), anything, n)
		o, ok := e.overloadSet(&f, q, n, nil).(*overloadExpr)
		if !ok {
			return
		}
		for _, g := range o.funcs {
			if g.tmpl != nil {
				g = e.explicitInstance(g, o.targs)
			}
			if g != nil {
				c.findDefinition(g)
				out = append(out, g)
			}
		}
	})
	return out
}
