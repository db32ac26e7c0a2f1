package ssagen

import (
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// aggregate returns the memory that holds the value of e, a struct.
func (g *fb) aggregate(e syntax.Expr, t check.Type) place {
	g.pos = e.Pos()
	et := g.typ(e)
	if !isStruct(et) && t == check.Type(check.Dim3()) { // an integer converted to a dim3
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

// assignStruct copies the value of R to L, which is the value of the whole
// expression. The value is evaluated before the target, as for scalars.
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
	padding  bool // it has no value
}

// maxLeaves bounds the number of scalars that are copied or cleared one by
// one; a larger aggregate takes a loop over bytes or words.
const maxLeaves = 64

// leaves returns the scalars of t, or false when there are too many or t has a
// union, whose bytes are copied regardless of type.
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
			if f.Bits != nil {
				if list, ok = unitLeaves(list, f, off, volatile); !ok {
					return list, false
				}
				continue
			}
			first := len(list)
			if list, ok = leaves(list, f.Type, off+f.Offset, volatile || f.Volatile); !ok {
				return list, false
			}
			if strings.HasPrefix(f.Name, syntax.Padding) {
				for i := first; i < len(list); i++ {
					list[i].padding = true
				}
			}
		}
		return list, true
	}
	if typeOf(t) == ssa.Void {
		return list, false
	}
	return append(list, leaf{off: off, typ: t, volatile: volatile}), len(list) < maxLeaves
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
	list = slices.DeleteFunc(list, func(l leaf) bool { return l.padding })
	// All loads come first: the two may overlap only when they are the same.
	vals := make([]*ssa.Value, len(list))
	for i, l := range list {
		vals[i] = g.load(place{g.offset(src.addr, l.off), l.typ, src.volatile || l.volatile, src.readOnly, nil, src.part(l.off)})
	}
	for i, l := range list {
		g.store(place{addr: g.offset(dst.addr, l.off), typ: l.typ, volatile: dst.volatile || l.volatile, align: dst.part(l.off)}, vals[i])
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

// copyWord copies one integer from src+at to dst+at: the body of the loops
// that copy aggregates with too many scalars.
func (g *fb) copyWord(dst, src place, word ssa.Type, at func(*ssa.Value) *ssa.Value) {
	v := g.emit(ssa.OpLoad, word, at(src.addr))
	v.Mem = ssa.MemInfo{Align: int64(word.Size()), Volatile: src.volatile, Copied: true}
	if dst.addr.Type == ssa.PtrConst || dst.addr.Type == ssa.PtrParam {
		return
	}
	s := g.emit(ssa.OpStore, ssa.Void, at(dst.addr), v)
	s.Mem = ssa.MemInfo{Align: int64(word.Size()), Volatile: dst.volatile, Copied: true}
}

// clear sets p to zero.
func (g *fb) clear(p place) {
	list, ok := leaves(nil, p.typ, 0, false)
	if ok {
		for _, l := range list {
			g.store(place{addr: g.offset(p.addr, l.off), typ: l.typ, volatile: p.volatile, align: p.part(l.off)}, g.zero(typeOf(l.typ)))
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
			g.initSlot(place{addr: g.offset(p.addr, s.Offset), typ: s.Type, volatile: p.volatile, bits: s.Bits}, s.Value)
		}
		return
	}
	g.initSlot(p, init)
}

// initSlot initialises one element of an object. A string is stored character
// by character, with zeros up to the end of the array (C99 6.7.8, paragraph
// 14).
func (g *fb) initSlot(p place, e syntax.Expr) {
	g.pos = e.Pos()
	a, isArray := p.typ.(*check.Array)
	switch {
	case isArray:
		lit, ok := syntax.Unparen(e).(*syntax.BasicLit)
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

// makeStruct stores the fields of p, as dim3(x, y) and make_int2(x, y) do.
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
