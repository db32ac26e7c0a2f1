package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// This file lowers what the host's side of a program has and device code has not: calls of
// the machine that evaluates it, and launches.
//
// A call of the machine is a call of printf, the one builtin that takes any arguments: the
// machine's emulator does not take it for one. Its format is the name of the function, and
// behind it are the address of the result, how many arguments follow, and they, each in 8
// bytes: integers extended by their sign, numbers as double, objects by their address.
//
//	n = fread(p, 1, 8, f)
//	n = (printf("fread", &irgl_t1, 4ll, p, 1ull, 8ull, f), (int)irgl_t1)

// isMachines reports whether a function is the machine's.
func (l *lowerer) isMachines(f *hir.Func) bool {
	return l.prog.Host && f.Body == nil && f.Builtin == "" && f.This == nil && f.Kind != hir.Kernel && !f.Trivial
}

// machineCall lowers a call of the machine.
func (l *lowerer) machineCall(e *hir.Call) syntax.Expr {
	args := make([]syntax.Expr, len(e.Args))
	for i, a := range e.Args {
		t := a.Type()
		if i < len(e.Func.Params) {
			t = e.Func.Params[i].Type
		}
		args[i] = l.machineArgument(a, t)
	}
	return l.trap(at(e), e.Func.Symbol, e.Func.Result, args)
}

// machineArgument returns an argument in 8 bytes.
func (l *lowerer) machineArgument(a hir.Expr, t types.Type) syntax.Expr {
	sp := at(a)
	switch {
	case t.IsRef():
		return l.addr(a)
	case t.IsClass():
		return l.spilled(a, t)
	case t.IsFloat():
		return tree.Cast(sp, tree.Basic(sp, "double"), l.converted(a, t))
	case t.IsInteger() || t.IsEnum() || t.Is(types.Bool):
		return tree.Cast(sp, tree.Basic(sp, "long long"), l.converted(a, t))
	}
	return l.converted(a, t)
}

// spilled returns the address of a temporary with the value of a.
func (l *lowerer) spilled(a hir.Expr, t types.Type) syntax.Expr {
	x := a
	if t.IsClass() && a.Category() != hir.PRValue {
		x = &hir.Copy{Info: hir.Info{Span: spanOf(a), T: t.Unqualified()}, X: a}
	}
	return l.materialize(&hir.Materialize{Info: hir.Info{Span: spanOf(a), T: t.Unqualified(), Cat: hir.XValue}, X: x})
}

// trap calls a function of the machine with arguments of 8 bytes.
func (l *lowerer) trap(sp syntax.Span, name string, result types.Type, args []syntax.Expr) syntax.Expr {
	to, value := tree.Number(sp, 0), syntax.Expr(nil)
	if !result.IsVoid() {
		kind := l.prog.Types.Basic(types.ULongLong)
		switch {
		case result.IsClass():
			kind = result.Unqualified()
		case result.IsFloat():
			kind = l.prog.Types.Basic(types.Double)
		}
		r := l.temporary(sp, kind)
		to, value = tree.Addr(tree.Ident(sp, r)), tree.Ident(sp, r)
		if !result.IsClass() {
			value = tree.Cast(sp, l.typ(sp, result.Unqualified()), value)
		}
	}
	format := &syntax.BasicLit{Span: sp, Kind: syntax.StringLit, Text: quote([]byte(name))}
	list := []syntax.Expr{tree.Cast(sp, &syntax.PointerType{Span: sp, Elem: tree.Basic(sp, "char")}, format), to,
		tree.Cast(sp, tree.Basic(sp, "long long"), tree.Number(sp, int64(len(args))))}
	if result.IsVoid() {
		list[1] = tree.Cast(sp, tree.Basic(sp, "long long"), to)
	}
	call := tree.Call(sp, "printf", append(list, args...)...)
	if value == nil {
		return tree.Cast(sp, tree.Basic(sp, "void"), call)
	}
	return comma(call, value)
}

// LaunchTrap is the machine's function that launches: of the kernel's stand-in, the addresses
// of the grid and of the block, the bytes of dynamic shared memory, the stream, and the addresses
// of the kernel's arguments.
const LaunchTrap = "<<<>>>"

// hostLaunch lowers a launch by the host.
func (l *lowerer) hostLaunch(e *hir.Launch) syntax.Expr {
	sp := at(e)
	args := []syntax.Expr{tree.Addr(l.standIn(e.Func, sp))}
	for i, c := range e.Config {
		if i < 2 {
			args = append(args, l.spilled(c, c.Type()))
		} else {
			args = append(args, l.machineArgument(c, c.Type()))
		}
	}
	for i := len(e.Config); i < 4; i++ {
		args = append(args, tree.Cast(sp, tree.Basic(sp, "long long"), tree.Number(sp, 0)))
	}
	for i, a := range e.Args {
		t := e.Func.Params[i].Type
		if !t.IsRef() {
			args = append(args, l.spilled(a, t))
			continue
		}
		name := l.temporary(sp, l.prog.Types.Pointer(t.Elem)) // the kernel's parameter is the object's address
		args = append(args, comma(tree.Assign(tree.Ident(sp, name), "=", l.addr(a)), tree.Addr(tree.Ident(sp, name))))
	}
	return l.trap(sp, LaunchTrap, e.T, args)
}

// standIn returns the variable whose address is that of a kernel on the host, under the
// kernel's symbol.
func (l *lowerer) standIn(f *hir.Func, sp syntax.Span) syntax.Expr {
	if !l.standIns[f] {
		l.standIns[f] = true
		l.add(&syntax.VarDecls{Span: at(f), Attrs: syntax.Device, Vars: []*syntax.VarDecl{{
			Span: at(f), Type: tree.Basic(at(f), "char"), Name: tree.Ident(at(f), f.Symbol)}}})
	}
	return tree.Ident(sp, f.Symbol)
}

// DivisionTrap is the machine's function that ends the program for a division by zero.
const DivisionTrap = "__irgl_divide"

// divides reports whether an operation by y is a division of host code that y may end.
func (l *lowerer) divides(op hir.BinaryOp, y hir.Expr) bool {
	if !l.prog.Host || op != hir.Div && op != hir.Rem || !y.Type().IsIntegerOrEnum() && !y.Type().Is(types.Bool) {
		return false
	}
	k, ok := y.(*hir.ConstExpr)
	return !ok || k.Value.Int == 0
}

// divisor returns the value of y, and traps where it is zero: a process gets SIGFPE.
//
//	a / (t = y, t || (printf("__irgl_divide", 0, 0), 0), t)
func (l *lowerer) divisor(y hir.Expr) syntax.Expr {
	sp := at(y)
	name := l.temporary(sp, y.Type().Unqualified())
	value := func() syntax.Expr { return tree.Ident(sp, name) }
	trap := l.trap(sp, DivisionTrap, l.prog.Types.Basic(types.Void), nil)
	return comma(tree.Assign(value(), "=", l.value(y)), tree.Binary(value(), "||", tree.Paren(comma(trap, tree.Number(sp, 0)))), value())
}
