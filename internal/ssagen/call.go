package ssagen

import (
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// call translates a call. A struct result goes to dst, which is nil for other
// results; the value is nil for a void function.
func (g *fb) call(e *syntax.CallExpr, dst *place) *ssa.Value {
	result := typeOf(g.typ(e))
	id, ok := syntax.Unparen(e.Fun).(*syntax.Ident)
	if !ok {
		return g.indirect(e, dst)
	}
	o := g.info.Uses[id]
	if o == nil {
		return g.undef(result)
	}
	switch o.Kind {
	case check.FuncObj:
		return g.direct(e, o, dst)
	case check.BuiltinObj, check.TypeObj:
		if b := check.LookupBuiltin(o.Name); b != nil && b.Object() == o && (b.Kind == builtin.Func || b.Rule == builtin.CtorCall) {
			return g.builtin(e, id, b, dst)
		}
		if o.Kind == check.TypeObj && len(e.Args) == 1 { // T(x)
			return g.convertExpr(e.Args[0], o.Type)
		}
	}
	return g.indirect(e, dst)
}

// indirect translates a call through a pointer.
func (g *fb) indirect(e *syntax.CallExpr, dst *place) *ssa.Value {
	t := g.typ(e.Fun)
	if p, ok := check.Decay(t).(*check.Pointer); ok {
		t = p.Elem
	}
	f, ok := t.(*check.Func)
	if !ok {
		g.errorf(e, codeEarlier, "this is not a function")
		return g.undef(typeOf(g.typ(e)))
	}
	args := append([]*ssa.Value{g.generic(g.expr(e.Fun))}, g.callArgs(e, f, dst)...)
	params, _ := parameters(f)
	g.pos = e.Pos()
	v := g.emit(ssa.OpCallPtr, typeOf(f.Result), args...)
	v.Sym = ssa.SignatureOf(params)
	if v.Type == ssa.Void {
		return nil
	}
	return v
}

// parameters returns the SSA parameters of a function type, and how many of them come
// before those of the source: one for a struct result.
func parameters(f *check.Func) (params []*ssa.Param, first int) {
	if isStruct(f.Result) {
		params, first = append(params, ssa.NewParam("result", ssa.Ptr)), 1
	}
	for _, t := range f.Params {
		p := ssa.NewParam("", typeOf(t))
		if isStruct(t) {
			p = &ssa.Param{Type: ssa.PtrParam, Size: t.Size(), Align: t.Align()}
		}
		params = append(params, p)
	}
	return params, first
}

// callArgs returns the arguments of a call of a function of type f, after the address
// of a struct result.
func (g *fb) callArgs(e *syntax.CallExpr, f *check.Func, dst *place) (args []*ssa.Value) {
	if isStruct(f.Result) {
		if dst == nil {
			dst = &place{addr: g.alloca(f.Result), typ: f.Result}
		}
		args = append(args, g.generic(dst.addr))
	}
	for i, t := range f.Params {
		switch {
		case i >= len(e.Args):
			args = append(args, g.undef(typeOf(t)))
		case isStruct(t):
			args = append(args, g.aggregate(e.Args[i], t).addr)
		default:
			args = append(args, g.convertExpr(e.Args[i], t))
		}
	}
	return args
}

// defined reports whether o has device code in this file, and reports an error if not.
func (g *fb) defined(n syntax.Node, o *check.Object) bool {
	if g.funcs[o.Name] != nil {
		return true
	}
	g.errorf(n, codeEarlier, "%s has no body for the device in this file", o.Name)
	return false
}

// direct calls a function of the file.
func (g *fb) direct(e *syntax.CallExpr, o *check.Object, dst *place) *ssa.Value {
	if !g.defined(e, o) {
		return g.undef(typeOf(g.typ(e)))
	}
	f := g.funcs[o.Name]
	args := g.callArgs(e, f.Type, dst)
	g.pos = e.Pos()
	t := typeOf(f.Type.Result)
	v := g.emit(ssa.OpCall, t, args...)
	v.Sym = ssa.Name(g.symbol(o.Name))
	if t == ssa.Void {
		return nil
	}
	return v
}

// addressArg returns the address in a pointer argument. &x and arrays keep x's
// own space, which saves a generic access.
func (g *fb) addressArg(e syntax.Expr) *ssa.Value {
	if u, ok := syntax.Unparen(e).(*syntax.UnaryExpr); ok && u.Op == "&" {
		if _, fn := g.typ(u.X).(*check.Func); !fn {
			return g.place(u.X).addr
		}
	}
	if isArray(g.typ(e)) {
		return g.place(e).addr
	}
	v := g.expr(e)
	if v == nil || !v.Type.IsPtr() {
		return g.undef(ssa.Ptr)
	}
	return v
}

// printf packs the arguments as vprintf expects them: promoted as C does for
// variadic functions, each aligned to its size.
func (g *fb) printf(e *syntax.CallExpr) *ssa.Value {
	var format *ssa.Value
	if len(e.Args) == 0 {
		return g.undef(ssa.I32)
	}
	if lit, ok := syntax.Unparen(e.Args[0]).(*syntax.BasicLit); ok && lit.Kind == syntax.StringLit {
		format = g.place(lit).addr
	} else {
		format = g.addressArg(e.Args[0])
	}
	var vals []*ssa.Value
	var offs []int64
	size := int64(0)
	for _, a := range e.Args[1:] {
		t := check.Decay(g.typ(a))
		switch {
		case t == check.Float:
			t = check.Double
		case check.IsInteger(t):
			t = check.Promote(t)
		}
		v := g.convertExpr(a, t)
		if v == nil || v.Type == ssa.Void {
			continue
		}
		n := int64(v.Type.Size())
		size = (size + n - 1) / n * n
		vals, offs = append(vals, v), append(offs, size)
		size += n
	}
	g.pos = e.Pos()
	buf := g.intConst(ssa.Ptr, 0)
	if len(vals) > 0 {
		buf = g.allocaBytes(size, 8)
		for i, v := range vals {
			s := g.emit(ssa.OpStore, ssa.Void, g.offset(buf, offs[i]), v)
			s.Mem.Align = int64(v.Type.Size())
		}
	}
	return g.emit(ssa.OpPrintf, ssa.I32, format, buf)
}
