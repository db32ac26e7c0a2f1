package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// throw analyses throw X. In a constexpr function it says that a constant may not be computed so; on the
// device, where there are no exceptions, the kernel ends there with an error.
func (e *env) throw(x *ast.ThrowExpr) hir.Expr {
	if e.opts.Host || e.body == nil || e.body.fn == nil || !e.body.fn.has(ast.Constexpr) {
		e.errorf(x, codeRefused, "cannot use 'throw' in device code: there are no exceptions on the device")
		return e.bad(x)
	}
	if x.X != nil {
		sub := *e
		sub.unevaluated = true
		if isBad(sub.single(sub.expr(x.X))) {
			return e.bad(x)
		}
	}
	void := e.basic(types.Void)
	f := &hir.Func{Span: x.Span, Name: throwBuiltin, Symbol: throwBuiltin, Builtin: throwBuiltin, Result: void}
	return &hir.Call{Info: rvalueInfo(x.Span, void), Func: f}
}

// throwBuiltin is what the device does in place of a throw.
const throwBuiltin = "__trap"

// isThrow reports whether x is a throw.
func isThrow(x hir.Expr) bool {
	c, ok := x.(*hir.Call)
	return ok && c.Func != nil && c.Func.Builtin == throwBuiltin && c.Func.Decl == nil
}

// thrown returns a throw as an operand of ?: of the type and category of the other one.
func (e *env) thrown(x, other hir.Expr) hir.Expr {
	info := hir.Info{Span: spanOf(x), T: other.Type(), Cat: other.Category()}
	var value hir.Expr = &hir.Zero{Info: info}
	if info.Cat != hir.PRValue {
		value = &hir.Deref{Info: info, X: &hir.Zero{Info: rvalueInfo(info.Span, e.types.Pointer(info.T))}}
	}
	return &hir.Comma{Info: info, X: x, Y: value}
}
