package lower

import (
	"slices"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// uses emits a function in front of the one that is being lowered.
func (l *lowerer) uses(f *hir.Func) {
	if f.Builtin == "" && f.Kind != hir.Kernel {
		l.function(f)
	}
}

// call lowers a call. result is where a result that is returned through a pointer goes;
// nil for other results.
func (l *lowerer) call(e *hir.Call, result syntax.Expr) syntax.Expr {
	sp := at(e)
	var args []syntax.Expr
	if result == nil && l.inMemory(e.T) && e.Category() == hir.PRValue {
		return l.spill(e)
	}
	if result != nil {
		args = append(args, result)
	}
	if m, ok := e.Fun.(*hir.MemberPtr); ok && e.Func == nil {
		direct := *e
		direct.Func, direct.Fun = m.Func, nil
		return l.call(&direct, result)
	}
	if e.Func == nil {
		return l.callPointer(e, result)
	}
	f := e.Func
	if l.isMachines(f) {
		return l.machineCall(e)
	}
	l.uses(f)
	var first []syntax.Expr
	if e.RightFirst {
		first, e = l.rightFirst(e)
	}
	if e.This != nil {
		args = append(args, l.value(e.This))
	}
	list := e.Args
	if f.Builtin == "" {
		var rest []syntax.Expr
		list, rest = l.variadic(list, len(f.Params), f.Variadic)
		first = append(first, rest...)
	}
	args = append(args, l.args(f, list)...)
	name := f.Symbol
	if f.Builtin != "" {
		name = f.Builtin
	}
	return comma(append(first, tree.Call(sp, name, args...))...)
}

// callPointer lowers a call through a pointer to a function, or to a member function.
func (l *lowerer) callPointer(e *hir.Call, result syntax.Expr) syntax.Expr {
	info := e.Fun.Type().Elem.Func
	list, rest := l.variadic(e.Args, len(info.Params), info.Variadic)
	var args []syntax.Expr
	for i, a := range list {
		args = append(args, l.argument(a, info.Params[i], nil, true))
	}
	if isMethod(e.Fun.Type()) {
		return comma(append(rest, l.callMethod(e, args, result))...)
	}
	if result != nil {
		args = append([]syntax.Expr{result}, args...)
	}
	return comma(append(rest, &syntax.CallExpr{Span: at(e), Fun: l.value(e.Fun), Args: args})...)
}

// variadic returns the arguments of a function's n parameters, and the effects of those of
// its `...`: no function of device code reads them.
func (l *lowerer) variadic(list []hir.Expr, n int, variadic bool) ([]hir.Expr, []syntax.Expr) {
	if !variadic || len(list) <= n {
		return list, nil
	}
	var rest []syntax.Expr
	for _, a := range list[n:] {
		rest = append(rest, l.effects(a)...)
	}
	return list[:n], rest
}

// rightFirst evaluates the right operand of an assignment operator into a temporary, where
// the order of the operands matters, and returns the call with the temporary as argument.
func (l *lowerer) rightFirst(e *hir.Call) ([]syntax.Expr, *hir.Call) {
	n := len(e.Args) - 1
	if n < 0 || n >= len(e.Func.Params) {
		return nil, e
	}
	left, right := e.This, e.Args[n]
	if left == nil {
		left = e.Args[0]
	}
	sp, t := at(right), e.Func.Params[n].Type
	if l.isFixed(left, left == e.This || e.Func.Params[0].Type.IsRef()) || l.isFixed(right, t.IsRef()) || l.repeatable(left) && l.repeatable(right) {
		return nil, e
	}
	byAddress := t.IsRef() || l.inMemory(t)
	x := l.argument(right, t, e.Func.Params[n], e.Func.Builtin == "")
	name := l.temp()
	kind := l.object(sp, t)
	if byAddress {
		kind = l.pointerTo(sp, t.Unref())
	}
	l.emit(tree.Variable(sp, kind, name, nil))
	call := *e
	call.Args = slices.Clone(e.Args)
	call.Args[n] = &loweredArg{Expr: right, c: tree.Ident(sp, name)}
	return []syntax.Expr{tree.Assign(tree.Ident(sp, name), "=", x)}, &call
}

// A loweredArg is an argument that has been evaluated: c is what is passed.
type loweredArg struct {
	hir.Expr
	c syntax.Expr
}

// isFixed reports whether an operand of a call is a constant or, passed by reference, names
// an object whose address is constant, so that nothing depends on when it is evaluated.
func (l *lowerer) isFixed(e hir.Expr, byRef bool) bool {
	switch e := e.(type) {
	case *hir.ConstExpr, *hir.Zero:
		return true
	case *hir.VarRef:
		return byRef && !e.Var.Type.IsRef()
	case *hir.AddrOf:
		return l.isFixed(e.X, true)
	case *hir.Field:
		return l.isFixed(e.X, byRef) && !e.Field.Type.IsRef()
	case *hir.Materialize:
		_, ok := e.X.(*hir.ConstExpr)
		return ok
	case *hir.Convert:
		return e.Kind != hir.Load && l.isFixed(e.X, byRef)
	}
	return false
}

// args lowers the arguments of a call of f.
func (l *lowerer) args(f *hir.Func, list []hir.Expr) []syntax.Expr {
	var args []syntax.Expr
	for i, a := range list {
		var p *hir.Var
		t := a.Type()
		if i < len(f.Params) {
			p = f.Params[i]
			t = p.Type
		}
		args = append(args, l.argument(a, t, p, f.Builtin == ""))
	}
	return args
}

// argument lowers one argument for a parameter of type t. Those of the compiler's own
// functions keep their conversions, which choose between overloads.
func (l *lowerer) argument(a hir.Expr, t types.Type, p *hir.Var, implicit bool) syntax.Expr {
	if done, ok := a.(*loweredArg); ok {
		return done.c
	}
	switch {
	case t.IsRef():
		return l.addr(a)
	case l.inMemory(t):
		if m, ok := a.(*hir.Materialize); ok {
			return l.materialize(m)
		}
		m := &hir.Materialize{Info: hir.Info{Span: spanOf(a), T: t.Unqualified(), Cat: hir.XValue}, X: a}
		if p != nil {
			m.Destroy = p.Destroy
		}
		if a.Category() != hir.PRValue {
			m.X = &hir.Copy{Info: hir.Info{Span: spanOf(a), T: t.Unqualified()}, X: a}
		}
		return l.materialize(m)
	case t.IsClass():
		return l.classValue(a)
	case implicit:
		return l.converted(a, t)
	}
	return l.value(a)
}

// launch lowers a launch in device code.
func (l *lowerer) launch(e *hir.Launch) syntax.Expr {
	if l.prog.Host {
		return l.hostLaunch(e)
	}
	sp := at(e)
	l.function(e.Func)
	x := &syntax.LaunchExpr{Span: sp, Fun: tree.Ident(sp, e.Func.Symbol)}
	for i, c := range e.Config {
		switch i {
		case 0:
			x.Grid = l.extent(c)
		case 1:
			x.Block = l.extent(c)
		case 2:
			x.Shared = l.value(c)
		case 3:
			x.Stream = tree.Cast(sp, tree.Named(sp, "cudaStream_t"), l.value(c))
		}
	}
	for i, a := range e.Args {
		t := a.Type()
		if i < len(e.Func.Params) {
			t = e.Func.Params[i].Type
		}
		switch {
		case t.IsRef():
			x.Args = append(x.Args, l.addr(a))
		case t.IsClass():
			x.Args = append(x.Args, l.classValue(a))
		default:
			x.Args = append(x.Args, l.converted(a, t))
		}
	}
	return x
}

// extent lowers an operand of type dim3 of a launch: dim3(x, 1, 1) is x, as C has it.
func (l *lowerer) extent(c hir.Expr) syntax.Expr {
	made, ok := c.(*hir.Construct)
	if !ok || len(made.Args) != 3 {
		return l.classValue(c)
	}
	for _, a := range made.Args[1:] {
		if k, ok := a.(*hir.ConstExpr); ok && k.Value.Int == 1 {
			continue
		}
		if v, ok := a.(*hir.Convert); ok {
			if k, ok := v.X.(*hir.ConstExpr); ok && k.Value.Int == 1 {
				continue
			}
		}
		return l.classValue(c)
	}
	x := made.Args[0]
	if v, ok := x.(*hir.Convert); ok && !v.X.Type().IsInteger() {
		return l.value(x)
	}
	return l.converted(x, x.Type())
}
