package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// call analyses f(args), which may also be T(args) or a name that only the arguments
// find.
func (e *env) call(x *ast.CallExpr) hir.Expr {
	fun := stripParens(x.Fun)
	switch f := fun.(type) {
	case *ast.NameExpr:
		if r := e.callByName(x, f); r != nil {
			return r
		}
	case *ast.MemberExpr:
		if r := e.pseudoDestructor(x, f); r != nil {
			return r
		}
	}
	f := e.expr(fun)
	args := e.exprs(x.Args)
	if isBad(f) || anyBad(args) {
		return e.bad(x)
	}
	return e.callExpr(x, f, args)
}

// callByName handles what only a name can be: a type, a builtin, or a function that is
// found by the arguments alone. It returns nil for other names.
func (e *env) callByName(x *ast.CallExpr, n *ast.NameExpr) hir.Expr {
	q := e.qualifier(n.Name)
	if q.bad {
		return e.bad(x)
	}
	if q.typ.Dependent() {
		return e.bad(x)
	}
	f := e.member(q, segmentKey(n.Name.Last), anything, n)
	if !f.found() {
		if r := e.builtinCall(x, n.Name.Plain()); r != nil {
			return r
		}
		if q.none() && n.Name.Last.Kind != ast.ConversionName && n.Name.Last.Kind != ast.DestructorName && f.class == nil {
			return e.callByArguments(x, n)
		}
		return nil
	}
	if t, ok := f.obj.(*template); ok && t.kind == classTemplate && !n.Name.Last.HasArgs {
		return e.deduceClass(t, e.exprs(x.Args), x.Span, true)
	}
	if isTypeLike(f.obj) && !isNamespace(f.obj) {
		if b, ok := f.obj.(*bound); !ok || b.arg.Kind != types.PackArg || e.pack != nil {
			t := e.typeNamed(n.Name, false)
			if !t.IsValid() || t.Dependent() {
				return e.bad(x)
			}
			return e.functionalCast(t, e.exprs(x.Args), x.Span)
		}
	}
	return nil
}

// callByArguments calls a function that no scope of the call has, but a namespace of an
// argument may.
func (e *env) callByArguments(x *ast.CallExpr, n *ast.NameExpr) hir.Expr {
	args := e.exprs(x.Args)
	if anyBad(args) {
		return e.bad(x)
	}
	name := segmentKey(n.Name.Last)
	o := &overloadExpr{Info: hir.Info{Span: n.Span, T: e.basic(types.Overload), Cat: hir.LValue}, name: n.Name, adl: true}
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
		e.checkMemberAccess(o.Span, f.class, f.access, name, f.at, o.class)
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
	c := &hir.Call{Info: resultInfo(at, r), Func: e.hirFunc(f), Args: list}
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
	var set candidates
	defer set.release(e)
	var f finding
	if e.inClass(&f, k, "operator()", anything) {
		for o := range f.all() {
			if s, ok := o.(*overloads); ok {
				e.resolveSet(s)
				for _, fn := range s.funcs {
					set.consider(e, fn, obj, args, nil, callFlags{})
				}
			}
		}
	}
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
		e.checkMemberAccess(at, best.fn.class, best.fn.access, "operator()", best.fn.at, k)
	}
	return e.callFunction(best.fn, obj, args, at)
}

// addAssociated adds the functions of a name in the namespaces and friends that belong
// to the arguments (C++17, 6.4.2).
func (e *env) addAssociated(o *overloadExpr, name string, args []hir.Expr) {
	a := associated{env: e}
	for _, x := range args {
		a.addExpr(x)
	}
	for _, n := range a.spaces {
		e.addFrom(o, n, name)
	}
}

func (e *env) addFrom(o *overloadExpr, n *namespace, name string) {
	if sym := n.scope.get(name); sym != nil {
		if set, ok := sym.what.(*overloads); ok {
			e.resolveSet(set)
			for _, f := range set.funcs {
				o.addFunc(f)
			}
		}
		for _, m := range sym.more {
			if u, ok := m.(*using); ok {
				for _, t := range e.usingTargets(u) {
					if set, ok := t.(*overloads); ok {
						e.resolveSet(set)
						for _, f := range set.funcs {
							o.addFunc(f)
						}
					}
				}
			}
		}
	}
	for _, m := range n.inlines {
		e.addFrom(o, m, name)
	}
}

// associated collects the namespaces of types.
type associated struct {
	*env
	spaces  []*namespace
	classes []*class
}

func (a *associated) addExpr(x hir.Expr) {
	switch x := x.(type) {
	case *listExpr:
		return
	case *overloadExpr:
		for _, f := range x.funcs {
			if f.typ.Node != nil && f.tmpl == nil {
				a.addType(f.typ)
			}
		}
		return
	}
	a.addType(x.Type())
}

func (a *associated) addSpace(s *scope) {
	n := s.namespaceOf()
	if n == nil || n == a.global && len(a.spaces) > 0 && a.spaces[0] == n {
		return
	}
	for n.inline && n.parent != nil {
		n = n.parent
	}
	for _, m := range a.spaces {
		if m == n {
			return
		}
	}
	a.spaces = append(a.spaces, n)
}

func (a *associated) addType(t types.Type) {
	if !t.IsValid() {
		return
	}
	switch t.Kind {
	case types.Pointer, types.LRef, types.RRef, types.Array:
		a.addType(t.Elem)
	case types.Func:
		a.addType(t.Elem)
		for _, p := range t.Func.Params {
			a.addType(p)
		}
	case types.MemberPointer:
		a.addType(t.Of)
		a.addType(t.Elem)
	case types.EnumKind:
		if x := enumOf(t); x != nil {
			a.addSpace(x.scope)
		}
	case types.ClassKind:
		if k := classOfType(t); k != nil {
			a.addClass(k)
		}
	}
}

func (a *associated) addClass(k *class) {
	for _, c := range a.classes {
		if c == k {
			return
		}
	}
	a.classes = append(a.classes, k)
	a.complete(k, k.at)
	a.addSpace(k.scope.parent)
	for i := range k.bases {
		a.addClass(k.bases[i].class)
	}
	for _, arg := range k.args {
		a.addArg(arg)
	}
}

func (a *associated) addArg(arg types.Arg) {
	switch arg.Kind {
	case types.TypeArg:
		a.addType(arg.Type)
	case types.TemplateArg:
		if t, ok := arg.Template.(*template); ok {
			a.addSpace(t.scope)
		}
	case types.PackArg:
		for _, x := range arg.Pack {
			a.addArg(x)
		}
	}
}

// operatorCall calls the function that an operator means for operands of class or
// enumeration type; the built-in operator is used, by conversions, where none is better.
func (e *env) operatorCall(at ast.Span, sign string, op cpp.Word, args []hir.Expr) hir.Expr {
	name := "operator" + sign
	if sign == "[" {
		name = "operator[]"
	} else if sign == "[]" {
		name = "operator[]"
	}
	if op == cpp.ArrowStar && !overloadable(args[0]) {
		return nil
	}
	var set candidates
	defer set.release(e)
	if k := classOfType(args[0].Type()); k != nil {
		if e.checker.complete(k, at) || k.state == active {
			var f finding
			if e.inClass(&f, k, name, anything) {
				for o := range f.all() {
					if s, ok := o.(*overloads); ok {
						e.resolveSet(s)
						for _, fn := range s.funcs {
							set.consider(e, fn, args[0], args[1:], nil, callFlags{})
						}
					}
				}
			}
		}
	}
	if op != cpp.Equal && sign != "[]" && sign != "->" {
		e.considerFree(&set, name, args)
	}
	e.considerBuiltin(&set, op, sign, args)
	best, ambiguous := set.best(e)
	if best == nil || best.builtin != nil && !ambiguous {
		return e.builtinOperator(at, op, sign, args, best, &set)
	}
	if ambiguous {
		e.ambiguity(at, &set, args, "use of overloaded operator '%s' is ambiguous (operand types %s)", sign, operandTypes(args))
		return e.bad(at)
	}
	f := best.fn
	if f.deleted {
		e.errorf(at, codeDeleted, "overload resolution selected deleted operator '%s'", sign)
		return e.bad(at)
	}
	if f.class != nil && !f.friend {
		e.checkMemberAccess(at, f.class, f.access, name, f.at, classOfType(args[0].Type()))
		return e.callFunction(f, args[0], args[1:], at)
	}
	return e.callFunction(f, nil, args, at)
}

func operandTypes(args []hir.Expr) string {
	s := "'" + typeName(args[0]) + "'"
	if len(args) > 1 {
		s += " and '" + typeName(args[1]) + "'"
	}
	return s
}

// considerFree adds the operator functions of scopes and of the operands' namespaces.
func (e *env) considerFree(set *candidates, name string, args []hir.Expr) {
	o := &overloadExpr{}
	for s := e.scope; s != nil; s = s.parent {
		if s.kind == classScope {
			continue
		}
		var f finding
		if s.kind == nsScope {
			e.inNamespace(&f, s.ns, name, anything, nil)
		} else if sym := s.get(name); sym != nil {
			e.take(&f, sym, anything)
		}
		for x := range f.all() {
			if fs, ok := x.(*overloads); ok {
				e.resolveSet(fs)
				for _, fn := range fs.funcs {
					if e.order > 0 && fn.order > e.order {
						continue
					}
					o.addFunc(fn)
				}
			}
		}
		if f.found() {
			break
		}
	}
	e.addAssociated(o, name, args)
	for _, f := range o.funcs {
		set.consider(e, f, nil, args, nil, callFlags{})
	}
}

// A builtinOp is a built-in operator as a candidate: the types of its operands.
type builtinOp struct{ types []types.Type }

// considerBuiltin adds the built-in operators that the operands' conversion functions
// make possible (C++17, 16.6): the scalars that each operand converts to.
func (e *env) considerBuiltin(set *candidates, op cpp.Word, sign string, args []hir.Expr) {
	if op == cpp.Comma || op == cpp.Amp && len(args) == 1 || sign == "->" || op == cpp.Equal && args[0].Type().IsClass() {
		return
	}
	_, assign := assignOp(op)
	if (assign || op == cpp.PlusPlus || op == cpp.MinusMinus) && args[0].Type().IsClass() {
		return
	}
	n := len(args)
	if op == cpp.PlusPlus || op == cpp.MinusMinus {
		n = 1
	}
	var choices [2][]types.Type
	for i := range n {
		choices[i] = e.scalarsOf(args[i], op)
		if len(choices[i]) == 0 {
			return
		}
	}
	if n == 1 {
		choices[1] = []types.Type{{}}
	}
	for _, a := range choices[0] {
		for _, b := range choices[1] {
			c := candidate{builtin: &builtinOp{types: []types.Type{a, b}}, viable: true}
			for i, t := range []types.Type{a, b}[:n] {
				s := e.implicit(args[i], t, true)
				if !s.ok() || s.ambiguous {
					c.viable = false
					break
				}
				c.seqs = append(c.seqs, s)
			}
			if c.viable && n == 2 && !e.builtinTakes(op, sign, a, b) {
				c.viable = false
			}
			if c.viable {
				set.list = append(set.list, c)
			}
		}
	}
}

// scalarsOf returns the types that an operand may have in a built-in operator: its own,
// or those of its conversion functions.
func (e *env) scalarsOf(x hir.Expr, op cpp.Word) []types.Type {
	t := e.types.Decayed(x.Type())
	if op == cpp.Not || op == cpp.AmpAmp || op == cpp.PipePipe {
		return []types.Type{e.basic(types.Bool)}
	}
	if t.IsScalar() {
		return []types.Type{t}
	}
	k := classOfType(t)
	if k == nil || !e.checker.complete(k, k.at) {
		return nil
	}
	var out []types.Type
	for _, f := range e.conversions(k) {
		if f.tmpl != nil || f.has(ast.Explicit) && op != cpp.Not && op != cpp.AmpAmp && op != cpp.PipePipe {
			continue
		}
		e.resolveResult(f)
		if r := e.types.Decayed(f.result()); r.IsScalar() {
			out = append(out, r)
		}
	}
	return out
}

// builtinTakes reports whether a built-in operator exists for operands of types a and b.
func (e *env) builtinTakes(op cpp.Word, sign string, a, b types.Type) bool {
	var r hir.Expr
	failed := e.fails(func() {
		sub := *e
		sub.unevaluated = true
		x, y := &stubExpr{Info: hir.Info{T: a}}, &stubExpr{Info: hir.Info{T: b}}
		if sign == "[]" {
			r = sub.subscript(ast.Span{}, x, y)
		} else if o, ok := binaryOp(op); ok {
			r = sub.arithmetic(ast.Span{}, o, x, y)
		} else if o, ok := assignOp(op); ok {
			x.Cat = hir.LValue
			r = sub.assign(ast.Span{}, x, o, y)
		}
	})
	return !failed && r != nil && !isBad(r)
}

// builtinOperator performs a built-in operator on operands that may convert to scalars,
// or reports that there is none. Nil says that the operands are scalars.
func (e *env) builtinOperator(at ast.Span, op cpp.Word, sign string, args []hir.Expr, best *candidate, set *candidates) hir.Expr {
	class := false
	for _, a := range args {
		class = class || a.Type().IsClass()
	}
	if !class || op == cpp.Comma || op == cpp.Amp && len(args) == 1 {
		return nil
	}
	if best == nil {
		if op == cpp.Not || op == cpp.AmpAmp || op == cpp.PipePipe {
			return nil
		}
		if sign == "->" {
			e.errorf(at, codeOperands, "member reference type '%s' is not a pointer", args[0].Type())
			return e.bad(at)
		}
		if op == cpp.Equal {
			e.noMatch(at, set, args[1:], "no viable overloaded '='")
			return e.bad(at)
		}
		if len(args) == 1 {
			e.noMatch(at, set, args, "invalid argument type '%s' to unary expression", args[0].Type())
		} else {
			e.noMatch(at, set, args, "invalid operands to binary expression (%s)", operandTypes(args))
		}
		return e.bad(at)
	}
	conv := make([]hir.Expr, len(args))
	for i, a := range args {
		conv[i] = a
		if i < len(best.seqs) && a.Type().IsClass() {
			t := best.builtin.types[i]
			if t.Is(types.Bool) && (op == cpp.Not || op == cpp.AmpAmp || op == cpp.PipePipe) {
				continue
			}
			conv[i] = e.apply(a, t, &best.seqs[i])
			if isBad(conv[i]) {
				return e.bad(at)
			}
		}
	}
	if sign == "[]" {
		return e.subscript(at, conv[0], conv[1])
	}
	if len(conv) == 1 {
		return e.builtinUnary(at, op, conv[0])
	}
	if o, ok := assignOp(op); ok {
		return e.assign(at, conv[0], o, conv[1])
	}
	o, _ := binaryOp(op)
	return e.arithmetic(at, o, conv[0], conv[1])
}
