package check

import (
	"fmt"
	"strings"

	"irgl/syntax"
)

// callee returns what the function of a call was resolved to, when it is a
// name.
func (c *checker) callee(e *syntax.CallExpr) *Object {
	if id, ok := unparen(e.Fun).(*syntax.Ident); ok {
		return c.info.Uses[id]
	}
	return nil
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok || p == nil {
			return e
		}
		e = p.X
	}
}

func (c *checker) call(e *syntax.CallExpr) operand {
	fun := unparen(e.Fun)
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
	if b != nil && b.obj == o && (b.Kind == BuiltinFunc || b.Rule == CtorCall) {
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
// from the current function.
func (c *checker) sideCall(n syntax.Node, name string, host, device bool) {
	missing := ""
	switch {
	case c.fn.Device && !device:
		missing = "device"
	case c.fn.Host && !host:
		missing = "host"
	default:
		return
	}
	other := map[string]string{"device": "host", "host": "device"}[missing]
	if c.fn.Host && c.fn.Device && (host || device) {
		c.warnf(n, codeSideCall, "%s exists on the %s only, but %s runs on the %s too", name, other, nameOf(c.fn.decl.Name), missing)
		return
	}
	d := c.errorf(n, codeSideCall, "%s exists on the %s only and cannot be called from %s", name, other, c.sideName())
	if !c.irgl && missing == "device" && LookupBuiltin(name) == nil {
		d.Hint = "declare it __device__"
	}
}

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

func (c *checker) argName(i int, fun syntax.Expr) string {
	return fmt.Sprintf("argument %d of %s", i+1, describeExpr(fun))
}

func (c *checker) countError(n syntax.Node, fun syntax.Expr, have, want int) {
	d := c.errorf(n, codeArgCount, "%s takes %s, not %d", describeExpr(fun), plural(want, "argument"), have)
	if o := c.usesOf(fun); o != nil {
		noteDecl(d, o, "declared here")
	}
}

func (c *checker) usesOf(e syntax.Expr) *Object {
	if id, ok := unparen(e).(*syntax.Ident); ok && id != nil {
		return c.info.Uses[id]
	}
	return nil
}

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

// builtinUse checks that builtin b may be used here.
func (c *checker) builtinUse(n syntax.Node, b *Builtin) bool {
	if c.irgl && b.LowLevel != "" && b.Kind != BuiltinType {
		c.errorf(n, codeLowLevel, "%s is not part of IrGL", b.Name).Hint = b.LowLevel
		return false
	}
	if c.fn == nil || c.unevaluated > 0 || b.Host && b.Device {
		return true
	}
	if c.irgl && c.fn.decl.Kind == syntax.PlainFunc {
		// Using what one side lacks ties a plain function to the other.
		c.fn.tie(n, b.Host, b.Device)
		return true
	}
	if (c.fn.Host && !b.Host || c.fn.Device && !b.Device) && b.Rule == AtomicCall && c.irgl {
		c.errorf(n, codeSideCall, "%s is for Kernels: a Host function runs alone", b.Name).Hint = "assign to the variable"
		return true
	}
	c.sideCall(n, b.Name, b.Host, b.Device)
	return true
}

func (c *checker) builtinCall(e *syntax.CallExpr, id *syntax.Ident, b *Builtin) operand {
	if c.fn != nil && (b.Rule == AtomicCall || b.Name == "memset" || b.Name == "memcpy") {
		c.memoryWrite(e)
	}
	if b.Rule == SymbolCall {
		return c.symbolCall(e, id, b)
	}
	xs := make([]operand, len(e.Args))
	bad := false
	for i, a := range e.Args {
		xs[i] = c.rvalue(a)
		bad = bad || xs[i].typ == Invalid
	}
	f := c.chooseForm(e, b, xs, bad)
	if f == nil {
		c.info.Types[id] = b.Sigs[0]
		return invalidOperand
	}
	c.info.Types[id] = f
	for i := range xs {
		switch {
		case bad:
		case i >= len(f.Params):
			c.variadicArg(e.Args[i], xs[i])
		case b.Rule == PtrPtrCall && i == 0:
			c.pointerToPointer(e.Args[0], xs[0], b.Name)
		default:
			c.convertible(e.Args[i], &xs[i], f.Params[i], c.argName(i, e.Fun))
		}
	}
	if b.Rule == PrintfCall && !bad {
		c.format(e, len(f.Params)-1, xs)
	}
	return operand{typ: f.Result}
}

// chooseForm picks the signature of b for the operands; it reports an error
// and returns nil when there is none.
func (c *checker) chooseForm(e *syntax.CallExpr, b *Builtin, xs []operand, bad bool) *Func {
	var fit []*Func
	for _, f := range b.Sigs {
		if len(xs) == len(f.Params) || len(xs) > len(f.Params) && f.Variadic {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		c.countError(e, e.Fun, len(xs), len(b.Sigs[0].Params))
		return nil
	}
	if bad {
		return fit[0]
	}
	var f *Func
	switch b.Rule {
	case AtomicCall:
		f = formByPointee(fit, xs[0].typ)
	case MathCall:
		f = formByMath(fit, xs)
	case MinMaxCall:
		f = c.formByCommon(e, b, fit, xs)
	default:
		return fit[0]
	}
	if f == nil {
		var types []string
		for _, x := range xs {
			types = append(types, Decay(x.typ).String())
		}
		d := c.errorf(e, codeNoForm, "%s has no form for (%s)", b.Name, strings.Join(types, ", "))
		if b.Rule == AtomicCall {
			d.Hint = "its first argument points to " + pointees(fit)
		}
	}
	return f
}

// pointees lists the types that the forms of an atomic change.
func pointees(forms []*Func) string {
	var names []string
	for _, f := range forms {
		names = append(names, f.Params[0].(*Pointer).Elem.String())
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// formByPointee picks the form of an atomic by what its first argument points
// to; a node is an int.
func formByPointee(forms []*Func, t Type) *Func {
	p, ok := Decay(t).(*Pointer)
	if !ok || p.Const {
		return nil
	}
	for _, f := range forms {
		q := f.Params[0].(*Pointer)
		if Identical(q.Elem, p.Elem) || isHandle(q.Elem, p.Elem) {
			g := *f
			g.Params = append([]Type{p}, f.Params[1:]...)
			return &g
		}
	}
	return nil
}

// formByMath picks float when every argument is a float, and otherwise
// double, as C++ does for integers too.
func formByMath(forms []*Func, xs []operand) *Func {
	double := false
	for _, x := range xs {
		if !IsArithmetic(x.typ) {
			return nil
		}
		double = double || x.typ != Float && !x.inf
	}
	for _, f := range forms {
		if (f.Params[0] == Double) == double {
			return f
		}
	}
	return nil
}

// formByCommon picks the form whose differing parameters are of the common
// type of their arguments.
func (c *checker) formByCommon(e *syntax.CallExpr, b *Builtin, forms []*Func, xs []operand) *Func {
	if _, ok := forms[0].Params[0].(*Pointer); ok { // __ldg
		q, ok := Decay(xs[0].typ).(*Pointer)
		for _, f := range forms {
			if ok && Identical(f.Params[0].(*Pointer).Elem, q.Elem) {
				return f
			}
		}
		return nil
	}
	var common Type
	for i := range xs {
		if !varies(forms, i) {
			continue
		}
		t := xs[i].typ
		for j := range xs {
			if varies(forms, j) {
				c.adapt(e.Args[i], &xs[i], xs[j].typ)
				t = xs[i].typ
			}
		}
		if common == nil {
			common = Promote(t)
		}
		common = UsualArithmetic(common, t)
	}
	for _, f := range forms {
		for i := range f.Params {
			if varies(forms, i) && f.Params[i] == common {
				return f
			}
		}
	}
	return nil
}

// varies reports whether parameter i differs between the forms.
func varies(forms []*Func, i int) bool {
	for _, f := range forms {
		if !Identical(f.Params[i], forms[0].Params[i]) {
			return true
		}
	}
	return false
}

// pointerToPointer checks the first argument of cudaMalloc.
func (c *checker) pointerToPointer(e syntax.Expr, x operand, name string) {
	if p, ok := x.typ.(*Pointer); ok && !p.Const {
		if _, ok := p.Elem.(*Pointer); ok {
			return
		}
	}
	c.errorf(e, codeConvert, "the first argument of %s must be the address of a pointer, not %s", name, describe(x.typ))
}

// symbolCall checks cudaMemcpyToSymbol and its relatives, which take a device
// variable itself.
func (c *checker) symbolCall(e *syntax.CallExpr, id *syntax.Ident, b *Builtin) operand {
	at := 0
	if b.Name == "cudaMemcpyFromSymbol" || b.Name == "cudaGetSymbolAddress" {
		at = 1
	}
	var f *Func
	for _, g := range b.Sigs {
		if len(g.Params) == len(e.Args) {
			f = g
		}
	}
	if f == nil {
		c.countError(e, e.Fun, len(e.Args), len(b.Sigs[0].Params))
		c.args(e, nil)
		return invalidOperand
	}
	c.info.Types[id] = f
	const memory = syntax.Device | syntax.Constant | syntax.Managed
	for i, a := range e.Args {
		switch {
		case i == at:
			c.symbols++
			x := c.place(a)
			c.symbols--
			if x.typ != Invalid && (x.root == nil || x.root.Attrs&memory == 0) {
				c.errorf(a, codeConvert, "%s needs a __device__ or __constant__ variable here", b.Name)
			}
		case i == 0 && b.Name == "cudaGetSymbolAddress":
			if x := c.rvalue(a); x.typ != Invalid {
				c.pointerToPointer(a, x, b.Name)
			}
		case b.Name == "cudaMemcpyFromSymbol" && i == 1:
		default:
			x := c.rvalue(a)
			t := f.Params[i]
			if i == 1-at && i < 2 {
				t = &Pointer{Elem: Void, Const: at == 0}
			}
			c.convertible(a, &x, t, c.argName(i, e.Fun))
		}
	}
	return operand{typ: Int}
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
	id, _ := unparen(e.Fun).(*syntax.Ident)
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
	if c.fn != nil && !c.fn.calls[o.Func] {
		c.fn.calls[o.Func] = true
		c.fn.Launches = append(c.fn.Launches, o.Func)
		c.fn.sites = append(c.fn.sites, callSite{e, o.Func})
	}
	return operand{typ: Void}
}
