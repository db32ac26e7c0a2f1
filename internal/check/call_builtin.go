package check

// This file checks calls of builtins. Overloads are chosen as nvcc chooses
// them, because the .cu text that we print leaves the choice to it: float forms
// for floats, double for integers in <math>, and for min, max and shuffles the
// common type of the arguments.

import (
	"slices"
	"strings"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// builtinUse checks that builtin b may be used here.
func (c *checker) builtinUse(n syntax.Node, b *Builtin) bool {
	if c.irgl && b.LowLevel != "" && b.Kind != builtin.Type {
		c.errorf(n, codeLowLevel, "%s is not part of IrGL", b.Name).Hint = b.LowLevel
		return false
	}
	if c.fn == nil || c.unevaluated > 0 {
		return true
	}
	if c.irgl && c.fn.decl.Kind == syntax.PlainFunc {
		// Using what one side lacks ties a plain function to the other.
		c.fn.tie(n, b.Host, b.Device)
		return true
	}
	if b.Host && b.Device {
		return c.available(n, b)
	}
	if (c.fn.Host && !b.Host || c.fn.Device && !b.Device) && b.Rule == builtin.AtomicCall && c.irgl {
		c.errorf(n, codeSideCall, "%s is for Kernels: a Host function runs alone", b.Name).Hint = "assign to the variable"
		return true
	}
	if !c.sideCall(n, b.Name, b.Host, b.Device) {
		return true
	}
	return c.available(n, b)
}

// available refuses a builtin that the engine for the current function does not
// have. In a function of a .cu file that runs on both sides, as far as one of
// them goes, there is a warning only.
func (c *checker) available(n syntax.Node, b *Builtin) bool {
	host := c.fn.Host && b.Host && !b.Available(c.irgl, true)
	device := c.fn.Device && b.Device && !b.Available(c.irgl, false)
	if !host && !device {
		return true
	}
	side := "host"
	if device {
		side = "device"
	}
	if c.fn.Host && c.fn.Device && host != device {
		c.warnf(n, codeNotAvailable, "%s is not available in %s code, but %s runs there too", b.Name, side, nameOf(c.fn.decl.Name))
		return true
	}
	d := c.errorf(n, codeNotAvailable, "%s is not available in %s code", b.Name, side)
	d.Hint = b.Instead
	return false
}

// builtinCall checks a call of builtin b and records the chosen signature as
// the type of its name.
func (c *checker) builtinCall(e *syntax.CallExpr, id *syntax.Ident, b *Builtin) operand {
	if c.fn != nil && (b.Effects&(builtin.Writes|builtin.Atomic) != 0 && b.Effects&builtin.Runtime == 0) {
		c.memoryWrite(e)
	}
	if b.Rule == builtin.SymbolCall {
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
	if b.Outdated {
		c.warnf(e.Fun, codeOutdated, "%s has no mask: all 32 lanes take part, as with %s_sync(-1, ...)", b.Name, b.Name).Hint =
			"name the lanes: " + b.Name + "_sync(mask, ...)"
	}
	for i := range xs {
		switch {
		case bad:
		case i >= len(f.Params):
			c.variadicArg(e.Args[i], xs[i])
		case b.Rule == builtin.PtrPtrCall && i == 0:
			c.pointerToPointer(e.Args[0], xs[0], b.Name)
		case b.Rule == builtin.RangeCall && IsArithmetic(Decay(xs[i].typ)) && Promote(xs[i].typ) != Int:
			c.errorf(e.Args[i], codeConvert, "%s must be an int, not %s", c.argName(i, e.Fun), describe(xs[i].typ)).Hint =
				"the elements of a range are ints; graph.edges iterates over all edges"
		case b.Rule == builtin.KernelCall && Identical(f.Params[i], kernelPointer):
			c.kernelArg(e.Args[i], &xs[i], c.argName(i, e.Fun))
		default:
			c.convertible(e.Args[i], &xs[i], f.Params[i], c.argName(i, e.Fun))
		}
	}
	if b.Rule == builtin.PrintfCall && !bad {
		c.format(e, len(f.Params)-1, xs)
	}
	return operand{typ: f.Result}
}

// RangeBounds returns the first element of a range of ints and the one after the
// last: those of a call of range. low is nil for 0.
func RangeBounds(e syntax.Expr) (low, high syntax.Expr) {
	call, ok := syntax.Unparen(e).(*syntax.CallExpr)
	switch {
	case !ok || len(call.Args) == 0:
		return nil, nil
	case len(call.Args) == 1:
		return nil, call.Args[0]
	}
	return call.Args[0], call.Args[1]
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
	for _, f := range b.CUDA {
		if !c.irgl && len(xs) == len(f.Params) {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		c.countError(e, e.Fun, len(xs), counts(b.Sigs)...)
		return nil
	}
	if bad {
		return fit[0]
	}
	var f *Func
	switch b.Rule {
	case builtin.AtomicCall:
		f = formByPointee(fit, xs[0].typ)
	case builtin.MathCall:
		f = formByMath(fit, xs)
	case builtin.MinMaxCall:
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
		if b.Rule == builtin.AtomicCall {
			d.Hint = "its first argument points to " + pointees(fit)
		}
	}
	return f
}

// counts returns the numbers of parameters of the forms, in ascending order.
func counts(forms []*Func) []int {
	var all []int
	for _, f := range forms {
		all = append(all, len(f.Params))
	}
	slices.Sort(all)
	return slices.Compact(all)
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

// formByMath picks float when every argument that has both forms is a float,
// and otherwise double, as C++ does for integers too. The pointers of frexp and
// the like do not count.
func formByMath(forms []*Func, xs []operand) *Func {
	double := false
	for i, x := range xs {
		if !IsFloat(forms[0].Params[i]) {
			continue
		}
		if !IsArithmetic(x.typ) {
			return nil
		}
		double = double || x.typ != Float && !x.inf
	}
	for _, f := range forms {
		if slices.Contains(f.Params, Type(Double)) == double {
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

// kernelPointer is the type of a kernel as the CUDA runtime takes it.
var kernelPointer = &Pointer{Elem: Void, Const: true}

// kernelArg checks an argument that is a kernel: its name, a pointer to it, or
// either cast to const void *.
func (c *checker) kernelArg(e syntax.Expr, x *operand, what string) {
	if o := c.usesOf(uncast(e)); o != nil && o.Kind == FuncObj && !o.Attrs.Has(syntax.Global) {
		noteDecl(c.errorf(e, codeLaunch, "%s is not a __global__ function", o.Name), o, "declared here")
		return
	}
	p, isPtr := x.typ.(*Pointer)
	if isPtr {
		if _, ok := p.Elem.(*Func); ok {
			return
		}
	}
	if _, ok := x.typ.(*Func); ok {
		return
	}
	c.convertible(e, x, kernelPointer, what)
}

// uncast returns e without parentheses, casts and &.
func uncast(e syntax.Expr) syntax.Expr {
	for {
		switch x := e.(type) {
		case *syntax.ParenExpr:
			e = x.X
		case *syntax.CastExpr:
			e = x.X
		case *syntax.UnaryExpr:
			if x.Op != "&" {
				return e
			}
			e = x.X
		default:
			return e
		}
	}
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
		c.countError(e, e.Fun, len(e.Args), counts(b.Sigs)...)
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
