package ssagen

import (
	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// load returns the scalar in p.
func (g *fb) load(p place) *ssa.Value {
	t := typeOf(p.typ)
	if p.bits != nil {
		return g.loadBits(p)
	}
	if t == ssa.Void {
		return g.undef(ssa.I32)
	}
	v := g.emit(ssa.OpLoad, t, p.addr)
	v.Mem = ssa.MemInfo{Align: max(1, int64(t.Size()), p.align), Volatile: p.volatile, ReadOnly: p.readOnly && !p.volatile}
	return v
}

// store puts the scalar v into p.
func (g *fb) store(p place, v *ssa.Value) {
	if v == nil || v.Type == ssa.Void || p.addr.Type == ssa.PtrConst || p.addr.Type == ssa.PtrParam {
		return // after an error, or a write that check has rejected
	}
	if p.bits != nil {
		g.storeBits(p, v)
		return
	}
	s := g.emit(ssa.OpStore, ssa.Void, p.addr, v)
	s.Mem = ssa.MemInfo{Align: max(1, int64(v.Type.Size()), p.align), Volatile: p.volatile}
}

// place translates an lvalue, or an aggregate value, which is in memory, too.
func (g *fb) place(e syntax.Expr) place {
	g.pos = e.Pos()
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return g.place(e.X)
	case *syntax.Ident:
		return g.named(e)
	case *syntax.UnaryExpr:
		if e.Op == "*" {
			return g.deref(e)
		}
	case *syntax.IndexExpr:
		return g.index(e)
	case *syntax.MemberExpr:
		return g.member(e)
	case *syntax.BasicLit:
		if e.Kind == syntax.StringLit {
			s, _ := syntax.ParseString(e.Text) // already parsed by check
			a := &check.Array{Elem: check.Char, Len: int64(len(s)) + 1}
			return place{addr: g.globalAddr(g.stringVar(s)), typ: a}
		}
	case *syntax.CompoundLit:
		t := g.typ(e)
		p := place{addr: g.alloca(t), typ: t}
		g.initialise(p, e.Init)
		return p
	}
	if t := g.typ(e); isStruct(t) {
		return g.aggregate(e, t)
	}
	t := g.typ(e)
	p := place{addr: g.alloca(t), typ: t}
	if v := g.expr(e); v != nil && typeOf(t) == v.Type {
		g.store(p, v)
	}
	return p
}

// named returns the place of a variable.
func (g *fb) named(e *syntax.Ident) place {
	o := g.info.Uses[e]
	if o == nil {
		return place{addr: g.undef(ssa.Ptr), typ: g.typ(e)}
	}
	if p, ok := g.vars[o]; ok {
		return p
	}
	if v := g.builder.vars[o]; v != nil {
		addr := g.globalAddr(v)
		if o.Attrs.Has(syntax.Managed) {
			addr = g.load(place{addr: addr, typ: &check.Pointer{Elem: o.Type}})
		}
		return place{addr: addr, typ: o.Type, volatile: o.Volatile}
	}
	if o.Kind == check.BuiltinObj {
		return g.builtinVar(e, o)
	}
	if o.Kind != check.FuncObj {
		g.errorf(e, codeEarlier, "%s is not in device memory", o.Name).Hint = "declare it __device__ or __constant__"
	}
	return place{addr: g.undef(ssa.Ptr), typ: o.Type}
}

// globalAddr returns the address of a variable in its own space.
func (g *fb) globalAddr(v *ssa.Global) *ssa.Value {
	a := g.emit(ssa.OpGlobalAddr, v.Space)
	a.Sym = ssa.Name(v.Name)
	return a
}

// registers names the special registers for threadIdx and the like.
var registers = map[string]string{"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}

// special reads a special register.
func (g *fb) special(name string, t ssa.Type) *ssa.Value {
	v := g.emit(ssa.OpSpecial, t)
	v.Sym = ssa.Register(name)
	return v
}

// builtinVar materialises a whole threadIdx in memory; threadIdx.x alone is
// handled by register.
func (g *fb) builtinVar(e *syntax.Ident, o *check.Object) place {
	p := place{addr: g.alloca(o.Type), typ: o.Type}
	s, ok := o.Type.(*check.Struct)
	switch {
	case ok && registers[o.Name] != "":
		g.readRegisters(p, s, registers[o.Name])
	case o.Name == "warpSize":
		g.store(p, g.intConst(ssa.I32, 32))
	default:
		g.errorf(e, codeBuiltin, "%s is not available in device code", o.Name)
	}
	return p
}

// readRegisters sets the fields of a struct in p to the special registers of the
// same names.
func (g *fb) readRegisters(p place, s *check.Struct, name string) {
	for _, f := range s.Fields {
		g.store(place{addr: g.offset(p.addr, f.Offset), typ: f.Type}, g.special(name+"."+f.Name, ssa.I32))
	}
}

// deref returns the place of *p; *&x is x itself, in its own space.
func (g *fb) deref(e *syntax.UnaryExpr) place {
	if a, ok := syntax.Unparen(e.X).(*syntax.UnaryExpr); ok && a.Op == "&" {
		return g.place(a.X)
	}
	t := g.typ(e.X)
	if a, ok := t.(*check.Array); ok {
		p := g.place(e.X)
		p.typ = a.Elem
		return p
	}
	return g.pointee(e.X, g.expr(e.X))
}

// pointee returns the place that v, the value of the pointer expression e, points to.
func (g *fb) pointee(e syntax.Expr, v *ssa.Value) place {
	p := place{addr: v, typ: check.Invalid}
	if ptr, ok := check.Decay(g.typ(e)).(*check.Pointer); ok {
		p.typ, p.volatile = ptr.Elem, ptr.Volatile
	}
	if v == nil || !v.Type.IsPtr() {
		p.addr = g.undef(ssa.Ptr)
	}
	if id, ok := syntax.Unparen(e).(*syntax.Ident); ok {
		p.readOnly = g.readOnly[g.info.Uses[id]]
	}
	return p
}

// index returns the place of x[i]. An array is indexed in place; only a
// pointer is loaded first.
func (g *fb) index(e *syntax.IndexExpr) place {
	var p place
	if a, ok := g.typ(e.X).(*check.Array); ok {
		p = g.place(e.X)
		p.typ = a.Elem
	} else {
		p = g.pointee(e.X, g.expr(e.X))
	}
	it := g.typ(e.Index)
	i := g.convertExpr(e.Index, check.Promote(it))
	if i == nil || !i.Type.IsInt() {
		return p
	}
	g.pos = e.Pos()
	p.align = 0
	p.addr = g.advance(p.addr, i, check.IsUnsigned(check.Promote(it)), p.typ.Size(), false)
	return p
}

// member returns the place of s.f or p->f. A volatile struct or member makes
// the access volatile.
func (g *fb) member(e *syntax.MemberExpr) place {
	var p place
	if e.Arrow {
		if isArray(g.typ(e.X)) {
			p = g.place(e.X)
			p.typ = p.typ.(*check.Array).Elem
		} else {
			p = g.pointee(e.X, g.expr(e.X))
		}
	} else {
		p = g.place(e.X)
	}
	s, ok := p.typ.(*check.Struct)
	if !ok {
		p.typ = g.typ(e)
		return p
	}
	f, _ := s.Field(e.Name.Name)
	g.pos = e.Pos()
	p.align = p.part(f.Offset)
	p.bits = f.Bits
	p.addr, p.typ, p.volatile = g.offset(p.addr, f.Offset), f.Type, p.volatile || f.Volatile
	if f.Type == nil {
		p.typ = g.typ(e)
	}
	return p
}
