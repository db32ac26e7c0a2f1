package ssagen

import (
	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// load returns the scalar in p.
func (g *fb) load(p place) *ssa.Value {
	t := typeOf(p.typ)
	if t == ssa.Void {
		return g.undef(ssa.I32)
	}
	v := g.emit(ssa.OpLoad, t, p.addr)
	v.Mem = ssa.MemInfo{Align: max(1, int64(t.Size())), Volatile: p.volatile, ReadOnly: p.readOnly && !p.volatile}
	return v
}

// store puts the scalar v into p.
func (g *fb) store(p place, v *ssa.Value) {
	if v == nil || v.Type == ssa.Void || p.addr.Type == ssa.PtrConst || p.addr.Type == ssa.PtrParam {
		return // an error before, or a write that check has refused
	}
	s := g.emit(ssa.OpStore, ssa.Void, p.addr, v)
	s.Mem = ssa.MemInfo{Align: max(1, int64(v.Type.Size())), Volatile: p.volatile}
}

// place translates an lvalue, or an aggregate value, which is in memory too.
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
			s, _ := syntax.ParseString(e.Text) // check has parsed it
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
		return place{addr: g.globalAddr(v), typ: o.Type, volatile: o.Volatile}
	}
	if o.Kind == check.BuiltinObj {
		return g.builtinVar(e, o)
	}
	if o.Kind != check.FuncObj {
		g.errorf(e, codeEarlier, "%s is not in device memory", o.Name).Hint = "declare it __device__ or __constant__"
	}
	return place{addr: g.undef(ssa.Ptr), typ: o.Type}
}

func (g *fb) globalAddr(v *ssa.Global) *ssa.Value {
	a := g.emit(ssa.OpGlobalAddr, v.Space)
	a.Sym = v.Name
	return a
}

// registers names the special registers behind threadIdx and its relatives.
var registers = map[string]string{"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}

func (g *fb) special(name string, t ssa.Type) *ssa.Value {
	v := g.emit(ssa.OpSpecial, t)
	v.Sym = name
	return v
}

// builtinVar makes a whole threadIdx in memory; threadIdx.x alone does not
// come here.
func (g *fb) builtinVar(e *syntax.Ident, o *check.Object) place {
	p := place{addr: g.alloca(o.Type), typ: o.Type}
	s, ok := o.Type.(*check.Struct)
	switch {
	case ok && registers[o.Name] != "":
		for _, f := range s.Fields {
			g.store(place{addr: g.offset(p.addr, f.Offset), typ: f.Type}, g.special(registers[o.Name]+"."+f.Name, ssa.I32))
		}
	case o.Name == "warpSize":
		g.store(p, g.intConst(ssa.I32, 32))
	default:
		g.errorf(e, codeBuiltin, "%s is not available in device code", o.Name)
	}
	return p
}

func (g *fb) deref(e *syntax.UnaryExpr) place {
	if a, ok := unparen(e.X).(*syntax.UnaryExpr); ok && a.Op == "&" {
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

// pointee returns what v, the value of the pointer expression e, points to.
func (g *fb) pointee(e syntax.Expr, v *ssa.Value) place {
	p := place{addr: v, typ: check.Invalid}
	if ptr, ok := check.Decay(g.typ(e)).(*check.Pointer); ok {
		p.typ, p.volatile = ptr.Elem, ptr.Volatile
	}
	if v == nil || !v.Type.IsPtr() {
		p.addr = g.undef(ssa.Ptr)
	}
	if id, ok := unparen(e).(*syntax.Ident); ok {
		p.readOnly = g.readOnly[g.info.Uses[id]]
	}
	return p
}

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
	p.addr = g.advance(p.addr, i, check.IsUnsigned(check.Promote(it)), p.typ.Size(), false)
	return p
}

func (g *fb) member(e *syntax.MemberExpr) place {
	var p place
	if e.Arrow {
		if _, ok := g.typ(e.X).(*check.Array); ok {
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
	p.addr, p.typ, p.volatile = g.offset(p.addr, f.Offset), f.Type, p.volatile || f.Volatile
	if f.Type == nil {
		p.typ = g.typ(e)
	}
	return p
}

// aggregate returns the memory that holds the value of e, a struct.
func (g *fb) aggregate(e syntax.Expr, t check.Type) place {
	g.pos = e.Pos()
	et := g.typ(e)
	if !isStruct(et) && t == check.Type(check.Dim3()) { // a number where a dim3 is wanted
		p := place{addr: g.alloca(t), typ: t}
		g.makeStruct(p, []syntax.Expr{e})
		return p
	}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return g.aggregate(e.X, t)
	case *syntax.CallExpr:
		p := place{addr: g.alloca(t), typ: t}
		g.call(e, &p)
		return p
	case *syntax.CastExpr:
		return g.aggregate(e.X, t)
	case *syntax.AssignExpr:
		return g.assignStruct(e, t)
	case *syntax.BinaryExpr:
		if e.Op == "," {
			g.effect(e.X)
			return g.aggregate(e.Y, t)
		}
	case *syntax.CondExpr:
		v := g.choose(e, ssa.Ptr, func(x syntax.Expr) *ssa.Value { return g.generic(g.aggregate(x, t).addr) })
		return place{addr: v, typ: t}
	case *syntax.Ident, *syntax.UnaryExpr, *syntax.IndexExpr, *syntax.MemberExpr, *syntax.CompoundLit:
		return g.place(e)
	}
	return place{addr: g.alloca(t), typ: t}
}

func (g *fb) assignStruct(e *syntax.AssignExpr, t check.Type) place {
	src := g.aggregate(e.R, t)
	dst := g.place(e.L)
	g.copyAggregate(dst, src)
	return dst
}

// A leaf is a scalar in an aggregate.
type leaf struct {
	off      int64
	typ      check.Type
	volatile bool
}

// maxLeaves bounds how many scalars are copied or cleared one by one; a larger
// aggregate takes a loop over bytes or words.
const maxLeaves = 64

// leaves returns the scalars of t, or false when there are too many or t holds
// a union, whose bytes count whatever their type.
func leaves(list []leaf, t check.Type, off int64, volatile bool) ([]leaf, bool) {
	ok := true
	switch t := t.(type) {
	case *check.Array:
		for i := int64(0); i < t.Len && ok; i++ {
			list, ok = leaves(list, t.Elem, off+i*t.Elem.Size(), volatile)
		}
		return list, ok
	case *check.Struct:
		if t.Union {
			return list, false
		}
		for _, f := range t.Fields {
			if list, ok = leaves(list, f.Type, off+f.Offset, volatile || f.Volatile); !ok {
				return list, false
			}
		}
		return list, true
	}
	if typeOf(t) == ssa.Void {
		return list, false
	}
	return append(list, leaf{off, t, volatile}), len(list) < maxLeaves
}

// copyAggregate copies src to dst: its scalars one by one, or in a loop.
func (g *fb) copyAggregate(dst, src place) {
	t := dst.typ
	list, ok := leaves(nil, t, 0, false)
	if !ok {
		word := wordOf(t)
		g.count(t.Size()/int64(word.Size()), func(i *ssa.Value) {
			off := g.emit(ssa.OpMul, ssa.I64, i, g.intConst(ssa.I64, int64(word.Size())))
			g.copyWord(dst, src, word, func(a *ssa.Value) *ssa.Value { return g.emit(ssa.OpPtrAdd, a.Type, a, off) })
		})
		return
	}
	// All loads come first: the two may overlap only when they are the same.
	vals := make([]*ssa.Value, len(list))
	for i, l := range list {
		vals[i] = g.load(place{g.offset(src.addr, l.off), l.typ, src.volatile || l.volatile, src.readOnly})
	}
	for i, l := range list {
		g.store(place{addr: g.offset(dst.addr, l.off), typ: l.typ, volatile: dst.volatile || l.volatile}, vals[i])
	}
}

// wordOf returns the largest integer type that fits t's alignment.
func wordOf(t check.Type) ssa.Type {
	switch a := t.Align(); {
	case a >= 8:
		return ssa.I64
	case a >= 4:
		return ssa.I32
	case a >= 2:
		return ssa.I16
	}
	return ssa.I8
}

func (g *fb) copyWord(dst, src place, word ssa.Type, at func(*ssa.Value) *ssa.Value) {
	v := g.emit(ssa.OpLoad, word, at(src.addr))
	v.Mem = ssa.MemInfo{Align: int64(word.Size()), Volatile: src.volatile}
	if dst.addr.Type == ssa.PtrConst || dst.addr.Type == ssa.PtrParam {
		return
	}
	s := g.emit(ssa.OpStore, ssa.Void, at(dst.addr), v)
	s.Mem = ssa.MemInfo{Align: int64(word.Size()), Volatile: dst.volatile}
}

// clear sets p to zero.
func (g *fb) clear(p place) {
	list, ok := leaves(nil, p.typ, 0, false)
	if ok {
		for _, l := range list {
			g.store(place{addr: g.offset(p.addr, l.off), typ: l.typ, volatile: p.volatile}, g.zero(typeOf(l.typ)))
		}
		return
	}
	word := wordOf(p.typ)
	g.count(p.typ.Size()/int64(word.Size()), func(i *ssa.Value) {
		off := g.emit(ssa.OpMul, ssa.I64, i, g.intConst(ssa.I64, int64(word.Size())))
		s := g.emit(ssa.OpStore, ssa.Void, g.emit(ssa.OpPtrAdd, p.addr.Type, p.addr, off), g.intConst(word, 0))
		s.Mem = ssa.MemInfo{Align: int64(word.Size()), Volatile: p.volatile}
	})
}

// count emits a loop of n trips, a constant.
func (g *fb) count(n int64, body func(i *ssa.Value)) {
	if n > 0 {
		g.countTo(g.intConst(ssa.I64, n), body)
	}
}

// countTo emits a loop over i from 0 to n, unsigned 64-bit values.
func (g *fb) countTo(n *ssa.Value, body func(i *ssa.Value)) {
	zero, from := g.intConst(ssa.I64, 0), g.cur
	head, in, done := g.newBlock(), g.newBlock(), g.newBlock()
	g.jump(head)
	g.setBlock(head)
	i := g.emit(ssa.OpPhi, ssa.I64)
	g.branch(g.emit(ssa.OpULt, ssa.I1, i, n), in, done)
	g.setBlock(in)
	body(i)
	next := g.emit(ssa.OpAdd, ssa.I64, i, g.intConst(ssa.I64, 1))
	g.jump(head)
	for _, p := range head.Preds {
		if p == from {
			i.Args = append(i.Args, zero)
		} else {
			i.Args = append(i.Args, next)
		}
	}
	g.setBlock(done)
}

// initialise sets p to the value of an initialiser.
func (g *fb) initialise(p place, init syntax.Expr) {
	if list, ok := init.(*syntax.InitList); ok {
		if list == nil {
			return
		}
		if isAggregate(p.typ) || len(list.Elems) == 0 {
			g.clear(p)
		}
		for _, s := range g.info.Inits[list] {
			g.initSlot(place{addr: g.offset(p.addr, s.Offset), typ: s.Type, volatile: p.volatile}, s.Value)
		}
		return
	}
	g.initSlot(p, init)
}

func (g *fb) initSlot(p place, e syntax.Expr) {
	g.pos = e.Pos()
	a, isArray := p.typ.(*check.Array)
	switch {
	case isArray:
		lit, ok := unparen(e).(*syntax.BasicLit)
		if !ok {
			return
		}
		s, _ := syntax.ParseString(lit.Text)
		for i := int64(0); i < a.Len; i++ {
			c := int64(0)
			if i < int64(len(s)) {
				c = int64(s[i])
			} else if i > int64(len(s))+maxLeaves {
				rest := &check.Array{Elem: a.Elem, Len: a.Len - i}
				g.clear(place{addr: g.offset(p.addr, i), typ: rest, volatile: p.volatile})
				return
			}
			g.store(place{addr: g.offset(p.addr, i), typ: a.Elem, volatile: p.volatile}, g.intConst(ssa.I8, c))
		}
	case isStruct(p.typ):
		g.copyAggregate(p, g.aggregate(e, p.typ))
	default:
		g.store(p, g.convertExpr(e, p.typ))
	}
}

// makeStruct sets the fields of p, as dim3(x, y) and make_int2(x, y) do.
func (g *fb) makeStruct(p place, args []syntax.Expr) {
	s, ok := p.typ.(*check.Struct)
	if !ok {
		return
	}
	for i, f := range s.Fields {
		fp := place{addr: g.offset(p.addr, f.Offset), typ: f.Type}
		switch {
		case i < len(args):
			g.store(fp, g.convertExpr(args[i], f.Type))
		case s == check.Dim3():
			g.store(fp, g.intConst(typeOf(f.Type), 1))
		default:
			g.store(fp, g.zero(typeOf(f.Type)))
		}
	}
}
