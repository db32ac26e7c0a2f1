package check

// This file checks calls and launches. A function of the file may be called
// where it exists: the host, the device, or both. In .irgl files a plain
// function exists on both sides until it uses what only one has; as callees
// may come later in the file, those calls are judged in callGraph.

import (
	"fmt"
	"strconv"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// callee returns what the function of a call was resolved to, when it is a
// name.
func (c *checker) callee(e *syntax.CallExpr) *Object {
	if id, ok := syntax.Unparen(e.Fun).(*syntax.Ident); ok {
		return c.info.Uses[id]
	}
	return nil
}

// call checks f(args), where f is a method, a name or a pointer.
func (c *checker) call(e *syntax.CallExpr) operand {
	fun := syntax.Unparen(e.Fun)
	switch fun := fun.(type) {
	case *syntax.MemberExpr:
		if fun == nil {
			return invalidOperand
		}
		c.place(fun.X)
		if r, ok := c.method(e, fun); ok {
			return r
		}
	case *syntax.Ident:
		return c.namedCall(e, fun)
	}
	f := c.rvalue(e.Fun)
	return c.indirectCall(e, f)
}

// indirectCall checks a call through a pointer to a function.
func (c *checker) indirectCall(e *syntax.CallExpr, f operand) operand {
	t := f.typ
	if p, ok := t.(*Pointer); ok {
		t = p.Elem
	}
	ft, ok := t.(*Func)
	if !ok {
		if f.typ != Invalid {
			c.errorf(e.Fun, codeNotFunc, "%s is not a function", describeExpr(e.Fun))
		}
		c.args(e, nil)
		return invalidOperand
	}
	c.args(e, ft)
	return operand{typ: ft.Result}
}

// namedCall checks f(args) for a name f.
func (c *checker) namedCall(e *syntax.CallExpr, id *syntax.Ident) operand {
	o := c.resolve(id)
	if o == nil {
		c.args(e, nil)
		return invalidOperand
	}
	if o.Kind == FuncObj {
		return c.funcCall(e, id, o)
	}
	b := LookupBuiltin(o.Name)
	if b != nil && b.obj == o && (b.Kind == builtin.Func || b.Rule == builtin.CtorCall) {
		if !c.builtinUse(id, b) {
			c.args(e, nil)
			return invalidOperand
		}
		return c.builtinCall(e, id, b)
	}
	if o.Kind == TypeObj {
		return c.construct(e, id, o)
	}
	c.info.Types[id] = o.Type
	if o.Kind == VarObj || o.Kind == ParamObj {
		return c.indirectCall(e, c.rvalue(e.Fun))
	}
	if o.Type != Invalid {
		c.errorf(e.Fun, codeNotFunc, "%s is not a function", o.Name)
	}
	c.args(e, nil)
	return invalidOperand
}

// construct checks T(x) written as a call.
func (c *checker) construct(e *syntax.CallExpr, id *syntax.Ident, o *Object) operand {
	c.info.Types[id] = o.Type
	if len(e.Args) != 1 || !IsScalar(o.Type) {
		c.args(e, nil)
		c.errorf(e, codeCast, "%s cannot be made from %d values", describe(o.Type), len(e.Args))
		return invalidOperand
	}
	x := c.rvalue(e.Args[0])
	if !IsScalar(Decay(x.typ)) && x.typ != Invalid {
		c.errorf(e, codeCast, "%s cannot be cast to %s", describe(x.typ), o.Type)
		return invalidOperand
	}
	return operand{typ: o.Type, cv: convertConst(x.cv, x.typ, o.Type)}
}

// funcCall checks a call of one of the file's functions.
func (c *checker) funcCall(e *syntax.CallExpr, id *syntax.Ident, o *Object) operand {
	f := o.Func
	c.info.Types[id] = f.Type
	decl := f.Decl
	c.args(e, f.Type)
	switch {
	case decl.Kind == syntax.KernelFunc:
		c.errorf(e, codeKernelCall, "%s is a Kernel and cannot be called", o.Name).Hint = "write Invoke " + o.Name + "(...)"
		return invalidOperand
	case decl.Attrs.Has(syntax.Global):
		c.errorf(e, codeKernelCall, "%s is a __global__ function and cannot be called", o.Name).Hint = "launch it: " + o.Name + "<<<grid, block>>>(...)"
		return invalidOperand
	}
	c.recordCall(e, f)
	return operand{typ: f.Type.Result}
}

// recordCall adds f to the callees of the function being checked, and checks
// that it may be called from there.
func (c *checker) recordCall(n syntax.Node, f *FuncInfo) {
	if c.fn == nil || c.unevaluated > 0 || f == nil {
		return
	}
	if !c.fn.calls[f] {
		c.fn.calls[f] = true
		c.fn.Calls = append(c.fn.Calls, f)
		c.fn.sites = append(c.fn.sites, callSite{n, f})
	}
	if c.fn.outside() {
		c.fn.outer = append(c.fn.outer, callSite{n, f})
	}
	if c.irgl && (c.fn.decl.Kind != syntax.PlainFunc || f.Decl.Kind != syntax.HostFunc) {
		if c.fn.decl.Kind == syntax.KernelFunc && f.Decl.Kind == syntax.HostFunc {
			c.errorf(n, codeSideCall, "%s is a Host function and cannot be called from a Kernel", nameOf(f.Decl.Name))
		}
		return // plain functions: see callGraph
	}
	c.sideCall(n, nameOf(f.Decl.Name), f.Host, f.Device)
}

// sideCall checks that something with the given availability may be called
// from the current function, and reports false when it may not.
func (c *checker) sideCall(n syntax.Node, name string, host, device bool) bool {
	missing := ""
	switch {
	case c.fn.Device && !device:
		missing = "device"
	case c.fn.Host && !host:
		missing = "host"
	default:
		return true
	}
	other := map[string]string{"device": "host", "host": "device"}[missing]
	if c.fn.Host && c.fn.Device && (host || device) {
		c.warnf(n, codeSideCall, "%s exists on the %s only, but %s runs on the %s too", name, other, nameOf(c.fn.decl.Name), missing)
		return true
	}
	d := c.errorf(n, codeSideCall, "%s exists on the %s only and cannot be called from %s", name, other, c.sideName())
	if !c.irgl && missing == "device" && LookupBuiltin(name) == nil {
		d.Hint = "declare it __device__"
	}
	return false
}

// sideName says what kind of code is being checked.
func (c *checker) sideName() string {
	switch {
	case c.fn == nil:
		return "an initialiser"
	case c.fn.decl.Kind == syntax.HostFunc:
		return "a Host function"
	case c.fn.decl.Kind == syntax.KernelFunc:
		return "a Kernel"
	case c.fn.Device:
		return "device code"
	}
	return "host code"
}

// args checks the arguments of a call against f, or only by themselves when
// there is no f to check against.
func (c *checker) args(e *syntax.CallExpr, f *Func) {
	c.argList(e, e.Fun, e.Args, f)
}

// argList is args for what is not a CallExpr. Arguments are checked even when
// their number is wrong, so that their own errors show in the same run.
func (c *checker) argList(n syntax.Node, fun syntax.Expr, args []syntax.Expr, f *Func) {
	if f != nil && (len(args) < len(f.Params) || len(args) > len(f.Params) && !f.Variadic) {
		c.countError(n, fun, len(args), len(f.Params))
	}
	for i, a := range args {
		x := c.rvalue(a)
		switch {
		case f == nil || x.typ == Invalid:
		case i < len(f.Params):
			if f.Params[i] != nil {
				c.convertible(a, &x, f.Params[i], c.argName(i, fun))
			}
		case f.Variadic:
			c.variadicArg(a, x)
		}
	}
}

// argName names an argument in messages.
func (c *checker) argName(i int, fun syntax.Expr) string {
	return fmt.Sprintf("argument %d of %s", i+1, describeExpr(fun))
}

// countError reports a wrong number of arguments.
func (c *checker) countError(n syntax.Node, fun syntax.Expr, have int, want ...int) {
	takes := plural(want[len(want)-1], "argument")
	for i := len(want) - 2; i >= 0; i-- {
		word := ", "
		if i == len(want)-2 {
			word = " or "
		}
		takes = strconv.Itoa(want[i]) + word + takes
	}
	d := c.errorf(n, codeArgCount, "%s takes %s, not %d", describeExpr(fun), takes, have)
	if o := c.usesOf(fun); o != nil {
		noteDecl(d, o, "declared here")
	}
}

// usesOf returns what a name was resolved to; nil for other expressions.
func (c *checker) usesOf(e syntax.Expr) *Object {
	if id, ok := syntax.Unparen(e).(*syntax.Ident); ok && id != nil {
		return c.info.Uses[id]
	}
	return nil
}

// plural returns "1 argument" or "2 arguments".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// variadicArg checks a value that printf takes.
func (c *checker) variadicArg(e syntax.Expr, x operand) {
	if !IsScalar(Decay(x.typ)) {
		c.errorf(e, codeConvert, "%s cannot be printed", describe(x.typ))
	}
}

// launch checks f<<<grid, block, shared, stream>>>(args).
func (c *checker) launch(e *syntax.LaunchExpr) operand {
	if c.irgl {
		c.errorf(e, codeLowLevel, "launches are not part of IrGL").Hint = "write Invoke"
	}
	for i, a := range []syntax.Expr{e.Grid, e.Block} {
		if x := c.rvalue(a); x.typ != Invalid {
			c.convertible(a, &x, Dim3(), [...]string{"the grid", "the block"}[i]+" of a launch")
		}
	}
	if e.Shared != nil {
		x := c.rvalue(e.Shared)
		c.convertible(e.Shared, &x, ULong, "the shared memory of a launch")
	}
	if e.Stream != nil {
		x := c.rvalue(e.Stream)
		c.convertible(e.Stream, &x, LookupBuiltin("cudaStream_t").Type, "the stream of a launch")
	}
	id, _ := syntax.Unparen(e.Fun).(*syntax.Ident)
	var o *Object
	if id != nil {
		o = c.resolve(id)
	} else {
		c.place(e.Fun)
	}
	if o == nil || o.Kind != FuncObj || !o.Attrs.Has(syntax.Global) {
		if o != nil || id == nil {
			noteDecl(c.errorf(e.Fun, codeLaunch, "%s is not a __global__ function", describeExpr(e.Fun)), o, "declared here")
		}
		c.argList(e, e.Fun, e.Args, nil)
		return operand{typ: Void}
	}
	c.info.Types[id] = o.Type
	c.argList(e, e.Fun, e.Args, o.Func.Type)
	c.recordLaunch(e, o.Func)
	return operand{typ: Void}
}

// recordLaunch adds f to the kernels that the function being checked launches.
func (c *checker) recordLaunch(n syntax.Node, f *FuncInfo) {
	if c.fn != nil && !c.fn.calls[f] && c.unevaluated == 0 {
		c.fn.calls[f] = true
		c.fn.Launches = append(c.fn.Launches, f)
		c.fn.sites = append(c.fn.sites, callSite{n, f})
	}
}
