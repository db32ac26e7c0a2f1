package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// foldExpr expands a fold expression (C++17, 8.1.6).
func (e *env) foldExpr(x *ast.FoldExpr) hir.Expr {
	pattern, init, right := x.X, x.Y, true // X op ...
	switch {
	case x.X == nil:
		pattern, init, right = x.Y, nil, false
	case x.Y != nil:
		// The side with the pack is the pattern.
		if e.hasPack(x.X) {
			pattern, init, right = x.X, x.Y, true
		} else {
			pattern, init, right = x.Y, x.X, false
		}
	}
	var list []hir.Expr
	if !e.expand(x, func(e *env) { e.expr(pattern) }, func(e *env) { list = append(list, e.expr(pattern)) }) || anyBad(list) {
		return e.bad(x)
	}
	var acc hir.Expr
	if init != nil {
		if acc = e.expr(init); isBad(acc) {
			return acc
		}
	}
	if len(list) == 0 && acc == nil {
		switch x.Op {
		case cpp.AmpAmp:
			return e.intConst(1, e.basic(types.Bool), x.Span)
		case cpp.PipePipe:
			return e.intConst(0, e.basic(types.Bool), x.Span)
		case cpp.Comma:
			return &hir.Convert{Info: rvalueInfo(x.Span, e.basic(types.Void)), Kind: hir.ToVoid, X: e.intConst(0, e.basic(types.Int), x.Span)}
		}
		e.errorf(x, codePack, "unary fold expression has empty expansion for operator '%s' with no fallback value", x.Op)
		return e.bad(x)
	}
	for i := range list {
		next := list[i]
		if right {
			next = list[len(list)-1-i]
		}
		switch {
		case acc == nil:
			acc = next
		case right:
			acc = e.combine(x, next, acc)
		default:
			acc = e.combine(x, acc, next)
		}
		if isBad(acc) {
			return acc
		}
	}
	return acc
}

// hasPack reports whether an expression names a pack.
func (e *env) hasPack(x ast.Expr) bool {
	p := &expansion{n: -1}
	sub := *e
	sub.pack = p
	e.fails(func() { sub.expr(x) })
	return p.n >= 0
}

// combine applies the operator of a fold expression.
func (e *env) combine(x *ast.FoldExpr, a, b hir.Expr) hir.Expr {
	if overloadable(a) || overloadable(b) {
		if r := e.operatorCall(x.Span, x.Op.String(), x.Op, []hir.Expr{a, b}); r != nil {
			return r
		}
	}
	if op, ok := assignOp(x.Op); ok {
		return e.assign(x.Span, a, op, b)
	}
	if x.Op == cpp.Comma {
		a, b = e.discard(a), e.single(b)
		if isBad(a) || isBad(b) {
			return e.bad(x)
		}
		return &hir.Comma{Info: hir.Info{Span: x.Span, T: b.Type(), Cat: b.Category()}, X: a, Y: b}
	}
	op, _ := binaryOp(x.Op)
	return e.arithmetic(x.Span, op, a, b)
}
