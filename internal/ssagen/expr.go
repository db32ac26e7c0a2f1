package ssagen

import (
	"math/bits"

	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// effect evaluates e and discards its value.
func (g *fb) effect(e syntax.Expr) {
	if e == nil {
		return
	}
	if isStruct(g.typ(e)) {
		g.aggregate(e, g.typ(e))
		return
	}
	switch x := e.(type) {
	case *syntax.ParenExpr:
		g.effect(x.X)
	case *syntax.PostfixExpr: // the old value is unused
		g.incDec(x.X, x.Op, false)
	default:
		g.expr(e)
	}
}

// expr returns the value of e, a scalar of the type that check gave it (an
// array as a pointer); nil for a void expression.
//
//irgl:allnodes Expr except SliceExpr SizeofExpr InitList
func (g *fb) expr(e syntax.Expr) *ssa.Value {
	t := g.typ(e)
	if c := g.info.Consts[e]; c != nil && typeOf(t) != ssa.Void {
		return g.constant(c, t)
	}
	g.pos = e.Pos()
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return g.expr(e.X)
	case *syntax.BasicLit:
		return g.generic(g.place(e).addr) // a string: literals of other types are constants
	case *syntax.Ident:
		return g.ident(e, t)
	case *syntax.UnaryExpr:
		return g.unary(e, t)
	case *syntax.PostfixExpr:
		return g.incDec(e.X, e.Op, true)
	case *syntax.BinaryExpr:
		return g.binary(e, t)
	case *syntax.AssignExpr:
		return g.assign(e)
	case *syntax.CondExpr:
		return g.cond(e, t)
	case *syntax.CallExpr:
		return g.call(e, nil)
	case *syntax.IndexExpr, *syntax.CompoundLit:
		return g.value(g.place(e))
	case *syntax.MemberExpr:
		if v := g.register(e); v != nil {
			return v
		}
		p := g.place(e)
		v := g.value(p)
		if p.bits != nil { // promoted
			v = g.convert(v, p.typ, t)
		}
		return v
	case *syntax.CastExpr:
		return g.cast(e, t)
	case *syntax.LaunchExpr:
		g.errorf(e, codeLaunch, "a launch in device code is not available yet").Hint = "launch from the host, or aggregate the launches"
		return nil
	case *syntax.InvokeExpr:
		g.errorf(e, codeEarlier, "this expression of IrGL has not been lowered to CUDA")
	}
	return g.undef(typeOf(t))
}

// value returns the value in p: its scalar, or its address as a pointer if it
// is an array.
func (g *fb) value(p place) *ssa.Value {
	if isAggregate(p.typ) {
		return g.generic(p.addr)
	}
	return g.load(p)
}

// ident returns the value of a variable, or the address of a function.
func (g *fb) ident(e *syntax.Ident, t check.Type) *ssa.Value {
	o := g.info.Uses[e]
	if o != nil && o.Kind == check.FuncObj {
		if !g.defined(e, o) {
			return g.undef(ssa.Ptr)
		}
		v := g.emit(ssa.OpFuncAddr, ssa.Ptr)
		v.Sym = ssa.Name(g.symbol(o.Name))
		return v
	}
	if o != nil && o.Kind == check.BuiltinObj && o.Name == "warpSize" {
		return g.intConst(ssa.I32, 32)
	}
	return g.value(g.named(e))
}

// register returns threadIdx.x and the like, nil if e is something else.
func (g *fb) register(e *syntax.MemberExpr) *ssa.Value {
	id, ok := syntax.Unparen(e.X).(*syntax.Ident)
	if !ok || e.Arrow {
		return nil
	}
	o := g.info.Uses[id]
	if o == nil || o.Kind != check.BuiltinObj || registers[o.Name] == "" {
		return nil
	}
	return g.special(registers[o.Name]+"."+e.Name.Name, ssa.I32)
}

// unary translates a prefix operator; ! and comparisons give an int.
func (g *fb) unary(e *syntax.UnaryExpr, t check.Type) *ssa.Value {
	switch e.Op {
	case "++", "--":
		return g.incDec(e.X, e.Op, false)
	case "&":
		if _, ok := g.typ(e.X).(*check.Func); ok {
			return g.expr(e.X)
		}
		return g.generic(g.place(e.X).addr)
	case "*":
		if _, ok := t.(*check.Func); ok {
			return g.expr(e.X)
		}
		return g.value(g.place(e))
	case "!":
		return g.resize(g.truth(e), ssa.I32, true)
	}
	v := g.convertExpr(e.X, t)
	switch {
	case v == nil || e.Op == "+":
		return v
	case e.Op == "~" && v.Type.IsInt():
		return g.emit(ssa.OpNot, v.Type, v)
	case v.Type.IsFloat():
		return g.emit(ssa.OpFNeg, v.Type, v)
	case v.Type.IsInt():
		return g.emit(ssa.OpNeg, v.Type, v)
	}
	return g.undef(v.Type)
}

// incDec increments or decrements x; old requests the previous value.
func (g *fb) incDec(x syntax.Expr, op syntax.Op, old bool) *ssa.Value {
	p := g.place(x)
	before := g.load(p)
	var after *ssa.Value
	if ptr, ok := p.typ.(*check.Pointer); ok {
		after = g.advance(before, g.intConst(ssa.I64, 1), false, ptr.Elem.Size(), op == "--")
	} else {
		t := check.Promote(p.typ)
		one := g.constant(constIn(&check.Const{Int: 1}, check.Int, t), t)
		after = g.convert(g.arith(op[:1], t, g.convert(before, p.typ, t), one), t, p.typ)
	}
	g.store(p, after)
	if old {
		return before
	}
	return after
}

// arith returns x op y for operands of the common type t.
func (g *fb) arith(op syntax.Op, t check.Type, x, y *ssa.Value) *ssa.Value {
	unsigned := check.IsUnsigned(t)
	st := typeOf(t)
	pick := func(signed, uns ssa.Op) ssa.Op {
		if unsigned {
			return uns
		}
		return signed
	}
	var code ssa.Op
	if st.IsFloat() {
		code = map[syntax.Op]ssa.Op{"+": ssa.OpFAdd, "-": ssa.OpFSub, "*": ssa.OpFMul, "/": ssa.OpFDiv}[op]
	} else {
		switch op {
		case "+":
			code = ssa.OpAdd
		case "-":
			code = ssa.OpSub
		case "*":
			code = ssa.OpMul
		case "/":
			code = pick(ssa.OpSDiv, ssa.OpUDiv)
		case "%":
			code = pick(ssa.OpSRem, ssa.OpURem)
		case "&":
			code = ssa.OpAnd
		case "|":
			code = ssa.OpOr
		case "^":
			code = ssa.OpXor
		case "<<":
			code = ssa.OpShl
		case ">>":
			code = pick(ssa.OpAShr, ssa.OpLShr)
		}
	}
	if code == ssa.OpInvalid || x == nil || y == nil || x.Type != st {
		return g.undef(st)
	}
	v := g.emit(code, st, x, y)
	if g.opts.Undefined && !g.isLibrary {
		switch code {
		case ssa.OpAdd, ssa.OpSub, ssa.OpMul:
			v.NoWrap = !unsigned
		case ssa.OpSDiv, ssa.OpUDiv:
			v.NoWrap = true
		}
	}
	return v
}

// binary translates an operator on two values. Shifts promote their operands
// separately; all other arithmetic is done in the common type.
func (g *fb) binary(e *syntax.BinaryExpr, t check.Type) *ssa.Value {
	switch e.Op {
	case ",":
		g.effect(e.X)
		if g.typ(e.Y) == check.Void {
			g.effect(e.Y)
			return nil
		}
		return g.expr(e.Y)
	case "&&", "||", "==", "!=", "<", ">", "<=", ">=":
		return g.resize(g.truth(e), ssa.I32, true)
	}
	xt, yt := check.Decay(g.typ(e.X)), check.Decay(g.typ(e.Y))
	_, xp := xt.(*check.Pointer)
	_, yp := yt.(*check.Pointer)
	if xp || yp {
		return g.pointerArith(e, xt, yt)
	}
	if e.Op == "<<" || e.Op == ">>" {
		x := g.convertExpr(e.X, t)
		return g.arith(e.Op, t, x, g.shiftCount(e.Y))
	}
	x := g.convertExpr(e.X, t)
	y := g.convertExpr(e.Y, t)
	g.pos = e.Pos()
	return g.arith(e.Op, t, x, y)
}

// shiftCount returns a count as an i32; a 64-bit one that does not fit is
// clamped, since it shifts everything out.
func (g *fb) shiftCount(e syntax.Expr) *ssa.Value {
	t := check.Promote(g.typ(e))
	n := g.convertExpr(e, t)
	if n == nil || n.Type != ssa.I64 {
		return n
	}
	if n.Op == ssa.OpConst {
		return g.intConst(ssa.I32, int64(min(uint64(n.Int), 64)))
	}
	n = g.emit(ssa.OpUMin, ssa.I64, n, g.intConst(ssa.I64, 64))
	return g.emit(ssa.OpTrunc, ssa.I32, n)
}

// pointerArith translates p + i, i + p, p - i and p - q.
func (g *fb) pointerArith(e *syntax.BinaryExpr, xt, yt check.Type) *ssa.Value {
	p, xp := xt.(*check.Pointer)
	q, yp := yt.(*check.Pointer)
	if xp && yp {
		x := g.emit(ssa.OpPtrToInt, ssa.I64, g.expr(e.X))
		y := g.emit(ssa.OpPtrToInt, ssa.I64, g.expr(e.Y))
		d := g.emit(ssa.OpSub, ssa.I64, x, y)
		if n := p.Elem.Size(); n > 1 && n&(n-1) == 0 { // exact, so no rounding toward zero
			d = g.emit(ssa.OpAShr, ssa.I64, d, g.intConst(ssa.I32, int64(bits.TrailingZeros64(uint64(n)))))
		} else if n > 1 {
			d = g.emit(ssa.OpSDiv, ssa.I64, d, g.intConst(ssa.I64, n))
		}
		return d
	}
	// The pointer may be either operand; the left operand is evaluated first.
	var addr, i *ssa.Value
	var elem check.Type
	it := yt
	if xp {
		elem = p.Elem
		addr = g.expr(e.X)
		i = g.convertExpr(e.Y, check.Promote(yt))
	} else {
		it, elem = xt, q.Elem
		i = g.convertExpr(e.X, check.Promote(xt))
		addr = g.expr(e.Y)
	}
	if addr == nil || i == nil || !i.Type.IsInt() {
		return g.undef(ssa.Ptr)
	}
	return g.advance(addr, i, check.IsUnsigned(check.Promote(it)), elem.Size(), e.Op == "-")
}

// assign stores and returns the stored value. The right side is evaluated
// first, as in C++17 and nvcc; a compound assignment evaluates its target
// once.
func (g *fb) assign(e *syntax.AssignExpr) *ssa.Value {
	lt := g.typ(e.L)
	if e.Op == "=" {
		v := g.convertExpr(e.R, lt)
		p := g.place(e.L)
		g.pos = e.Pos()
		g.store(p, v)
		return v
	}
	op := e.Op[:len(e.Op)-1]
	if ptr, ok := lt.(*check.Pointer); ok {
		it := check.Promote(g.typ(e.R))
		i := g.convertExpr(e.R, it)
		p := g.place(e.L)
		v := g.advance(g.load(p), i, check.IsUnsigned(it), ptr.Elem.Size(), op == "-")
		g.store(p, v)
		return v
	}
	t := check.UsualArithmetic(lt, g.typ(e.R))
	var y *ssa.Value
	if op == "<<" || op == ">>" {
		t = check.Promote(lt)
		y = g.shiftCount(e.R)
	} else {
		y = g.convertExpr(e.R, t)
	}
	p := g.place(e.L)
	g.pos = e.Pos()
	x := g.convert(g.load(p), lt, t)
	v := g.convert(g.arith(op, t, x, y), t, lt)
	g.store(p, v)
	return v
}

// cast translates (T)x; a cast to void keeps only the side effects.
func (g *fb) cast(e *syntax.CastExpr, t check.Type) *ssa.Value {
	if t == check.Void {
		g.effect(e.X)
		return nil
	}
	g.alignString(e.X, t)
	return g.convertExpr(e.X, t)
}

// cond translates ?: on scalars or void; aggregate handles structs.
func (g *fb) cond(e *syntax.CondExpr, t check.Type) *ssa.Value {
	if t == check.Void {
		g.choose(e, ssa.Void, func(x syntax.Expr) *ssa.Value { g.effect(x); return nil })
		return nil
	}
	return g.choose(e, typeOf(check.Decay(t)), func(x syntax.Expr) *ssa.Value { return g.convertExpr(x, check.Decay(t)) })
}

// choose evaluates one of the alternatives of ?: and returns its value, of
// type t.
func (g *fb) choose(e *syntax.CondExpr, t ssa.Type, eval func(syntax.Expr) *ssa.Value) *ssa.Value {
	then, other, done := g.newBlock(), g.newBlock(), g.newBlock()
	g.condition(e.Cond, then, other)
	var args []*ssa.Value
	for i, x := range []syntax.Expr{e.Then, e.Else} {
		g.setBlock([]*ssa.Block{then, other}[i])
		v := eval(x)
		if t != ssa.Void {
			if v == nil || v.Type != t {
				v = g.undef(t)
			}
			args = append(args, v)
		}
		g.jump(done)
	}
	g.setBlock(done)
	if t == ssa.Void {
		return nil
	}
	return g.emit(ssa.OpPhi, t, args...)
}
