package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// call analyses f(args), which may also be T(args) or a name that only the arguments
// find.
func (e *env) call(x *ast.CallExpr) hir.Expr {
	var f hir.Expr
	switch fun := stripParens(x.Fun).(type) {
	case *ast.NameExpr:
		var r hir.Expr
		if f, r = e.callByName(x, fun); r != nil {
			return r
		}
		if o, ok := f.(*overloadExpr); ok && x.Fun != ast.Expr(fun) {
			o.adl = false // no name in parentheses is looked up by arguments ([basic.lookup.argdep]/1)
		}
	case *ast.MemberExpr:
		if r := e.pseudoDestructor(x, fun); r != nil {
			return r
		}
		f = e.expr(fun)
	default:
		f = e.expr(fun)
	}
	args := e.exprs(x.Args)
	if isBad(f) || anyBad(args) {
		return e.bad(x)
	}
	return e.callExpr(x, f, args)
}

// callByName analyses the name that a call calls. The call's value is returned where only a name
// can be what it is: a type, a builtin, or a function that is found by the arguments alone.
func (e *env) callByName(x *ast.CallExpr, n *ast.NameExpr) (fun, value hir.Expr) {
	q := e.qualifier(n.Name)
	if q.bad {
		return nil, e.bad(x)
	}
	if q.typ.Dependent() {
		return nil, e.bad(x)
	}
	f := e.find(q, n.Name, anything)
	if !f.found() {
		if r := e.builtinCall(x, n.Name.Plain()); r != nil {
			return nil, r
		}
		if q.none() && n.Name.Last.Kind != ast.ConversionName && n.Name.Last.Kind != ast.DestructorName && f.class == nil {
			return nil, e.callByArguments(x, n)
		}
		return e.expr(n), nil
	}
	if t, ok := f.obj.(*template); ok && t.kind == classTemplate && !n.Name.Last.HasArgs {
		return nil, e.deduceClass(t, e.exprs(x.Args), x.Span)
	}
	if isTypeLike(f.obj) && !isNamespace(f.obj) {
		if b, ok := f.obj.(*bound); !ok || b.arg.Kind != types.PackArg || e.pack != nil {
			t := e.typeNamed(n.Name, false)
			if !t.IsValid() || t.Dependent() {
				return nil, e.bad(x)
			}
			return nil, e.functionalCast(t, e.exprs(x.Args), x.Span)
		}
	}
	return e.foundExpr(n, q, &f), nil
}

// callByArguments calls a function that no scope of the call has, but a namespace of an
// argument may.
func (e *env) callByArguments(x *ast.CallExpr, n *ast.NameExpr) hir.Expr {
	args := e.exprs(x.Args)
	if anyBad(args) {
		return e.bad(x)
	}
	name := segmentKey(n.Name.Last)
	o := &overloadExpr{Info: hir.Info{Span: n.Span, T: e.basic(types.Overload), Cat: hir.LValue}, name: n.Name, adl: true, operands: x.Args}
	e.addAssociated(o, name, args)
	if len(o.funcs) == 0 {
		f := e.lookup(name, anything)
		e.undeclared(n.Name, qualifier{}, &f, "")
		return e.bad(x)
	}
	if n.Name.Last.HasArgs {
		var ok bool
		if o.targs, ok = e.rawArgs(n.Name.Last.Args); !ok {
			return e.bad(x)
		}
		o.hasArgs = true
	}
	o.adl = false
	return e.callOverloads(x.Span, o, args)
}

// callExpr calls what an expression means: functions, a pointer, or an object.
func (e *env) callExpr(x *ast.CallExpr, f hir.Expr, args []hir.Expr) hir.Expr {
	switch f := f.(type) {
	case *overloadExpr:
		f.operands = x.Args
		return e.callOverloads(x.Span, f, args)
	case *boundMember:
		return e.callPointer(x.Span, f, f.fun, args)
	}
	if f.Type().IsClass() {
		return e.callObject(x.Span, f, args)
	}
	return e.callPointer(x.Span, nil, f, args)
}

// callOverloads chooses one of several functions and calls it.
func (e *env) callOverloads(at ast.Span, o *overloadExpr, args []hir.Expr) hir.Expr {
	if o.adl {
		e.addAssociated(o, segmentKey(o.name.Last), args)
	}
	if f := e.onlyChoice(o, args); f != nil {
		return e.callFunction(f, nil, args, at)
	}
	if f := e.exactChoice(o, args); f != nil {
		return e.callFunction(f, nil, args, at)
	}
	var set candidates
	defer set.release(e)
	for _, f := range o.funcs {
		if o.hasArgs && f.tmpl == nil {
			continue // f<>(x) names templates alone
		}
		set.consider(e, f, o.object, args, o.targs, callFlags{})
	}
	best, ambiguous := set.best(e)
	name := segmentKey(o.name.Last)
	if best == nil {
		if o.opaque != nil {
			e.reportOpaque(o, o.opaque)
			return e.bad(at)
		}
		kind := "function"
		if o.class != nil && o.object != nil {
			kind = "member function"
		}
		e.noMatch(o, &set, args, "no matching %s for call to '%s'", kind, name)
		return e.bad(at)
	}
	if ambiguous {
		e.ambiguity(o, &set, args, "call to '%s' is ambiguous", name)
		return e.bad(at)
	}
	f := best.fn
	if f.isMember() && o.object == nil {
		e.errorf(o, codeThis, "call to non-static member function without an object argument")
		return e.bad(at)
	}
	if f.deleted {
		e.reportDeleted(o, f)
		return e.bad(at)
	}
	if f.class != nil && o.class != nil {
		through := o.through
		if f.static {
			through = nil
		}
		e.checkFunctionAccess(o.Span, f, o.class, o.using, name, through)
	}
	return e.callFunction(f, o.object, args, at)
}

// callFunction calls a function that was chosen.
func (e *env) callFunction(f *function, obj hir.Expr, args []hir.Expr, at ast.Span) hir.Expr {
	if f.deleted {
		e.reportDeleted(at, f)
		return e.bad(at)
	}
	e.checkCallee(at, f)
	e.checkLaunched(at, f)
	e.noteDeviceCall(at, f)
	e.resolveResult(f)
	if f.bad {
		return e.bad(at)
	}
	r := f.result()
	if hasAuto(r) {
		if f.bodied == active || f.def == nil {
			d := e.errorf(at, codeAuto, "function '%s' with deduced return type cannot be used before it is defined", f.name)
			e.note(d, f.at, "'"+f.name+"' declared here")
		}
		return e.bad(at)
	}
	if r.IsClass() && !e.requireComplete(r, at, "calling function with incomplete return type") {
		return e.bad(at)
	}
	list, ok := e.arguments(f, args, at)
	if !ok {
		return e.bad(at)
	}
	c := e.nodes.calls.New()
	c.Info, c.Func, c.Args = resultInfo(at, r), e.hirFunc(f), list
	if f.isMember() && obj != nil {
		c.This = e.thisArgument(f, obj)
		if isBad(c.This) {
			return e.bad(at)
		}
		if f.special == copyAssign || f.special == moveAssign {
			if f.trivial() && len(list) == 1 {
				to := e.toBaseOrSelf(obj, f.class)
				return &hir.Copy{Info: hir.Info{Span: at, T: to.Type(), Cat: hir.LValue}, To: e.materialize(to), X: list[0]}
			}
		}
	} else if obj != nil && !isPure(obj) {
		return &hir.Comma{Info: c.Info, X: e.discard(obj), Y: c}
	}
	return c
}

// isPure reports whether evaluating an object has no effect, so that it can be left out
// of a call of a static member.
func isPure(x hir.Expr) bool {
	switch x := x.(type) {
	case *hir.VarRef, *stubExpr:
		return true
	case *hir.Deref:
		return isPure(x.X)
	case *hir.Convert:
		return isPure(x.X)
	case *hir.Field:
		return isPure(x.X)
	}
	return false
}

func (e *env) toBaseOrSelf(obj hir.Expr, k *class) hir.Expr {
	if own := classOfType(obj.Type()); own != nil && own != k && own.basePath(k) != nil {
		return e.toBase(obj, e.types.Qualify(e.types.Class(k.t), obj.Type().CV))
	}
	return obj
}

// thisArgument returns the address of a member function's object.
func (e *env) thisArgument(f *function, obj hir.Expr) hir.Expr {
	obj = e.materialize(obj)
	k := f.class
	if e.refuseVirtual(classOfType(obj.Type()), spanOf(obj)) {
		return e.bad(obj)
	}
	if own := classOfType(obj.Type()); own != nil && own != k {
		if own.basePath(k) == nil {
			e.errorf(obj, codeThis, "call to non-static member function without an object argument")
			return e.bad(obj)
		}
		obj = e.toBase(obj, e.types.Qualify(e.types.Class(k.t), obj.Type().CV))
	}
	obj = e.requalify(obj, e.types.Qualify(e.types.Class(k.t), f.typ.Func.CV))
	at := spanOf(obj)
	t := e.types.Pointer(obj.Type())
	if d, ok := obj.(*hir.Deref); ok && d.X.Type() == t {
		return d.X
	}
	return &hir.AddrOf{Info: rvalueInfo(at, t), X: obj}
}

// callPointer calls a function through a pointer or reference.
func (e *env) callPointer(at ast.Span, m *boundMember, f hir.Expr, args []hir.Expr) hir.Expr {
	ft := f.Type()
	if m == nil {
		if r, ok := f.(*hir.FuncRef); ok {
			if fn := functionOf(r.Func); fn != nil {
				return e.callFunction(fn, nil, args, at)
			}
		}
		f = e.load(f)
		if isBad(f) {
			return f
		}
		ft = f.Type()
		if ft.IsPointer() {
			ft = ft.Elem
		}
	} else {
		ft = ft.Elem
	}
	if !ft.IsFunc() {
		e.errorf(at, codeNotFunction, "called object type '%s' is not a function or function pointer", f.Type())
		return e.bad(at)
	}
	info := ft.Func
	if len(args) < len(info.Params) || len(args) > len(info.Params) && !info.Variadic {
		few := "few"
		if len(args) > len(info.Params) {
			few = "many"
		}
		e.errorf(at, codeNoMatch, "too %s arguments to function call, expected %d, have %d", few, len(info.Params), len(args))
		return e.bad(at)
	}
	c := &hir.Call{Info: resultInfo(at, ft.Elem), Fun: f}
	for i, a := range args {
		if i < len(info.Params) {
			a = e.convertTo(a, info.Params[i], "parameter")
			if !isBad(a) && info.Params[i].IsClass() && e.destructorOf(info.Params[i], spanOf(a)) != nil {
				a = e.materialize(a) // no parameter's variable says what destroys it
			}
		} else {
			a = e.variadic(a)
		}
		if isBad(a) {
			return e.bad(at)
		}
		c.Args = append(c.Args, a)
	}
	if m != nil {
		obj := e.materialize(m.object)
		c.This = &hir.AddrOf{Info: rvalueInfo(at, e.types.Pointer(obj.Type())), X: obj}
	}
	return c
}

// callObject calls an object: its operator(), or a pointer to function that it converts
// to.
func (e *env) callObject(at ast.Span, obj hir.Expr, args []hir.Expr) hir.Expr {
	k := classOfType(obj.Type())
	if !e.requireComplete(obj.Type(), at, "call to object of incomplete type") {
		return e.bad(at)
	}
	if cl := k.lambda; cl != nil && cl.call != nil && cl.call.bad {
		return e.bad(at) // what is wrong in its body is reported there
	}
	var set candidates
	defer set.release(e)
	set.addMembers(e, k, "operator()", obj, args)
	best, ambiguous := set.best(e)
	if best == nil {
		for _, cv := range e.conversions(k) {
			if cv.tmpl == nil && cv.typ.Node != nil {
				if r := cv.result(); r.IsPointer() && r.Elem.IsFunc() {
					return e.callPointer(at, nil, e.callFunction(cv, obj, nil, at), args)
				}
			}
		}
	}
	switch {
	case best == nil && len(set.list) == 0:
		e.errorf(at, codeNotFunction, "type '%s' does not provide a call operator", obj.Type())
		return e.bad(at)
	case best == nil:
		e.noMatch(at, &set, args, "no matching function for call to object of type '%s'", obj.Type())
		return e.bad(at)
	case ambiguous:
		e.ambiguity(at, &set, args, "call to object of type '%s' is ambiguous", obj.Type())
		return e.bad(at)
	}
	if best.fn.class != nil {
		e.checkFunctionAccess(at, best.fn, set.found.class, set.found.using, "operator()", k)
	}
	return e.callFunction(best.fn, obj, args, at)
}
