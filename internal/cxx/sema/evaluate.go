package sema

import (
	"irgl/internal/cxx/eval"
	"irgl/internal/cxx/hir"
	"irgl/internal/source"
)

// evalExpr computes the value of an expression; the bodies of the functions that it
// calls are analysed by need.
func (e *env) evalExpr(x hir.Expr) (*hir.Const, *source.Diagnostic) {
	return eval.Eval(&eval.Context{Table: e.types, Body: e.constexprBody}, x)
}

// constexprBody returns the body of a function that a constant expression may call.
func (c *checker) constexprBody(h *hir.Func) *hir.Block {
	f := functionOf(h)
	if f == nil || !h.Constexpr {
		return nil
	}
	c.analyseBody(f)
	return h.Body
}
