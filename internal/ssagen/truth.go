package ssagen

import (
	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// isLogical reports whether e is && or ||.
func isLogical(e syntax.Expr) (*syntax.BinaryExpr, bool) {
	b, ok := syntax.Unparen(e).(*syntax.BinaryExpr)
	return b, ok && (b.Op == "&&" || b.Op == "||")
}

// condition branches on e without materialising the values of && and ||.
func (g *fb) condition(e syntax.Expr, then, other *ssa.Block) {
	if g.info.Consts[e] == nil {
		if b, ok := isLogical(e); ok {
			next := g.newBlock()
			if b.Op == "&&" {
				g.condition(b.X, next, other)
			} else {
				g.condition(b.X, then, next)
			}
			g.setBlock(next)
			g.condition(b.Y, then, other)
			return
		}
		if u, ok := syntax.Unparen(e).(*syntax.UnaryExpr); ok && u.Op == "!" {
			g.condition(u.X, other, then)
			return
		}
	}
	g.branch(g.truth(e), then, other)
}

// truth returns whether e is not zero, an i1.
func (g *fb) truth(e syntax.Expr) *ssa.Value {
	t := g.typ(e)
	if c := g.info.Consts[e]; c != nil {
		return g.intConst(ssa.I1, b2i(c.Int != 0 || check.IsFloat(t) && c.Float != 0))
	}
	g.pos = e.Pos()
	if b, ok := isLogical(e); ok {
		return g.logical(b)
	}
	switch x := syntax.Unparen(e).(type) {
	case *syntax.UnaryExpr:
		if x.Op == "!" {
			return g.emit(ssa.OpNot, ssa.I1, g.truth(x.X))
		}
	case *syntax.BinaryExpr:
		if _, ok := comparisons[x.Op]; ok {
			return g.compare(x)
		}
	}
	v := g.expr(e)
	if v == nil {
		return g.undef(ssa.I1)
	}
	return g.nonZero(v)
}

// logical computes the value of && or ||.
func (g *fb) logical(e *syntax.BinaryExpr) *ssa.Value {
	yes, no, done := g.newBlock(), g.newBlock(), g.newBlock()
	g.condition(e, yes, no)
	var args []*ssa.Value
	for i, b := range []*ssa.Block{yes, no} {
		g.setBlock(b)
		args = append(args, g.intConst(ssa.I1, 1-int64(i)))
		g.jump(done)
	}
	g.setBlock(done)
	return g.emit(ssa.OpPhi, ssa.I1, args...)
}

// comparisons gives the operation of each comparison for signed, unsigned and
// floating operands.
var comparisons = map[syntax.Op][3]ssa.Op{
	"==": {ssa.OpEq, ssa.OpEq, ssa.OpFEq},
	"!=": {ssa.OpNe, ssa.OpNe, ssa.OpFNe},
	"<":  {ssa.OpSLt, ssa.OpULt, ssa.OpFLt},
	"<=": {ssa.OpSLe, ssa.OpULe, ssa.OpFLe},
	">":  {ssa.OpSGt, ssa.OpUGt, ssa.OpFGt},
	">=": {ssa.OpSGe, ssa.OpUGe, ssa.OpFGe},
}

// compare returns a comparison as an i1. A null constant compared with a
// pointer becomes one.
func (g *fb) compare(e *syntax.BinaryExpr) *ssa.Value {
	ops := comparisons[e.Op]
	xt, yt := check.Decay(g.typ(e.X)), check.Decay(g.typ(e.Y))
	t := check.UsualArithmetic(xt, yt)
	op := ops[0]
	switch {
	case t == check.Invalid: // pointers
		op = ops[1]
		t = xt
		if _, ok := xt.(*check.Pointer); !ok {
			t = yt
		}
		if _, ok := t.(*check.Pointer); !ok {
			t = &check.Pointer{Elem: check.Void}
		}
	case check.IsFloat(t):
		op = ops[2]
	case check.IsUnsigned(t):
		op = ops[1]
	}
	x, y := g.convertExpr(e.X, t), g.convertExpr(e.Y, t)
	g.pos = e.Pos()
	if x == nil || y == nil || x.Type != y.Type {
		return g.undef(ssa.I1)
	}
	return g.emit(op, ssa.I1, x, y)
}
